/// Why an input cannot be read, or not to its end. The description is one sentence: what is wrong, where, what to do.
public struct ReadError: Error, Sendable, Hashable {
  /// The kind of error, for programs.
  public let code: Code
  /// What is wrong and what to do about it, without the position.
  public let reason: String
  /// Line and column, if the input is text.
  package let position: Origin.TextPosition?
  /// Byte offset in the input, if it is known.
  public let offset: Int?

  /// An error with a position in text, an offset in bytes, or neither.
  package init(_ code: Code, _ reason: String, position: Origin.TextPosition? = nil, offset: Int? = nil) {
    self.code = code
    self.reason = reason
    self.position = position
    self.offset = offset
  }

  /// The kind of error. An open code: later formats may add values.
  public struct Code: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The text is not hexadecimal.
    package static let notHex = Code(rawValue: "not-hex")
    /// A byte is missing its second hexadecimal digit.
    package static let oddDigits = Code(rawValue: "odd-digits")
    /// The offset at the start of a line contradicts the bytes before it.
    package static let contradictingOffset = Code(rawValue: "contradicting-offset")
    /// The text has none of the supported formats.
    package static let unknownText = Code(rawValue: "unknown-text")
    /// The capture file is cut or violates its format.
    package static let damagedCapture = Code(rawValue: "damaged-capture")
    /// Packets of the capture's link type cannot be dissected.
    package static let unknownLinkType = Code(rawValue: "unknown-link-type")
    /// libpcap rejects the capture filter.
    package static let badFilter = Code(rawValue: "bad-filter")
    /// The operating system denies access.
    package static let noPermission = Code(rawValue: "no-permission")
    /// There is no network interface of this name.
    package static let noInterface = Code(rawValue: "no-interface")
    /// The file or device cannot be read.
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
