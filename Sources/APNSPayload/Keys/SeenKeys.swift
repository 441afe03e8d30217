import Octets

/// The keys of a payload's objects, used to find repeated ones. It reuses its storage.
///
/// A filter of a few hundred bits shows that nearly all payloads repeat no key. The keys of the others are compared.
struct SeenKeys: Sendable {
  /// The number of the payload's object that contains each key, and the offsets of the key, quotes included.
  private var keys: [(object: Int, range: Range<Int>)] = []
  private var filter = InlineArray<8, UInt64>(repeating: 0)
  private var mayRepeat = false

  private struct Name: Hashable {
    let object: Int
    let characters: [UInt8]
  }

  mutating func reset() {
    keys.removeAll(keepingCapacity: true)
    filter = InlineArray(repeating: 0)
    mayRepeat = false
  }

  /// Adds a key. The bytes of `characters` spell it without escapes.
  @inline(__always)
  mutating func add(_ key: Range<Int>, object: Int, _ bytes: Span<UInt8>, _ characters: Range<Int>) {
    var hash = UInt64(object)
    for index in stride(from: characters.lowerBound, to: characters.upperBound, by: 8) {
      let product = (hash ^ bytes.firstWord(of: index..<characters.upperBound))
        .multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15)
      hash = product.high ^ product.low
    }
    let (word, bit) = (Int(truncatingIfNeeded: hash >> 6 & 7), 1 as UInt64 &<< (hash & 63))
    if filter[word] & bit != 0 { mayRepeat = true }
    filter[word] |= bit
    keys.append((object, key))
  }

  /// The keys that repeat another one of their object, in order, each with the first one of its name.
  func repeated(in bytes: Span<UInt8>) -> [PayloadOutline.RepeatedKey] {
    guard mayRepeat else { return [] }
    var first: [Name: Range<Int>] = [:]
    return keys.compactMap { key in
      var characters: [UInt8] = []
      bytes.resolve(key.range, into: &characters)
      let name = Name(object: key.object, characters: characters)
      guard let earlier = first[name] else {
        first[name] = key.range
        return nil
      }
      return PayloadOutline.RepeatedKey(keyRange: key.range, first: earlier)
    }
  }
}
