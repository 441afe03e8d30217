import APNSWire

/// The members that records have: for the fields of each frame type and of each item of a catalog.
struct RecordFields: Sendable {
  private(set) var words = RecordWords()
  /// By ``FrameRef/schema``.
  private(set) var types: [FrameType] = []
  private(set) var fields: [RecordField] = []
  /// 256 rows for each list, by item id: an index in `fields`, or -1.
  private var itemTable: [Int32] = []

  struct FrameType: Sendable {
    let word: RecordWord
    let command: UInt8?
    let role: StreamRole
    /// Indices in ``RecordFields/fields``, in wire order.
    let fields: Range<Int>
  }

  init(_ catalog: Catalog) {
    for schema in catalog.schemas {
      let word = words.add(schema.name)
      // The fields of items follow those of the frame.
      let parts = schema.parts.filter { $0.field != nil }
      let first = fields.count
      for part in parts {
        switch part {
        case .command: break
        case .fixed(let field): fields.append(add(field))
        case .counted(let field, let width, let length):
          fields.append(add(field, lengthWidth: width, length: words.add(length.member)))
        }
      }
      types.append(
        FrameType(word: word, command: schema.command?.rawValue, role: schema.role, fields: first..<fields.count))
      for (index, part) in parts.enumerated() { addItems(of: part.field?.rows ?? [], to: first + index) }
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
      // The first of several items with the same id is used.
      let slot = list + Int(item.id.rawValue)
      if itemTable[slot] < 0 { itemTable[slot] = Int32(index) }
    }
  }

  /// The field for the data of an item; nil for an undocumented id.
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
  /// The member for text that is not UTF-8, or for the name of a number; else the same as `word`.
  let otherWord: RecordWord
  /// The size of a number in bytes.
  let size: UInt8
  /// The size of the length before the value in bytes; 0 if it has none.
  let lengthWidth: UInt8
  let length: RecordWord
  /// For a list: its first row in the table of items.
  fileprivate(set) var list: UInt32 = 0

  enum Kind: Sendable {
    case number
    /// A number with a second member for its name, which is ignored.
    case namedNumber
    case octets
    case text
    case json
    case list
  }

  /// The members that may have the value.
  var valueWords: [RecordWord] { kind == .text || kind == .json ? [word, otherWord] : [word] }
}
