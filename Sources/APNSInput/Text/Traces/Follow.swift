extension TextFormat {
  /// One name for the three: what it is stands in the text.
  public static let follow = TextFormat(
    "follow", "Follow as hex dump or raw, with a tab before what the server sent",
    recognises: { head in
      if head.holds("Follow: ") { return true }
      let lines = head.lines(of: OffsetColumn())
      let tabbed = lines.filter { $0.text.first == UInt8(ascii: "\t") }
      return tabbed.contains { $0.isStart } && tabbed.count < lines.count && HexdumpLayout.recognises(head)
    },
    decoder: { head, strict in
      let isDump =
        head.holds(",hex")
        || head.lines.contains { line in
          let words = line.split(whereSeparator: \.isWhite)
          return words.count > 1 && words[0].count == 8 && words[0].isHex && words[1].isHex
        }
      return isDump
        ? Dump(HexdumpLayout(strict: strict), strict: strict, tabs: .always) as any TextDecoder
        : PlainHex(strict: strict, isFollow: true)
    })
}

enum TabMark {
  /// A tab before the bytes marks what the server sent.
  case always
  /// The same once a line without a tab has come, if a block begins there.
  case behindUntabbed
}

extension TextLine {
  /// What Follow prints around the bytes: rules of equal signs, and the names of the stream and its ends.
  var isFollowHeading: Bool {
    ["===", "Node ", "Follow:", "Filter:"].contains { text[first...].starts(with: $0.utf8) }
  }
}
