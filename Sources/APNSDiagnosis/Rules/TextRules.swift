import APNSPayload
import APNSWire

/// How a payload is written, where it is JSON: bytes that could be saved, text that arrives damaged, keys that stand
/// twice.
let textRules = RuleFamily([repeatedKey, loneSurrogate, mangledText, escapedText, whiteSpace]) {
  facts, bytes, _, report in
  guard let payload = facts.payload, facts.outline.error == nil else { return }
  checkRepeatedKeys(facts, bytes, payload, &report)
  let text = facts.outline.text
  if let range = text.loneSurrogate {
    report.add(loneSurrogate, at: range, "this escape is half of a surrogate pair, and no character")
  }
  if let mangled = text.mangled { report.add(mangled, payload, bytes) }
  if let first = text.firstEscape {
    let count = plural(text.escapes, "character")
    report.add(
      escapedText, at: first,
      "\(count) of the payload \(text.escapes == 1 ? "is" : "are") written as \\u escapes; "
        + "in UTF-8 it would be \(plural(text.savedBytes, "byte")) shorter")
  }
  if let first = facts.outline.firstWhiteSpace {
    report.add(
      whiteSpace, at: first..<(first + 1),
      "the payload has \(plural(facts.outline.whiteSpace, "byte")) of white space that could be left out")
  }
}

private let guide = "Local and Push Notification Programming Guide, "

// A warning even for aps: no text says that the service refuses it, and all parsers known take one of the two.
private let repeatedKey = Rule(
  "repeated-key", .warning, "a key stands twice in one object",
  why:
    "Parsers keep the last of the two, or the first; the other value is lost. Mostly the second was pasted or merged "
    + "in.",
  source: "RFC 8259, section 4: names should be unique", fix: "write the key once, with one value",
  bad: [
    .notification(#"{"aps":{"alert":"Hi"},"aps":{"badge":1}}"#), .notification(#"{"aps":{},"a":[{"b":1,"\u0062":2}]}"#),
  ], good: [.notification(#"{"aps":{"alert":"Hi"},"a":[{"b":1},{"b":2}],"b":{"a":1}}"#)])

private let loneSurrogate = Rule(
  "lone-surrogate", .warning, "an escape names half a character",
  why: "Text was cut inside a character of UTF-16, as lengths in JavaScript, Java or .NET allow; readers refuse it or "
    + "show U+FFFD.",
  source: "RFC 8259, section 8.2", fix: "cut text at whole characters, before it is escaped",
  bad: [.notification(#"{"aps":{"alert":"Hi \ud83c"}}"#), .notification(#"{"aps":{"alert":"\udf89\ud83c"}}"#)],
  good: [.notification(#"{"aps":{"alert":"Hi \ud83c\udf89"}}"#)])

private let mangledText = Rule(
  "mangled-text", .warning, "text was damaged before it came here",
  why: "The device shows what it gets: a question mark on a diamond, or two odd characters for each accented one.",
  source: "RFC 3629", fix: "find where text is decoded or cut: UTF-8 once, and cut at whole characters",
  bad: [
    .notification("{\"aps\":{\"alert\":\"A long te\u{fffd}...\"}}"), .notification(#"{"aps":{"alert":"caf\ufffd"}}"#),
    .notification("{\"aps\":{\"alert\":\"cafÃ©\"}}"),
  ], good: [.notification("{\"aps\":{\"alert\":\"« CAFÉ », Ã\"}}")])

let escapedText = Rule(
  "escaped-text", .note, "characters are written as \\u escapes",
  why: "Each takes 6 or 12 bytes instead of 1 to 4, and the payload has few.",
  source: guide + "The notification payload: its size is counted in bytes; RFC 8259, section 7",
  fix: "let the encoder write UTF-8: ensure_ascii=False in Python, JSON_UNESCAPED_UNICODE in PHP",
  bad: [.notification(#"{"aps":{"alert":"caf\u00e9"}}"#)],
  good: [.notification(#"{"aps":{"alert":"café \u0022\n\u001f"}}"#)])

private let whiteSpace = Rule(
  "json-white-space", .note, "the payload has white space between its values",
  why: "It counts towards the limit, and every notification carries it.",
  source: guide + "Examples of JSON payloads: omit white space and line breaks",
  fix: "write it compactly: separators=(',', ':') in Python, no pretty printing elsewhere",
  bad: [.notification(#"{"aps": {"alert":"Hi"}}"#), .notification("{\"aps\":{\"alert\":\"Hi\"}}\n")],
  good: [.notification(#"{"aps":{"alert":"Hi you"}}"#)])

private func checkRepeatedKeys(
  _ facts: borrowing FrameFacts, _ bytes: Span<UInt8>, _ payload: FieldRef, _ report: inout Report
) {
  let count = facts.outline.repeatedKeyCount
  guard count > 0 else { return }
  for key in facts.outline.repeatedKeys {
    report.add(
      repeatedKey, at: key.keyRange,
      "\(bytes.keyWords(key.keyRange)) stands a second time in one object; "
        + "it stood at byte \(key.first.lowerBound - payload.start) of the payload before")
  }
  let unlisted = count - facts.outline.repeatedKeys.count
  if unlisted > 0, let last = facts.outline.repeatedKeys.last {
    report.add(
      repeatedKey, at: last.keyRange,
      "\(plural(unlisted, "more key")) of the payload stand\(unlisted == 1 ? "s" : "") a second time")
  }
}

extension Report {
  fileprivate mutating func add(_ mangled: TextTraits.Mangled, _ payload: FieldRef, _ bytes: Span<UInt8>) {
    let end = mangled.range.upperBound
    switch mangled.damage {
    case .encodedTwice:
      add(
        mangledText, at: mangled.range, "these characters are one that was encoded as UTF-8 twice",
        fix: "encode the text once: what is UTF-8 already must not be read as Latin-1")
    case .replaced where bytes.isEndOfText(end..<payload.end):
      add(
        mangledText, at: mangled.range, "U+FFFD stands at the end of the text, which was cut inside a character",
        fix: "cut text at whole characters, then count its bytes again")
    case .replaced:
      add(mangledText, at: mangled.range, "U+FFFD stands for bytes that were no text when they were read")
    }
  }
}

extension Span<UInt8> {
  /// A closing quote stands here, or an ellipsis.
  fileprivate func isEndOfText(_ rest: Range<Int>) -> Bool {
    guard let first = rest.first else { return false }
    switch self[first] {
    case UInt8(ascii: "\""): return true
    case UInt8(ascii: "."): return rest.count >= 3 && self[first + 1] == self[first] && self[first + 2] == self[first]
    case 0xe2: return rest.count >= 3 && self[first + 1] == 0x80 && self[first + 2] == 0xa6
    default: return false
    }
  }

  /// A key for a sentence, quotes included in `range`. Bytes from the wire reach a terminal only as plain ASCII.
  func keyWords(_ range: Range<Int>) -> String {
    let text = (range.lowerBound + 1)..<(range.upperBound - 1)
    guard 1...40 ~= text.count, text.allSatisfy({ 0x20..<0x7f ~= self[$0] }) else { return "this key" }
    var words = ""
    for index in text { words.unicodeScalars.append(Unicode.Scalar(self[index])) }
    return "the key " + words
  }
}
