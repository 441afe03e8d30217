import Octets

/// A way to write encoded frames without their fields. Call ``write(_:to:)`` for each frame, then ``finish(to:)``.
package enum ByteFormat: Sendable {
  /// The bytes unchanged.
  case raw
  /// Hexadecimal digits, one frame a line.
  case hex
  /// One Base64 text of all frames, in lines of 76 columns.
  case base64(Base64Text)
  /// One C array of all frames. `isFirst`: nothing is written yet.
  case cArray(isFirst: Bool)

  /// Writes the bytes of one frame.
  package mutating func write(_ bytes: Span<UInt8>, to out: inout Output) {
    switch self {
    case .raw:
      out.write(bytes)
    case .hex:
      out.hex(bytes)
      out.write("\n")
    case .base64(var text):
      text.write(bytes, to: &out)
      self = .base64(text)
    case .cArray(let isFirst):
      if isFirst { out.write("const unsigned char frames[] = {\n") }
      self = .cArray(isFirst: false)
      for start in stride(from: 0, to: bytes.count, by: 12) {
        out.write(" ")
        for index in start..<min(start + 12, bytes.count) {
          out.write(" 0x")
          out.hex(bytes[index])
          out.write(",")
        }
        out.write("\n")
      }
    }
  }

  /// Writes what follows the last frame.
  package func finish(to out: inout Output) {
    switch self {
    case .raw, .hex: break
    case .base64(let text): text.finish(to: &out)
    case .cArray(let isFirst): if !isFirst { out.write("};\n") }
    }
  }
}

/// Base64 (RFC 4648) of bytes that are added in pieces of any size.
package struct Base64Text: Sendable {
  /// Bytes that do not fill a line.
  private var pending: [UInt8] = []
  /// The bytes in a line of 76 columns.
  private static let lineSize = 57

  /// An empty text.
  package init() {}

  mutating func write(_ bytes: Span<UInt8>, to out: inout Output) {
    pending.append(contentsOf: bytes)
    let size = pending.count - pending.count % Self.lineSize
    writeLines(pending[..<size], to: &out)
    pending.removeFirst(size)
  }

  func finish(to out: inout Output) { writeLines(pending[...], to: &out) }

  private func writeLines(_ bytes: ArraySlice<UInt8>, to out: inout Output) {
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let end = min(start + 3, bytes.count)
      for character in Base64.characters(of: bytes[start..<end]) { out.byte(character) }
      if end == bytes.count || end % Self.lineSize == 0 { out.write("\n") }
    }
  }
}
