extension TextFormat {
  /// Wireshark's Follow as hex dump or raw. The text itself shows which.
  public static let follow = TextFormat(
    "follow", "Follow as hex dump or raw, with a tab before what the server sent",
    recognises: { head in
      if head.holds("Follow: ") { return true }
      let lines = head.lines(of: OffsetColumn())
      let tabbed = lines.filter { $0.text.first == UInt8(ascii: "\t") }
      return tabbed.contains { $0.isStart } && tabbed.count < lines.count && HexdumpLayout.recognises(head)
    },
    decoder: { head in
      let isDump =
        head.holds(",hex")
        || head.lines.contains { line in
          let words = line.split(whereSeparator: \.isWhite)
          return words.count > 1 && words[0].count == 8 && words[0].isHex && words[1].isHex
        }
      return isDump
        ? Dump(HexdumpLayout(), tabs: .always) as any TextDecoder
        : PlainHex(isFollow: true)
    })
}

/// When a tab before the bytes marks the server's side.
enum TabMark {
  /// A tab before the bytes always marks the server's side.
  case always
  /// A tab marks the server's side once a line without a tab has been read, if a block begins there.
  case afterUntabbed
}

extension TextLine {
  /// Whether the line is one that Follow prints around the bytes: a rule of equal signs, or the names of the stream and
  /// its endpoints.
  var isFollowHeading: Bool {
    ["===", "Node ", "Follow:", "Filter:"].contains { text[first...].starts(with: $0.utf8) }
  }
}
