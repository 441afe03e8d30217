/// Finds the words and arrows that say which side sent the bytes after them.
///
///     write to 0x5587     [id: 0x1f] READ: 6B     S>C  application_data     => Send data     peer: 1     → out
enum SideMarks {
  /// The side of the last mark in `text`: 0 sent the bytes, 1 received them; nil if there is no mark.
  static func side(in text: ArraySlice<UInt8>) -> Int? {
    var side = arrow(at: text.drop { $0.isWhite })
    var index = text.startIndex
    while index < text.endIndex {
      if text[index...].starts(with: "→".utf8) { side = 0 }
      if text[index...].starts(with: "←".utf8) { side = 1 }
      guard text[index].isLetter else {
        index += 1
        continue
      }
      let word = text[index...].prefix(while: \.isWordPart)
      let isStart = index == text.startIndex || !text[index - 1].isWordPart
      if isStart, word.count <= 16 { side = self.side(of: word, before: text[word.endIndex...]) ?? side }
      index = word.endIndex
    }
    return side
  }

  private static func side(of word: ArraySlice<UInt8>, before rest: ArraySlice<UInt8>) -> Int? {
    let word = word.lowercased
    if word.isText("c"), rest.starts(with: ">S".utf8) { return 0 }
    if word.isText("s"), rest.starts(with: ">C".utf8) { return 1 }
    if word.isText("peer") {
      let number = rest.drop { ": ".utf8.contains($0) }.prefix(while: \.isDecimalDigit)
      return number.isText("0") ? 0 : number.isText("1") ? 1 : nil
    }
    if word.starts(with: "peer0".utf8) || sent.contains(where: { word.isText($0) }) { return 0 }
    if word.starts(with: "peer1".utf8) || received.contains(where: { word.isText($0) }) { return 1 }
    return word.starts(with: "recei".utf8) && word.count > 6 ? 1 : nil
  }

  /// `=> Send`, `<-- 0808`, `> 0808`.
  private static func arrow(at text: ArraySlice<UInt8>) -> Int? {
    let mark = text.prefix(4).prefix { "<>=-".utf8.contains($0) }
    guard !mark.isEmpty, mark.endIndex == text.endIndex || text[mark.endIndex].isWhite else { return nil }
    if mark.first == UInt8(ascii: "<"), mark.last != UInt8(ascii: ">") { return 1 }
    return mark.last == UInt8(ascii: ">") && mark.first != UInt8(ascii: "<") ? 0 : nil
  }

  private static let sent = ["write", "writing", "wrote", "send", "sent", "sending", "out", "tx"]
  private static let received = ["read", "recv", "rx"]
}
