import APNSPayload
import APNSWire
import Octets

/// Rules about how a valid payload is encoded: bytes that could be saved, damaged text, and repeated keys.
let textRules = RuleFamily(
  [.repeatedKey, .loneSurrogate, .mangledText, .escapedText, .jsonWhiteSpace], dependsOn: .form
) { facts, bytes, report in
  guard let payload = facts.payload, facts.outline.error == nil else { return }
  for key in facts.outline.repeatedKeys {
    let name = bytes.shown(key.keyRange)?.dropFirst().dropLast() ?? ""
    report.add(
      .repeatedKey, at: key.keyRange,
      "\(name.isEmpty ? "this key" : "the key \(name)") appears a second time in one object; the first is at byte "
        + "\(key.first.lowerBound - payload.start) of the payload")
  }
  let text = facts.outline.text
  if let range = text.loneSurrogate {
    report.add(.loneSurrogate, at: range, "this escape is half of a surrogate pair, not a character")
  }
  if let mangled = text.mangled, mangled.damage == .encodedTwice {
    report.add(
      .mangledText, at: mangled.range, "these characters are one that was encoded as UTF-8 twice",
      fix: "encode the text once: do not read UTF-8 as Latin-1")
  } else if let mangled = text.mangled {
    report.add(
      .mangledText, .note, at: mangled.range,
      "the text has U+FFFD, which a decoder writes for bytes that it cannot read: perhaps it was cut in a character")
  }
  if let first = text.firstEscape {
    let count = plural(text.escapes, "character")
    report.add(
      .escapedText, at: first,
      "\(count) of the payload \(text.escapes == 1 ? "is" : "are") written as \\u escapes; "
        + "in UTF-8 the payload has \(plural(text.savedBytes, "byte")) less")
  }
  // Files and many tools end a text with one line feed.
  if let first = facts.outline.firstWhiteSpace,
    first < payload.end - 1 || bytes[first] != 0x0a
  {
    report.add(
      .jsonWhiteSpace, at: first..<(first + 1),
      "\(plural(facts.outline.whiteSpace, "byte")) of the payload \(facts.outline.whiteSpace == 1 ? "is" : "are") "
        + "white space between values"
    )
  }
}

extension Rule {
  // Only a warning, even for `aps`: the RFC says "should", and all known parsers accept one of the two.
  package static let repeatedKey = Rule(
    "repeated-key", .warning, "a key appears twice in one object",
    why: "Parsers keep the last or the first of the two; the other value is lost.",
    source: "RFC 4627, section 2.2: names should be unique", fix: "write the key once, with one value",
    bad: [#"{"aps":{"alert":"Hi"},"aps":{"badge":1}}"#, #"{"aps":{},"a":[{"b":1,"\u0062":2}]}"#],
    good: [#"{"aps":{"alert":"Hi"},"a":[{"b":1},{"b":2}],"b":{"a":1}}"#])

  package static let loneSurrogate = Rule(
    "lone-surrogate", .warning, "an escape is half of a surrogate pair",
    why:
      "Text was cut inside a character of UTF-16, as lengths in JavaScript, Java or .NET allow. Some readers refuse "
      + "it, others show U+FFFD.",
    source: "RFC 4627, section 2.5: such characters are written as a pair of escapes",
    fix: "cut text at whole characters, before it is escaped",
    bad: [#"{"aps":{"alert":"Hi \ud83c"}}"#, #"{"aps":{"alert":"\udf89\ud83c"}}"#],
    good: [#"{"aps":{"alert":"Hi \ud83c\udf89"}}"#])

  package static let mangledText = Rule(
    "mangled-text", .warning, "text was damaged before it was sent",
    why: "The device shows what it gets: a replacement character, or two strange characters for each accented one.",
    source: "observed: UTF-8 that was read as Latin-1 and encoded again; U+FFFD (only a note) in texts cut by "
      + "joekarl/go-libapns and in immobiliare/ApnsPHP#82",
    fix: "find where text is decoded or cut: decode UTF-8 once, and cut at whole characters",
    bad: [
      "{\"aps\":{\"alert\":\"A long te\u{fffd}...\"}}", #"{"aps":{"alert":"caf\ufffd"}}"#,
      "{\"aps\":{\"alert\":\"cafÃ©\"}}",
    ], good: ["{\"aps\":{\"alert\":\"« CAFÉ », Ã\"}}", "{\"aps\":{\"alert\":\"MAÃº\"}}"])

  package static let escapedText = Rule(
    "escaped-text", .note, "characters are written as \\u escapes",
    why: "Each takes 6 or 12 bytes instead of 2 to 4, and the size of the payload is limited.",
    source: Guide.payload + ": the limit counts bytes; RFC 4627, section 2.5, allows escapes",
    fix: "let the encoder write UTF-8: ensure_ascii=False in Python, JSON_UNESCAPED_UNICODE in PHP",
    bad: [#"{"aps":{"alert":"caf\u00e9"}}"#], good: [#"{"aps":{"alert":"café \u0022\n\u001f \u0026 \u003cb\u003e"}}"#])

  package static let jsonWhiteSpace = Rule(
    "json-white-space", .note, "the payload has white space between its values",
    why: "It counts towards the limit.",
    source: Guide.payloadExamples + ": omit white space and line breaks",
    fix: "write it compactly: separators=(',', ':') in Python, no pretty printing elsewhere",
    bad: [#"{"aps": {"alert":"Hi"}}"#, "{\"aps\":{\"alert\":\"Hi\"}}\r\n"],
    good: [#"{"aps":{"alert":"Hi you"}}"#, "{\"aps\":{\"alert\":\"Hi\"}}\n"])
}
