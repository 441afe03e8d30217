/// `xxd`, with any `-c` and `-g`.
///
///     00000000: 0808 dead beef 6265 6566 6361 6665 2031  ......beefcafe 1
///     00000010: 32                                       2
///
/// Two spaces end the bytes. Where a chat collapsed them, the next offset tells how many bytes there are; on a last
/// line, the place where the rest reads like the bytes before it. The characters beside the bytes also give away
/// `xxd -e` (words turned round) and `xxd -b` (bits), which are refused.
struct XxdLayout: DumpLayout {
  let strict: Bool
  /// A line of this text had bytes and nothing beside them.
  private var lacksCharacters = false

  init(strict: Bool) { self.strict = strict }

  static var mark: UInt8? { UInt8(ascii: ":") }

  mutating func bytes(of line: DumpLine, count: Int?) -> DumpBytes {
    let (bytes, characters) = Self.split(line)
    if let characters {
      // Bytes that the characters contradict are not put out at all.
      return Self.doubt(bytes, characters, isLast: count == nil, line).map { DumpBytes(problem: $0) } ?? bytes
    }
    // Beside spaces stand spaces, which editors cut off.
    let needsNoCharacters = bytes.values.areShown(by: [])
    if strict && !needsNoCharacters {
      var refused = bytes
      let reason = "two spaces and the characters must follow the bytes, as xxd writes them"
      refused.problem = bytes.problem ?? ReadError(.notHex, reason, position: line.position(line.text.count))
      return refused
    }
    if let count, let complete = bytes.prefix(ifCharactersFollow: count, in: line.text) {
      let isAll = bytes.problem == nil && complete.values.count == bytes.values.count
      lacksCharacters = lacksCharacters || (isAll && !needsNoCharacters)
      return complete
    }
    if count == nil && !lacksCharacters, let shown = bytes.prefixShownByRest(of: line.text) { return shown }
    return bytes
  }

  /// The groups of digits up to two spaces, and what follows them. Without two spaces, the first thing that is no
  /// group of digits is the bytes' problem, unless it turns out to be characters.
  private static func split(_ line: DumpLine) -> (DumpBytes, characters: ArraySlice<UInt8>?) {
    let text = line.text
    var bytes = DumpBytes(of: line)
    var index = text[line.body...].firstIndex { !$0.isWhite } ?? text.count
    while index < text.count {
      let group = text[index...].prefix { !$0.isWhite }
      if bytes.problem == nil { bytes.append(group, of: line) }
      let gap = text[group.endIndex...].prefix { $0.isWhite }
      index = gap.endIndex
      if gap.count > 1 { return (bytes, text[index...]) }
    }
    return (bytes, nil)
  }

  /// What makes the characters beside the bytes those of other bytes.
  private static func doubt(
    _ bytes: DumpBytes, _ characters: ArraySlice<UInt8>, isLast: Bool, _ line: DumpLine
  ) -> ReadError? {
    guard bytes.problem == nil, !bytes.values.areShown(by: characters) else { return nil }
    let start = line.position(line.body)
    let groups = zip([0] + bytes.ends.map(\.count), bytes.ends).map { bytes.values[$0..<$1.count] }
    if Array(groups.map { $0.reversed() }.joined()).areShown(by: characters) {
      return ReadError(
        .unknownText, "these are words of xxd -e, whose bytes are turned round; dump again without -e", position: start)
    }
    if let bits = bits(in: groups), bits.areShown(by: characters) {
      return ReadError(.unknownText, "these are bits of xxd -b; dump again without -b", position: start)
    }
    guard isLast && characters.count > bytes.values.count else { return nil }
    let reason = "more characters stand here than bytes before them; dump again with plain xxd"
    return ReadError(.notHex, reason, position: line.position(characters.startIndex))
  }

  /// The bytes that groups of eight binary digits stand for. Two digits came as one byte: 00, 01, 10 or 11.
  private static func bits(in groups: [ArraySlice<UInt8>]) -> [UInt8]? {
    guard groups.allSatisfy({ $0.count == 4 && $0.allSatisfy { $0 & 0xee == 0 } }) else { return nil }
    return groups.map { group in group.reduce(0) { $0 << 2 | $1 >> 3 | $1 & 1 } }
  }
}
