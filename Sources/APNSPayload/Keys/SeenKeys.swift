import Octets

/// The keys of a payload's objects so far, used to find repeated ones. It is a hash table, because an object may have
/// thousands of keys. It reuses its storage: entries of earlier payloads have an older generation and are not cleared.
struct SeenKeys: Sendable {
  /// A key whose characters are in `bytes` with escapes resolved.
  struct Key {
    fileprivate let hash: UInt64
    /// The number of the payload's object that contains the key.
    fileprivate let object: Int
    /// The offsets of the key in the payload, quotes included.
    fileprivate let range: Range<Int>
    fileprivate let hasEscapes: Bool

    @inline(__always)
    init(_ token: JSONScanner.Token, object: Int, _ bytes: Span<UInt8>, _ characters: Range<Int>) {
      hash = KeyHash(bytes, characters, object: object).value
      self.object = object
      range = token.range
      hasEscapes = token.hasEscapes
    }
  }

  private var keys: [Key] = []
  /// The generation, and in the low half the index in `keys`. The number of slots is a power of two.
  private var slots = [UInt64](repeating: 0, count: 64)
  private var generation: UInt64 = 0
  private var one: [UInt8] = []
  private var other: [UInt8] = []

  mutating func reset() {
    keys.removeAll(keepingCapacity: true)
    generation += 1
    guard generation > UInt64(UInt32.max) else { return }
    for slot in slots.indices { slots[slot] = 0 }
    generation = 1
  }

  /// The first key of the same object with the same characters. If there is none, it adds `key` and returns nil.
  mutating func first(like key: Key, in bytes: Span<UInt8>) -> Range<Int>? {
    if keys.count * 2 >= slots.count { grow() }
    var slot = place(of: key)
    while slots[slot] >> 32 == generation {
      let seen = keys[Int(slots[slot] & 0xffff_ffff)]
      if seen.hash == key.hash, seen.object == key.object, isSame(seen, key, bytes) { return seen.range }
      slot = (slot + 1) & (slots.count - 1)
    }
    slots[slot] = generation << 32 | UInt64(keys.count)
    keys.append(key)
    return nil
  }

  private func place(of key: Key) -> Int { Int(truncatingIfNeeded: key.hash >> 32) & (slots.count - 1) }

  private mutating func grow() {
    slots = [UInt64](repeating: 0, count: slots.count * 2)
    for (index, key) in keys.enumerated() {
      var slot = place(of: key)
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = generation << 32 | UInt64(index)
    }
  }

  private mutating func isSame(_ a: Key, _ b: Key, _ bytes: Span<UInt8>) -> Bool {
    if a.hasEscapes || b.hasEscapes {
      bytes.resolve(a.range, into: &one)
      bytes.resolve(b.range, into: &other)
      return one == other
    }
    return a.range.count == b.range.count && bytes.isEqual(a.range, to: bytes, from: b.range.lowerBound)
  }
}

/// A hash of a key's bytes and of the number of its object. Its start value and multiplier are random in each process,
/// so that no payload can be crafted to make its keys collide. No output depends on it.
private struct KeyHash {
  private(set) var value = KeyHash.beginning

  private static let beginning = UInt64.random(in: .min ... .max)
  private static let multiplier = UInt64.random(in: .min ... .max) | 1

  @inline(__always)
  init(_ bytes: Span<UInt8>, _ range: Range<Int>, object: Int) {
    for index in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
      add(bytes.firstWord(of: index..<range.upperBound))
    }
    add(UInt64(range.count) << 32 ^ UInt64(object))
  }

  /// Combines both halves of the product, so that each bit depends on all bits.
  @inline(__always)
  private mutating func add(_ word: UInt64) {
    let product = (value ^ word).multipliedFullWidth(by: Self.multiplier)
    value = product.high ^ product.low
  }
}
