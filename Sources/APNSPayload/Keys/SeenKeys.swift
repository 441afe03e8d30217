import Octets

/// The keys of a payload's objects, used to find repeated ones. It reuses its storage.
///
/// A filter of a few hundred bits shows that nearly all payloads repeat no key. The keys of the others are sorted by
/// their hashes, because an object may have thousands.
struct SeenKeys: Sendable {
  private struct Key: Sendable {
    let hash: UInt64
    /// The number of the payload's object that contains the key.
    let object: Int
    /// The offsets of the key in the payload, quotes included.
    let range: Range<Int>
  }

  private var keys: [Key] = []
  private var filter = InlineArray<8, UInt64>(repeating: 0)
  private var mayRepeat = false

  mutating func reset() {
    keys.removeAll(keepingCapacity: true)
    filter = InlineArray(repeating: 0)
    mayRepeat = false
  }

  /// Adds a key with its ``hash(_:_:object:)``.
  @inline(__always)
  mutating func add(_ token: JSONScanner.Token, object: Int, hash: UInt64) {
    let (word, bit) = (Int(truncatingIfNeeded: hash >> 6 & 7), 1 as UInt64 &<< (hash & 63))
    if filter[word] & bit != 0 { mayRepeat = true }
    filter[word] |= bit
    keys.append(Key(hash: hash, object: object, range: token.range))
  }

  /// The keys that repeat another one of their object, in order, each with the first one of its name.
  func repeated(in bytes: Span<UInt8>) -> [PayloadOutline.RepeatedKey] {
    guard mayRepeat else { return [] }
    var found: [PayloadOutline.RepeatedKey] = []
    var first: Key?
    for key in keys.sorted(by: { ($0.hash, $0.range.lowerBound) < ($1.hash, $1.range.lowerBound) }) {
      if let first, first.hash == key.hash, first.object == key.object, Self.isSame(first, key, bytes) {
        found.append(PayloadOutline.RepeatedKey(keyRange: key.range, first: first.range))
      } else {
        first = key
      }
    }
    return found.sorted { $0.keyRange.lowerBound < $1.keyRange.lowerBound }
  }

  private static func isSame(_ a: Key, _ b: Key, _ bytes: Span<UInt8>) -> Bool {
    var (one, other): ([UInt8], [UInt8]) = ([], [])
    bytes.resolve(a.range, into: &one)
    bytes.resolve(b.range, into: &other)
    return one == other
  }

  // The start value and the multiplier are random in each process, so that no payload can be crafted to make its keys
  // collide. No output depends on them.
  private static let beginning = UInt64.random(in: .min ... .max)
  private static let multiplier = UInt64.random(in: .min ... .max) | 1

  /// The hash of a key's characters, without escapes, and of the number of its object.
  @inline(__always)
  static func hash(_ bytes: Span<UInt8>, _ range: Range<Int>, object: Int) -> UInt64 {
    var value = beginning
    for index in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
      value = combine(value, bytes.firstWord(of: index..<range.upperBound))
    }
    return combine(value, UInt64(range.count) << 32 ^ UInt64(object))
  }

  /// Combines both halves of the product, so that each bit depends on all bits.
  @inline(__always)
  private static func combine(_ value: UInt64, _ word: UInt64) -> UInt64 {
    let product = (value ^ word).multipliedFullWidth(by: multiplier)
    return product.high ^ product.low
  }
}
