import Octets

/// The header of the PROXY protocol, version 1 or 2, which names the client's address. HAProxy, nginx and other proxies
/// may send it before the stream.
package enum ProxyHeader {
  private static let first = Array("PROXY ".utf8)
  private static let second = Array("\r\n\r\n\0\r\nQUIT\n".utf8)

  /// The size of what precedes the addresses in the header at the start of the bytes, and whether they are binary; nil
  /// if there is none.
  package static func start(in bytes: Span<UInt8>) -> (size: Int, isBinary: Bool)? {
    if bytes.holds(first, at: 0, limit: bytes.count) { return (first.count, false) }
    return bytes.holds(second, at: 0, limit: bytes.count) ? (min(second.count + 4, bytes.count), true) : nil
  }

  /// The maximum size of a version 1 line, including its line end.
  private static let longestLine = 107
  /// The maximum size of a version 2 header after its fixed part. The specification allows more, but no proxy sends
  /// more.
  private static let longestRest = 4096

  /// The size of the header with which the bytes begin, 0 if there is none. If it is larger than the bytes, more are
  /// needed to decide.
  static func size(in bytes: Span<UInt8>) -> Int {
    for signature in [first, second] {
      let held = min(signature.count, bytes.count)
      guard bytes.holds(signature.prefix(held), at: 0, limit: held) else { continue }
      if held < signature.count { return signature.count }
      return signature == first ? sizeOfLine(in: bytes) : sizeOfBinary(in: bytes)
    }
    return 0
  }

  private static func sizeOfLine(in bytes: Span<UInt8>) -> Int {
    for index in 1..<min(bytes.count, longestLine) where bytes[index] == 0x0a {
      return bytes[index - 1] == 0x0d ? index + 1 : 0
    }
    return bytes.count < longestLine ? longestLine : 0
  }

  private static func sizeOfBinary(in bytes: Span<UInt8>) -> Int {
    guard bytes.count >= 16 else { return 16 }
    let rest = Int(bytes.bigEndian(14, width: 2))
    return bytes[12] >> 4 == 2 && rest <= longestRest ? 16 + rest : 0
  }
}
