import APNSPayload
import Octets

/// Bytes to search for, preprocessed so that a search takes linear time (Knuth, Morris, Pratt).
struct Needle: Sendable {
  private let bytes: [UInt8]
  /// For each number of matched bytes, how many of them still match if the next byte differs.
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

  /// Searches a JSON value: a string after resolving its escapes, any other value in its source text.
  func isFound(in text: Span<UInt8>, _ kind: JSONScanner.Kind, _ range: Range<Int>) -> Bool {
    guard kind == .string else { return isFound(in: text, range) }
    let inner = (range.lowerBound + 1)..<(range.upperBound - 1)
    guard text.first(UInt8(ascii: "\\"), in: inner) != nil else { return isFound(in: text, inner) }
    return JSONValue.unescape(range, in: text).map { isFound(in: $0) } ?? false
  }
}
