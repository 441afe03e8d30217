/// The 64-bit FNV-1a hash: the same on every platform, but not collision-resistant against an attacker.
package struct FNV1a: Sendable, Equatable {
  package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  package init() {}

  package mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }

  /// Adds the eight bytes of a number in big-endian order.
  package mutating func add(_ number: Int) {
    for shift in stride(from: 56, through: 0, by: -8) { add(UInt8(truncatingIfNeeded: number >> shift)) }
  }
}
