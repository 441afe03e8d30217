import APNSDiagnosis
import APNSWire
import Octets

/// Senders' bugs by which bytes stand where they do not belong, in frames without a length around them: fields in a wrong
/// order, a byte lost or added, two writers at a time.
func orderMutators(of schema: FrameSchema, _ token: FieldPath, _ payload: FieldPath) -> [Mutator] {
  guard schema.parts.last?.field?.name == payload.field?.name else { return [] }
  var all = [
    outOfOrder("lengths-first", "both lengths precede the token", token, payload) { token, payload in
      token.length + payload.length + token.value + payload.value
    },
    outOfOrder("token-first", "the token precedes its length", token, payload) { token, payload in
      token.value + token.length + payload.length + payload.value
    },
    byteLost(token), byteAdded(token), interleaved(token),
  ]
  if schema.hasIdentifier { all.append(behindOlderCommand(schema)) }
  return all
}

private func outOfOrder(
  _ name: String, _ title: String, _ token: FieldPath, _ payload: FieldPath,
  _ order: @escaping @Sendable (_ token: Counted, _ payload: Counted) -> [UInt8]
) -> Mutator {
  Mutator(name, title, rule: .truncated, cause: .fieldsOutOfOrder, of: token.schema) { bench in
    guard let first = try bench.counted(token), let second = try bench.counted(payload),
      let start = bench.frame.range(of: token)
    else { return nil }
    let bytes = try Array(bench.frame.bytes()[..<start.lowerBound]) + order(first, second)
    guard token.schema.isBelievedBeyond(bytes) else { return nil }
    return Change(
      sentence: "the order of the token (\(first.value.count) bytes), the payload (\(second.value.count) bytes) and "
        + "their lengths was changed: \(title)", bytes: bytes)
  }
}

/// A value and the length before it.
private typealias Counted = (length: [UInt8], value: [UInt8])

extension Bench {
  fileprivate func counted(_ path: FieldPath) throws -> Counted? {
    try frame.octets(at: path).map { ([UInt8](bigEndian: UInt64($0.count), width: path.lengthWidth), $0) }
  }
}

/// The frame of a newer type behind the command of the type that has its other fields.
private func behindOlderCommand(_ schema: FrameSchema) -> Mutator {
  Mutator(
    "older-command", "the command is that of an older type without identifier and expiry", rule: .truncated,
    cause: .enhancedFieldsBehindCommand0, of: schema
  ) { bench in
    let counted = schema.parts.compactMap { if case .counted(let field, _, _) = $0 { field.name } else { nil } }
    let older = bench.catalog.schemas.first {
      $0.role == schema.role && $0.lacksIdentifier && $0.parts.dropFirst().compactMap { $0.field?.name } == counted
    }
    guard let older, let command = older.command, let old = schema.command else { return nil }
    bench.frame.command = command
    let bytes = try bench.frame.bytes()
    guard older.isBelievedBeyond(bytes) else { return nil }
    let size = bytes.number(at: 1, width: 2) ?? 0
    guard size > 0, size != 32, size <= bytes.count - 3 else { return nil }
    return Change(
      sentence:
        "the command was changed from \(old.rawValue) to \(command.rawValue); identifier and expiry still follow it",
      follows: older.tokenSizes(in: bench.edition).contains(size) ? [] : [.tokenLength])
  }
}

// Behind these two whole frames stand, by which a reader sees that nothing else is wrong.

private func byteLost(_ token: FieldPath) -> Mutator {
  inToken(.byteLost, "a byte of the token is missing", token) { bytes, range, bench in
    let place = bench.maker.chance.number(range.lowerBound...(range.upperBound - 1))
    let lost = bytes.remove(at: place)
    // A token that begins with a small number could be one with another length before it.
    guard bytes[range.lowerBound] > range.count else { return nil }
    return "byte \(place) of the frame, \(lost), was removed"
  }
}

private func byteAdded(_ token: FieldPath) -> Mutator {
  inToken(.byteAdded, "the token contains an extra byte", token) { bytes, range, bench in
    let place = bench.maker.chance.number((range.lowerBound + 1)...(range.upperBound - 1))
    let added = bench.maker.token(1)[0]
    bytes.insert(added, at: place)
    return "the byte \(added) was inserted after the first \(place) bytes of the frame"
  }
}

/// Of two writers that write field by field, one is stopped between the token's length and the token.
private func interleaved(_ token: FieldPath) -> Mutator {
  inToken(.writersInterleaved, "a complete frame is in the middle of another", token) { bytes, range, bench in
    guard let other = try bench.company()?.bytes() else { return nil }
    bytes.insert(contentsOf: other, at: range.lowerBound)
    return "a frame of \(other.count) bytes was inserted after the first \(range.lowerBound) bytes of another"
  }
}

private func inToken(
  _ cause: RootCause.ID, _ title: String, _ token: FieldPath,
  _ change: @escaping @Sendable (_ bytes: inout [UInt8], _ token: Range<Int>, _ bench: inout Bench) throws -> String?
) -> Mutator {
  Mutator("\(cause.rawValue)-\(token.name)", title, rule: .overruledLength, cause: cause, of: token.schema) { bench in
    guard let range = bench.frame.range(of: token), let size = bench.frame.size(of: token), size > 8
    else { return nil }
    var bytes = try bench.frame.bytes()
    guard let sentence = try change(&bytes, (range.upperBound - size)..<range.upperBound, &bench),
      let behind = try bench.twoFrames(), token.schema.isBelievedBeyond(bytes + behind)
    else { return nil }
    return Change(sentence: sentence, bytes: bytes, behind: behind)
  }
}

extension FrameSchema {
  /// Whether a reader that believes each length comes to one, behind the token, that claims more than all bytes.
  func isBelievedBeyond(_ bytes: [UInt8]) -> Bool {
    var position = command == nil ? 0 : 1
    for path in topLevelPaths {
      let width = path.lengthWidth
      guard let size = width == 0 ? path.field?.size : bytes.number(at: position, width: width) else { return false }
      position += width + size
      if position > bytes.count { return true }
    }
    return false
  }
}
