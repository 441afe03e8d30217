import APNSPayload
import APNSWire
import Octets

/// Rules about whether payloads are JSON as the guide requires, and objects. Each kind of failure is a rule, because
/// each has a different cause. The rule for empty payloads is in sizeRules.
///
/// No document says that the gateway parses JSON, so no reply is predicted.
let jsonRules = RuleFamily(
  [
    .jsonUTF16, .jsonByteOrderMark, .jsonTrailingComma, .jsonTerminated, .jsonCut, .jsonNotUTF8, .jsonControlCharacter,
    .jsonQuotes, .payloadNotJSON, .payloadNotObject,
  ], dependsOn: .form
) { facts, bytes, report in
  if let payload = facts.payload, payload.count > 0 {
    if let close = facts.payloadClose {
      report.addCut(payload, closedAt: close, facts.frame)
    } else if let error = facts.outline.error {
      report.add(error, in: payload.range, called: Field.payload.name.title, bytes)
    } else if let root = facts.outline.root, root.kind != .object {
      report.add(.payloadNotObject, at: root.range, "the payload is \(root.kind.words), not an object")
    }
  }
  for leaf in facts.otherJSON {
    guard let error = JSONScanner.firstError(in: bytes, range: leaf.range) else { continue }
    report.add(error, in: leaf.range, called: facts.catalog.field(of: leaf)?.name.title ?? "field", bytes)
  }
}

private let json = Guide.payload + ", a JSON dictionary object as defined by RFC 4627"
private let device =
  "No document says whether the gateway checks this, or what the device does. Reports say that the device shows "
  + "nothing."

extension Rule {
  package static let payloadNotJSON = Rule(
    "payload-not-json", .error, "the payload is not JSON", why: device,
    source: json + "; reports: jpoz/APNS#5, teaey/apns4j, KnuffApp/Knuff#69",
    fix: "write it with a JSON encoder, and count its bytes after encoding",
    bad: [
      #"{"aps":{"alert":"Say "Hi""}}"#, #"{"aps":[}"#, #"{"aps":{"badge":01}}"#,
      .notification([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]),
    ])

  package static let jsonUTF16 = Rule(
    "json-utf16", .warning, "the payload is UTF-16 or UTF-32",
    why:
      "RFC 4627 allows both, RFC 8259 neither. Which of them the devices read is not documented. ASCII text takes "
      + "twice or four times the bytes.",
    source:
      "RFC 4627, section 3, which the guide names; RFC 8259 (December 2017), section 8.1, is younger than every "
      + "edition",
    fix: "encode the text as UTF-8, then count its bytes",
    bad: [
      .notification(littleEndian("{\"aps\":{}}")), .notification([0xfe, 0xff, 0, 0x7b, 0, 0x7d]),
      .notification([0x7b, 0, 0, 0, 0x7d, 0, 0, 0]), .notification(littleEndian("[]")),
    ])

  package static let jsonByteOrderMark = Rule(
    "json-byte-order-mark", .warning, "a byte order mark precedes the payload",
    why: "RFC 4627 has no word on it, and some readers of JSON refuse it. What the devices do is not documented.",
    source:
      "RFC 4627, section 2: a text begins with white space or its value; RFC 8259 (December 2017), section 8.1, "
      + "forbids the mark",
    fix: "remove its three bytes, ef bb bf", bad: ["\u{feff}{\"aps\":{}}"])

  package static let jsonTrailingComma = Rule(
    "json-trailing-comma", .error, "a comma precedes a closing bracket",
    why: "Many programming languages and some JSON readers allow it; JSON does not. " + device,
    source: json + ", sections 2.2 and 2.3; the guide's own second example has this fault",
    fix: "remove the comma",
    bad: [#"{"aps":{"badge":5,}}"#, #"{"a":[1,2 , ],"aps":{}}"#], good: [#"{"aps":{"alert":",}"}}"#])

  package static let jsonTerminated = Rule(
    "json-terminated", .error, "bytes follow the JSON of the payload",
    why: "The length counts more than the text: the NUL that ends a string in memory, or a larger buffer. " + device,
    source: Guide.binaryInterface + ", item 2: must not be null-terminated; " + json,
    fix: "count the bytes of the text only",
    bad: ["{\"aps\":{}}\0", "{\"aps\":{}}}", .legacy("{\"aps\":{}} x")], good: ["{\"aps\":{\"alert\":\"Hi\"}}\n"])

  package static let jsonCut = Rule(
    "json-cut", .error, "the payload ends before its JSON is complete",
    why: "The text was cut at a number of bytes, or its length is too small: it may count characters.",
    source: json, fix: "cut text at whole characters before it is encoded as JSON, then count all bytes of the JSON",
    bad: [
      #"{"aps":{"alert":"Hi"}"#, .notification(Array(#"{"aps":{"alert":"Hi"#.utf8) + [0xf0, 0x9f]),
      .hex("00 0002 fc13 0007 7b22617073223a7b7d7d"),
    ])

  package static let jsonNotUTF8 = Rule(
    "json-not-utf8", .error, "a byte of the payload is not UTF-8",
    why: "Text in Latin-1 or another encoding was copied into it. " + device,
    source: json + ", section 3: Unicode, UTF-8 by default",
    fix: "encode all text as UTF-8, and cut it at whole characters",
    bad: [
      .notification(Array(#"{"aps":{"alert":"caf"#.utf8) + [0xe9] + Array(#""}}"#.utf8)),
      .notification(Array(#"{"aps":{"alert":""#.utf8) + [0xe0, 0x80]),
      .notification(Array(#"{"aps":{"alert":""#.utf8) + [0xed, 0xa0]),
    ], good: [#"{"aps":{"alert":"café 🎉"}}"#])

  package static let jsonControlCharacter = Rule(
    "json-control-character", .error, "a string has a control character that is not escaped",
    why: "Text with line ends or tabs was put between quotes without a JSON encoder. " + device,
    source: json + ", section 2.5", fix: "write it as an escape: \\n for a line end, \\t for a tab",
    bad: ["{\"aps\":{\"alert\":\"a\nb\"}}"], good: [#"{"aps":{"alert":"a\nb"}}"#, "{\"aps\":\t{\"alert\":\"Hi\"}}"])

  package static let jsonQuotes = Rule(
    "json-quotes", .error, "keys or strings are not in straight double quotes",
    why:
      "JavaScript and Python accept single quotes and bare keys, and word processors write curly quotes. JSON allows "
      + "none of them. " + device,
    source: json + ", sections 2.2 and 2.5", fix: "put every key and string in straight double quotes, U+0022",
    bad: ["{'aps':{}}", "{aps:{}}", "{“aps”:{}}"], good: ["{\"aps\":{\"alert\":\"“Hi”, 'you'\"}}"])

  package static let payloadNotObject = Rule(
    "payload-not-object", .error, "the payload is JSON, but not an object",
    why: "There is no aps in a string, a list or null. " + device,
    source: json, fix: "write an object with the key aps",
    bad: ["[]", "null", "\"Hi\""])
}

private func littleEndian(_ text: String) -> [UInt8] { text.utf8.flatMap { [$0, 0] } }

extension Report {
  fileprivate mutating func addCut(_ payload: FieldRef, closedAt close: Int, _ frame: FrameRef) {
    let size = close - payload.start
    add(
      .jsonCut, at: (payload.end - 1)..<payload.end,
      "the payload is cut: its JSON closes \(plural(size - payload.count, "byte")) after the declared length",
      fix: "write \(size) as its length instead of \(payload.count)"
        + (payload.depth > 0 && close > frame.end ? ", and add \(close - frame.end) to the frame length" : ""))
  }

  fileprivate mutating func add(_ error: JSONError, in text: Range<Int>, called name: String, _ bytes: Span<UInt8>) {
    // The same error can have several causes, such as a curly quote or a typing error.
    let words = error.code.rawValue
    // An error at the end refers to the last byte. An empty text has no byte at all.
    let at = max(min(error.offset, text.upperBound - 1), text.lowerBound)
    let one = at..<min(at + 1, text.upperBound)
    let rest = at..<text.upperBound
    func report(_ rule: Rule, _ range: Range<Int>, isWhole: Bool = false, _ words: String, fix: String? = nil) {
      let place = isWhole ? "" : " at byte \(range.lowerBound - text.lowerBound)"
      self.add(rule, at: range, "the \(name) is not JSON\(place): \(words)", fix: fix)
    }
    if error.code.isWide {
      report(.jsonUTF16, text.prefix(4), isWhole: true, words)
    } else if error.code == .byteOrderMark {
      report(.jsonByteOrderMark, text.prefix(3), words)
      let rest = text.dropFirst(3)
      if !rest.isEmpty, let next = JSONScanner.firstError(in: bytes, range: rest), next.code != .byteOrderMark {
        add(next, in: text, called: name, bytes)
      }
    } else if let (magic, format, fix) = otherFormats.first(where: {
      bytes.holds($0.magic, at: text.lowerBound, limit: text.upperBound)
    }) {
      let start = magic.prefix(2).map(\.hexDigits).joined(separator: " ")
      let words = "it starts with \(start) and is \(format)"
      report(.payloadNotJSON, text.prefix(magic.count), isWhole: true, words, fix: fix)
    } else if error.code == .cutCharacter {
      let size = bytes.sizeOfCutCharacter(at: at, end: text.upperBound)
      report(.jsonCut, rest, "it ends inside a character, after \(rest.count) of its \(plural(size, "byte"))")
    } else if error.code == .unexpectedEnd {
      let closed = [UInt8](copying: bytes.extracting(text)) + [UInt8(ascii: "}")]
      let isBraceMissing = JSONScanner.objectEnd(at: 0, before: closed.count, in: closed.span) == closed.count
      report(
        .jsonCut, one, isWhole: true, "\(words), after \(plural(text.count, "byte"))",
        fix: isBraceMissing ? "write its last closing brace, which is missing, and count it" : nil)
    } else if error.code == .extraBytes, rest.allSatisfy({ bytes[$0] == 0 }) {
      report(
        .jsonTerminated, rest, rest.count == 1 ? "a NUL follows the value" : "\(rest.count) NULs follow the value",
        fix: "write \(at - text.lowerBound) as its length: a terminating NUL is not part of the text")
    } else if error.code == .extraBytes {
      report(
        .jsonTerminated, rest, "\(bytesFollow(rest.count)) the value",
        fix: "write \(at - text.lowerBound) as its length if the text ends there; if not, fix the text")
    } else if let quote = bytes.wrongQuote(rest, isKey: error.code == .keyNotString) {
      report(.jsonQuotes, rest.prefix(quote.count), quote.words)
    } else {
      report(Self.rulesOfErrors[error.code] ?? .payloadNotJSON, one, words)
    }
  }

  /// The rules of errors that are what they seem.
  private static let rulesOfErrors: [JSONError.Code: Rule] = [
    .trailingComma: .jsonTrailingComma, .controlCharacter: .jsonControlCharacter, .notUTF8: .jsonNotUTF8,
  ]
}

/// Compressed data and other formats: how each begins, its name, and a fix.
private let otherFormats: [(magic: [UInt8], name: String, fix: String)] = [
  ([0x1f, 0x8b], "gzip", "send the JSON uncompressed"), ([0x78, 0x9c], "zlib", "send the JSON uncompressed"),
  (Array("bplist".utf8), "a binary property list", "write it as JSON"),
  (Array("<?xml".utf8), "XML", "write it as JSON"),
]

extension Span<UInt8> {
  /// Detects a key or value that people might write but whose quotes are not valid in JSON.
  fileprivate func wrongQuote(_ rest: Range<Int>, isKey: Bool) -> (count: Int, words: String)? {
    guard let first = rest.first else { return nil }
    switch self[first] {
    case UInt8(ascii: "'"), UInt8(ascii: "`"):
      return (1, "a single quote in place of a double one")
    case 0xe2 where rest.count >= 3 && self[first + 1] == 0x80 && 0x98...0x9f ~= self[first + 2]:
      return (3, "a curly quote in place of a straight one")
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
      return isKey ? (1, "a key has no quotes") : nil
    default: return nil
    }
  }
}

extension PayloadOutline.Kind {
  /// The type with its article, for a sentence.
  package var words: String {
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
