/// Chooses the candidate that reads a text. Known formats that cannot be read are rejected by name.
func recognise(_ head: TextHead, among formats: [TextFormat]) throws(ReadError) -> Candidate {
  guard !head.lines.isEmpty else { return TextFormat.plain.candidates(head)[0] }
  let own = formats.first { $0.recognises?(head) == true }
  if let own { return own.candidates(head)[0] }
  if let reason = lossyForm(head) { throw ReadError(.lossyText, reason) }
  if let reason = foreignForm(head) { throw ReadError(.unknownText, reason) }
  let candidates = formats.filter { $0.recognises == nil }.flatMap { $0.candidates(head) }
  if let best = try decide(candidates, head) { return best }
  if head.isPrintout { throw ReadError(.lossyText, printout) }
  throw ReadError(.unknownText, hint(head) ?? unknown)
}

private let unknown =
  "this text is not in a known hex format; choose its format with --from, or read its bytes unchanged with --from raw"

/// An error message for a text that nearly matches a format.
private func hint(_ head: TextHead) -> String? {
  let words = Array(head.words.joined())
  guard words.count == 1, let word = words.first, word.count >= 8, word.contains(where: { !$0.isLetter }) else {
    return nil
  }
  let body = word.prefix { $0.isLetter || $0.isDecimalDigit || "+/-_".utf8.contains($0) }
  guard body.count >= word.count - 2, word[body.endIndex...].allSatisfy({ $0 == UInt8(ascii: "=") }) else { return nil }
  return "this may be base64; use --from base64 if it is"
}

private let printout =
  "this text has only the characters of a frame (tcpdump -A, Follow as ASCII, Wireshark's printable text), not its "
  + "other bytes; copy it as a hex stream, or print it with tcpdump -x"

/// An error message for a text that omits bytes and has no digits at all. Formats that show some of the bytes report
/// the rest themselves.
private func lossyForm(_ head: TextHead) -> String? {
  let first = head.words[0]
  if head.lines.count == 1, first.count == 2, first[1].isText("bytes"), first[0].number(radix: 10) != nil {
    return "Swift printed only the number of bytes; print the bytes: data.map { String(format: \"%02x\", $0) }.joined()"
  }
  for form in ["tls", "tcp", "http", "udp"] {
    for style in ["ascii", "ebcdic", "utf-8"] where head.holds("Follow: \(form),\(style)") { return printout }
  }
  let isCapture = head.lines.contains { $0.holds(" > ") && $0.holds(": Flags [") }
  return isCapture && !head.holds("0x0000:") ? printout : nil
}

/// An error message for a complete dump in a format that is not supported.
private func foreignForm(_ head: TextHead) -> String? {
  if head.text.starts(with: boxCorner) { return "this is output of hexyl; print the bytes with hexyl --plain or xxd" }
  return nil
}

extension TextHead {
  /// Whether the text contains a JSON payload after other characters.
  fileprivate var isPrintout: Bool {
    guard let first = lines.first, holds("{\"aps\":") else { return false }
    return !first.drop { $0.isWhite }.starts(with: "{".utf8)
  }
}
