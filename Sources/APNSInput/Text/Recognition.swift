/// Tells the format of a text from its beginning. Looks for what only one format has, the surest first; base64 is
/// never recognised, as hex digits are base64 too.
func recognise(_ head: [UInt8]) throws(ReadError) -> TextFormat {
  let lines = significantLines(of: head)
  guard let first = lines.first else { return .plain }
  let text = Array(lines.joined(separator: [UInt8(ascii: "\n")]))
  if isXxdLine(first) { return .xxd }
  if isHexdump(first, then: lines.dropFirst().first) { return .hexdump }
  if hasDataDescription(text) { return .nsdata }
  if hasEscape(text) { return .escapes }
  if isList(text) { return .c }
  if isPlain(text) { return .plain }
  throw ReadError(
    .unknownText,
    "this text is in no hex format known here; read its bytes as they are with --from raw, or name its format")
}

/// The lines that are not blank and no comments, without the blanks before them.
private func significantLines(of text: [UInt8]) -> [ArraySlice<UInt8>] {
  text.split(separator: UInt8(ascii: "\n")).compactMap { line in
    let rest = line.drop { $0.isWhite }
    return rest.isEmpty || rest.first == UInt8(ascii: "#") ? nil : rest
  }
}

/// `00000000: `
private func isXxdLine(_ line: ArraySlice<UInt8>) -> Bool {
  let offset = line.prefix { $0.hexDigit != nil }
  let rest = line[offset.endIndex...]
  return offset.count >= 4 && rest.first == UInt8(ascii: ":") && rest.dropFirst().first?.isWhite != false
}

/// `00000000  08 08`. Hex digits are an offset, and no bytes, if the next line goes on from them; on a line alone, if
/// bars follow, or if they are zero and set off from the bytes.
private func isHexdump(_ line: ArraySlice<UInt8>, then next: ArraySlice<UInt8>?) -> Bool {
  let words = line.split { $0.isWhite }
  guard words.count > 1, words[0].count >= 4, let offset = number(words[0]), number(words[1]) != nil else {
    return false
  }
  let isWords = words[0].count == 7 && words[1].count == 4
  let isSetOff = words[1].startIndex - words[0].endIndex >= 2 && words[1].count == 2
  if isWords || (isSetOff && (offset == 0 || line.contains(UInt8(ascii: "|")))) { return true }
  let nextWord = next?.prefix { !$0.isWhite }
  guard let nextWord, nextWord.count == words[0].count, let nextOffset = number(nextWord) else { return false }
  let digits = words.dropFirst().prefix { number($0) != nil }.map(\.count).reduce(0, +)
  // Groups of bytes are as wide as the first one; an offset is wider than what follows it.
  let count = nextOffset - offset
  return words[0].count > words[1].count && count > 0 && count <= digits / 2
}

private func number(_ digits: ArraySlice<UInt8>?) -> Int? {
  guard let digits, !digits.isEmpty, digits.count < 16, digits.allSatisfy({ $0.hexDigit != nil }) else { return nil }
  return digits.reduce(0) { $0 << 4 | Int($1.hexDigit ?? 0) }
}

/// `<b4bce12f`, or `{length = 32, bytes = 0x`. Digits alone are no proof: `<feed>` is a word.
private func hasDataDescription(_ text: [UInt8]) -> Bool {
  if holds(text, "{length = ") && holds(text, "bytes = 0x") { return true }
  if holds(text, "<Buffer ") { return true }
  return text.indices.contains { index in
    guard text[index] == UInt8(ascii: "<") else { return false }
    let group = text[(index + 1)...].prefix { $0.hexDigit != nil }
    guard group.count >= 2, group.count % 2 == 0 || group.count > 8, group.contains(where: \.isDecimalDigit) else {
      return false
    }
    let end = group.endIndex == text.endIndex ? UInt8(ascii: ">") : text[group.endIndex]
    return group.count >= 8 || end == UInt8(ascii: ">") || end.isWhite
  }
}

private func hasEscape(_ text: [UInt8]) -> Bool {
  text.indices.contains { index in
    guard text[index] == UInt8(ascii: "\\") else { return false }
    let rest = text[(index + 1)...]
    if let octal = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(octal) { return true }
    return rest.first == UInt8(ascii: "x") && rest.dropFirst().first?.hexDigit != nil
  }
}

/// More than one `0x` value, or one that no plain text has.
private func isList(_ text: [UInt8]) -> Bool {
  let values = text.indices.dropLast(2).filter { index in
    text[index] == UInt8(ascii: "0") && text[index + 1] | 0x20 == UInt8(ascii: "x") && text[index + 2].hexDigit != nil
  }
  guard let value = values.first else { return false }
  let digits = text[(value + 2)...].prefix { $0.hexDigit != nil }
  return values.count > 1 || digits.count <= 2 || value > 0
}

/// Begins with digits and is mostly digits, so that a mistake in it is found and named instead of taken for prose.
private func isPlain(_ text: [UInt8]) -> Bool {
  let isPrefixed = text.starts(with: [UInt8(ascii: "0"), UInt8(ascii: "x")])
  let start = text.dropFirst(isPrefixed ? 2 : 0).prefix { !$0.isWhite }
  guard start.first?.hexDigit != nil, start.allSatisfy({ $0.hexDigit != nil || PlainHex.isSeparator($0) }) else {
    return false
  }
  let characters = text.count { !$0.isWhite }
  let digits = text.count { $0.hexDigit != nil || PlainHex.isSeparator($0) }
  return digits * 4 >= characters * 3
}

private func holds(_ text: [UInt8], _ words: String) -> Bool {
  let words = Array(words.utf8)
  return text.indices.contains { text[$0...].starts(with: words) }
}
