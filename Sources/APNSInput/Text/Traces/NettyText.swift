import Octets

extension TextFormat {
  /// Tables that Netty's `LoggingHandler` or `ByteBufUtil` prints.
  public static let netty = TextFormat(
    "netty", "tables of Netty's LoggingHandler or ByteBufUtil (|00000000| 02 00 |..|)",
    recognises: { head in head.text.split(separator: UInt8(ascii: "\n")).contains { NettyText.row(Array($0)) != nil } },
    decoder: { _ in NettyText() })
}

/// Netty's tables of bytes, with the log line before each.
///
///     [id: 0x1f, L:/10.0.0.1:40000 - R:/17.0.0.1:2195] WRITE: 6B
///              +-------------------------------------------------+
///              |  0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f |
///     +--------+-------------------------------------------------+----------------+
///     |00000000| 08 08 00 00 00 07                               |......          |
///     +--------+-------------------------------------------------+----------------+
///
/// `WRITE` and `READ` give the direction; the log is assumed to be from the side that opened the connection. The
/// channel identifies the connection.
struct NettyText: TextDecoder {
  var leads: LineLead.Kind { .none }
  private var channels: [[UInt8]: Int] = [:]
  private var stream = ByteStream(number: 0)
  /// The expected offset of the next row in this table.
  private var next = 0

  mutating func decode(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    guard let digits = Self.row(line.text) else { return readLogLine(line) }
    let text = line.text
    let offset = text[digits].number() ?? 0
    guard offset == 0 || offset == next else {
      let found = String(decoding: text[digits], as: UTF8.self)
      let reason = "expected offset \(String(next, radix: 16)), found \(found): a line is missing or was edited"
      throw ReadError(.contradictingOffset, reason, position: line.position(digits.lowerBound))
    }
    let found = DumpLine(line: line, digits: digits, body: digits.upperBound + 1)
    var bytes = DumpBytes(of: found)
    let body = text[found.body...].prefix { $0 != UInt8(ascii: "|") }
    for group in body.split(whereSeparator: \.isWhite) where bytes.problem == nil { bytes.append(group, of: found) }
    if bytes.problem == nil {
      guard body.endIndex < text.count, text.last == UInt8(ascii: "|"), body.endIndex + 1 < text.count else {
        throw ReadError(.cutText, "this row of the table has no end; paste the whole line", position: line.position(0))
      }
      let characters = text[(body.endIndex + 1)...].dropLast()
      guard bytes.values.areShown(by: characters) else { throw .contradictingCharacters(at: line.position(found.body)) }
    }
    for (value, index) in zip(bytes.values, bytes.indices) {
      output.append(value, at: line.position(index), to: stream)
    }
    if let problem = bytes.problem { throw problem }
    next = offset + bytes.values.count
  }

  /// The range of the offset's digits; nil if the line is not a row of bytes.
  static func row(_ text: [UInt8]) -> Range<Int>? {
    guard let first = text.firstIndex(where: { !$0.isWhite }), text[first] == UInt8(ascii: "|") else { return nil }
    let digits = text[(first + 1)...].prefix { $0.hexDigitValue != nil }
    guard digits.count == 8, digits.endIndex < text.count, text[digits.endIndex] == UInt8(ascii: "|") else {
      return nil
    }
    return digits.startIndex..<digits.endIndex
  }

  /// Gets the channel and the direction from a log line.
  private mutating func readLogLine(_ line: TextLine) {
    let words = line.words
    guard let index = words.lastIndex(where: { Self.side(of: $0) != nil }), let side = Self.side(of: words[index])
    else {
      return
    }
    let lead = line.text[..<words[index].startIndex]
    let open = lead.lastIndex(of: UInt8(ascii: "[")) ?? lead.endIndex
    let name = Array(lead[open...].prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "]") })
    let number = channels[name] ?? channels.count
    if number < Self.channelLimit { channels[name] = number }
    stream = ByteStream(number: number * 2 + side, isDirected: true)
  }

  /// Further channels are treated as one connection.
  private static let channelLimit = 1 << 14

  private static func side(of word: ArraySlice<UInt8>) -> Int? {
    if word.isText("WRITE:") || word.isText("WRITE") { return 0 }
    return ["READ:", "READ", "RECEIVED:", "RECEIVED"].contains { word.isText($0) } ? 1 : nil
  }
}
