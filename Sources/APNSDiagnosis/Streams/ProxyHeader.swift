import Octets

/// The header of the PROXY protocol, version 1 or 2, which names the client's address. HAProxy, nginx and other proxies
/// may send it before the stream.
package enum ProxyHeader {
  enum Recognition {
    case none
    /// More bytes are needed to decide.
    case needsMore
    /// The size of the header in bytes.
    case complete(Int)
  }

  private static let first = Array("PROXY ".utf8)
  private static let second = Array("\r\n\r\n\0\r\nQUIT\n".utf8)

  /// The size of the signature at the start of the bytes; nil if there is none.
  package static func signatureSize(in bytes: Span<UInt8>) -> Int? {
    [first, second].first { bytes.holds($0, at: 0, limit: bytes.count) }?.count
  }

  /// The maximum size of a version 1 line, including its line end.
  private static let longestLine = 107
  /// The maximum size of a version 2 header after its fixed part. The specification allows more, but no proxy sends
  /// more.
  private static let longestRest = 4096

  static func at(startOf bytes: Span<UInt8>) -> Recognition {
    for signature in [first, second] {
      let held = min(signature.count, bytes.count)
      guard bytes.holds(signature.prefix(held), at: 0, limit: held) else { continue }
      if held < signature.count { return .needsMore }
      return signature == first ? line(in: bytes) : binary(in: bytes)
    }
    return .none
  }

  private static func line(in bytes: Span<UInt8>) -> Recognition {
    for index in 1..<min(bytes.count, longestLine) where bytes[index] == 0x0a {
      return bytes[index - 1] == 0x0d ? .complete(index + 1) : .none
    }
    return bytes.count < longestLine ? .needsMore : .none
  }

  private static func binary(in bytes: Span<UInt8>) -> Recognition {
    guard bytes.count >= 16 else { return .needsMore }
    let rest = Int(bytes.bigEndian(14, width: 2))
    guard bytes[12] >> 4 == 2, rest <= longestRest else { return .none }
    return bytes.count >= 16 + rest ? .complete(16 + rest) : .needsMore
  }
}
