/// The connections in a log of Netty, whose lines name the channel and the direction before each table.
///
///     [id: 0x1f, L:/10.0.0.1:40000 - R:/17.0.0.1:2195] WRITE: 6B
///              +-------------------------------------------------+
///     |00000000| 08 08 00 00 00 07                               |......          |
///
/// The log is assumed to be from the side that opened the connection.
struct Channels: Sendable {
  private var numbers: [[UInt8]: Int] = [:]

  /// The stream that the line announces; nil if it announces none.
  mutating func stream(after line: TextLine) -> ByteStream? {
    let words = line.words
    guard let index = words.lastIndex(where: { Self.side(of: $0) != nil }), let side = Self.side(of: words[index])
    else { return nil }
    let lead = line.text[..<words[index].startIndex]
    let open = lead.lastIndex(of: UInt8(ascii: "[")) ?? lead.endIndex
    let name = Array(lead[open...].prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "]") })
    let number = numbers[name] ?? numbers.count
    if number < Self.limit { numbers[name] = number }
    return ByteStream(number: number * 2 + side, isDirected: true)
  }

  /// Further channels are treated as one connection.
  private static let limit = 1 << 14

  private static func side(of word: ArraySlice<UInt8>) -> Int? {
    if word.isText("WRITE:") || word.isText("WRITE") { return 0 }
    return ["READ:", "READ", "RECEIVED:", "RECEIVED"].contains { word.isText($0) } ? 1 : nil
  }
}
