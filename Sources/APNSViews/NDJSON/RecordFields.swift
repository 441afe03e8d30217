import APNSWire

/// A catalog as records have it: the fields of each frame type and of each item, with the words of their members.
struct RecordFields: Sendable {
  private(set) var words = RecordWords()
  /// In the order of the catalog.
  private(set) var types: [FrameType] = []
  private(set) var fields: [RecordField] = []
  /// 256 rows for each list: index in `fields`, or -1.
  private var itemTable: [Int32] = []

  struct FrameType: Sendable {
    let word: RecordWord
    let command: UInt8?
    let role: StreamRole
    /// In `fields`, in wire order.
    let fields: Range<Int>
  }

  init(_ catalog: Catalog) {
    for schema in catalog.schemas {
      let word = words.add(schema.name)
      // The items' fields come after those of the frame.
      let own = schema.parts.filter { $0.field != nil }
      let first = fields.count
      for part in own {
        switch part {
        case .command: break
        case .fixed(let field): fields.append(add(field))
        case .counted(let field, let width, let length):
          fields.append(add(field, lengthWidth: width, length: words.add(length.member)))
        }
      }
      types.append(
        FrameType(word: word, command: schema.command?.rawValue, role: schema.role, fields: first..<fields.count))
      for (index, part) in own.enumerated() { addItems(of: part.field?.rows ?? [], to: first + index) }
    }
  }

  private mutating func add(_ field: Field, lengthWidth: Int = 0, length: RecordWord = .length) -> RecordField {
    let member = field.name.member
    let kind: RecordField.Kind
    var other = member
    switch field.content {
    case .integer(_, .code(_, named: true)): (kind, other) = (.namedNumber, member + "_name")
    case .integer: kind = .number
    case .octets: kind = .octets
    case .text: (kind, other) = (.text, member + "_hex")
    case .json: (kind, other) = (.json, member + "_hex")
    case .items: kind = .list
    }
    return RecordField(
      kind: kind, word: words.add(member), otherWord: words.add(other), size: UInt8(field.size ?? 0),
      lengthWidth: UInt8(lengthWidth), length: length)
  }

  private mutating func addItems(of rows: [Item], to field: Int) {
    guard fields[field].kind == .list else { return }
    let list = itemTable.count
    fields[field].list = UInt32(list)
    itemTable += [Int32](repeating: -1, count: 256)
    for item in rows {
      let index = fields.count
      fields.append(add(item.field, lengthWidth: Item.headerSize - 1, length: .dataLength))
      addItems(of: item.field.rows, to: index)
      // Of items with the same id, the first counts.
      let slot = list + Int(item.id.rawValue)
      if itemTable[slot] < 0 { itemTable[slot] = Int32(index) }
    }
  }

  /// The field that the data of an item is; nil for an undocumented id.
  @inline(__always)
  func item(_ id: UInt8, of list: RecordField) -> RecordField? {
    let index = itemTable[Int(list.list) + Int(id)]
    return index < 0 ? nil : fields[Int(index)]
  }

  /// The documented items of a list.
  func items(of list: RecordField) -> [RecordField] {
    itemTable[Int(list.list)...].prefix(256).compactMap { $0 < 0 ? nil : fields[Int($0)] }
  }
}

/// A field of a frame, or the data of an item.
struct RecordField: Sendable, BitwiseCopyable {
  let kind: Kind
  let word: RecordWord
  /// Of text that is not UTF-8, or of a number's name; else the same as `word`.
  let otherWord: RecordWord
  /// Bytes of a number.
  let size: UInt8
  /// Bytes of the length before it; 0 if it has none.
  let lengthWidth: UInt8
  let length: RecordWord
  /// Of a list, its rows in the table of items.
  fileprivate(set) var list: UInt32 = 0

  enum Kind: Sendable {
    case number
    /// A number whose name is derived.
    case namedNumber
    case octets
    case text
    case json
    case list
  }

  /// The names under which records may carry its value.
  var valueWords: [RecordWord] { kind == .text || kind == .json ? [word, otherWord] : [word] }
}
