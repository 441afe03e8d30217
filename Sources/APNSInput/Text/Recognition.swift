/// Chooses the candidate that reads a text. Known formats that cannot be read are rejected by name.
func recognise(_ head: TextHead, among formats: [TextFormat]) throws(ReadError) -> LineDecoder {
  guard !head.lines.isEmpty else { return TextFormat.plain.candidates(head)[0] }
  let own = formats.first { $0.recognises?(head) == true }
  if let own { return own.candidates(head)[0] }
  if let refusal = head.refusal { throw refusal }
  let candidates = formats.filter { $0.recognises == nil }.flatMap { $0.candidates(head) }
  if let best = try decide(candidates, head) { return best }
  if head.isPrintout { throw ReadError(.lossyText, printout) }
  throw ReadError(.unknownText, head.isPerhapsBase64 ? base64 : unknown)
}

private let unknown =
  "this text is not in a known hex format; choose its format with --from, or read its bytes unchanged with --from raw"

private let base64 = "this may be base64; use --from base64 if it is"
private let hexyl = "this is output of hexyl; print the bytes with hexyl --plain or xxd"
private let printout =
  "this text has only the characters of a frame (tcpdump -A, Follow as ASCII, Wireshark's printable text), not its "
  + "other bytes; copy it as a hex stream, or print it with tcpdump -x"
private let number =
  "Swift printed only the number of bytes; print the bytes: data.map { String(format: \"%02x\", $0) }.joined()"

extension TextHead {
  /// Why a text in a known form cannot be read: it omits bytes and has no digits at all, or it is not supported.
  /// Formats that show some of the bytes report the rest themselves.
  fileprivate var refusal: ReadError? {
    // hexyl's output begins with a corner of its box.
    let start = lines[0].drop(while: \.isWhite)
    if start.starts(with: "┌".utf8), holds("│00000000│") { return ReadError(.unknownText, hexyl) }
    // Swift's dump begins with a triangle, and lists the bytes at the end.
    let first = words[0].drop { $0.isText("▿") }
    let isLost = first.count == words[0].count ? lines.count == 1 : !holds(" elements")
    if isLost, first.count == 2, first.last?.isText("bytes") == true, first.first?.number(radix: 10) != nil {
      return ReadError(.lossyText, number)
    }
    let isFollow = holds("Follow: ") && [",ascii", ",ebcdic", ",utf-8"].contains { holds($0) }
    let isCapture = lines.contains { $0.holds(" > ") && $0.holds(": Flags [") } && !holds("0x0000:")
    return isFollow || isCapture ? ReadError(.lossyText, printout) : nil
  }

  /// Whether the text contains a JSON payload after other characters.
  fileprivate var isPrintout: Bool {
    guard let first = lines.first, holds("{\"aps\":") else { return false }
    return !first.drop { $0.isWhite }.starts(with: "{".utf8)
  }

  /// Whether the text is a single word that has only characters of base64, but not only letters or those of base32.
  fileprivate var isPerhapsBase64: Bool {
    let words = Array(words.joined())
    guard words.count == 1, words[0].count >= 8, words[0].contains(where: { !$0.isLetter }) else { return false }
    guard words[0].contains(where: { !$0.isBase32 && $0 != UInt8(ascii: "=") }) else { return false }
    return words[0].allSatisfy { DigitRun.base64Value(of: $0) != nil || $0 == UInt8(ascii: "=") }
  }
}
