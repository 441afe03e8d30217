extension RootCause {
  /// The name of a cause: stable, in kebab case. A misspelled name does not compile.
  public struct ID: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A batch is written once for each notification in it.
    package static let batchRepeated = Self(rawValue: "batch-repeated")
    /// There is one byte too many, or a length is one too small.
    package static let byteAdded = Self(rawValue: "byte-added")
    /// One byte is missing, or a length is one too large.
    package static let byteLost = Self(rawValue: "byte-lost")
    /// A byte order mark is written before a frame.
    package static let byteOrderMark = Self(rawValue: "byte-order-mark")
    /// The end of a frame is missing.
    package static let bytesMissing = Self(rawValue: "bytes-missing")
    /// Feedback tuples are written with a command.
    package static let commandAdded = Self(rawValue: "command-added")
    /// The command is an ASCII digit.
    package static let commandAsDigit = Self(rawValue: "command-as-digit")
    /// Frames are written without their command.
    package static let commandMissing = Self(rawValue: "command-missing")
    /// The frame has the layout of another command.
    package static let commandOfAnotherType = Self(rawValue: "command-of-another-type")
    /// The command is not one that the service knows.
    package static let commandUnknown = Self(rawValue: "command-unknown")
    /// Identifier and expiry are written after command 0.
    package static let enhancedFieldsAfterCommand0 = Self(rawValue: "enhanced-fields-behind-command-0")
    /// A field is left out.
    package static let fieldMissing = Self(rawValue: "field-missing")
    /// The fields are correct but in the wrong order.
    package static let fieldsOutOfOrder = Self(rawValue: "fields-out-of-order")
    /// The frame length is put in network order as a number of two bytes.
    package static let frameLengthInHalf = Self(rawValue: "frame-length-in-half")
    /// The frame length counts the command and itself.
    package static let frameLengthWithHeader = Self(rawValue: "frame-length-with-header")
    /// The frame length leaves out the item headers.
    package static let frameLengthWithoutHeaders = Self(rawValue: "frame-length-without-headers")
    /// The frame length does not have four bytes.
    package static let frameLengthWrongWidth = Self(rawValue: "frame-length-wrong-width")
    /// The values are in the frame without ids and lengths.
    package static let itemHeadersMissing = Self(rawValue: "item-headers-missing")
    /// The ids of items are counted from 0, or are digits in ASCII.
    package static let itemIDsShifted = Self(rawValue: "item-ids-shifted")
    /// A two-byte length is written as 00 and one byte.
    package static let lengthInOneByte = Self(rawValue: "length-in-one-byte")
    /// A length counts its own bytes.
    package static let lengthIncludesItself = Self(rawValue: "length-includes-itself")
    /// A length is left out.
    package static let lengthMissing = Self(rawValue: "length-missing")
    /// The payload length is that of the preceding notification.
    package static let lengthOfPrevious = Self(rawValue: "length-of-previous")
    /// The payload length counts a byte that is not written.
    package static let lengthOneTooLarge = Self(rawValue: "length-one-too-large")
    /// The size of each frame is written before it.
    package static let lengthPrefix = Self(rawValue: "length-prefix")
    /// A length is not the size of its value.
    package static let lengthWrong = Self(rawValue: "length-wrong")
    /// The lengths of token and payload are swapped.
    package static let lengthsSwapped = Self(rawValue: "lengths-swapped")
    /// Lengths are little-endian.
    package static let lengthsLittleEndian = Self(rawValue: "lengths-little-endian")
    /// A length is stored in a signed type that is too small.
    package static let lengthsSigned = Self(rawValue: "lengths-signed")
    /// Lengths have one byte instead of two.
    package static let lengthsTooNarrow = Self(rawValue: "lengths-too-narrow")
    /// Lengths have more bytes than the format gives them.
    package static let lengthsTooWide = Self(rawValue: "lengths-too-wide")
    /// A number is written as decimal text.
    package static let numberAsText = Self(rawValue: "number-as-text")
    /// A number has fewer bytes than the format gives it.
    package static let numberTooNarrow = Self(rawValue: "number-too-narrow")
    /// A number has more bytes than the format gives it.
    package static let numberTooWide = Self(rawValue: "number-too-wide")
    /// The payload is the text that Python prints for bytes: `b'...'`.
    package static let payloadAsPythonBytes = Self(rawValue: "payload-as-python-bytes")
    /// The payload is written in Latin-1, and its length counted in UTF-8.
    package static let payloadInLatin1 = Self(rawValue: "payload-in-latin1")
    /// The payload length counts characters instead of bytes.
    package static let payloadLengthInCharacters = Self(rawValue: "payload-length-in-characters")
    /// The payload is percent-encoded, as in a URL.
    package static let payloadPercentEncoded = Self(rawValue: "payload-percent-encoded")
    /// The priority has one byte, but its length says four.
    package static let priorityLengthFour = Self(rawValue: "priority-length-four")
    /// There is a SOCKS greeting before the frames.
    package static let socksGreeting = Self(rawValue: "socks-greeting")
    /// The end of another payload follows the payload.
    package static let staleBytes = Self(rawValue: "stale-bytes")
    /// The bytes of each pair are swapped.
    package static let streamSwappedInPairs = Self(rawValue: "stream-swapped-in-pairs")
    /// The stream was written as characters in UTF-8.
    package static let streamThroughLatin1 = Self(rawValue: "stream-through-latin1")
    /// Each LF of the stream became CR LF.
    package static let streamWithCRLF = Self(rawValue: "stream-with-crlf")
    /// There is padding between the fields, as in a C struct.
    package static let structPadding = Self(rawValue: "struct-padding")
    /// Text is written to the connection.
    package static let textBetween = Self(rawValue: "text-between")
    /// There is a TLS record between frames.
    package static let tlsRecordBetween = Self(rawValue: "tls-record-between")
    /// The token is sent as base64 text.
    package static let tokenAsBase64 = Self(rawValue: "token-as-base64")
    /// The token is sent as a list of decimal numbers.
    package static let tokenAsDecimalList = Self(rawValue: "token-as-decimal-list")
    /// The token is sent as hexadecimal text.
    package static let tokenAsHexText = Self(rawValue: "token-as-hex-text")
    /// The token length is always written as 32.
    package static let tokenLengthConstant = Self(rawValue: "token-length-constant")
    /// The token length counts the token's hexadecimal digits.
    package static let tokenLengthOfHexText = Self(rawValue: "token-length-of-hex-text")
    /// The token length stops at the first NUL of the token.
    package static let tokenLengthToNUL = Self(rawValue: "token-length-to-nul")
    /// The stream was read as UTF-8 text and written again.
    package static let streamThroughString = Self(rawValue: "stream-through-string")
    /// The token's bytes were read as UTF-8 text and written again.
    package static let tokenThroughString = Self(rawValue: "token-through-string")
    /// The token's hexadecimal digits were decoded as base64.
    package static let tokenReadAsBase64 = Self(rawValue: "token-read-as-base64")
    /// The token's bytes were written as UTF-8 characters.
    package static let tokenThroughLatin1 = Self(rawValue: "token-through-latin1")
    /// A terminating NUL is written with the payload or after the frame.
    package static let trailingNUL = Self(rawValue: "trailing-nul")
    /// A line end is written with the payload or after the frame.
    package static let trailingNewline = Self(rawValue: "trailing-newline")
    /// Two writers write to one connection at the same time.
    package static let writersInterleaved = Self(rawValue: "writers-interleaved")
    /// There are zero bytes between frames.
    package static let zerosBetween = Self(rawValue: "zeros-between")
  }
}
