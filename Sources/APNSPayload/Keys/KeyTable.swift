import Octets

/// Finds documented keys by their bytes without allocating. It is called for every key of every payload.
struct KeyTable: Sendable {
  static let standard = KeyTable(PayloadKey.all)

  /// The indices of keys by hash; `none` marks a free slot.
  private var slots = [UInt8](repeating: KeyTable.none, count: 256)
  /// The concatenated names, and the offset where each begins.
  private var text: [UInt8] = []
  private var starts: [Int] = [0]
  private var containers: [PayloadKey.Container] = []
  /// For each key, the container that its value is if the value is an object; nil if it is none.
  private(set) var opens: [PayloadKey.Container?] = []
  private let longest: Int

  static let none = UInt8.max

  private init(_ keys: [PayloadKey]) {
    precondition(keys.count <= 64, "PayloadOutline has a bit for each of 64 keys")
    longest = keys.map(\.name.utf8.count).max() ?? 0
    for key in keys {
      text += Array(key.name.utf8)
      starts.append(text.count)
      containers.append(key.container)
      opens.append(PayloadKey.Container.allCases.first { $0 != .root && $0.path == key.path })
    }
    for (index, key) in keys.enumerated() {
      var slot = Self.slot(KeyHash(text.span, starts[index]..<starts[index + 1]), key.container)
      while slots[slot] != Self.none { slot = (slot + 1) & 255 }
      slots[slot] = UInt8(index)
    }
  }

  /// The index of the key that the bytes of `range` spell in `container`, or ``none``. `hash` is the hash of those
  /// bytes.
  func index(in container: PayloadKey.Container, _ bytes: Span<UInt8>, _ range: Range<Int>, _ hash: KeyHash) -> UInt8 {
    guard range.count <= longest else { return Self.none }
    var slot = Self.slot(hash, container)
    while slots[slot] != Self.none {
      let index = Int(slots[slot])
      if containers[index] == container, isName(index, bytes, range) { return slots[slot] }
      slot = (slot + 1) & 255
    }
    return Self.none
  }

  private func isName(_ index: Int, _ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    starts[index + 1] - starts[index] == range.count && bytes.isEqual(range, to: text.span, from: starts[index])
  }

  private static func slot(_ hash: KeyHash, _ container: PayloadKey.Container) -> Int {
    Int(hash.mixed(with: UInt64(container.rawValue)) >> 56)
  }
}

/// A hash of a key's bytes. Its start value and multiplier are random in each process, so that no payload can be
/// crafted to make its keys collide. No output depends on it.
struct KeyHash: Sendable, Hashable, BitwiseCopyable {
  private(set) var value = KeyHash.beginning

  private static let beginning = UInt64.random(in: .min ... .max)
  private static let multiplier = UInt64.random(in: .min ... .max) | 1

  init() {}

  @inline(__always)
  init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    var index = range.lowerBound
    while range.upperBound - index >= 8 {
      add(bytes.word(at: index))
      index += 8
    }
    let rest = range.upperBound - index
    // Mask off the bytes after the key.
    add(UInt64(rest) << 56 | bytes.paddedWord(at: index) & (1 << UInt64(rest * 8) - 1))
  }

  @inline(__always)
  mutating func add(_ word: UInt64) { value = Self.mix(value ^ word) }

  @inline(__always)
  func mixed(with number: UInt64) -> UInt64 { Self.mix(value ^ (number &+ 1) &* 0xff51_afd7_ed55_8ccd) }

  /// Combines both halves of the product, so that each bit depends on all bits.
  @inline(__always)
  private static func mix(_ word: UInt64) -> UInt64 {
    let product = word.multipliedFullWidth(by: multiplier)
    return product.high ^ product.low
  }
}
