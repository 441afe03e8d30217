/// Finds the words and arrows that say which side sent the bytes after them.
///
///     write to 0x5587     [id: 0x1f] READ: 6B     S>C  application_data     => Send data     peer: 1     → out
///     C->S     client:     in:     10:00:01 apns <-- b'...'
enum SideMarks {
  /// The side of the last mark in `text`: 0 sent the bytes, 1 received them; nil if there is no mark.
  static func side(in text: ArraySlice<UInt8>) -> Int? {
    var side: Int?
    var index = text.startIndex
    while index < text.endIndex {
      if ["→", "-->"].contains(where: { text[index...].starts(with: $0.utf8) }) { side = 0 }
      if ["←", "<--"].contains(where: { text[index...].starts(with: $0.utf8) }) { side = 1 }
      guard text[index].isWordPart else {
        index += 1
        continue
      }
      let word = text[index...].prefix(while: \.isWordPart)
      if word.count <= 16 { side = self.side(of: word, before: text[word.endIndex...]) ?? side }
      index = word.endIndex
    }
    return side
  }

  private static func side(of word: ArraySlice<UInt8>, before rest: ArraySlice<UInt8>) -> Int? {
    var name = String(decoding: word.lowercased, as: UTF8.self)
    if name == "c" || name == "s" {
      let arrow = rest.drop { $0 == UInt8(ascii: "-") }
      name += String(decoding: arrow.prefix(2), as: UTF8.self)
    }
    if rest.first == UInt8(ascii: ":"), rest.dropFirst().isBlank, let side = titles[name] { return side }
    if name == "peer" {
      name += String(decoding: rest.drop { ": ".utf8.contains($0) }.prefix(while: \.isDecimalDigit), as: UTF8.self)
    } else if name.hasPrefix("peer") || name.hasPrefix("recei") && name.utf8.count > 6 {
      name = String(name.prefix(5))
    }
    return sides[name]
  }

  /// Words of prose that only name a side at the end, before a colon.
  private static let titles = ["client": 0, "in": 1, "server": 1]
  private static let sides = [
    "write": 0, "writing": 0, "wrote": 0, "send": 0, "sent": 0, "sending": 0, "out": 0, "tx": 0, "c>S": 0, "peer0": 0,
    "read": 1, "recv": 1, "recei": 1, "rx": 1, "s>C": 1, "peer1": 1,
  ]
}
