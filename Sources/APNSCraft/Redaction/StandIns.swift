/// Makes the same stand-in of the same value, always: by a keyed hash, so that nobody without the key can try values
/// until one fits.
public struct StandIns: Sendable {
  private let hash: SipHash

  /// - Parameter key: any text; as hard to guess as the values are to be. Nil draws one that nobody gets to know.
  public init(key: String?) {
    guard let key else {
      hash = SipHash(low: .random(in: .min ... .max), high: .random(in: .min ... .max))
      return
    }
    // Two numbers of 64 bits from a text of any length.
    hash = SipHash(
      low: SipHash(low: 0, high: 1).hash(key.utf8), high: SipHash(low: 2, high: 3).hash(key.utf8))
  }

  /// What kinds of values there are: the same bytes have another stand-in as another kind.
  enum Kind: UInt64 {
    case token, text, key, number, bytes, address
  }

  /// Numbers without end, which the value and its kind decide.
  func chance(_ kind: Kind, _ value: some Collection<UInt8>) -> Chance {
    // Two hashes of 64 bits, so that no two values ever share a stand-in by chance.
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

    /// 0 ..< count; nothing that hangs on its last grain of evenness is drawn.
    mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }

    /// Another one of the range, or the same by chance.
    mutating func byte(in range: ClosedRange<UInt8>) -> UInt8 { range.lowerBound + UInt8(below(range.count)) }
  }
}

extension StandIns {
  /// A device token: of the same size, and of the same class for those who look at it. Zeros stay zeros, digits in text
  /// stay digits, and what fills it up at its end stays.
  func token(_ token: [UInt8]) -> [UInt8] {
    if token.allSatisfy({ $0 == 0 }) { return token }
    if token.allSatisfy({ (0x20...0x7e).contains($0) || $0 == 0 || $0 == 0x0a || $0 == 0x0d }) {
      return digits(token)
    }
    // Of few bytes, two could get the same one by chance.
    if token.count < 8 { return permuted(token) }
    var chance = chance(.token, token)
    let padding = token.reversed().prefix { $0 == 0 }.count
    var standIn = token
    for index in 0..<(token.count - (padding >= 8 ? padding : 0)) {
      standIn[index] = token[index] == 0 ? 0 : chance.byte(in: 1...0xff)
    }
    return standIn
  }

  /// Hexadecimal digits stay such, letters letters; all else stays as it is.
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

  /// Two different values never get the same: each byte is put in place of another by what stands before it.
  private func permuted(_ value: [UInt8]) -> [UInt8] {
    value.indices.map { index in
      guard value[index] != 0 else { return 0 }
      return 1 + UInt8(place(of: Int(value[index]) - 1, among: 255, .token, value[..<index]))
    }
  }

  /// Where `item` goes when so many are shuffled, each order by its own lead.
  func place(of item: Int, among count: Int, _ kind: Kind, _ lead: some Collection<UInt8>) -> Int {
    var chance = chance(kind, lead)
    var places = Array(0..<count)
    for last in stride(from: count - 1, to: 0, by: -1) { places.swapAt(last, chance.below(last + 1)) }
    return places[item]
  }

  /// A number in JSON: as many digits, none of them leading as a zero that was none before.
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

  /// Bytes that nobody knows the meaning of: text stays text, zeros and what is no printable character may be lengths,
  /// which whoever asks has to try.
  func bytes(_ bytes: [UInt8]) -> [UInt8] {
    var chance = chance(.bytes, bytes)
    return bytes.map { byte in
      switch byte {
      case 0: return 0
      case 1...0x1f: return chance.byte(in: 1...0x1f)
      case UInt8(ascii: "0")...UInt8(ascii: "9"): return chance.byte(in: UInt8(ascii: "0")...UInt8(ascii: "9"))
      case UInt8(ascii: "a")...UInt8(ascii: "z"): return chance.byte(in: UInt8(ascii: "a")...UInt8(ascii: "z"))
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): return chance.byte(in: UInt8(ascii: "A")...UInt8(ascii: "Z"))
      case 0x20...0x7f: return byte
      default: return chance.byte(in: 0x80...0xff)
      }
    }
  }
}
