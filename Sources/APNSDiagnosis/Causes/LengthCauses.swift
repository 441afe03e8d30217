typealias Writing = FaultyWriter.Writing

/// Lengths that are computed by an incorrect rule.
extension RootCause {
  package static let payloadLengthInCharacters = RootCause(
    "payload-length-in-characters", "the payload length counts characters instead of bytes",
    why:
      "English text works. The first accented letter or emoji makes the length too small, and the service reads the "
      + "rest of the payload as the next frame.",
    fix:
      "count the encoded bytes, not the characters: bytesize in Ruby, strlen in PHP, Buffer.byteLength in JavaScript, "
      + "getBytes(UTF_8).length in Java, len(text.encode()) in Python",
    source:
      "observed: arthurnn/apn_sender#52; bpoweski/apnserver, to_bytes (j.size); PHP scripts with "
      + "chr(mb_strlen($payload))",
    deviations: [
      .length(.payloadLength, .characters), .length(.payloadLength, .utf16),
      .length(.payloadLength, .graphemes),
    ])

  package static let lengthInOneByte = RootCause(
    "length-in-one-byte", "of a length, only the lowest byte is written, after zeros",
    why: "Payloads of up to 255 bytes work. Longer ones get a length that is a multiple of 256 too small.",
    fix:
      "write lengths as two bytes, big-endian: pack('n', $size) in PHP and Perl, [size].pack('n') in Ruby, "
      + "struct.pack('>H', size) in Python",
    source:
      "observed: ileitch/rapns#47; arthurnn/apn_sender#20; jwang/apn_on_rails, notification.rb (json.length.chr); "
      + "PHP scripts with chr(0).chr(strlen($payload))",
    deviations: [
      .length(.payloadLength, .lowByte), .length(.payloadLength, .lowByteOfCharacters),
      .length(.frameLength, .lowByte),
    ])

  package static let lengthsLittleEndian = RootCause(
    "lengths-little-endian", "lengths are written with the lowest byte first",
    why: "The service reads 32 as 8192, so the frame seems far longer than it is.",
    fix:
      "write lengths in network byte order: htons and htonl in C, pack('n') and pack('N') in PHP, Perl and Ruby, '>' "
      + "in Python's struct.pack",
    source: Guide.binaryInterface + ": \"All data is specified in network order, that is big endian\"",
    .writing([
      Writing(.number(.lengths, .littleEndian), .number(.frameLength, .littleEndian)),
      Writing(.number(.lengths, .littleEndian)), Writing(.number(.frameLength, .littleEndian)),
    ]))

  package static let lengthsSigned = RootCause(
    "lengths-signed", "a length is stored in a signed type that is too small",
    why: "From 128 or 32768 bytes on, the length turns negative; widened with its sign, it becomes more than 65000.",
    fix: "store lengths in unsigned types, and mask a byte with 0xff before you widen it",
    source: "observed: signed lengths in TomACPace/apnsd (!h32sh), arthurnn/apn_sender (cs>a*), Redth/PushSharp "
      + "(Convert.ToInt16) and sbabiv/CSAPNS (short)",
    deviations: [.length(.payloadLength, .signed)])

  package static let tokenLengthConstant = RootCause(
    "token-length-constant", "the token length is always written as 32",
    why:
      "With a token of another size, the service reads the end of the token as the payload, or the payload as the "
      + "end of the token.",
    fix: "write the token's actual length, or refuse tokens that don't have 32 bytes",
    source: "observed: Coccodrillo/apns#20; joekarl/go-libapns#14; node-apn/node-apn#133; nomad-cli/houston#56",
    deviations: [.length(.tokenLength, .usualToken)])

  package static let tokenLengthOfHexText = RootCause(
    "token-length-of-hex-text", "the token length counts the token's hexadecimal digits",
    why: "The service reads the first bytes of the payload as the end of the token.",
    fix: "decode the digits first, and measure the bytes: 32",
    source: "inferred: pack('n', strlen($hex)) . pack('H*', $hex) in PHP",
    deviations: [.length(.tokenLength, .twice)])

  package static let tokenLengthToNUL = RootCause(
    "token-length-to-nul", "the token length stops at the first NUL of the token",
    why: "A token is binary. Where it holds a zero byte, a function for C strings takes it for the end.",
    fix: "write the token's size, 32; strlen is for text", source: "inferred: strlen(deviceTokenBinary) in C",
    deviations: [.length(.tokenLength, .toNUL)])

  package static let lengthIncludesItself = RootCause(
    "length-includes-itself", "a length counts its own bytes",
    why: "The service reads the first two bytes of what follows as a part of the value.",
    fix: "write the size of the value alone", source: "inferred: length = 2 + payload.length",
    .writing([
      Writing(.length(.tokenLength, .withItself), .length(.payloadLength, .withItself)),
      Writing(.length(.payloadLength, .withItself)), Writing(.length(.tokenLength, .withItself)),
      Writing(.length(.frameLength, .withItself)), Writing(.length(.itemLength, .withItself)),
    ]))

  package static let lengthsSwapped = RootCause(
    "lengths-swapped", "the lengths of token and payload are swapped",
    why: "The service reads a token of the payload's size.",
    fix: "write each length right before its own value",
    source: "inferred: pack(..., len(payload), token, len(token), payload) in Python",
    .writing([Writing(.length(.tokenLength, .other), .length(.payloadLength, .other))]))

  package static let lengthOfPrevious = RootCause(
    "length-of-previous", "the payload length is that of the notification before",
    why: "It is right as long as all payloads have the same size.",
    fix: "measure the payload after it is built, and right before it is written",
    source: "inferred: a length that is computed before the payload is built again", .lengthOfPrevious)

  package static let lengthOneTooLarge = RootCause(
    "length-one-too-large", "the payload length counts a byte that is not written",
    why: "The service reads the command of the next frame as the end of the payload.",
    fix: "write strlen(payload) as the length, not strlen(payload) + 1",
    source: "inferred: strlen(payload) + 1 as the length, and strlen(payload) bytes written, in C",
    deviations: [.length(.payloadLength, .oneMore)])

  package static let frameLengthWithoutHeaders = RootCause(
    "frame-length-without-headers", "the frame length leaves out the item headers",
    why: "The last items lie outside the frame, and the service reads them as the next frame.",
    fix: "count the id and the length of each item too, three bytes in all: build the items, then measure them",
    source: "observed: node-apn/node-apn#133; PushSharp, libcapn and apns-client compute the sum by hand",
    deviations: [.length(.frameLength, .contents)])

  package static let frameLengthWithHeader = RootCause(
    "frame-length-with-header", "the frame length counts the command and itself",
    why: "The service reads the first bytes of the next frame as part of this one.",
    fix: "count only the items, which follow the frame length",
    source: Guide.binaryInterface + ": the frame length is \"the size of the frame data\"",
    deviations: [.length(.frameLength, .withHeader)])

  package static let frameLengthInHalf = RootCause(
    "frame-length-in-half", "the frame length is put in network order as a number of two bytes",
    why: "The two bytes become the upper half of the four: the service reads a frame of several megabytes.",
    fix: "use htonl for a length of four bytes: htons swaps only two",
    source: "inferred: uint32_t length = htons(size) in C, on a little-endian machine",
    deviations: [.length(.frameLength, .upperHalf)])

  package static let priorityLengthFour = RootCause(
    "priority-length-four", "the priority has one byte, but its length says four",
    why: "The service reads three bytes of the next item or frame as part of the priority.",
    fix: "write 1 as the priority's length", source: "observed: joekarl/go-libapns#29, connection.go",
    deviations: [.length(.itemLength, .threeMore)])

  package static let lengthWrong = RootCause(
    "length-wrong", "a length is not the size of its value",
    why: "The service reads the rest of the stream from the wrong byte on.",
    fix: "measure the value in bytes, right before it is written",
    source: "inferred from the bytes: with the value's size as its length, the frame is complete",
    deviations: [.anyLength(.payloadLength), .anyLength(.tokenLength)])
}
