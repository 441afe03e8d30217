import APNSWire
import Octets

extension TextFormat {
  /// Hexadecimal digits or base64 inside other text, such as a log, JSON or CSV.
  package static let log = TextFormat(
    "log", "hex digits or base64 inside other text (a log, key=value, JSON, CSV, a table, a string in a program)",
    layouts: { [DigitsInText(.hex, $0.catalog), DigitsInText(.base64, $0.catalog)] })
}

/// The longest run of hex digits or base64 in each line of other text.
///
///     2013-11-19 00:00:01 INFO sent 0808000004d2       level=debug bytes=0808000004d2       102,0808000004d2
///     10:00:01 out 08 08 00 00 04 d2                   hex!("0808000004d2")                 VALUES (0x0808000004D2)
///     Buffer.from('CAgAAATSAAAA', 'base64')            -----BEGIN FRAME-----
///
/// Lines without digits are skipped. Base64 goes on in the next line if that has nothing else.
struct DigitsInText: TextDecoder {
  enum Digits { case hex, base64 }

  private struct Run {
    let range: Range<Int>
    /// Whether the digits may be a date or another decimal number.
    var isNumber = false

    /// The bytes of the run, as far as a frame needs to be recognised.
    func bytes(_ text: [UInt8]) -> [UInt8] {
      let digits = text[range].prefix(1024).filter { $0.hexDigitValue != nil }
      return [UInt8](hexDigits: Array(digits.dropLast(digits.count % 2))) ?? []
    }
  }

  private let digits: Digits
  private let catalog: Catalog
  /// The only lines that are read; nil for all.
  var selected: Set<UInt32>?
  private var base64: Base64Decoder?
  private var runs = 0
  private var lines = 0
  /// The index at which the digits of the preceding line began.
  private var column: Int?
  private var isArmored = false
  /// The first bytes of the first run.
  private var beginning: [UInt8]?

  private static let tokenSize: UInt8 = 32

  init(_ digits: Digits, _ catalog: Catalog) {
    self.digits = digits
    self.catalog = catalog
  }

  var leads: LineLead.Kind { .marks }
  var nothing: String? { "no line of this text has hex digits for six bytes or more" }
  var explainsLines: Bool { false }
  /// Few of the numbers in a text are data: only those that begin like a frame, or with a token as feedback does.
  var isPlausible: Bool {
    guard let first = beginning, first.count >= 6 else { return false }
    return catalog.isCommand(first[0]) || first[4] == 0 && first[5] == Self.tokenSize || isArmored
  }

  var interpretation: TextInterpretation? {
    TextInterpretation(
      phrase: "hex digits or base64 inside other text: \(runs) of \(plural(lines, "line"))",
      isAssumed: runs < lines)
  }

  mutating func decode(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    if let selected, !selected.contains(line.start.line) { return }
    if line.text[line.first...].starts(with: "-----".utf8) {
      try endBase64(at: line.position(line.first), into: &output)
      isArmored = line.text.holds("BEGIN ")
      return output.explain(line)
    }
    lines += 1
    switch digits {
    case .hex: try decodeHex(line, into: &output)
    case .base64: try decodeBase64(line, into: &output)
    }
  }

  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    if isArmored {
      throw ReadError(.cutText, "the text ends before its END line; paste all of it", position: position)
    }
    try endBase64(at: position, into: &output)
  }
}

// MARK: - Hex
extension DigitsInText {
  private static let fewestBytes = 4
  private static let longestNumber = 20

  private mutating func decodeHex(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    let found = Self.hexRuns(in: line.text)
    if runs == 0, line.isRuler { return output.explain(line) }
    // The last line of a block may have only a few digits.
    guard let run = try choose(found, line) ?? column.flatMap({ Self.rest(of: line.text, from: $0) }) else {
      return output.switchSide(named: line.text[...])
    }
    output.switchSide(named: line.text[..<run.range.lowerBound])
    column = run.range.lowerBound
    runs += 1
    beginning = beginning ?? run.bytes(line.text)
    var octets = DigitBits(width: 4)
    for index in run.range {
      if let digit = line.text[index].hexDigitValue { _ = octets.add(digit, at: index, of: line, to: &output) }
    }
  }

  /// The run that begins a frame, or the only one that is no decimal number.
  private func choose(_ runs: [Run], _ line: TextLine) throws(ReadError) -> Run? {
    guard runs.count > 1 else { return runs.first }
    let frames = runs.filter { FramePrice.beginsFrame($0.bytes(line.text), catalog) }
    let others = runs.filter { !$0.isNumber }
    let rivals = frames.isEmpty ? others.isEmpty ? runs : others : frames
    guard rivals.count > 1 else { return rivals[0] }
    throw ReadError(
      .ambiguousText, "this line has digits in two places; paste only those of the frame",
      position: line.position(rivals[1].range.lowerBound))
  }

  private static func hexRuns(in text: [UInt8]) -> [Run] {
    var found: [Run] = []
    var index = 0
    while index < text.count {
      guard text[index].isWordPart else {
        index += 1
        continue
      }
      let word = text[index...].prefix(while: \.isWordPart)
      if let run = run(in: word, of: text) ?? pairs(from: index, in: text) {
        found.append(run)
        index = max(run.range.upperBound, index + 1)
      } else {
        index = word.endIndex
      }
    }
    return found
  }

  /// A word of hex digits, or the digits after `0x`, `\x` or `x`.
  private static func run(in word: ArraySlice<UInt8>, of text: [UInt8]) -> Run? {
    let isMarked = word.starts(with: "0x".utf8) || word.starts(with: "0X".utf8)
    let isEscaped = word.first == UInt8(ascii: "x") && word.startIndex > 0 && text[word.startIndex - 1] == 0x5c
    let digits = word.dropFirst(isMarked ? 2 : isEscaped ? 1 : 0)
    guard digits.count >= 2 * fewestBytes, digits.count % 2 == 0, digits.isHex else { return nil }
    // The last part of a UUID.
    if word.startIndex > 4, text[word.startIndex - 1] == UInt8(ascii: "-"),
      text[word.startIndex - 2].hexDigitValue != nil
    {
      return nil
    }
    // Digits that begin with a zero are not a number.
    let isNumber =
      !isMarked && !isEscaped && digits.allSatisfy(\.isDecimalDigit) && digits.count < longestNumber
      && digits.first != UInt8(ascii: "0")
    return Run(range: digits.indices, isNumber: isNumber)
  }

  /// Groups of equal length like `08 08 00 00`, with the same separator between them; the last one may be shorter.
  private static func pairs(from start: Int, in text: [UInt8]) -> Run? {
    var end = start
    var count = 0
    var width: Int?
    var gap: ArraySlice<UInt8>?
    while end < text.count {
      let group = text[end...].prefix { $0.hexDigitValue != nil }
      let isEnd = group.endIndex == text.count || !text[group.endIndex].isWordPart || text[group.endIndex] == 0x5f
      guard !group.isEmpty, group.count % 2 == 0, group.count <= width ?? 8, isEnd else { break }
      count += group.count
      (end, width) = (group.endIndex, width ?? group.count)
      let between = text[end...].prefix(3).prefix { $0 == UInt8(ascii: " ") || ":,.;|_-/".utf8.contains($0) }
      guard group.count == width, !between.isEmpty, gap ?? between == between else { break }
      let next = text[between.endIndex...].prefix(2)
      guard next.count == 2, next.isHex else { break }
      gap = between
      end = between.endIndex
    }
    while end > start, text[end - 1].hexDigitValue == nil { end -= 1 }
    return count >= 2 * fewestBytes && gap != nil ? Run(range: start..<end) : nil
  }

  /// Pairs of digits up to the end of the line, beginning at the same index as in the preceding line.
  private static func rest(of text: [UInt8], from column: Int) -> Run? {
    guard column < text.count, column == 0 || !text[column - 1].isWordPart else { return nil }
    let words = text[column...].split { $0.isWhite || $0.isSeparator }
    guard !words.isEmpty, words.allSatisfy({ $0.isHex && $0.count % 2 == 0 }) else { return nil }
    return Run(range: column..<text.count)
  }
}

// MARK: - Base64
extension DigitsInText {
  /// A shorter run of base64 must be alone in its line, or be called base64.
  private static let sureCharacters = 24
  private static let fewestCharacters = 12

  private mutating func decodeBase64(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    guard let run = base64Run(in: line.text) else {
      try endBase64(at: line.position(line.first), into: &output)
      return output.switchSide(named: line.text[...])
    }
    let isContinued = base64 != nil && isAlone(run, line.text)
    if !isContinued {
      try endBase64(at: line.position(run.lowerBound), into: &output)
      output.switchSide(named: line.text[..<run.lowerBound])
    }
    var decoder = base64 ?? Base64Decoder(isPadded: isArmored)
    runs += 1
    try decoder.decode(line, run, into: &output)
    beginning = beginning ?? decoder.beginning
    base64 = decoder
    if line.text[run.upperBound - 1] == UInt8(ascii: "=") || !isAlone(run, line.text) && !isArmored {
      try endBase64(at: line.position(run.upperBound), into: &output)
    }
  }

  private mutating func endBase64(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    var ended = base64
    base64 = nil
    isArmored = false
    try ended?.finish(at: position, into: &output)
  }

  private func isAlone(_ run: Range<Int>, _ text: [UInt8]) -> Bool {
    (Array(text[..<run.lowerBound]) + text[run.upperBound...]).allSatisfy { $0.isWhite || "\"'`,+\\".utf8.contains($0) }
  }

  /// The longest run of base64 in the line.
  private func base64Run(in text: [UInt8]) -> Range<Int>? {
    var longest: Range<Int>?
    var index = 0
    while index < text.count {
      let body = text[index...].prefix { Base64Decoder.value(of: $0) != nil }
      let run = text[index..<(body.endIndex + text[body.endIndex...].prefix(2).prefix { $0 == 0x3d }.count)]
      if body.count > longest?.count ?? 0, !body.starts(with: "--".utf8) { longest = run.indices }
      index = max(run.endIndex, index + 1)
    }
    guard let longest else { return nil }
    let run = text[longest]
    let isLone = isAlone(longest, text)
    if isLone, base64 != nil || isArmored { return longest }
    let small = text.count < 4096 ? text.lowercased : []
    let isNamed = small.holds("base64") || small.holds("b64")
    let isMixed = run.contains { !$0.isLetter } || run.contains { $0 & 0x20 == 0 }
    guard longest.count >= (isNamed ? Self.fewestCharacters : Self.sureCharacters), isMixed, !run.isHex,
      run.count(where: { $0 != 0x3d }) % 4 != 1
    else { return nil }
    return longest
  }
}
