import APNSDiagnosis
import APNSWire
import Octets

/// Senders' bugs by which bytes stand where they do not belong, in frames without a length around them: fields in a wrong
/// order, a byte lost or added, two writers at a time.
func orderMutators(of schema: FrameSchema, _ token: Target, _ payload: Target) -> [Mutator] {
  guard schema.parts.last?.field?.name == payload.field?.name else { return [] }
  var all = [
    outOfOrder("lengths-first", "both lengths precede the token", token, payload) { frame, token, payload in
      token.length + payload.length + token.value + payload.value
    },
    outOfOrder("token-first", "the token precedes its length", token, payload) { frame, token, payload in
      token.value + token.length + payload.length + payload.value
    },
    byteLost(token), byteAdded(token), interleaved(token),
  ]
  if schema.hasIdentifier { all.append(behindOlderCommand(schema)) }
  return all
}

private func outOfOrder(
  _ name: String, _ title: String, _ token: Target, _ payload: Target,
  _ order: @escaping @Sendable (_ frame: PieceFrame, _ token: Piece, _ payload: Piece) -> [UInt8]
) -> Mutator {
  Mutator(name, title, rule: .truncated, cause: .fieldsOutOfOrder, of: token.schema) { bench in
    let frame = bench.frame
    guard let first = frame[token.path], let second = frame[payload.path], let start = frame.range(of: token.path)
    else { return nil }
    let bytes = Array(frame.bytes[..<start.lowerBound]) + order(frame, first, second)
    guard token.schema.isBelievedBeyond(bytes) else { return nil }
    return Change(
      sentence: "the order of the token (\(first.valueSize) bytes), the payload (\(second.valueSize) bytes) and their "
        + "lengths was changed: \(title)", bytes: bytes)
  }
}

extension Piece {
  fileprivate var length: [UInt8] { [UInt8](bigEndian: UInt64(valueSize), width: width) }
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
    guard let older, let command = older.command?.rawValue, let old = bench.frame[["command"]]?.lead.first else {
      return nil
    }
    bench.frame.edit(["command"]) { $0.lead = [command] }
    guard older.isBelievedBeyond(bench.frame.bytes) else { return nil }
    let size = bench.frame.bytes.number(at: 1, width: 2) ?? 0
    guard size > 0, size != 32 else { return nil }
    return Change(
      sentence: "the command was changed from \(old) to \(command); identifier and expiry still follow it",
      follows: older.tokenSizes(in: bench.edition).contains(size) ? [] : [.tokenLength])
  }
}

// Behind these two whole frames stand, by which a reader sees that nothing else is wrong.

private func byteLost(_ token: Target) -> Mutator {
  inToken(.byteLost, "a byte of the token is missing", token) { bytes, range, bench in
    let place = bench.maker.chance.number(range.lowerBound...(range.upperBound - 1))
    let lost = bytes.remove(at: place)
    return "byte \(place) of the frame, \(lost), was removed"
  }
}

private func byteAdded(_ token: Target) -> Mutator {
  inToken(.byteAdded, "the token contains an extra byte", token) { bytes, range, bench in
    let place = bench.maker.chance.number((range.lowerBound + 1)...(range.upperBound - 1))
    let added = bench.maker.token(1)[0]
    bytes.insert(added, at: place)
    return "the byte \(added) was inserted after the first \(place) bytes of the frame"
  }
}

/// Of two writers that write field by field, one is stopped between the token's length and the token.
private func interleaved(_ token: Target) -> Mutator {
  inToken(.writersInterleaved, "a complete frame is in the middle of another", token) { bytes, range, bench in
    guard let other = bench.company() else { return nil }
    bytes.insert(contentsOf: other.bytes, at: range.lowerBound)
    return "a frame of \(other.bytes.count) bytes was inserted after the first \(range.lowerBound) bytes of another"
  }
}

private func inToken(
  _ cause: RootCause.ID, _ title: String, _ token: Target,
  _ change: @escaping @Sendable (_ bytes: inout [UInt8], _ token: Range<Int>, _ bench: inout Bench) -> String?
) -> Mutator {
  Mutator("\(cause.rawValue)-\(token.name)", title, rule: .overruledLength, cause: cause, of: token.schema) { bench in
    guard let range = bench.frame.range(of: token.path), let size = bench.frame[token.path]?.valueSize, size > 8
    else { return nil }
    var bytes = bench.frame.bytes
    guard let sentence = change(&bytes, (range.upperBound - size)..<range.upperBound, &bench),
      let one = bench.company(), let other = bench.company()
    else { return nil }
    let behind = one.bytes + other.bytes
    guard token.schema.isBelievedBeyond(bytes + behind) else { return nil }
    return Change(sentence: sentence, bytes: bytes, behind: behind)
  }
}

extension FrameSchema {
  /// Whether a reader that believes each length comes to one, behind the token, that claims more than all bytes.
  func isBelievedBeyond(_ bytes: [UInt8]) -> Bool {
    var position = 0
    for part in parts {
      switch part {
      case .command: position += 1
      case .fixed(let field): position += field.size ?? 0
      case .counted(_, let width, _):
        guard let claimed = bytes.number(at: position, width: width) else { return false }
        position += width + claimed
      }
      if position > bytes.count { return true }
    }
    return false
  }
}
