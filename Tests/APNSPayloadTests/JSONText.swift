import APNSPayload
import Testing

/// A text that may hold bytes that no string can.
struct JSONText: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, CustomTestStringConvertible, Sendable {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }
  init(stringLiteral text: String) { bytes = Array(text.utf8) }
  init(arrayLiteral bytes: UInt8...) { self.bytes = bytes }

  /// `text`, with `bytes` where its `?` stands.
  static func text(_ text: String, _ bytes: UInt8...) -> JSONText {
    let parts = text.utf8.split(separator: UInt8(ascii: "?"), omittingEmptySubsequences: false).map { Array($0) }
    return JSONText(parts.count == 2 ? parts[0] + bytes + parts[1] : parts[0] + bytes)
  }

  var error: JSONError? { JSONScanner.firstError(in: bytes.span, range: 0..<bytes.count) }

  var testDescription: String { String(decoding: bytes.prefix(60), as: UTF8.self) }
}
