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

/// The words by id, and the ids by word.
struct RecordWords: Sendable {
  private var texts: [String] = []
  private var words: [[UInt8]: RecordWord] = [:]

  init() {
    for word in RecordWord.fixed { _ = add(word) }
  }

  subscript(word: RecordWord) -> String { texts[Int(word.id)] }

  var count: Int { texts.count }

  /// The word of a string, which is added if it is new.
  mutating func add(_ text: String) -> RecordWord {
    let bytes = Array(text.utf8)
    if let word = words[bytes] { return word }
    let word = RecordWord(UInt16(texts.count))
    texts.append(text)
    words[bytes] = word
    return word
  }

  func find(_ word: Span<UInt8>) -> RecordWord { words[[UInt8](copying: word)] ?? .unknown }
}
