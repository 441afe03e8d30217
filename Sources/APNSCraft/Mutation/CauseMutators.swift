import APNSDiagnosis
import APNSWire
import Octets

/// Senders' bugs run forwards: the frame as a sender with that bug writes it. What they do to the bytes is stated with the
/// bugs; the label says what is found in the case.
func causeMutators(of schema: FrameSchema, _ catalog: Catalog) -> [Mutator] {
  guard schema.path(of: .payload) != nil, schema.path(of: .token) != nil,
    let own = catalog.writings.first(where: { $0.schema.name == schema.name })
  else { return [] }
  return RootCauses.all.flatMap { cause in
    cause.effects.enumerated().flatMap { index, effect in
      senders(of: effect, own, catalog).enumerated().map { number, send in
        let name = [cause.id] + (index + number > 0 ? ["\(index * 8 + number + 1)"] : [])
        return Mutator("bug-" + name.joined(separator: "-"), cause, of: schema) { bench in
          let right = try bench.frame.bytes()
          guard let written = try send(&bench), written != right else { return nil }
          return Change(
            sentence: "\(cause.title): \(right.count) bytes became \(written.count)", bytes: written)
        }
      }
    }
  }
}

/// What a sender with the bug writes in place of the frame on the bench; nil where the frame does not show it.
private typealias Sender = @Sendable (inout Bench) throws -> [UInt8]?

private func senders(of effect: RootCause.Effect, _ own: Writing, _ catalog: Catalog) -> [Sender] {
  switch effect {
  case .writing(let changes):
    changes.compactMap { change in
      var writing = own
      guard change.apply(&writing) else { return nil }
      let changed = writing
      return { bench in changed.bytes(of: bench.frame, command: bench.otherCommand(than: own, changed.command)) }
    }
  case .length(let rule): [{ bench in try wrongLengths(rule, own, &bench) }]
  case .coding(let coding): [{ bench in coding.encode(try bench.frame.bytes()) }]
  case .between(let foreign):
    [
      { bench in
        let frame = try bench.frame.bytes()
        return foreign.example(frame.count) + frame
      }
    ]
  case .byte(let isLost):
    [
      { bench in
        var bytes = try bench.frame.bytes()
        let place = bench.maker.chance.number(1...(bytes.count - 2))
        if isLost { bytes.remove(at: place) } else { bytes.insert(bench.maker.token(1)[0], at: place) }
        return try bench.twoFrames().map { bytes + $0 }
      }
    ]
  case .cut:
    [
      { bench in
        let bytes = try bench.frame.bytes()
        return try bench.twoFrames().map { bytes.dropLast(bench.maker.chance.number(2...12)) + $0 }
      }
    ]
  case .interleaving:
    [
      { bench in
        guard let token = bench.frame.schema.path(of: .token), let range = bench.frame.range(of: token),
          let size = bench.frame.size(of: token), let other = try bench.company()?.bytes()
        else { return nil }
        var bytes = try bench.frame.bytes()
        // One writer is stopped between the token's length and the token.
        bytes.insert(contentsOf: other, at: range.upperBound - size)
        return try bench.twoFrames().map { bytes + $0 }
      }
    ]
  // A run of frames shows it, and no single one.
  case .repetition: []
  }
}

/// The frame with every length that the rule gives; nil where these are the right ones.
private func wrongLengths(_ rule: RootCause.LengthRule, _ own: Writing, _ bench: inout Bench) throws -> [UInt8]? {
  let schema = own.schema
  guard let token = schema.path(of: .token), let payload = schema.path(of: .payload) else { return nil }
  bench.vary(token, payload)
  let bytes = try bench.frame.bytes()
  var isWrong = false
  for path in schema.paths where path.lengthWidth > 0 {
    guard let field = path.field, let size = bench.frame.size(of: path), let range = bench.frame.range(of: path) else {
      continue
    }
    var measured = Measured(
      of: field, size: size, width: path.lengthWidth, range: (range.upperBound - size)..<range.upperBound,
      token: bench.frame.size(of: token), payload: bench.frame.size(of: payload))
    measured.items = bench.frame[items: path]?.count ?? 0
    if measured.kind == .payload { measured.previous = bench.payloadBefore }
    guard let told = rule.lengths(measured, bytes.span).first(where: { $0 != size }) else { continue }
    isWrong = bench.frame.setLength(of: path, to: UInt64(told)) || isWrong
  }
  return isWrong ? try bench.frame.bytes() : nil
}

extension Bench {
  /// Values by which wrong lengths differ from right ones: text of several bytes a character, a long payload, a token of
  /// another size or with a zero in it.
  fileprivate mutating func vary(_ token: FieldPath, _ payload: FieldPath) {
    switch maker.chance.number(1...5) {
    case 1:
      let text = (0..<maker.chance.number(3...20)).map { _ in String(maker.chance.pick(["é", "ü", "ñ"] as [Character]))
      }
      frame[payload] = .octets(Array("{\"aps\":{\"alert\":\"\(text.joined())\"}}".utf8))
    case 2: frame[payload] = .octets(maker.payload(size: maker.chance.number(128...250)))
    case 3:
      if edition.mostPayload > 1500 { frame[payload] = .octets(maker.payload(size: maker.chance.number(300...1500))) }
    case 4:
      if edition.tokenSizes.contains(64) { frame[token] = .octets(maker.token(maker.chance.number(34...64))) }
    default:
      var value = maker.token(32)
      value[maker.chance.number(8...24)] = 0
      frame[token] = .octets(value)
    }
  }

  /// The size of the payload of the frame before.
  fileprivate var payloadBefore: Int? {
    guard let before = front.last, before.schema.name == frame.schema.name else { return nil }
    return before.schema.path(of: .payload).flatMap { before.size(of: $0) }
  }

  fileprivate mutating func otherCommand(than own: Writing, _ form: Writing.CommandForm) -> UInt8 {
    let known = (UInt8.min...UInt8.max).filter { catalog.isCommand($0) }
    let others =
      form == .unknown ? (0...20).filter { !known.contains($0) } : known.filter { $0 != own.schema.command?.rawValue }
    return others.isEmpty ? 0xff : maker.chance.pick(others)
  }
}
