import APNSDiagnosis
import Octets

/// Writes the bytes of records without their fields.
public enum ByteFormat: View, Sendable {
  /// The bytes unchanged.
  case raw
  /// Hexadecimal digits, one frame a line.
  case hex
  /// One Base64 text (RFC 4648) of all frames, in lines of 76 columns. `pending`: bytes that do not fill a line.
  case base64(pending: [UInt8])
  /// One C array of all frames. `isFirst`: nothing is written yet.
  case cArray(isFirst: Bool)

  public mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    if case .overlap = record.content { return }
    write(bytes, to: &out)
  }

  /// Writes the bytes of one frame that belongs to no record.
  package mutating func write(_ bytes: Span<UInt8>, to out: inout Output) {
    switch self {
    case .raw:
      out.write(bytes)
    case .hex:
      out.hex(bytes)
      out.write("\n")
    case .base64(var pending):
      pending.append(contentsOf: bytes)
      let size = pending.count - pending.count % Self.lineSize
      Self.writeLines(pending[..<size], to: &out)
      self = .base64(pending: Array(pending[size...]))
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

  public func finish(to out: inout Output) {
    switch self {
    case .raw, .hex: break
    case .base64(let pending): Self.writeLines(pending[...], to: &out)
    case .cArray(let isFirst): if !isFirst { out.write("};\n") }
    }
  }

  /// The bytes in a line of Base64.
  private static let lineSize = 57

  private static func writeLines(_ bytes: ArraySlice<UInt8>, to out: inout Output) {
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let end = min(start + 3, bytes.count)
      for character in Base64.characters(of: bytes[start..<end]) { out.byte(character) }
      if end == bytes.count || end % lineSize == 0 { out.write("\n") }
    }
  }
}
