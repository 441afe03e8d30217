import Octets

/// Finds documented keys by their bytes without allocating. It is called for every key of every payload.
enum KeyTable {
  /// The keys in the order of ``PayloadKey/all``. `head` is the first eight bytes of the name. `opens` is the container
  /// that the value is if it is an object.
  static let keys = PayloadKey.all.map { key in
    precondition(PayloadKey.all.count <= 64, "PayloadOutline has a bit for each of 64 keys")
    let name = Array(key.name.utf8)
    let head = name.span.firstWord(of: name.indices)
    return (container: key.container, head: head, name: name, opens: PayloadKey.Container(rawValue: key.path))
  }

  /// The index of the key that the bytes of `range` spell in `container`; nil if there is none.
  static func index(in container: PayloadKey.Container, _ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
    let (keys, head) = (keys, bytes.firstWord(of: range))
    for index in keys.indices
    where keys[index].head == head && keys[index].container == container && bytes.holds(keys[index].name, in: range) {
      return index
    }
    return nil
  }
}
