import APNSDiagnosis
import APNSWire
import Octets

/// Mutators that write a frame as a sender with a known bug does. The effect of each bug on the bytes is defined with
/// its root cause; the label states the findings of the case.
func causeMutators(of schema: FrameSchema) -> [Mutator] {
  guard schema.path(of: .payload) != nil, schema.path(of: .token) != nil,
    let writer = FaultyWriter(schema)
  else { return [] }
  return RootCauses.all.flatMap { cause in
    let effects = cause.effects.enumerated().flatMap { index, effect in
      guard case .writing(let writings) = effect else { return [(index * 8, effect)] }
      // Each way to write frames is an effect of its own, if frames of this type show it.
      return writings.filter(writer.applies).enumerated().map { (index * 8 + $0, .writing([$1])) }
    }
    return effects.map { number, effect in
      let name = "bug-\(cause.id)" + (number > 0 ? "-\(number + 1)" : "")
      return Mutator(name, cause.title, cause: cause, of: schema) { context in
        let correct = try context.frame.bytes()
        guard let written = try context.write(effect, writer), written != correct else { return nil }
        return try context.dissected("\(cause.title): \(correct.count) bytes became \(written.count)", written) {
          $0.cause?.id == cause.id
        }
      }
    }
  }
}

extension MutationContext {
  /// The bytes that a sender with the bug writes instead of the frame; nil if the bug does not change this frame.
  fileprivate mutating func write(_ effect: RootCause.Effect, _ writer: FaultyWriter) throws -> [UInt8]? {
    var bytes = try frame.bytes()
    switch effect {
    case .writing(let writings):
      guard let writing = writings.first else { return nil }
      if writing.isAboutLengths { vary() }
      return writer.write(try frame.bytes(), as: writing)
    case .lengthOfPrevious:
      guard let before = precedingFrames.last, before.schema.name == frame.schema.name,
        let size = before.schema.path(of: .payload).flatMap({ before.size(of: $0) })
      else { return nil }
      return writer.write(bytes, as: .payloadLength(size))
    case .between(let example, _, _): return example(bytes.count) + bytes
    case .cut: return try twoFrames().map { bytes.dropLast(maker.chance.number(2...12)) + $0 }
    case .byte(let isLost):
      let place = maker.chance.number(1...(bytes.count - 2))
      if isLost { bytes.remove(at: place) } else { bytes.insert(maker.token(1)[0], at: place) }
    case .interleaving:
      guard let token = frame.schema.path(of: .token), let range = frame.range(of: token),
        let size = frame.size(of: token), let other = try companionFrame()?.bytes()
      else { return nil }
      // One writer is interrupted between the token's length and the token.
      bytes.insert(contentsOf: other, at: range.upperBound - size)
    }
    return try twoFrames().map { bytes + $0 }
  }

  /// Sets values for which incorrect lengths differ from correct ones: a long payload, or a token of another size or
  /// with a zero byte.
  fileprivate mutating func vary() {
    guard let token = frame.schema.path(of: .token), let payload = frame.schema.path(of: .payload) else { return }
    switch maker.chance.number(1...4) {
    case 1:
      frame[payload] = .octets(maker.payload(size: maker.chance.number(128...min(edition.maximumPayload - 6, 1500))))
    case 2:
      if edition.tokenSizes.contains(64) { frame[token] = .octets(maker.token(maker.chance.number(34...64))) }
    case 3:
      var value = maker.token(32)
      value[maker.chance.number(8...24)] = 0
      frame[token] = .octets(value)
    default: break
    }
  }
}
