/// The first violation of RFC 8259 in a text, and its byte.
public struct JSONError: Error, Sendable, Hashable {
  public let code: Code
  public let offset: Int

  public init(_ code: Code, at offset: Int) {
    self.code = code
    self.offset = offset
  }

  /// Each with the words for a person.
  public struct Code: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let empty = Code(rawValue: "there is no value")
    public static let unexpectedEnd = Code(rawValue: "the text ends too early")
    public static let extraBytes = Code(rawValue: "bytes follow the end of the value")
    public static let notAValue = Code(rawValue: "no JSON value starts like this")
    public static let keyNotString = Code(rawValue: "expected a key in double quotes")
    public static let missingColon = Code(rawValue: "expected a colon")
    public static let missingComma = Code(rawValue: "expected a comma or a closing bracket")
    public static let trailingComma = Code(rawValue: "a comma precedes the closing bracket")
    public static let badNumber = Code(rawValue: "this is not how JSON writes a number")
    public static let badEscape = Code(rawValue: "JSON has no such escape")
    public static let controlCharacter = Code(rawValue: "a control character in a string is not escaped")
    public static let notUTF8 = Code(rawValue: "this byte is not UTF-8")
    public static let cutCharacter = Code(rawValue: "the text ends inside this character")
    public static let utf16LittleEndian = Code(rawValue: "it is UTF-16, little-endian")
    public static let utf16BigEndian = Code(rawValue: "it is UTF-16, big-endian")
    public static let utf32LittleEndian = Code(rawValue: "it is UTF-32, little-endian")
    public static let utf32BigEndian = Code(rawValue: "it is UTF-32, big-endian")
    public static let byteOrderMark = Code(rawValue: "a byte order mark precedes the value")
    public static let tooDeep = Code(rawValue: "containers are nested too deeply")

    /// The text is UTF-16 or UTF-32.
    public var isWide: Bool {
      [.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian].contains(self)
    }
  }
}
