/// The reason why a draft cannot be encoded.
public struct EncodeError: Error, Sendable, Hashable {
  /// The kind of error.
  public let code: Code
  /// The member name of the field at fault.
  public let field: String
  /// The name of a later field that is given although `field` is missing.
  package let before: String?
  /// The number that does not fit; nil for other errors.
  public let value: UInt64?
  /// The largest number that fits; nil for other errors.
  package let highest: UInt64?

  /// Creates an error about the field with this member name.
  package init(
    _ code: Code, field: String, before: String? = nil, value: UInt64? = nil, highest: UInt64? = nil
  ) {
    self.code = code
    self.field = field
    self.before = before
    self.value = value
    self.highest = highest
  }

  /// The kinds of problem in a draft.
  public struct Code: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A field has no value.
    package static let missingField = Code(rawValue: "missing-field")
    /// The value is of a kind that the field cannot hold, such as a number in a list.
    package static let wrongKind = Code(rawValue: "wrong-kind")
    /// A given number or length exceeds its width in bytes.
    package static let outOfRange = Code(rawValue: "out-of-range")
    /// The size of a value exceeds the width of the length that counts it.
    package static let tooLong = Code(rawValue: "too-long")
  }
}

extension EncodeError: CustomStringConvertible {
  public var description: String { "\(field) \(reason)" }

  /// The problem and its fix, without the field's name.
  public var reason: String {
    switch code {
    case .missingField:
      // A field can be left out only if everything after it is left out too, and the frame is known to be cut.
      guard let before else {
        return "is missing; give it, or say that the frame is meant to be cut (condition truncated)"
      }
      return "is missing, but \(before), which follows it, is given; give it, or leave out \(before)"
    case .outOfRange: return "is \(value ?? 0), but its bytes hold at most \(highest ?? 0)"
    case .tooLong:
      return "would be \(value ?? 0), but its bytes hold at most \(highest ?? 0); give \(field) to write a lie"
    default: return "cannot hold that kind of value"
    }
  }
}
