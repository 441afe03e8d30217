extension RootCause {
  /// What a cause is called: stable, kebab-case. A misspelt one does not compile.
  public struct ID: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let batchRepeated = Self(rawValue: "batch-repeated")
    public static let byteAdded = Self(rawValue: "byte-added")
    public static let byteLost = Self(rawValue: "byte-lost")
    public static let enhancedFieldsBehindCommand0 = Self(rawValue: "enhanced-fields-behind-command-0")
    public static let fieldsOutOfOrder = Self(rawValue: "fields-out-of-order")
    public static let frameLengthWithHeader = Self(rawValue: "frame-length-with-header")
    public static let frameLengthWithoutHeaders = Self(rawValue: "frame-length-without-headers")
    public static let lengthInOneByte = Self(rawValue: "length-in-one-byte")
    public static let lengthsLittleEndian = Self(rawValue: "lengths-little-endian")
    public static let lengthsSigned = Self(rawValue: "lengths-signed")
    public static let payloadLengthInCharacters = Self(rawValue: "payload-length-in-characters")
    public static let priorityLengthFour = Self(rawValue: "priority-length-four")
    public static let tokenAsHexText = Self(rawValue: "token-as-hex-text")
    public static let tokenLengthConstant = Self(rawValue: "token-length-constant")
    public static let trailingNewline = Self(rawValue: "trailing-newline")
    public static let trailingNUL = Self(rawValue: "trailing-nul")
    public static let writersInterleaved = Self(rawValue: "writers-interleaved")
  }
}
