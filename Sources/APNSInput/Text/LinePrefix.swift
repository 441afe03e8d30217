import Octets

/// A line number or time that `cat -n`, `grep -n` or a log puts before every line.
///
///          1⇥02000000      7:02000000      2013-11-19 00:00:01,250 02000000      12:00:01 02000000
///
/// Numbers are only recognised if every line has one and they increase; times, only if nothing but hex digits follows.
/// A prefix that could also be bytes is reported by `ambiguity`.
enum LinePrefix: Sendable {
  case number(before: UInt8)
  case time

  /// - Parameter column: The column at which the first line begins; blanks before it are not in `text`.
  init?(_ text: [UInt8], from column: Int, isWhole: Bool) {
    let lines = Self.lines(of: text, isWhole: isWhole)
    guard let first = lines.first else { return nil }
    if Self.areNumbered(lines, from: column) {
      self = .number(before: UInt8(ascii: "\t"))
    } else if Self.areGrepNumbered(lines) {
      self = .number(before: UInt8(ascii: ":"))
    } else if Self.time(of: first) != nil, lines.allSatisfy({ Self.hasHexAfterTime($0) ?? true }) {
      self = .time
    } else {
      return nil
    }
  }

  /// The length of a line's number or time, including the blank or mark after it.
  func count(in line: ArraySlice<UInt8>) -> Int {
    let text = line.prefix(Self.limit)
    switch self {
    case .number(let mark):
      let digits = text.drop { $0 == UInt8(ascii: " ") }
      let rest = digits.drop(while: \.isDecimalDigit)
      guard rest.startIndex > digits.startIndex, rest.first == mark else { return 0 }
      return rest.startIndex + 1 - line.startIndex
    case .time:
      return Self.time(of: text).map { $0.end + 1 - line.startIndex } ?? 0
    }
  }

  /// An error message if the text begins with what may be a number, a time or bytes.
  static func ambiguity(_ head: TextHead) -> String? {
    let lines = lines(of: head.text, isWhole: head.isWhole)
    guard let first = lines.first else { return nil }
    if let time = time(of: first), !time.isSure, hasHexAfterTime(first) == false,
      first[time.end...].allSatisfy({ $0.hexDigitValue != nil || $0.isWhite || PlainHex.isSeparator($0) })
    {
      return "this line may begin with a time or with bytes; remove the time, or use --from plain if they are bytes"
    }
    let digits = first.prefix { $0.isDecimalDigit }
    let rest = first[digits.endIndex...]
    guard lines.count == 1, digits.count % 2 == 0, let lead = digits.first, lead != UInt8(ascii: "0"),
      rest.first == UInt8(ascii: ":"),
      rest.dropFirst().prefix(while: { $0.hexDigitValue != nil }).count > 4,
      !rest.dropFirst().contains(UInt8(ascii: ":"))
    else { return nil }
    return "this line may begin with its number or with a byte; remove the number, or use --from plain if it is a byte"
  }

  /// Whether the line begins with a time that cannot be bytes.
  static func isTimed(_ line: ArraySlice<UInt8>) -> Bool {
    guard let time = time(of: line.drop { $0.isWhite }) else { return false }
    return time.isSure
  }

  private static func lines(of text: [UInt8], isWhole: Bool) -> [ArraySlice<UInt8>] {
    let lines = text.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    let last = text.last == UInt8(ascii: "\n") || isWhole || lines.count == 1 ? 0 : 1
    return lines.dropLast(last).filter { !$0.isBlank }
  }

  private static let limit = 48
}

// MARK: - Numbers
extension LinePrefix {
  /// `cat -n` and `nl` write six columns and a tab.
  private static func areNumbered(_ lines: [ArraySlice<UInt8>], from column: Int) -> Bool {
    var next: Int?
    for (index, line) in lines.enumerated() {
      let tab = line.prefix { $0 != UInt8(ascii: "\t") }
      let width = tab.count + (index == 0 ? column - 1 : 0)
      let digits = tab.drop { $0 == UInt8(ascii: " ") }
      guard tab.endIndex < line.endIndex, width == 6, digits.first != UInt8(ascii: "0"),
        let number = digits.number(radix: 10), next ?? number == number
      else { return false }
      next = number + 1
    }
    return true
  }

  /// `grep -n` writes the number and a colon; what follows is longer than the pairs that colons separate.
  private static func areGrepNumbered(_ lines: [ArraySlice<UInt8>]) -> Bool {
    var last = 0
    for line in lines {
      let digits = line.prefix { $0.isDecimalDigit }
      let rest = line[digits.endIndex...]
      guard digits.first != UInt8(ascii: "0"), rest.first == UInt8(ascii: ":"),
        let number = digits.number(radix: 10), number > last,
        rest.dropFirst().prefix(while: { $0.hexDigitValue != nil }).count >= 4
      else { return false }
      // In a single line, an even number of digits may be bytes.
      if lines.count == 1, digits.count % 2 == 0 { return false }
      last = number
    }
    return last > 0
  }
}

// MARK: - Times
extension LinePrefix {
  /// Whether hex digits, and nothing else, follow the time; nil if the line does not begin with a time.
  private static func hasHexAfterTime(_ line: ArraySlice<UInt8>) -> Bool? {
    guard let time = time(of: line) else { return nil }
    let words = line[time.end...].split(whereSeparator: \.isWhite)
    let isHex = words.allSatisfy { word in
      let pairs = word.split { PlainHex.isSeparator($0) }
      return pairs.allSatisfy { $0.isHex && $0.count % 2 == 0 } && (pairs.count == 1 || time.isSure)
    }
    return isHex && !words.isEmpty
  }

  /// The time at the start of the line: where it ends, and whether it can be nothing else.
  private static func time(of line: ArraySlice<UInt8>) -> (end: Int, isSure: Bool)? {
    let first = line.prefix { !$0.isWhite }
    guard first.endIndex < line.endIndex else { return nil }
    if isDate(first) {
      let rest = line[first.endIndex...].drop { $0 == UInt8(ascii: " ") }
      let second = rest.prefix { !$0.isWhite }
      return clock(bare(second)) != nil && second.endIndex < line.endIndex ? (second.endIndex, true) : nil
    }
    let word = bare(first)
    if isDate(word.prefix(10)), word.dropFirst(10).first == UInt8(ascii: "T"), clock(word.dropFirst(11)) != nil {
      return (first.endIndex, true)
    }
    if let isExact = clock(word) { return (first.endIndex, isExact || word.count < first.count) }
    let seconds = word.prefix { $0.isDecimalDigit }
    let fraction = word[seconds.endIndex...]
    let isEpoch = seconds.count == 10 && fraction.count > 1 && fraction.first == UInt8(ascii: ".")
    return isEpoch && fraction.dropFirst().allSatisfy(\.isDecimalDigit) ? (first.endIndex, true) : nil
  }

  private static func isDate(_ word: ArraySlice<UInt8>) -> Bool {
    let word = word.first == UInt8(ascii: "[") ? word.dropFirst() : word
    let shape = word.map { $0.isDecimalDigit ? UInt8(ascii: "9") : $0 }
    return shape.isText("9999-99-99") || shape.isText("9999/99/99")
  }

  /// The word without the brackets or colon that a log puts around a time.
  private static func bare(_ word: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var word = word
    if word.first == UInt8(ascii: "[") { word = word.dropFirst() }
    while let last = word.last, last == UInt8(ascii: "]") || last == UInt8(ascii: ":") { word = word.dropLast() }
    return word
  }

  /// Whether a time of day is more precise than a second, or has a zone; nil if the word is not a time of day.
  private static func clock(_ word: ArraySlice<UInt8>) -> Bool? {
    let shape = word.prefix(8).map { $0.isDecimalDigit ? UInt8(ascii: "9") : $0 }
    guard shape.isText("99:99:99") else { return nil }
    let numbers = word.prefix(8).split(separator: UInt8(ascii: ":")).compactMap { $0.number(radix: 10) }
    guard numbers[0] < 24, numbers[1] < 60, numbers[2] <= 60 else { return nil }
    var rest = word.dropFirst(8)
    guard let mark = rest.first else { return false }
    if mark == UInt8(ascii: ".") || mark == UInt8(ascii: ",") {
      let fraction = rest.dropFirst().prefix { $0.isDecimalDigit }
      guard !fraction.isEmpty else { return nil }
      rest = rest[fraction.endIndex...]
    }
    if rest.isEmpty || rest.isText("Z") { return true }
    let zone = rest.dropFirst().filter { $0 != UInt8(ascii: ":") }
    let isZone = rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-")
    return isZone && zone.count == 4 && zone.allSatisfy(\.isDecimalDigit) ? true : nil
  }
}
