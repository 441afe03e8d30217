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
        ? Lines(Dump(HexdumpLayout(strict: strict), strict: strict, tabs: .always)) as any TextDecoder
        : PlainHex(strict: strict, isFollow: true)
    })
}

enum TabMark {
  /// A tab before the bytes marks what the server sent.
  case always
  /// The same once a line without a tab has come, if a block begins there.
  case behindUntabbed
}

/// What Follow prints around hex digits: a frame of equal signs with the names of the stream and its ends, and a tab
/// before what the server sent.
struct FollowLines: Sendable {
  private var count = 0
  private var isTabbed = false
  private var isSkipping = false

  enum Step {
    case data
    case skip
    /// The character just taken as a digit was the first of a heading.
    case skipAlso
  }

  mutating func step(_ byte: UInt8, into output: inout TextOutput) -> Step {
    if byte == UInt8(ascii: "\n") {
      self = FollowLines()
      return .data
    }
    if isSkipping { return .skip }
    if byte.isWhite {
      isTabbed = isTabbed || (count == 0 && byte == UInt8(ascii: "\t"))
      return .data
    }
    count += 1
    if count == 1 { output.turn(to: isTabbed ? 1 : 0) }
    isSkipping = count == 1 && (byte == UInt8(ascii: "=") || byte == UInt8(ascii: "N"))
    if isSkipping { return .skip }
    // "Follow: tls,raw" and "Filter: tcp.stream eq 0"
    isSkipping = count == 2 && (byte == UInt8(ascii: "o") || byte == UInt8(ascii: "i"))
    return isSkipping ? .skipAlso : .data
  }
}
