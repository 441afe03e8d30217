import APNSDiagnosis
import APNSPayload

extension PayloadKey {
  /// The values that the key may have: `a number: whole, at least 0`.
  var acceptedValues: String {
    types.map { $0 == .bool ? "true or false" : $0.words }.joined(separator: " or ")
      + (allowed.text.map { ": " + $0 } ?? "")
  }

  /// The document that introduced the key.
  var sinceText: String {
    switch since {
    case .guide(let year): "the edition of \(year)"
    case .elsewhere(let text): "documented in \(text)"
    }
  }
}

extension PayloadKey.Allowed {
  fileprivate var text: String? {
    switch self {
    case .any: nil
    case .numbers(let numbers): numbers.map(String.init).joined(separator: " or ")
    case .count: "whole, at least 0"
    case .strings: "of strings"
    case .soundFile: "the name of an aiff, wav or caf file, or \"default\""
    }
  }
}
