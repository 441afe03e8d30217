import APNSPayload

extension PayloadKey {
  /// The values that the key may have: `a number: whole, at least 0`.
  var acceptedValues: String {
    types.names.joined(separator: " or ") + (allowed.text.map { ": " + $0 } ?? "")
  }

  /// The document that introduced the key.
  var sinceText: String {
    switch since {
    case .guide(let year): "the edition of \(year)"
    case .elsewhere(let text): "documented in \(text)"
    }
  }
}

extension PayloadKey.ValueTypes {
  fileprivate var names: [String] {
    let all: [(Self, String)] = [
      (.string, "a string"), (.number, "a number"), (.object, "an object"), (.array, "an array"),
      (.bool, "true or false"),
      (.null, "null"),
    ]
    return all.filter { contains($0.0) }.map(\.1)
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
