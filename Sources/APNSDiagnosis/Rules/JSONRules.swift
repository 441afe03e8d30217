import APNSPayload
import APNSWire

/// Whether payloads are JSON as RFC 8259 has it, and an object; each way to fail is a rule, since each has its own
/// mistake behind it. A payload of no bytes is not JSON either, but that is said elsewhere.
let jsonRules = RuleFamily([
  utf16, byteOrderMark, trailingComma, terminated, cut, notUTF8, controlCharacter, quotes, payloadNotJSON,
  payloadNotObject,
]) { facts, bytes, _, report in
  if let payload = facts.payload, payload.count > 0 {
    if let error = facts.outline.error {
      report.add(error, in: payload, called: Field.payload.name.title, bytes)
    } else if let root = facts.outline.root, root.kind != .object {
      report.add(payloadNotObject, at: root.range, "the payload is \(root.kind.words); an object belongs here")
    }
  }
  for leaf in facts.otherJSON {
    guard let error = JSONScanner.firstError(in: bytes, range: leaf.range) else { continue }
    report.add(error, in: leaf, called: facts.catalog.field(of: leaf)?.name.title ?? "field", bytes)
  }
}

private let guide = "Local and Push Notification Programming Guide, The notification payload"
private let unread = "The service and the device parse it strictly; nothing is shown."

private let payloadNotJSON = Rule(
  "payload-not-json", .error, "the payload is not JSON", why: unread, source: guide + "; RFC 8259",
  fix: "write it with a JSON encoder, and count its bytes after encoding",
  bad: [
    .notification(#"{"aps":{"alert":"Say "Hi""}}"#), .notification(#"{"aps":[}"#),
    .notification(#"{"aps":{"badge":01}}"#),
  ],
  good: [.notification()])

private let utf16 = Rule(
  "json-utf16", .error, "the payload is UTF-16",
  why: "Every second byte is a zero, which no reader of UTF-8 takes; a third of the limit is gone besides.",
  source: guide + "; RFC 8259, section 8.1", fix: "encode the text as UTF-8, then count its bytes",
  bad: [.notification(littleEndian("{\"aps\":{}}")), .notification([0xfe, 0xff, 0, 0x7b, 0, 0x7d])],
  good: [.notification()])

private let byteOrderMark = Rule(
  "json-byte-order-mark", .error, "a byte order mark stands before the payload",
  why: "Editors and file readers keep it; strict readers of JSON refuse it.", source: "RFC 8259, section 8.1",
  fix: "leave its three bytes out", bad: [.notification("\u{feff}{\"aps\":{}}")],
  good: [.notification()])

private let trailingComma = Rule(
  "json-trailing-comma", .error, "a comma stands before a closing bracket",
  why: "Many languages' own literals allow it, and so do some JSON readers; JSON does not. " + unread,
  source: "RFC 8259, section 4; the second example of the guide's edition of 2013 has one itself",
  fix: "leave the comma out",
  bad: [.notification(#"{"aps":{"badge":5,}}"#), .notification(#"{"a":[1,2 , ],"aps":{}}"#)],
  good: [.notification(#"{"aps":{"alert":",}"}}"#)])

private let terminated = Rule(
  "json-terminated", .error, "bytes follow the end of the payload",
  why: "A length that counts the NUL which ends the text in memory, or a buffer larger than the text, sends what is no "
    + "JSON.",
  source: "Local and Push Notification Programming Guide, Payload: it must not be null-terminated",
  fix: "send as many bytes as the text has, and count no more",
  bad: [.notification("{\"aps\":{}}\0"), .notification("{\"aps\":{}}}"), .legacy("{\"aps\":{}} x")],
  good: [.notification("{\"aps\":{\"alert\":\"Hi\"}}\n")])

private let cut = Rule(
  "json-cut", .error, "the payload ends too early",
  why: "Text was cut at a number of bytes, or its length counts characters: what follows the cut is lost.",
  source: guide, fix: "shorten the text before it becomes JSON, at a character; then count the bytes of all of it",
  bad: [.notification(#"{"aps":{"alert":"Hi"}"#), .notification(Array(#"{"aps":{"alert":"Hi"#.utf8) + [0xf0, 0x9f])],
  good: [.notification()])

private let notUTF8 = Rule(
  "json-not-utf8", .error, "a byte of the payload is not UTF-8",
  why: "Text in Latin-1 or another encoding was put into it as it is. " + unread,
  source: guide + ": JSON text in UTF-8; RFC 8259, section 8.1",
  fix: "encode all text as UTF-8; cut it only at characters",
  bad: [.notification(Array(#"{"aps":{"alert":"caf"#.utf8) + [0xe9] + Array(#""}}"#.utf8))],
  good: [.notification(#"{"aps":{"alert":"café 🎉"}}"#)])

private let controlCharacter = Rule(
  "json-control-character", .error, "a control character stands unescaped in a string",
  why: "Text with line ends or tabs was put between quotes without a JSON encoder. " + unread,
  source: "RFC 8259, section 7", fix: "write it as an escape: \\n for a line end, \\t for a tab",
  bad: [.notification("{\"aps\":{\"alert\":\"a\nb\"}}")],
  good: [.notification(#"{"aps":{"alert":"a\nb"}}"#), .notification("{\"aps\":\t{\"alert\":\"Hi\"}}")])

private let quotes = Rule(
  "json-quotes", .error, "keys or strings are not in plain double quotes",
  why: "JavaScript and Python take single quotes and bare keys, and word processors make quotes curly; JSON takes "
    + "neither.",
  source: "RFC 8259, section 7", fix: "put every key and string in double quotes, U+0022",
  bad: [.notification("{'aps':{}}"), .notification("{aps:{}}"), .notification("{“aps”:{}}")],
  good: [.notification("{\"aps\":{\"alert\":\"“Hi”, 'you'\"}}")])

private let payloadNotObject = Rule(
  "payload-not-object", .error, "the payload is JSON, but no object",
  why: "What the service looks for is a key of the payload; in a string, a list or null there is none.",
  source: guide + ": a JSON object", fix: "write an object with the key aps",
  bad: [.notification("[]"), .notification("null"), .notification("\"Hi\"")], good: [.notification()])

private func littleEndian(_ text: String) -> [UInt8] { text.utf8.flatMap { [$0, 0] } }

extension Report {
  /// The first violation of JSON in a value, by what stands there.
  fileprivate mutating func add(
    _ error: JSONError, in leaf: FieldRef, called name: String, _ bytes: Span<UInt8>
  ) {
    let fault = JSONFault(error, in: leaf.range, bytes)
    add(
      fault.rule, at: fault.range,
      "the \(name) is not JSON at its byte \(fault.range.lowerBound - leaf.start): \(fault.words)")
  }
}

/// What lies behind an error: only the bytes tell a curly quote from a slip.
private struct JSONFault {
  let rule: Rule
  let range: Range<Int>
  let words: String

  init(_ error: JSONError, in text: Range<Int>, _ bytes: Span<UInt8>) {
    // Past the end there is nothing to point at; an empty text has no byte at all.
    let at = max(min(error.offset, text.upperBound - 1), text.lowerBound)
    let one = at..<min(at + 1, text.upperBound)
    let rest = at..<text.upperBound
    if let order = bytes.utf16Order(text) {
      (rule, range, words) = (utf16, text.prefix(2), "it is UTF-16, \(order)")
    } else if error.code == .byteOrderMark {
      (rule, range, words) = (byteOrderMark, text.prefix(3), error.code.rawValue)
    } else if let size = bytes.sizeOfCutCharacter(rest) {
      (rule, range) = (cut, rest)
      words = "the text ends inside a character, \(plural(rest.count, "byte")) of its \(size)"
    } else if error.code == .unexpectedEnd {
      (rule, range, words) = (cut, one, error.code.rawValue)
    } else if error.code == .trailingComma {
      (rule, range, words) = (trailingComma, one, error.code.rawValue)
    } else if error.code == .extraBytes {
      (rule, range) = (terminated, rest)
      words =
        rest.count == 1 && bytes[at] == 0
        ? "a NUL stands behind the value"
        : "\(plural(rest.count, "byte")) stand\(rest.count == 1 ? "s" : "") behind the value"
    } else if error.code == .controlCharacter {
      (rule, range, words) = (controlCharacter, one, error.code.rawValue)
    } else if let quote = bytes.wrongQuote(rest, isKey: error.code == .keyNotString) {
      (rule, range, words) = (quotes, rest.prefix(quote.count), quote.words)
    } else if error.code == .notUTF8 {
      (rule, range, words) = (notUTF8, one, error.code.rawValue)
    } else {
      (rule, range, words) = (payloadNotJSON, one, error.code.rawValue)
    }
  }
}

extension Span<UInt8> {
  fileprivate func utf16Order(_ text: Range<Int>) -> String? {
    guard text.count >= 2 else { return nil }
    switch (self[text.lowerBound], self[text.lowerBound + 1]) {
    case (0xff, 0xfe), (UInt8(ascii: "{"), 0): return "the low byte first"
    case (0xfe, 0xff), (0, UInt8(ascii: "{")): return "the high byte first"
    default: return nil
    }
  }

  /// Bytes of the character that begins with `rest` and whose end is not there.
  fileprivate func sizeOfCutCharacter(_ rest: Range<Int>) -> Int? {
    guard let first = rest.first else { return nil }
    let size =
      switch self[first] {
      case 0xc2...0xdf: 2
      case 0xe0...0xef: 3
      case 0xf0...0xf4: 4
      default: 0
      }
    guard rest.count < size, rest.dropFirst().allSatisfy({ self[$0] & 0xc0 == 0x80 }) else { return nil }
    return size
  }

  /// Where a key or a value belongs, what looks like one to people.
  fileprivate func wrongQuote(_ rest: Range<Int>, isKey: Bool) -> (count: Int, words: String)? {
    guard let first = rest.first else { return nil }
    switch self[first] {
    case UInt8(ascii: "'"), UInt8(ascii: "`"):
      return (1, "a single quote stands where JSON has a double one")
    case 0xe2 where rest.count >= 3 && self[first + 1] == 0x80 && 0x98...0x9f ~= self[first + 2]:
      return (3, "a curly quote stands where JSON has a straight one")
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
      return isKey ? (1, "a key without quotes begins here") : nil
    default: return nil
    }
  }
}

extension Range<Int> {
  fileprivate func prefix(_ count: Int) -> Range<Int> { lowerBound..<Swift.min(lowerBound + count, upperBound) }
}

extension PayloadOutline.Kind {
  var words: String {
    switch self {
    case .object: "an object"
    case .array: "an array"
    case .string: "a string"
    case .number: "a number"
    case .bool: "a Boolean"
    case .null: "null"
    }
  }
}
