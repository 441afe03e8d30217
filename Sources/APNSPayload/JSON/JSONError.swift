/// The first violation of RFC 8259 in a text.
public struct JSONError: Error, Sendable, Hashable {
  /// The kind of error.
  public let code: Code
  /// The offset of the byte at which the text became invalid.
  public let offset: Int

  /// Creates an error at an offset in bytes.
  package init(_ code: Code, at offset: Int) {
    self.code = code
    self.offset = offset
  }

  /// The kind of violation. The raw value describes it for people.
  public struct Code: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The text is empty or only white space.
    package static let empty = Code(rawValue: "there is no value")
    /// The text ends inside a value.
    package static let unexpectedEnd = Code(rawValue: "the text ends too early")
    /// Bytes follow the value.
    package static let extraBytes = Code(rawValue: "bytes follow the end of the value")
    /// The bytes do not begin a value.
    package static let notAValue = Code(rawValue: "no JSON value starts like this")
    /// An object contains something other than a string where a key belongs.
    package static let keyNotString = Code(rawValue: "expected a key in double quotes")
    /// No colon follows a key.
    package static let missingColon = Code(rawValue: "expected a colon")
    /// No comma or closing bracket follows a value.
    package static let missingComma = Code(rawValue: "expected a comma or a closing bracket")
    /// A comma precedes a closing bracket.
    package static let trailingComma = Code(rawValue: "a comma precedes the closing bracket")
    /// A number is misspelled, for example with a leading zero.
    package static let badNumber = Code(rawValue: "this is not how JSON writes a number")
    /// The character after a backslash is not an escape.
    package static let badEscape = Code(rawValue: "JSON has no such escape")
    /// A string contains an unescaped control character.
    package static let controlCharacter = Code(rawValue: "a control character in a string is not escaped")
    /// A byte is not well-formed UTF-8 (RFC 3629).
    package static let notUTF8 = Code(rawValue: "this byte is not UTF-8")
    /// The text ends inside a UTF-8 character.
    package static let cutCharacter = Code(rawValue: "the text ends inside this character")
    /// The text is UTF-16, little-endian.
    package static let utf16LittleEndian = Code(rawValue: "it is UTF-16, little-endian")
    /// The text is UTF-16, big-endian.
    package static let utf16BigEndian = Code(rawValue: "it is UTF-16, big-endian")
    /// The text is UTF-32, little-endian.
    package static let utf32LittleEndian = Code(rawValue: "it is UTF-32, little-endian")
    /// The text is UTF-32, big-endian.
    package static let utf32BigEndian = Code(rawValue: "it is UTF-32, big-endian")
    /// The text begins with a UTF-8 byte order mark.
    package static let byteOrderMark = Code(rawValue: "a byte order mark precedes the value")
    /// More than ``JSONScanner/deepest`` containers are nested.
    package static let tooDeep = Code(rawValue: "containers are nested too deeply")

    /// Whether the text is UTF-16 or UTF-32.
    package var isWide: Bool {
      [.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian].contains(self)
    }
  }
}
