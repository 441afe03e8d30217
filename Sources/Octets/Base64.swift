/// Base64 with the standard alphabet (RFC 4648).
package enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Encodes a group of one to three bytes as four characters, padded with `=`.
  package static func characters(of group: some Collection<UInt8>) -> [UInt8] {
    let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
    return (0..<4).map { $0 > group.count ? UInt8(ascii: "=") : alphabet[bits >> (18 - 6 * $0) & 63] }
  }

  /// The six bits that a character encodes; nil if it is not in the alphabet.
  package static func value(of character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
