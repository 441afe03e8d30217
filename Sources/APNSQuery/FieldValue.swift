import APNSInput
import APNSPayload
import Octets

/// One value of a field in a record.
package enum FieldValue: Sendable {
  /// A number.
  case number(UInt64)
  /// A range of the record's bytes.
  case octets(Range<Int>)
  /// A word or a text that is not part of the record's bytes.
  case text(String)
  /// An address and a port.
  case endpoint(Endpoint)
  /// The time at which a packet was captured.
  case time(CaptureTime)
  /// A value inside JSON, with its quotes or brackets: the kind of its first token, and its range in the record.
  case json(JSONScanner.Kind, Range<Int>)

  static func count(_ number: Int) -> Self { .number(UInt64(clamping: number)) }

  /// Whether the value is this text. Of JSON, only strings are text.
  func equals(_ text: [UInt8], _ bytes: Span<UInt8>) -> Bool {
    if case .json(let kind, _) = self, kind != .string { return false }
    return hasText(bytes) { $0.holds(text, in: $1) }
  }

  /// Whether the text occurs in the value. JSON other than strings is searched as it is spelled.
  func contains(_ text: [UInt8], _ bytes: Span<UInt8>) -> Bool {
    hasText(bytes) { $0.first(text, in: $1) != nil }
  }

  private func hasText(_ bytes: Span<UInt8>, where holds: (Span<UInt8>, Range<Int>) -> Bool) -> Bool {
    switch self {
    case .octets(let range): return holds(bytes, range)
    case .text(let text):
      let text = Array(text.utf8)
      return holds(text.span, text.indices)
    case .json(.string, let range): return bytes.hasString(at: range, where: holds)
    case .json(_, let range): return holds(bytes, range)
    case .number, .endpoint, .time: return false
    }
  }
}
