import APNSWire
import Octets

/// The beginning of a text, from which its format is recognised.
struct TextHead: Sendable {
  /// The lines without comments, prompts, quote marks, line numbers and times, and without blank lines. White space
  /// before the first word of a line is kept.
  let lines: [ArraySlice<UInt8>]
  /// The unchanged text; if it is not the complete text, up to the end of its last line, unless a long one is cut.
  let text: [UInt8]
  /// The ways to split the text into lines, as they are before its start.
  let starts: [LineSplitter]
  /// The frame types, by which digits that begin a frame are recognised.
  let catalog: Catalog
  /// Whether the format was named, so that only its layout is to be found.
  let isNamed: Bool
  let isWhole: Bool

  init(
    _ all: [UInt8], _ catalog: Catalog, from start: LineSplitter, isWhole: Bool, isNamed: Bool = false
  ) {
    self.isNamed = isNamed
    self.isWhole = isWhole
    let lastLine = all.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    let isLong = lastLine < all.count / 2
    // The end of a long line may cut a pair of digits.
    let isOdd = isLong && all.reversed().prefix { $0.hexDigitValue != nil }.count % 2 == 1
    let text = isWhole ? all : !isLong ? Array(all[..<lastLine]) : isOdd ? all.dropLast() : all
    self.text = text
    self.catalog = catalog
    let all = text.split(separator: UInt8(ascii: "\n"))
    // With direction marks, `>` marks a side and not a quote.
    let isDirected = all.contains { line in
      var lead = LineLead()
      return lead.body(of: line, as: .marks) != nil && lead.side == 1
    }
    var lead = LineLead(isDirected: isDirected)
    var start = start
    start.lead = lead
    lines = all.compactMap { line in lead.body(of: line, as: .all).map { line[$0...] } }.filter { !$0.isBlank }
    starts = [start] + start.withWords(before: lines) + start.wrapped(all)
  }

  func holds(_ words: String) -> Bool { text.holds(words) }

  var words: [[ArraySlice<UInt8>]] { lines.map { $0.split(whereSeparator: \.isWhite) } }
}

extension LineSplitter {
  /// Lines with the number of the line, or words of a log, before their data.
  fileprivate func withWords(before lines: [ArraySlice<UInt8>]) -> [LineSplitter] {
    let words = lines.map { $0.split(maxSplits: Self.mostWords, whereSeparator: \.isWhite) }
    let columns = (0...Self.mostWords).map { column in words.compactMap { $0.count > column ? $0[column] : nil } }
    let counts = lines.map { line in line.drop { $0.isWhite }.prefix { $0 != UInt8(ascii: ":") && !$0.isWhite } }
    var leads: [LineLead.Words] = counts.areCounted ? [.number] : []
    leads += columns.dropLast().prefix(while: \.areOfALog).indices.compactMap { column in
      // Data of some lines follow the words.
      columns[column + 1].count(where: \.mayBeData) * 3 >= lines.count ? .log(column + 1) : nil
    }
    return leads.map { words in
      var lines = self
      lines.lead.words = words
      return lines
    }
  }

  private static let mostWords = 8

  /// Lines that a terminal or a mail broke where they were full.
  fileprivate func wrapped(_ lines: [ArraySlice<UInt8>]) -> [LineSplitter] {
    let counts = lines.map { $0.count - ($0.last == UInt8(ascii: "\r") ? 1 : 0) }
    guard lines.first?.first?.isWhite == false, let width = counts.max(), width >= Self.leastWidth,
      counts.count(where: { $0 == width }) * 2 >= counts.count, counts.count > 1
    else { return [] }
    var lines = self
    lines.width = width
    return [lines]
  }

  private static let leastWidth = 40
}

extension ArraySlice<UInt8> {
  /// Whether the word may be an offset or bytes: hex digits with marks, or with a quote or a bracket.
  fileprivate var mayBeData: Bool {
    let word = drop { "[#|".utf8.contains($0) }
    let digits = (word.starts(with: "0x".utf8) ? word.dropFirst(2) : word).prefix(while: \.isWordPart)
    return digits.isHex && word.endIndex - digits.endIndex <= 2 || contains { "\"'`\\(){}<=".utf8.contains($0) }
  }
}

extension [ArraySlice<UInt8>] {
  /// Whether these words of successive lines count them.
  fileprivate var areCounted: Bool {
    let numbers = compactMap { $0.number(radix: 10) }
    return count > 1 && numbers.count == count && (count > 2 || numbers[0] < 2)
      && zip(numbers, numbers.dropFirst()).allSatisfy { $0 + 1 == $1 }
  }

  /// Whether these words, one of each line, precede data: few may be data themselves, unless all are the same.
  fileprivate var areOfALog: Bool {
    count > 1 && (count(where: \.mayBeData) * 4 <= count || count > 2 && Set(self).count == 1)
  }
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
