/// Makes stand-ins for values: always the same one for the same value. They depend on a keyed hash, so that values
/// cannot be found by trial without the key.
public struct StandIns: Sendable {
  private let hash: SipHash

  /// - Parameter key: Any text; it should be as hard to guess as the values. Nil uses a random key that is then
  ///   discarded.
  public init(key: String?) {
    guard let key else {
      hash = SipHash(low: .random(in: .min ... .max), high: .random(in: .min ... .max))
      return
    }
    // Derive a key of 128 bits from a text of any length.
    hash = SipHash(
      low: SipHash(low: 0, high: 1).hash(key.utf8), high: SipHash(low: 2, high: 3).hash(key.utf8))
  }

  /// The kinds of values. The same bytes have different stand-ins for different kinds.
  enum Kind: UInt64 {
    case token, text, key, number, bytes, address
  }

  /// An endless sequence of numbers that depends on the value and its kind.
  func chance(_ kind: Kind, _ value: some Collection<UInt8>) -> Chance {
    // Two 64-bit hashes make collisions of stand-ins negligible.
    let first = hash.hash([0, UInt8(kind.rawValue)] + value)
    return Chance(hash: hash, first: first, second: hash.hash([1, UInt8(kind.rawValue)] + value))
  }

  struct Chance {
    private let hash: SipHash
    private let first: UInt64
    private let second: UInt64
    private var counter: UInt64 = 0

    fileprivate init(hash: SipHash, first: UInt64, second: UInt64) {
      self.hash = hash
      self.first = first
      self.second = second
    }

    mutating func next() -> UInt64 {
      counter += 1
      return hash.hash(first, second, counter)
    }

    /// A number in 0 ..< count. The slight modulo bias does not matter here.
    mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }

    /// A byte of the range, by chance possibly the same.
    mutating func byte(in range: ClosedRange<UInt8>) -> UInt8 { range.lowerBound + UInt8(below(range.count)) }
  }
}

extension StandIns {
  /// A stand-in for a device token, of the same size and the same class for the rules: zeros stay zeros, text digits
  /// stay digits, and padding at the end is kept.
  func token(_ token: [UInt8]) -> [UInt8] {
    if token.allSatisfy({ $0 == 0 }) { return token }
    if token.allSatisfy({ (0x20...0x7e).contains($0) || $0 == 0 || $0 == 0x0a || $0 == 0x0d }) {
      return digits(token)
    }
    // Random bytes could make two short tokens equal.
    if token.count < 8 { return permuted(token) }
    var chance = chance(.token, token)
    let padding = token.reversed().prefix { $0 == 0 }.count
    var standIn = token
    for index in 0..<(token.count - (padding >= 8 ? padding : 0)) {
      standIn[index] = token[index] == 0 ? 0 : chance.byte(in: 1...0xff)
    }
    return standIn
  }

  /// Hexadecimal digits stay hexadecimal digits, letters stay letters, and other characters are kept.
  private func digits(_ text: [UInt8]) -> [UInt8] {
    var chance = chance(.token, text)
    return text.map { byte in
      for letters in Self.hexClasses where letters.contains(byte) { return chance.byte(in: letters) }
      return byte
    }
  }

  private static let hexClasses: [ClosedRange<UInt8>] = [
    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
    UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "g")...UInt8(ascii: "z"),
    UInt8(ascii: "G")...UInt8(ascii: "Z"),
  ]

  /// A stand-in that is different for different values: each byte is permuted depending on the bytes before it.
  private func permuted(_ value: [UInt8]) -> [UInt8] {
    value.indices.map { index in
      guard value[index] != 0 else { return 0 }
      return 1 + UInt8(permutedIndex(of: Int(value[index]) - 1, among: 255, .token, value[..<index]))
    }
  }

  /// The new index of `item` in a random permutation of `count` items that depends on `lead`.
  func permutedIndex(of item: Int, among count: Int, _ kind: Kind, _ lead: some Collection<UInt8>) -> Int {
    var chance = chance(kind, lead)
    var places = Array(0..<count)
    for last in stride(from: count - 1, to: 0, by: -1) { places.swapAt(last, chance.below(last + 1)) }
    return places[item]
  }

  /// A stand-in for a JSON number with as many digits. A leading digit that is not zero does not become zero.
  func number(_ number: [UInt8]) -> [UInt8] {
    var chance = chance(.number, number)
    var isFirst = true
    return number.map { byte in
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else {
        return byte
      }
      defer { isFirst = false }
      guard isFirst else { return chance.byte(in: UInt8(ascii: "0")...UInt8(ascii: "9")) }
      return byte == UInt8(ascii: "0") ? byte : chance.byte(in: UInt8(ascii: "1")...UInt8(ascii: "9"))
    }
  }

  /// A stand-in for bytes of unknown meaning: each byte becomes another one of its class, and zeros stay. Control
  /// characters may be lengths, and punctuation may be JSON; the caller must test whether replacing them changes the
  /// findings.
  func bytes(_ bytes: [UInt8]) -> [UInt8] {
    var chance = chance(.bytes, bytes)
    return bytes.map { byte in Self.classes.first { $0.contains(byte) }.map { chance.byte(in: $0) } ?? byte }
  }

  private static let classes: [ClosedRange<UInt8>] = [
    1...0x1f, 0x20...0x2f, 0x30...0x39, 0x3a...0x40, 0x41...0x5a, 0x5b...0x60, 0x61...0x7a, 0x7b...0x7f, 0x80...0xff,
  ]
}
