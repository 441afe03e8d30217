/// Values that are encoded in an unintended way.
extension RootCause {
  package static let tokenAsHexText = RootCause(
    "token-as-hex-text", "the token is sent as hexadecimal text",
    why: "The service reads the text as the token, and no device has that token.",
    fix:
      "decode the digits before sending, so that a token of 64 digits has 32 bytes: [token].pack('H*') in Ruby, "
      + "pack('H*', $token) in PHP, bytes.fromhex(token) in Python, Buffer.from(token, 'hex') in JavaScript",
    source: "observed: timehop/apns#4; calonso/ruby-push-notifications#7; node-apn/node-apn#233",
    deviations: [.coding(.token, .hexDigits)])

  package static let tokenAsDecimalList = RootCause(
    "token-as-decimal-list", "the token is sent as a list of decimal numbers",
    why: "The service reads the text as the token, and no device has that token.",
    fix: "write the bytes, not their printed form", source: "inferred: Arrays.toString(token) in Java",
    deviations: [.coding(.token, .decimalNumbers)])

  package static let tokenAsBase64 = RootCause(
    "token-as-base64", "the token is sent as base64 text",
    why: "The service reads the text as the token, and no device has that token.",
    fix: "decode the text before sending", source: "inferred: a token stored as base64",
    deviations: [.coding(.token, .base64)])

  package static let tokenReadAsBase64 = RootCause(
    "token-read-as-base64", "the token's hexadecimal digits were decoded as base64",
    why: "64 digits become 48 bytes, and no device has that token.",
    fix: "decode the digits as hexadecimal: Buffer.from(token, 'hex') in JavaScript",
    source: "inferred: Buffer.from(token, 'base64') of hexadecimal digits in JavaScript",
    deviations: [.coding(.token, .hexReadAsBase64)])

  package static let tokenThroughLatin1 = RootCause(
    "token-through-latin1", "the token's bytes were written as UTF-8 characters",
    why: "Each byte from 0x80 on becomes two, and no device has that token.",
    fix: "write bytes, not a string: Buffer in JavaScript, bytes in Python, byte[] in Java",
    source: "inferred: a token in a string, written with the encoding UTF-8",
    deviations: [.coding(.token, .latin1AsUTF8)])

  package static let tokenThroughString = RootCause(
    "token-through-string", "the token's bytes were read as UTF-8 text and written again",
    why: "Bytes that are no UTF-8 became U+FFFD (ef bf bd): the token is lost.",
    fix: "keep tokens as bytes; a string cannot hold them",
    source: "inferred: new String(bytes, UTF_8).getBytes(UTF_8) in Java",
    deviations: [.value(.token, .replaced)])

  package static let numberAsText = RootCause(
    "number-as-text", "a number is written as text",
    why: "The service reads the digits as the number, or refuses its size.",
    fix: "write numbers as bytes, big-endian: struct.pack('>I', number) in Python",
    source: "inferred: str(identifier).encode() in Python",
    deviations: [.number(.identifier, .digits), .number(.expiry, .digits), .number(.priority, .digits)])

  package static let payloadInLatin1 = RootCause(
    "payload-in-latin1", "the payload is written in Latin-1, and its length counted in UTF-8",
    why: "The service reads the next frame as the end of the payload, and the text is no UTF-8.",
    fix: "write the payload in UTF-8: socket.write(text) without 'latin1' in JavaScript",
    source: "inferred: socket.write(json, 'latin1') beside Buffer.byteLength(json) in JavaScript",
    .writing([Writing(.coding(.payload, .latin1InsteadOfUTF8), .length(.payloadLength, .decoded))]))

  package static let payloadPercentEncoded = RootCause(
    "payload-percent-encoded", "the payload is percent-encoded, as in a URL",
    why: "It is no JSON, and the service refuses it.", fix: "write the JSON as it is, without urlencode",
    source: "inferred: urlencode($json) in PHP",
    deviations: [.coding(.payload, .percentSigns)])

  package static let payloadAsPythonBytes = RootCause(
    "payload-as-python-bytes", "the payload is what Python prints for bytes: b'...'",
    why: "It is no JSON, and the service refuses it.", fix: "write the bytes themselves, not str() of them",
    source: "inferred: str(payload_bytes).encode() in Python",
    deviations: [.coding(.payload, .stringLiteral)])
}

/// Complete frames that are encoded in an unintended way.
extension RootCause {
  package static let streamThroughLatin1 = RootCause(
    "stream-through-latin1", "the stream was written as characters in UTF-8",
    why: "Each byte from 0x80 on became two, so that all lengths are too small.",
    fix: "write bytes, not characters: no encoding on the socket, no Writer around it",
    source: "inferred: socket.setEncoding in JavaScript, a Writer in Java",
    deviations: [.coding(.frame, .latin1AsUTF8)])

  package static let streamThroughString = RootCause(
    "stream-through-string", "the stream was read as UTF-8 text and written again",
    why: "Bytes that are no UTF-8 became U+FFFD (ef bf bd): what they were is lost.",
    fix: "keep frames as bytes; a string cannot hold them", source: "inferred: new String(frame).getBytes() in Java",
    deviations: [.value(.token, .replacedAfterwards)])

  package static let streamWithCRLF = RootCause(
    "stream-with-crlf", "each LF of the stream became CR LF",
    why: "A byte of the value 0x0a is no line end: everything after it is shifted by one byte.",
    fix: "open the stream in binary mode", source: "inferred: fwrite to a stream in text mode on Windows",
    deviations: [.coding(.frame, .lfAsCRLF)])

  package static let streamSwappedInPairs = RootCause(
    "stream-swapped-in-pairs", "the bytes of each pair are swapped",
    why: "The service reads the second byte of the frame as its command.",
    fix: "write bytes, not numbers of 16 bits", source: "inferred: dd conv=swab, or a queue of 16 bits",
    deviations: [.coding(.frame, .pairsSwapped)])
}
