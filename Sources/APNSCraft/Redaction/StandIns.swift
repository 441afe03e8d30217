import Octets

/// Makes stand-ins for values: always the same one for the same value, and never the value itself. They depend on a
/// keyed hash, so that values cannot be found by trial without the key.
public struct StandIns: Sendable {
  private let hash: SipHash

  /// - Parameter key: Any text; it should be as hard to guess as the values. Nil uses a random key that is then
  ///   discarded.
  package init(key: String?) {
    // A key of 128 bits, from a text of any length.
    func half(_ hash: SipHash) -> UInt64 { key.map { hash.hash($0.utf8) } ?? .random(in: .min ... .max) }
    hash = SipHash(low: half(SipHash(low: 0, high: 1)), high: half(SipHash(low: 2, high: 3)))
  }

  /// The kinds of values. The same bytes have different stand-ins for different kinds.
  enum Kind: UInt8 {
    case token, text, key, number, bytes, address
  }

  /// The shifts that replace a value of this kind.
  func shifts(_ kind: Kind, _ value: [UInt8]) -> Shifts {
    Shifts(hash: hash, seed: hash.hash([kind.rawValue] + value))
  }

  /// A keyed sequence of distances, by which the parts of a value are shifted within their class.
  struct Shifts {
    fileprivate let hash: SipHash
    fileprivate var seed: UInt64
    fileprivate var counter: UInt64 = 0
    fileprivate var bits: UInt64 = 0

    mutating func next() -> UInt64 {
      counter += 1
      return hash.hash(seed, counter)
    }

    /// Another number of the range, which has at least two. Different numbers become different ones.
    mutating func other(than value: UInt32, in range: ClosedRange<UInt32>) -> UInt32 {
      if bits >> 16 == 0 { bits = next() | 1 << 63 }
      defer { bits >>= 16 }
      let count = UInt32(range.count)
      let shift = 1 + UInt32(bits & 0xffff) % (count - 1)
      return range.lowerBound + (value - range.lowerBound + shift) % count
    }

    /// Another byte of the first class that contains it; the same if no class does.
    mutating func other(than byte: UInt8, in classes: [ClosedRange<UInt32>]) -> UInt8 {
      let value = UInt32(byte)
      return classes.first { $0.contains(value) }.map { UInt8(other(than: value, in: $0)) } ?? byte
    }

    /// Makes the following shifts depend on this part of the value, so that different values have different stand-ins,
    /// however short they are.
    mutating func depend(on part: UInt32) {
      seed = hash.hash(seed, 1 << 32 | UInt64(part))
      bits = 0
    }
  }
}

extension StandIns {
  /// A stand-in for a device token, of the same size and the same class for the rules: zeros stay zeros, digits and
  /// letters of a token in text stay digits and letters, and no white space is added.
  func token(_ token: [UInt8]) -> [UInt8] {
    let isText = token.allSatisfy { (0x20...0x7e).contains($0) || $0 == 0 || $0 == 0x0a || $0 == 0x0d }
    let isShort = token.count < 8
    var shifts = shifts(.token, isShort ? [] : token)
    return token.map { byte in
      defer { if isShort { shifts.depend(on: UInt32(byte)) } }
      return shifts.other(than: byte, in: isText ? Self.hexClasses : Self.tokenClasses)
    }
  }

  private static let tokenClasses: [ClosedRange<UInt32>] = [1...8, 9...0x0d, 0x0e...0x1f, 0x21...0xff]
  private static let hexClasses: [ClosedRange<UInt32>] = [
    0x30...0x39, 0x61...0x66, 0x41...0x46, 0x67...0x7a, 0x47...0x5a,
  ]

  /// A stand-in for a JSON number with as many digits. A leading digit that is not zero does not become zero.
  func number(_ number: [UInt8]) -> [UInt8] {
    var shifts = shifts(.number, number)
    let first = number.firstIndex { (0x30...0x39).contains($0) }
    return number.enumerated().map { index, byte in
      index == first && byte == 0x30
        ? byte : shifts.other(than: byte, in: [(index == first ? 0x31 : 0x30)...0x39])
    }
  }

  /// A stand-in for bytes of unknown meaning: each byte becomes another one of its class. Bytes that may be structure
  /// are kept: zeros, and at most three others in a row that may be commands, item ids or lengths.
  func bytes(_ bytes: [UInt8]) -> [UInt8] {
    var shifts = shifts(.bytes, bytes)
    var kept = 0
    return bytes.map { byte in
      if byte == 0 { return 0 }
      // 32 and 64 are lengths of tokens.
      kept = byte <= 0x20 || byte == 0x40 ? kept + 1 : 0
      if (1...3).contains(kept) { return byte }
      kept = 0
      return shifts.other(than: byte, in: Self.classes)
    }
  }

  private static let classes: [ClosedRange<UInt32>] = [
    1...0x1f, 0x20...0x2f, 0x30...0x39, 0x3a...0x40, 0x41...0x5a, 0x5b...0x60, 0x61...0x7a, 0x7b...0x7f, 0x80...0xff,
  ]
}
