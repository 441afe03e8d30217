/// SipHash-2-4 (Aumasson and Bernstein, 2012): a keyed hash with a 128-bit key, whose result reveals nothing about the
/// input without the key. Implemented here, because it is shorter than a dependency.
package struct SipHash: Sendable {
  private var v0, v1, v2, v3: UInt64

  package init(low: UInt64, high: UInt64) {
    (v0, v1) = (low ^ 0x736f_6d65_7073_6575, high ^ 0x646f_7261_6e64_6f6d)
    (v2, v3) = (low ^ 0x6c79_6765_6e65_7261, high ^ 0x7465_6462_7974_6573)
  }

  package func hash(_ bytes: some Collection<UInt8>) -> UInt64 {
    var state = self
    var (word, count) = (0 as UInt64, 0 as UInt64)
    for byte in bytes {
      word |= UInt64(byte) << ((count & 7) * 8)
      count += 1
      if count & 7 == 0 {
        state.absorb(word)
        word = 0
      }
    }
    state.absorb(word | count << 56)
    return state.end()
  }

  /// The hash of two numbers of eight bytes each.
  package func hash(_ one: UInt64, _ two: UInt64) -> UInt64 {
    var state = self
    state.absorb(one)
    state.absorb(two)
    state.absorb(16 << 56)
    return state.end()
  }

  private mutating func absorb(_ word: UInt64) {
    v3 ^= word
    for _ in 0..<2 { round() }
    v0 ^= word
  }

  private mutating func end() -> UInt64 {
    v2 ^= 0xff
    for _ in 0..<4 { round() }
    return v0 ^ v1 ^ v2 ^ v3
  }

  private mutating func round() {
    Self.mix(&v0, &v1, 13)
    v0 = v0 << 32 | v0 >> 32
    Self.mix(&v2, &v3, 16)
    Self.mix(&v0, &v3, 21)
    Self.mix(&v2, &v1, 17)
    v2 = v2 << 32 | v2 >> 32
  }

  private static func mix(_ sum: inout UInt64, _ word: inout UInt64, _ bits: UInt64) {
    sum &+= word
    word = (word << bits | word >> (64 - bits)) ^ sum
  }
}
