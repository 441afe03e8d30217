import APNSPayload
import Octets

/// A known string of records: the name of a member, a type, a condition or a direction.
struct RecordWord: Sendable, Hashable, BitwiseCopyable {
  let id: UInt16

  init(_ id: UInt16) { self.id = id }

  /// Any other string.
  static let unknown = Self(JSONIndex.unknown)
}

// The words that do not depend on the catalog.
extension RecordWord {
  static let schema = Self(0)
  static let type = Self(1)
  static let command = Self(2)
  static let offset = Self(3)
  static let length = Self(4)
  static let condition = Self(5)
  static let needed = Self(6)
  static let rest = Self(7)
  static let findings = Self(8)
  static let file = Self(9)
  static let stream = Self(10)
  static let from = Self(11)
  static let to = Self(12)
  static let direction = Self(13)
  static let packets = Self(14)
  static let time = Self(15)
  static let unparsed = Self(16)
  static let hex = Self(17)
  static let reason = Self(18)
  static let gap = Self(19)
  static let missing = Self(20)
  static let overlap = Self(21)
  static let id = Self(22)
  static let name = Self(23)
  static let data = Self(24)
  static let dataLength = Self(25)
  static let fingerprint = Self(26)
  static let truncated = Self(27)
  static let malformed = Self(28)
  static let fromProvider = Self(29)
  static let toProvider = Self(30)
  fileprivate static let fixed = [
    "schema", "type", "command", "offset", "length", "condition", "needed", "rest", "findings", "file", "stream",
    "from", "to", "direction", "packets", "time", "unparsed", "hex", "reason", "gap", "missing", "overlap", "id",
    "name", "data", "data_length", "fingerprint", "truncated", "malformed", "provider-to-apns", "apns-to-provider",
  ]
}

/// A hash table of words.
struct RecordWords: Sendable {
  private var texts: [String] = []
  private var text: [UInt8] = []
  /// By id: the range in `text`.
  private var ranges: [Range<Int>] = []
  /// Ids by hash; -1 for an empty slot. At most one slot in four is in use.
  private var slots: [Int32] = []

  init() {
    for word in RecordWord.fixed { _ = add(word) }
  }

  subscript(word: RecordWord) -> String { texts[Int(word.id)] }

  var count: Int { texts.count }

  /// The word of a string, which is added if it is new.
  mutating func add(_ word: String) -> RecordWord {
    let bytes = Array(word.utf8)
    let known = find(bytes.span)
    if known != .unknown { return known }
    ranges.append(text.count..<(text.count + bytes.count))
    text += bytes
    texts.append(word)
    if slots.count < texts.count * 4 {
      slots = [Int32](repeating: -1, count: max(256, slots.count * 2))
      for id in texts.indices { enter(id) }
    } else {
      enter(texts.count - 1)
    }
    return RecordWord(UInt16(texts.count - 1))
  }

  private mutating func enter(_ id: Int) {
    var slot = hash(text.span.extracting(ranges[id]))
    while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = Int32(id)
  }

  @inline(__always)
  func find(_ word: Span<UInt8>) -> RecordWord {
    guard !slots.isEmpty else { return .unknown }
    var slot = hash(word)
    while slots[slot] >= 0 {
      let id = Int(slots[slot])
      if ranges[id].count == word.count, word.isEqual(word.indices, to: text.span, from: ranges[id].lowerBound) {
        return RecordWord(UInt16(id))
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    return .unknown
  }

  /// Most words differ in their first, middle or last letter.
  @inline(__always)
  private func hash(_ word: Span<UInt8>) -> Int {
    guard !word.isEmpty else { return 0 }
    let (first, middle, last) = (Int(word[0]), Int(word[word.count / 2]), Int(word[word.count - 1]))
    return (first &* 5 &+ middle &* 29 &+ last &* 113 &+ word.count &* 37) & (slots.count - 1)
  }
}
