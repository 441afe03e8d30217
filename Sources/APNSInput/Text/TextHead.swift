import Octets

/// The beginning of a text, by which its format is told.
struct TextHead: Sendable {
  /// Without comments, prompts, quote marks, numbers or times of lines, and blank lines; tabs and blanks before a line's first word are left.
  let lines: [ArraySlice<UInt8>]
  /// All of the text, as it came.
  let text: [UInt8]
  /// The text ends here.
  let isWhole: Bool
  /// The lines say which side each belongs to, so that `>` is one of the sides and no quote mark.
  let isDirected: Bool
  /// What precedes the data of each line.
  let prefix: LinePrefix?

  init(_ text: [UInt8], isWhole: Bool, strict: Bool, prefix: LinePrefix? = nil) {
    self.isWhole = isWhole
    self.text = text
    self.prefix = prefix
    let all = text.split(separator: UInt8(ascii: "\n"))
    isDirected = !strict && all.contains { Self.isAnswer($0) }
    var lead = LineLead(isDirected: isDirected, prefix: prefix)
    lines = all.compactMap { line in lead.body(of: line, as: .all).map { line[$0...] } }.filter { !$0.isBlank }
  }

  /// `< 0808`, `<-- 0808` or `<` alone: no quote mark looks like this.
  private static func isAnswer(_ line: ArraySlice<UInt8>) -> Bool {
    let line = line.drop { $0.isWhite }
    guard line.first == UInt8(ascii: "<") else { return false }
    let next = line.dropFirst().first ?? UInt8(ascii: " ")
    return next.isWhite || next == UInt8(ascii: "-")
  }

  func holds(_ words: String) -> Bool { text.holds(words) }

  /// Of each line, without the blanks before it.
  var words: [[ArraySlice<UInt8>]] { lines.map { $0.split(whereSeparator: \.isWhite) } }
}

extension Collection<UInt8> {
  var isBlank: Bool { allSatisfy(\.isWhite) }
  var isHex: Bool { !isEmpty && allSatisfy { $0.hexDigitValue != nil } }

  func isText(_ words: String) -> Bool { elementsEqual(words.utf8) }

  /// The number that these digits write; nil if they are no digits, or too many.
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
