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
  /// The characters that occur in the text.
  let characters: Set<UInt8>
  /// The frame types, by which digits that begin a frame are recognised.
  let catalog: Catalog
  /// Whether the format was named, so that only its layout is to be found.
  let isNamed: Bool
  /// Whether this is the complete text.
  let isWhole: Bool
  /// The index of a last line that is cut.
  private let cutLine: Int?

  init(
    _ all: [UInt8], _ catalog: Catalog, from start: LineSplitter, isWhole: Bool, isNamed: Bool = false
  ) {
    self.isNamed = isNamed
    self.isWhole = isWhole
    let lastLine = all.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    cutLine = !isWhole && lastLine < all.count / 2 ? lastLine : nil
    // The end of a long line may cut a pair of digits.
    let isOdd = cutLine != nil && all.reversed().prefix { $0.hexDigitValue != nil }.count % 2 == 1
    let text = isWhole ? all : cutLine == nil ? Array(all[..<lastLine]) : isOdd ? all.dropLast() : all
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
    var start = start
    start.lead = lead
    lines = all.compactMap { line in lead.body(of: line, as: .all).map { line[$0...] } }.filter { !$0.isBlank }
    starts = [start] + start.withWords(before: lines) + start.wrapped(all)
  }

  /// Whether a position is in the last line, which is cut, but not near its end.
  func isCutLine(_ position: TextPosition?, from start: TextPosition) -> Bool {
    guard let cutLine, let position else { return false }
    let before = text[..<cutLine].count { $0 == UInt8(ascii: "\n") }
    let first = before == 0 ? Int(start.column) : 1
    let isInLine = Int(position.line) == Int(start.line) + before
    return isInLine && cutLine + Int(position.column) - first + 8 <= text.count
  }

  /// Whether the lines begin with numbers of the same length that grow by more than one, as the offsets of a dump do.
  var haveOffsets: Bool {
    let words = lines.map { $0.drop { $0.isWhite }.prefix { $0.hexDigitValue != nil } }.filter { $0.count >= 4 }
    let numbers = words.compactMap { $0.number() }
    return numbers.count > 2 && numbers.count * 4 >= lines.count * 3 && Set(words.map(\.count)).count == 1
      && zip(numbers, numbers.dropFirst()).allSatisfy { $0 + 1 < $1 }
  }

  func holds(_ words: String) -> Bool { text.holds(words) }

  /// The words of each line.
  var words: [[ArraySlice<UInt8>]] { lines.map { $0.split(whereSeparator: \.isWhite) } }
}

extension LineSplitter {
  /// Lines with words of a log before their data. These are no digits, or the same in all lines, or count them.
  fileprivate func withWords(before lines: [ArraySlice<UInt8>]) -> [LineSplitter] {
    let words = lines.map { $0.split(maxSplits: Self.mostWords, whereSeparator: \.isWhite) }
    guard words.count > 1 else { return [] }
    let numbers = lines.map { $0.prefix { $0 != UInt8(ascii: ":") } }
    if numbers.areCounted {
      var lines = self
      lines.lead.isCount = true
      return [lines]
    }
    let columns = (0..<Self.mostWords).map { column in
      words.compactMap { $0.count > column + 1 ? $0[column] : nil }
    }
    return columns.prefix(while: \.mayBeOfALog).indices.map { column in
      var lines = self
      lines.lead.words = column + 1
      lines.lead.isCount = columns[0].areCounted
      return lines
    }
  }

  private static let mostWords = 8

  /// Lines that a terminal or a mail broke where they were full.
  fileprivate func wrapped(_ lines: [ArraySlice<UInt8>]) -> [LineSplitter] {
    let counts = lines.map { $0.count - ($0.last == UInt8(ascii: "\r") ? 1 : 0) }
    guard start.column == 1, let width = counts.max(), width >= Self.leastWidth,
      counts.count(where: { $0 == width }) * 2 >= counts.count, counts.count > 1
    else { return [] }
    var lines = self
    lines.width = width
    return [lines]
  }

  private static let leastWidth = 40
}

extension [ArraySlice<UInt8>] {
  private var digits: [ArraySlice<UInt8>] {
    map { $0.drop { "[#".utf8.contains($0) }.prefix(while: \.isWordPart) }
  }

  /// Whether these words of successive lines count them.
  fileprivate var areCounted: Bool {
    let numbers = zip(self, digits).compactMap { $0.count > $1.count + 2 ? nil : $1.number(radix: 10) }
    return numbers.count == count && zip(numbers, numbers.dropFirst()).allSatisfy { $0 + 1 == $1 }
  }

  fileprivate var mayBeOfALog: Bool {
    let others = zip(self, digits).count { word, digits in
      let isHex = (digits.starts(with: "0x".utf8) ? digits.dropFirst(2) : digits).isHex
      return isHex && digits.count + 2 >= word.count || word.contains { "\"'`\\(){}<=".utf8.contains($0) }
    }
    let areSame = count > 2 && Set(self).count == 1
    return count > 1 && (areCounted || areSame || others * 4 <= count)
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
