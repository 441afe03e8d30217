import APNSWire
import Octets

// MARK: - Digits among words
extension DigitText {
  private struct Run {
    let range: Range<Int>
    /// What separates pairs of digits; empty if there are none.
    var gap: [UInt8] = []
    /// Whether the digits may be a date or another decimal number.
    var isNumber = false

    /// The bytes of the run, as far as a frame needs to be recognised.
    func bytes(_ text: [UInt8]) -> [UInt8] {
      let digits = text[range].prefix(1024).filter { $0.hexDigitValue != nil }
      return [UInt8](hexDigits: Array(digits.dropLast(digits.count % 2))) ?? []
    }
  }

  mutating func decodeAmongWords(_ line: TextLine) throws(ReadError) {
    let isRule = line.text[line.first...].starts(with: "-----".utf8)
    let isYAML = run.width == 6 && line.text.holds("!!binary")
    if isRule || isYAML {
      try endBase64()
      needsEnd = isRule && line.text.holds("BEGIN ")
      (isArmored, isMarked) = (needsEnd || isYAML, isMarked || isYAML)
      return output.explain(line)
    }
    lines += 1
    if run.width == 6 { try decodeBase64(line) } else { try decodeHex(line) }
  }
}

// MARK: - Hex
extension DigitText {
  private static let fewestBytes = 4
  private static let longestNumber = 20

  private mutating func decodeHex(_ line: TextLine) throws(ReadError) {
    let all = Self.hexRuns(in: line.text)
    if runs == 0, line.isRuler { return output.explain(line) }
    // The last line of a block may have only a few digits.
    guard let found = try choose(all, line) ?? lastRun(in: line.text) else {
      return output.switchSide(named: line.text[...])
    }
    if let wrong = Self.damage(beside: found, in: line.text) {
      throw line.notHex(at: wrong, "interrupts these bytes; each has two hex digits")
    }
    output.switchSide(named: line.text[..<found.range.lowerBound])
    (column, tail) = (found.range.lowerBound, Array(line.text[found.range.upperBound...]))
    runs += 1
    beginning = beginning ?? found.bytes(line.text)
    try read(line, found.range)
  }

  /// The run that begins a frame, or the only one that is no decimal number.
  private func choose(_ runs: [Run], _ line: TextLine) throws(ReadError) -> Run? {
    guard runs.count > 1 else { return runs.first }
    let frames = runs.filter { FramePrice.beginsFrame($0.bytes(line.text), catalog) }
    let others = runs.filter { !$0.isNumber }
    let rivals = frames.isEmpty ? others.isEmpty ? runs : others : frames
    guard rivals.count > 1 else { return rivals[0] }
    let second = rivals[1].range.lowerBound
    throw line.error(.ambiguousText, at: second, "this line has digits in two places; paste only those of the frame")
  }

  private static func hexRuns(in text: [UInt8]) -> [Run] {
    var found: [Run] = []
    var index = 0
    while let start = text[index...].firstIndex(where: \.isWordPart) {
      let run = run(from: start, in: text)
      if let run { found.append(run) }
      index = run?.range.upperBound ?? text[start...].prefix(while: \.isWordPart).endIndex
    }
    return found
  }

  /// A word of hex digits, perhaps after `0x`, `\x` or `x`; or shorter groups of equal length like `08 08 00 00`, with
  /// the same separator between them, of which the last one may be shorter.
  private static func run(from start: Int, in text: [UInt8], fewest: Int = fewestBytes) -> Run? {
    let isHex = text[start...].starts(with: "0x".utf8) || text[start...].starts(with: "0X".utf8)
    let isEscaped = text[start] == UInt8(ascii: "x") && start > 0 && text[start - 1] == 0x5c
    let first = start + (isHex ? 2 : isEscaped ? 1 : 0)
    var (end, next) = (first, first)
    var (digits, groups, width) = (0, 0, Int.max)
    var gap: ArraySlice<UInt8>?
    while next < text.count {
      let group = text[next...].prefix { $0.hexDigitValue != nil }
      let isEnd = group.endIndex == text.count || !text[group.endIndex].isWordPart || text[group.endIndex] == 0x5f
      guard !group.isEmpty, group.count % 2 == 0, group.count <= width, isEnd else { break }
      (digits, groups, end) = (digits + group.count, groups + 1, group.endIndex)
      width = min(width, groups == 1 ? group.count : width)
      let between = text[end...].prefix(3).prefix { $0 == UInt8(ascii: " ") || ":,.;|_-/".utf8.contains($0) }
      guard first == start, width < 2 * fewestBytes, group.count == width, !between.isEmpty, gap ?? between == between
      else { break }
      (gap, next) = (between, between.endIndex)
    }
    guard digits >= 2 * fewest else { return nil }
    guard groups == 1 else { return Run(range: first..<end, gap: width == 2 ? gap.map(Array.init) ?? [] : []) }
    // The last part of a UUID.
    let isPart = start > 4 && text[start - 1] == UInt8(ascii: "-") && text[start - 2].hexDigitValue != nil
    guard !isPart, end == text.count || !text[end].isWordPart else { return nil }
    // Digits that begin with a zero are not a number.
    let isNumber =
      first == start && text[first..<end].allSatisfy(\.isDecimalDigit) && digits < longestNumber
      && text[first] != UInt8(ascii: "0")
    return Run(range: first..<end, isNumber: isNumber)
  }

  /// Where a wrong character interrupts pairs of digits; nil if there is none.
  private static func damage(beside run: Run, in text: [UInt8]) -> Int? {
    if goOn(text[run.range.upperBound...], run.gap) { return run.range.upperBound }
    return goOn(text[..<run.range.lowerBound].reversed(), run.gap.reversed()) ? run.range.lowerBound - 1 : nil
  }

  /// Whether pairs of digits go on after another separator, or after a pair with a wrong character.
  private static func goOn(_ text: some Sequence<UInt8>, _ gap: [UInt8]) -> Bool {
    let rest = Array(text.prefix(16))
    let lead = rest.prefix { !$0.isWordPart }
    let word = rest[lead.endIndex...].prefix(while: \.isWordPart)
    let next = rest[word.endIndex...].dropFirst(gap.count).prefix(while: \.isWordPart)
    guard !gap.isEmpty, rest[word.endIndex...].starts(with: gap), next.isPair else { return false }
    return lead.elementsEqual(gap)
      ? 1...3 ~= word.count && word.contains(where: \.isDecimalDigit)
      : lead.count == 1 && !lead.isBlank && word.isPair
  }

  /// Whether a line ends as the preceding one after its digits, apart from a mark at the end of a list or statement.
  private func isTail(_ rest: ArraySlice<UInt8>) -> Bool {
    rest.isEmpty || rest.filter { !",;".utf8.contains($0) }.elementsEqual(tail.filter { !",;".utf8.contains($0) })
  }

  /// Fewer digits that begin at the same index as in the preceding line, and are followed by the same or by their
  /// characters.
  private func lastRun(in text: [UInt8]) -> Run? {
    guard let column, column < text.count, column == 0 || !text[column - 1].isWordPart,
      let run = Self.run(from: column, in: text, fewest: 1)
    else { return nil }
    let rest = text[run.range.upperBound...]
    return isTail(rest) || run.bytes(text).areShown(by: rest) ? run : nil
  }
}

// MARK: - Base64
extension DigitText {
  /// A shorter run of base64 must be alone in its line, or be called base64.
  private static let sureCharacters = 24
  private static let fewestCharacters = 12

  private mutating func decodeBase64(_ line: TextLine) throws(ReadError) {
    guard let found = base64Run(in: line.text) else {
      try endBase64()
      column = nil
      return output.switchSide(named: line.text[...])
    }
    let isLone = isAlone(found, line.text)
    if !hasBase64 || !isLone {
      try endBase64()
      output.switchSide(named: line.text[..<found.lowerBound])
      run = DigitRun(width: 6)
    }
    hasBase64 = true
    let isEnd = line.text[found.upperBound - 1] == UInt8(ascii: "=")
    (column, tail) = (isEnd ? nil : found.lowerBound, Array(line.text[found.upperBound...]))
    size = found.count
    runs += 1
    try read(line, found)
    beginning = beginning ?? run.beginning
    if isEnd || !isLone && !isArmored { try endBase64() }
  }

  private mutating func endBase64() throws(ReadError) {
    isArmored = false
    guard hasBase64 else { return }
    hasBase64 = false
    try run.finish()
    run = DigitRun(width: 6)
  }

  private func isAlone(_ run: Range<Int>, _ text: [UInt8]) -> Bool {
    (Array(text[..<run.lowerBound]) + text[run.upperBound...]).allSatisfy { $0.isWhite || "\"'`,+\\".utf8.contains($0) }
  }

  /// The longest run of base64 in the line.
  private func base64Run(in text: [UInt8]) -> Range<Int>? {
    var longest: Range<Int>?
    // The last line of a block may have only a few characters.
    var last: Range<Int>?
    var index = 0
    while index < text.count {
      let body = text[index...].prefix { DigitRun.base64Value(of: $0) != nil }
      let run = text[index..<(body.endIndex + text[body.endIndex...].prefix(2).prefix { $0 == 0x3d }.count)]
      if body.count > longest?.count ?? 0, !body.starts(with: "--".utf8) { longest = run.indices }
      let isShort = 3..<max(3, size) ~= run.count && run.count % 4 == 0
      if index == column, isShort, isTail(text[run.endIndex...]) { last = run.indices }
      index = max(run.endIndex, index + 1)
    }
    guard let longest else { return nil }
    let run = text[longest]
    let isLone = isAlone(longest, text)
    if isLone, hasBase64 || isArmored { return longest }
    let small = text.count < 4096 ? text.lowercased : []
    let isNamed = small.holds("base64") || small.holds("b64")
    // Neither a word nor base32.
    let isMixed = run.contains { !$0.isSmallLetter } && run.contains { !$0.isBase32 && $0 != 0x3d }
    guard longest.count >= (isNamed ? Self.fewestCharacters : Self.sureCharacters), isMixed,
      !run.drop(while: { "0x".utf8.contains($0) }).isHex, run.count(where: { $0 != 0x3d }) % 4 != 1
    else { return last }
    return longest
  }
}

extension ArraySlice<UInt8> {
  fileprivate var isPair: Bool { count == 2 && isHex }
}
