/// Base64 with the standard alphabet (RFC 4648).
package enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Encodes a group of one to three bytes as four characters, padded with `=`.
  package static func characters(of group: some Collection<UInt8>) -> [UInt8] {
    let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
    return (0..<4).map { $0 > group.count ? UInt8(ascii: "=") : alphabet[bits >> (18 - 6 * $0) & 63] }
  }

  /// The six bits that a character encodes; nil if it is not in the alphabet.
  package static func value(of character: UInt8) -> UInt8? { values[Int(character)] }

  private static let values = (0...UInt8.max).map { alphabet.firstIndex(of: $0).map { UInt8($0) } }
}
