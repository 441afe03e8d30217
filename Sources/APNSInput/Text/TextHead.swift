import APNSWire
import Octets

/// The beginning of a text, from which its format is recognised.
struct TextHead: Sendable {
  /// The lines without comments, prompts, quote marks, line numbers and times, and without blank lines. White space
  /// before the first word of a line is kept.
  let lines: [ArraySlice<UInt8>]
  /// The unchanged text; if it is not the complete text, up to the end of its last line.
  let text: [UInt8]
  /// The state of the lines at the start of the text.
  private(set) var start: LineSplitter
  /// The characters that occur in the text.
  let characters: Set<UInt8>
  /// The frame types, by which digits that begin a frame are recognised.
  let catalog: Catalog
  /// Whether the format was named, so that only its layout is to be found.
  let isNamed: Bool
  /// Whether this is the complete text.
  let isWhole: Bool
  /// Whether it is a part of one line.
  let isOneLine: Bool

  init(
    _ all: [UInt8], _ catalog: Catalog, from start: LineSplitter, isWhole: Bool, isNamed: Bool = false
  ) {
    self.isNamed = isNamed
    self.isWhole = isWhole
    let lastLine = isWhole ? nil : all.lastIndex(of: UInt8(ascii: "\n"))
    isOneLine = !isWhole && lastLine == nil
    // The end of a long line may cut a pair of digits.
    let isOdd = isOneLine && all.reversed().prefix { $0.hexDigitValue != nil }.count % 2 == 1
    let text = lastLine.map { Array(all[...$0]) } ?? (isOdd ? all.dropLast() : all)
    self.text = text
    characters = Set(text)
    self.catalog = catalog
    let all = text.split(separator: UInt8(ascii: "\n"))
    // With direction marks, `>` marks a side and not a quote.
    let isDirected = all.contains { line in
      var lead = LineLead()
      return lead.body(of: line, as: .marks) != nil && lead.side == 1
    }
    var lead = LineLead(isDirected: isDirected)
    self.start = start
    self.start.lead = lead
    lines = all.compactMap { line in lead.body(of: line, as: .all).map { line[$0...] } }.filter { !$0.isBlank }
  }

  /// The positions in their lines, up to the eighth, of words that may be offsets of a dump in a log.
  var offsetColumns: [Int] {
    var columns: Set<Int> = []
    for line in lines {
      let words = line.split(maxSplits: 9, whereSeparator: \.isWhite).prefix(9)
      for (column, word) in words.enumerated() where column > 0 {
        let digits = word.starts(with: "0x".utf8) ? word.dropFirst(2) : word
        if digits.prefix(4).count == 4, digits.prefix(4).isHex { columns.insert(column) }
      }
    }
    return columns.sorted()
  }

  func holds(_ words: String) -> Bool { text.holds(words) }

  /// The words of each line.
  var words: [[ArraySlice<UInt8>]] { lines.map { $0.split(whereSeparator: \.isWhite) } }
}

extension Collection<UInt8> {
  var isBlank: Bool { allSatisfy(\.isWhite) }
  var isHex: Bool { !isEmpty && allSatisfy { $0.hexDigitValue != nil } }

  func isText(_ words: String) -> Bool { elementsEqual(words.utf8) }

  /// The value of these digits; nil if one is not a digit, or if there are 16 or more.
  func number(radix: Int = 16) -> Int? {
    guard !isEmpty, count < 16 else { return nil }
    var value = 0
    for byte in self {
      guard let digit = byte.hexDigitValue, digit < radix else { return nil }
      value = value * radix + Int(digit)
    }
    return value
  }
}

extension RandomAccessCollection<UInt8> where Index == Int {
  func holds(_ words: String) -> Bool { index(of: words) != nil }
  func index(of words: String) -> Int? { index(of: Array(words.utf8)) }

  /// The index at which these bytes begin for the first time.
  func index(of bytes: [UInt8]) -> Int? { indices.first { self[$0...].starts(with: bytes) } }
}
