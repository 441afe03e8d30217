import APNSPayload
import Octets

/// Bytes to look for, prepared so that a search takes one step a byte, whatever the bytes are (Knuth, Morris, Pratt).
struct Needle: Sendable {
  private let bytes: [UInt8]
  /// Behind so many matching bytes, how many still match when the next one does not.
  private let fallbacks: [Int]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var fallbacks = [0, 0]
    var matched = 0
    for byte in bytes.dropFirst() {
      while matched > 0, bytes[matched] != byte { matched = fallbacks[matched] }
      if bytes[matched] == byte { matched += 1 }
      fallbacks.append(matched)
    }
    self.fallbacks = fallbacks
  }

  func isFound(in text: Span<UInt8>, _ range: Range<Int>) -> Bool {
    var matched = 0
    if bytes.isEmpty { return true }
    for index in range {
      let byte = text[index]
      while matched > 0, bytes[matched] != byte { matched = fallbacks[matched] }
      if bytes[matched] == byte { matched += 1 }
      if matched == bytes.count { return true }
    }
    return false
  }

  func isFound(in text: [UInt8]) -> Bool {
    isFound(in: text.span, 0..<text.count)
  }

  /// In a JSON value: of a string in what it says, of anything else in how it is spelt.
  func isFound(in text: Span<UInt8>, _ kind: JSONScanner.Kind, _ range: Range<Int>) -> Bool {
    guard kind == .string else { return isFound(in: text, range) }
    let inner = (range.lowerBound + 1)..<(range.upperBound - 1)
    guard text.first(UInt8(ascii: "\\"), in: inner) != nil else { return isFound(in: text, inner) }
    return JSONValue.unescape(range, in: text).map { isFound(in: $0) } ?? false
  }
}
