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
    cause.effects.enumerated().flatMap { index, effect in
      effect.separated(for: writer).enumerated().map { number, effect in
        let name = [cause.id] + (index + number > 0 ? ["\(index * 8 + number + 1)"] : [])
        return Mutator("bug-" + name.joined(separator: "-"), cause.title, cause: cause, of: schema) { context in
          let correct = try context.frame.bytes()
          guard let written = try context.write(effect, writer), written != correct else { return nil }
          return try context.dissected("\(cause.title): \(correct.count) bytes became \(written.count)", written) {
            $0.cause?.id == cause.id
          }
        }
      }
    }
  }
}

extension RootCause.Effect {
  /// The effect, or each of its ways to write frames that frames of the writer's type show.
  fileprivate func separated(for writer: FaultyWriter) -> [RootCause.Effect] {
    guard case .writing(let writings) = self else { return [self] }
    return writings.filter(writer.applies).map { .writing([$0]) }
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
    case .lengthOfPrevious: return payloadBefore.flatMap { writer.write(bytes, as: .payloadLength($0)) }
    case .between(let foreign): return foreign.example(bytes.count) + bytes
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

  /// Sets values for which incorrect lengths differ from correct ones: text with several bytes per character, a long
  /// payload, or a token of another size or with a zero byte.
  fileprivate mutating func vary() {
    guard let token = frame.schema.path(of: .token), let payload = frame.schema.path(of: .payload) else { return }
    switch maker.chance.number(1...5) {
    case 1:
      let text = (0..<maker.chance.number(3...20)).map { _ in maker.chance.pick(["é", "ü", "ñ"]) }.joined()
      frame[payload] = .octets(Array("{\"aps\":{\"alert\":\"\(text)\"}}".utf8))
    case 2: frame[payload] = .octets(maker.payload(size: maker.chance.number(128...250)))
    case 3:
      if edition.maximumPayload > 1500 {
        frame[payload] = .octets(maker.payload(size: maker.chance.number(300...1500)))
      }
    case 4:
      if edition.tokenSizes.contains(64) { frame[token] = .octets(maker.token(maker.chance.number(34...64))) }
    default:
      var value = maker.token(32)
      value[maker.chance.number(8...24)] = 0
      frame[token] = .octets(value)
    }
  }

  /// The size of the payload in the preceding frame.
  fileprivate var payloadBefore: Int? {
    guard let before = precedingFrames.last, before.schema.name == frame.schema.name else { return nil }
    return before.schema.path(of: .payload).flatMap { before.size(of: $0) }
  }
}
