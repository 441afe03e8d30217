/// Why an input cannot be read (on). One sentence for a person: what, where, what to do.
public struct ReadError: Error, Sendable, Hashable {
  public let code: Code
  /// What is wrong and what to do, without the place.
  public let reason: String
  /// Line and column of a text, where it is one.
  public let position: Origin.TextPosition?
  /// Byte offset in the input, where it is known.
  public let offset: Int?

  public init(_ code: Code, _ reason: String, position: Origin.TextPosition? = nil, offset: Int? = nil) {
    self.code = code
    self.reason = reason
    self.position = position
    self.offset = offset
  }

  /// Open: later formats add codes of their own.
  public struct Code: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let notHex = Code(rawValue: "not-hex")
    public static let oddDigits = Code(rawValue: "odd-digits")
    public static let contradictingOffset = Code(rawValue: "contradicting-offset")
    public static let unknownText = Code(rawValue: "unknown-text")
    public static let damagedCapture = Code(rawValue: "damaged-capture")
    public static let unknownLinkType = Code(rawValue: "unknown-link-type")
    public static let badFilter = Code(rawValue: "bad-filter")
    public static let noPermission = Code(rawValue: "no-permission")
    public static let noInterface = Code(rawValue: "no-interface")
    public static let unreadable = Code(rawValue: "unreadable")
  }
}

extension ReadError: CustomStringConvertible {
  public var description: String {
    if let position { return "line \(position.line), column \(position.column): \(reason)" }
    if let offset { return "byte \(offset): \(reason)" }
    return reason
  }
}
