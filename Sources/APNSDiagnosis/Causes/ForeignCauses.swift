import APNSWire
import Octets

/// Bytes between frames that belong to no frame: something else was written to the connection, or before or after each
/// frame.
extension RootCause {
  package static let byteOrderMark = RootCause(
    "byte-order-mark", "a byte order mark is written before a frame",
    why: "The service reads its first byte as the command.",
    fix: "write bytes, not text: a writer of text puts the mark before what it writes first",
    source: "inferred: new StreamWriter(stream, Encoding.UTF8) in C#",
    .between({ _ in [0xef, 0xbb, 0xbf] }) { range, _, bytes in
      let marks: [[UInt8]] = [[0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xfe, 0xff]]
      return marks.contains { bytes.holds($0, in: range) } ? "a byte order mark" : nil
    })

  package static let lengthPrefix = RootCause(
    "length-prefix", "the size of each frame is written before it",
    why: "The service reads the size as the command.",
    fix: "write frames as they are: {packet, 0} in Erlang, writeTo instead of writeDelimitedTo in Java",
    source: "inferred: gen_tcp with {packet, 2} in Erlang",
    .between({ [UInt8](bigEndian: UInt64($0), width: 2) }) { range, frame, bytes in
      let size = frame.count
      let isFixed = [2, 4].contains(range.count) && Int(bytes.bigEndian(range.lowerBound, width: range.count)) == size
      guard size > 0, range.count <= 4,
        isFixed || bytes.holds(varintBytes(size), at: range.lowerBound, limit: range.upperBound)
      else { return nil }
      return "the size of the next frame, \(size), in \(plural(range.count, "byte"))"
    })

  package static let zerosBetween = RootCause(
    "zeros-between", "there are zero bytes between frames",
    why: "The service reads each as the command of a frame.",
    fix: "write as many bytes as the frame has: look for padding to a multiple of four, or a buffer that is sent whole",
    source: "inferred: frames in XDR, which pads with zeros; a buffer of zeros that is flushed",
    .between({ [UInt8](repeating: 0, count: 4 + (4 - $0 % 4) % 4) }, followsFrame: true) { range, _, bytes in
      // Five zeros are also an empty frame of command 0.
      range.count > 1 && (range.count > 15 || range.count % 5 > 0) && range.allSatisfy { bytes[$0] == 0 }
        ? "\(range.count) zero bytes" : nil
    })

  package static let textBetween = RootCause(
    "text-between", "text is written to the connection",
    why: "The service reads its first byte as the command, and closes the connection.",
    fix: "find what prints to this connection: a logger on its descriptor, warnings of the interpreter, or a proxy",
    source: "inferred: display_errors in PHP with the socket as the output",
    .between({ _ in Array("INFO sent 1 notification\n".utf8) }) { range, _, bytes in
      range.count > 7 && range.allSatisfy { isText(bytes[$0]) } && bytes.isUTF8(range)
        ? "\(range.count) bytes of text" + (bytes.quotation(range).map { ", \($0)" } ?? "") : nil
    })

  package static let tlsRecordBetween = RootCause(
    "tls-record-between", "there is a TLS record between frames",
    why: "What decrypts the stream passes some records on as they are.",
    fix: "find the proxy that ends TLS: alerts are for it, not for the stream",
    source: "RFC 8446, 5.1, Record Layer",
    .between({ _ in [0x15, 3, 3, 0, 2, 1, 0] }) { range, _, bytes in
      guard range.count > 5, 0x14...0x17 ~= bytes[range.lowerBound], bytes[range.lowerBound + 1] == 3,
        Int(bytes.bigEndian(range.lowerBound + 3, width: 2)) == range.count - 5
      else { return nil }
      return "a TLS \(bytes[range.lowerBound] == 0x15 ? "alert" : "record") of \(range.count) bytes"
    })

  package static let socksGreeting = RootCause(
    "socks-greeting", "there is a SOCKS greeting before the frames",
    why: "The client expects a proxy, and talks to the service as to one.",
    fix: "remove the proxy from the client's settings, or connect to the proxy", source: "RFC 1928, 3; SOCKS 4",
    .between({ _ in [5, 1, 0] }) { range, _, bytes in
      let start = range.lowerBound
      let is5 = range.count > 2 && bytes[start] == 5 && Int(bytes[start + 1]) >= 1
      let is4 = range.count > 8 && bytes[start] == 4 && 1...2 ~= bytes[start + 1] && bytes[range.upperBound - 1] == 0
      return is5 && range.count >= 2 + Int(bytes[start + 1]) && range.count < 32 || is4
        ? "a SOCKS greeting of \(range.count) bytes" : nil
    })

  package static let trailingNUL = RootCause(
    "trailing-nul", "a terminating NUL is written with the payload or after the frame",
    why: "The service reads it as part of the payload, or as the command of the next frame.",
    fix: "write exactly the bytes of the payload: strlen(payload), not strlen(payload) + 1 or sizeof buffer",
    source: Guide.binaryInterface + ": \"The payload must not be null-terminated\"",
    .writing([Writing(.payloadPadding(isCounted: true))]),
    .between({ _ in [0] }, followsFrame: true) { range, frame, bytes in
      guard bytes.holds([0], in: range) else { return nil }
      // A frame of command 0 looks the same with padding after its command.
      return !frame.isEmpty && bytes[frame.lowerBound] == 0 ? "a NUL, or padding in the next frame" : "a NUL"
    })

  package static let trailingNewline = RootCause(
    "trailing-newline", "a line end is written with the payload or after the frame",
    why: "After a frame, the service reads it as the command of the next one.",
    fix: "write bytes, not lines: write instead of puts and println, and no PHP_EOL after the payload",
    source: Guide.binaryInterface + ": the next byte is a command, and 0x0a and 0x0d are none",
    .between({ _ in [0x0a] }, followsFrame: true) { range, _, bytes in
      bytes.holds([0x0a], in: range) || bytes.holds([0x0d, 0x0a], in: range)
        ? "a line end of \(plural(range.count, "byte"))" : nil
    })

  package static let staleBytes = RootCause(
    "stale-bytes", "the end of another payload follows the payload",
    why: "The payload is no JSON, and the service refuses it.",
    fix: "write as many bytes as the text has, not as many as the buffer, or the longest text, has",
    source: "inferred: one buffer for all messages, and its longest length",
    .between({ _ in Array(" from before\"}}".utf8) }, followsFrame: true) { range, _, bytes in
      let isOneLine = range.allSatisfy { isText(bytes[$0]) && bytes[$0] != 0x0a }
      return isOneLine && range.count > 3 && bytes[range.upperBound - 1] == UInt8(ascii: "}")
        && range.contains { bytes[$0] == UInt8(ascii: "\"") }
        ? "the end of another payload, \(plural(range.count, "byte"))" : nil
    })
}

private func isText(_ byte: UInt8) -> Bool {
  0x20...0x7e ~= byte || byte == 0x0a || byte == 0x0d || byte == 0x09 || byte >= 0x80
}
