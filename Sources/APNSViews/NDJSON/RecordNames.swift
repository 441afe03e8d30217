import APNSPayload
import APNSWire
import Octets

/// The names in records of the types, fields and items of a catalog: ``NDJSONView`` writes them and ``NDJSONReader``
/// reads them from this one table.
struct RecordNames: Sendable {
  private(set) var words = RecordWords()
  /// By ``FrameRef/schema``.
  private(set) var types: [FrameType] = []
  /// By ``FieldRef/field``.
  private(set) var fields: [RecordField] = []
  /// What precedes a value, with the opening quote or bracket if it is always a string of digits or a list:
  /// `,"priority":`; and what precedes its other member: `,"payload_hex":` or `,"status_name":`. By
  /// ``FieldRef/field``.
  private(set) var keys: [(value: String, other: String)] = []
  /// By ``FieldRef/item``.
  private(set) var items: [ItemName] = []
  /// The documented items of each list: their ids, and the indices in `fields` of their data.
  private var lists: [[(id: UInt8, field: Int)]] = []

  struct FrameType: Sendable {
    /// `{"schema":1,"type":"notification","command":2,"offset":`
    let head: String
    let word: RecordWord
    let command: UInt8?
    let role: StreamRole
    /// Indices in ``RecordNames/fields``, in wire order, without those of items.
    let fields: [Int]
  }

  /// `{"id":1,"name":"device-token"`, and the index of its field.
  typealias ItemName = (head: String, field: Int)

  init(_ catalog: Catalog) {
    for schema in catalog.schemas {
      let command = schema.command.map { ",\"command\":\($0.rawValue)" } ?? ""
      let head = "\(Self.opening)\(schema.name)\"\(command),\"offset\":"
      let fields = schema.parts.compactMap { part in
        part.field.map { add($0, lengthWidth: part.lengthWidth, part.lengthName.map { words.add($0.member) }) }
      }
      types.append(
        FrameType(
          head: head, word: words.add(schema.name), command: schema.command?.rawValue, role: schema.role,
          fields: fields))
    }
    precondition(fields.map { words[$0.word] } == catalog.fields.map(\.name.member), "not in the order of the catalog")
  }

  /// The members of every record that follow from the stream, so that a reader does not need them.
  static let derived: [RecordWord] = [.offset, .length, .findings, .file]

  /// The text up to the value of the member `type`.
  static let opening = "{\"schema\":\(NDJSONView.schema),\"type\":\""

  /// Adds a field, then those of its items, as a catalog does. Returns its index.
  private mutating func add(_ field: Field, lengthWidth: Int, _ length: RecordWord?) -> Int {
    let (index, name) = (fields.count, field.name.member)
    let (kind, other, end): (RecordField.Kind, String, String) =
      switch field.content {
      case .integer(_, .code(_, named: true)): (.named, name + "_name", "")
      case .integer: (.number, name, "")
      case .octets: (.octets, name, "\"")
      case .text: (.text, name + "_hex", "")
      case .json: (.json, name + "_hex", "")
      case .items: (.list, name, "[")
      }
    fields.append(
      RecordField(
        kind: kind, word: words.add(name), otherWord: words.add(other), size: UInt8(field.size ?? 0),
        lengthWidth: UInt8(lengthWidth), length: length ?? .length))
    keys.append((",\"\(name)\":\(end)", ",\"\(other)\":"))
    guard kind == .list else { return index }
    let list = lists.count
    fields[index].list = list
    lists.append([])
    for item in field.rows {
      items.append(("{\"id\":\(item.id.rawValue),\"name\":\"\(item.name)\"", fields.count))
      lists[list].append((item.id.rawValue, fields.count))
      _ = add(item.field, lengthWidth: Item.headerSize - 1, .dataLength)
    }
    return index
  }

  /// The index of the field for the data of an item; nil for an undocumented id.
  @inline(__always)
  func item(_ id: UInt8, of list: RecordField) -> Int? { lists[list.list].first { $0.id == id }?.field }

  func items(of list: RecordField) -> [RecordField] { lists[list.list].map { fields[$0.field] } }
}

/// The members for a field of a frame, or for the data of an item.
struct RecordField: Sendable {
  let kind: Kind
  let word: RecordWord
  /// The member for text that is not UTF-8, or for the name of a number; else the same as `word`.
  let otherWord: RecordWord
  /// The size of a number in bytes.
  let size: UInt8
  /// The size of the length before the value in bytes; 0 if it has none.
  let lengthWidth: UInt8
  let length: RecordWord
  fileprivate(set) var list = 0

  enum Kind: Sendable {
    case number
    /// A number with a second member for its name, which is ignored.
    case named
    case octets
    case text
    case json
    case list
  }

  /// The members that may have the value.
  var valueWords: [RecordWord] { kind == .text || kind == .json ? [word, otherWord] : [word] }
}

/// A known string of records: the name of a member, or a type.
struct RecordWord: Sendable, Hashable, BitwiseCopyable {
  let id: UInt16

  init(_ id: UInt16) { self.id = id }

  /// Any other string.
  static let unknown = Self(JSONIndex.unknown)
}

// The words that do not depend on the catalog.
extension RecordWord {
  static let type = Self(0)
  static let schema = Self(1)
  static let stream = Self(2)
  static let from = Self(3)
  static let to = Self(4)
  static let packets = Self(5)
  static let time = Self(6)
  static let direction = Self(7)
  static let command = Self(8)
  static let condition = Self(9)
  static let needed = Self(10)
  static let rest = Self(11)
  static let offset = Self(12)
  static let length = Self(13)
  static let findings = Self(14)
  static let file = Self(15)
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
  fileprivate static let fixed = [
    "type", "schema", "stream", "from", "to", "packets", "time", "direction", "command", "condition", "needed", "rest",
    "offset", "length", "findings", "file", "unparsed", "hex", "reason", "gap", "missing", "overlap", "id", "name",
    "data", "data_length", "fingerprint",
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

  var all: [RecordWord] { texts.indices.map { RecordWord(UInt16($0)) } }

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
