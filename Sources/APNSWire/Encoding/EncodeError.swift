/// Why a draft cannot be written.
public struct EncodeError: Error, Sendable, Hashable {
  public let code: Code
  /// Member name of the field at fault.
  public let field: String
  /// A field that is given although `field`, which stands before it, is missing.
  public let before: String?
  public let value: UInt64?
  public let highest: UInt64?

  public init(
    _ code: Code, field: String, before: String? = nil, value: UInt64? = nil, highest: UInt64? = nil
  ) {
    self.code = code
    self.field = field
    self.before = before
    self.value = value
    self.highest = highest
  }

  public struct Code: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let missingField = Code(rawValue: "missing-field")
    public static let wrongKind = Code(rawValue: "wrong-kind")
    public static let outOfRange = Code(rawValue: "out-of-range")
    public static let tooLong = Code(rawValue: "too-long")
  }
}

extension EncodeError: CustomStringConvertible {
  public var description: String { "\(field) \(reason)" }

  /// What is wrong and what to do, without the field's name.
  public var reason: String {
    switch code {
    case .missingField:
      // What stands behind a field can only be given instead of it in a frame that is known to be cut.
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
