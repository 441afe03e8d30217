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
      senders(of: effect, writer).enumerated().map { number, send in
        let name = [cause.id] + (index + number > 0 ? ["\(index * 8 + number + 1)"] : [])
        return Mutator("bug-" + name.joined(separator: "-"), cause, of: schema) { context in
          let correct = try context.frame.bytes()
          guard let written = try send(&context), written != correct else { return nil }
          return try context.dissected("\(cause.title): \(correct.count) bytes became \(written.count)", written) {
            $0.cause?.id == cause.id
          }
        }
      }
    }
  }
}

/// The bytes that a sender with the bug writes instead of the frame; nil if the bug does not change this frame.
private typealias Sender = @Sendable (inout MutationContext) throws -> [UInt8]?

private func senders(of effect: RootCause.Effect, _ writer: FaultyWriter) -> [Sender] {
  switch effect {
  case .writing(let writings):
    writings.filter(writer.applies).map { writing in
      { context in
        if writing.isAboutLengths { context.vary() }
        return writer.write(try context.frame.bytes(), as: writing)
      }
    }
  case .lengthOfPrevious:
    [
      { context in
        guard let size = context.payloadBefore else { return nil }
        return writer.write(try context.frame.bytes(), as: .payloadLength(size))
      }
    ]
  case .between(let foreign):
    [
      { context in
        let frame = try context.frame.bytes()
        return foreign.example(frame.count) + frame
      }
    ]
  case .byte(let isLost):
    [
      { context in
        var bytes = try context.frame.bytes()
        let place = context.maker.chance.number(1...(bytes.count - 2))
        if isLost { bytes.remove(at: place) } else { bytes.insert(context.maker.token(1)[0], at: place) }
        return try context.twoFrames().map { bytes + $0 }
      }
    ]
  case .cut:
    [
      { context in
        let bytes = try context.frame.bytes()
        return try context.twoFrames().map { bytes.dropLast(context.maker.chance.number(2...12)) + $0 }
      }
    ]
  case .interleaving:
    [
      { context in
        guard let token = context.frame.schema.path(of: .token), let range = context.frame.range(of: token),
          let size = context.frame.size(of: token), let other = try context.companionFrame()?.bytes()
        else { return nil }
        var bytes = try context.frame.bytes()
        // One writer is interrupted between the token's length and the token.
        bytes.insert(contentsOf: other, at: range.upperBound - size)
        return try context.twoFrames().map { bytes + $0 }
      }
    ]
  }
}

extension MutationContext {
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
