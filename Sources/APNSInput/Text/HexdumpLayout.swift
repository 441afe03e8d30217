/// `hexdump -C`.
///
///     00000000  08 08 de ad be ef 62 65  65 66 63 61 66 65 20 31  |......beefcafe 1|
///     00000010  32                                                |2|
///     00000011
///
/// The first `|` ends the bytes. Outside of strict the bars may lack, as in Wireshark's dumps: then three spaces end
/// the bytes, or two after sixteen of them, or, where a chat collapsed the spaces, the same as in `XxdLayout`.
struct HexdumpLayout: DumpLayout {
  let strict: Bool

  static var mark: UInt8? { nil }

  mutating func bytes(of line: DumpLine, count: Int?) -> DumpBytes {
    let text = line.text
    var bytes = DumpBytes(of: line)
    var index = line.body
    while index < text.count && bytes.problem == nil {
      let gap = text[index...].prefix { $0.isWhite }
      index = gap.endIndex
      if index == text.count || Self.bars.contains(text[index]) { return checked(bytes, of: line, at: index) }
      let isWide = gap.count >= (bytes.values.count < 16 ? 3 : 2)
      if isWide && !bytes.values.isEmpty { return checked(bytes, of: line, at: index) }
      let group = text[index...].prefix { !$0.isWhite }
      index = group.endIndex
      if group.count > 2 && group.allSatisfy({ $0.hexDigit != nil }) {
        let reason = "a group longer than one byte; hexdump's words may be turned round, so dump again with hexdump -C"
        bytes.problem = ReadError(.notHex, reason, position: line.position(group.startIndex))
      } else {
        bytes.append(group, of: line)
      }
    }
    // Bars would have ended the bytes, so what came before them is a mistake and not collapsed characters.
    if strict || text.contains(where: { Self.bars.contains($0) }) { return checked(bytes, of: line, at: index) }
    if let count, let complete = bytes.prefix(ifCharactersFollow: count, in: text) { return complete }
    let isCollapsed = line.body + 1 < text.count && !text[line.body + 1].isWhite
    if count == nil && isCollapsed, let shown = bytes.prefixShownByRest(of: text) { return shown }
    return bytes
  }

  /// In strict, the characters must follow between bars.
  private func checked(_ bytes: DumpBytes, of line: DumpLine, at index: Int) -> DumpBytes {
    guard strict, bytes.problem == nil, !bytes.values.isEmpty else { return bytes }
    let characters = line.text[index...]
    let hasBars = characters.first == Self.bar && characters.last == Self.bar
    if hasBars && characters.count == bytes.values.count + 2 { return bytes }
    var refused = bytes
    let reason = "the characters must follow the bytes between bars, as hexdump -C writes them"
    refused.problem = ReadError(.notHex, reason, position: line.position(index))
    return refused
  }

  private static let bar = UInt8(ascii: "|")
  /// hexdump's, and od's.
  private static let bars = [bar, UInt8(ascii: ">")]
}
