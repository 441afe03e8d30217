import Octets

/// Finds documented keys by their bytes without allocating. It is called for every key of every payload.
struct KeyTable: Sendable {
  static let standard = KeyTable(PayloadKey.all)

  let keys: [(container: PayloadKey.Container, head: UInt64, name: [UInt8])]
  /// For each key, the container that its value is if the value is an object; nil if it is none.
  let opens: [PayloadKey.Container?]

  static let none = UInt8.max

  private init(_ all: [PayloadKey]) {
    precondition(all.count <= 64, "PayloadOutline has a bit for each of 64 keys")
    keys = all.map { key in
      let name = Array(key.name.utf8)
      return (key.container, name.span.firstWord(of: name.indices), name)
    }
    opens = all.map { key in PayloadKey.Container.allCases.first { $0 != .root && $0.path == key.path } }
  }

  /// The index of the key that the bytes of `range` spell in `container`, or ``none``.
  func index(in container: PayloadKey.Container, _ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt8 {
    let head = bytes.firstWord(of: range)
    for index in keys.indices
    where keys[index].head == head && keys[index].container == container && bytes.holds(keys[index].name, in: range) {
      return UInt8(index)
    }
    return Self.none
  }
}
