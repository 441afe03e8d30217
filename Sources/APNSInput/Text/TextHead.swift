import APNSWire
import Octets

/// The beginning of a text, from which its format is recognised.
struct TextHead: Sendable {
  /// The lines without comments, prompts, quote marks, line numbers and times, and without blank lines. White space
  /// before the first word of a line is kept.
  let lines: [ArraySlice<UInt8>]
  /// The unchanged text.
  let text: [UInt8]
  /// The frame types, by which digits that begin a frame are recognised.
  let catalog: Catalog
  /// Whether this is the complete text.
  let isWhole: Bool
  /// Whether the lines have direction marks, so that `>` marks a side and not a quote.
  let isDirected: Bool
  /// The line number or time before the data of each line.
  let prefix: LinePrefix?

  init(_ text: [UInt8], _ catalog: Catalog, isWhole: Bool, prefix: LinePrefix? = nil) {
    self.isWhole = isWhole
    self.text = text
    self.catalog = catalog
    self.prefix = prefix
    let all = text.split(separator: UInt8(ascii: "\n"))
    isDirected = all.contains { Self.isAnswer($0) }
    var lead = LineLead(isDirected: isDirected, prefix: prefix)
    lines = all.compactMap { line in lead.body(of: line, as: .all).map { line[$0...] } }.filter { !$0.isBlank }
  }

  /// Whether the line has a direction mark of the second side: `< 0808`, `<-- 0808` or `<` alone. No quote mark looks
  /// like this.
  private static func isAnswer(_ line: ArraySlice<UInt8>) -> Bool {
    let line = line.drop { $0.isWhite }
    guard line.first == UInt8(ascii: "<") else { return false }
    let next = line.dropFirst().first ?? UInt8(ascii: " ")
    return next.isWhite || next == UInt8(ascii: "-")
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
  func holds(_ words: String) -> Bool {
    let words = Array(words.utf8)
    return indices.contains { self[$0...].starts(with: words) }
  }
}
