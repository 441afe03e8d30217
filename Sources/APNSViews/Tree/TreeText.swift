import APNSDiagnosis
import APNSWire

/// The words of the tree that say what bytes are, made once for a catalog: places in one text, so that they are copied
/// and never put together.
struct TreeText: Sendable {
  /// All pieces; the places below are in it.
  private(set) var text: [UInt8] = []
  /// By ``FieldRef/field``.
  private(set) var fields: [FieldWords] = []
  /// By ``FieldRef/item``: `: device token, `.
  private(set) var items: [Range<Int>] = []
  private(set) var schemas: [SchemaWords] = []
  private(set) var labels = Labels()
  let unknownItem: Range<Int>

  struct FieldWords: Sendable {
    let title: Range<Int>
    /// What the length before it is called.
    let length: Range<Int>
    let isJSON: Bool
  }

  struct SchemaWords: Sendable {
    let title: Range<Int>
    /// Beside the command.
    let meaning: Range<Int>
    let command: UInt8?
    let role: StreamRole
  }

  struct Labels: Sendable {
    var command = 0..<0
    var length = 0..<0
    var spare = 0..<0
    var data = 0..<0
  }

  init(_ catalog: Catalog) {
    var text: [UInt8] = []
    func add(_ piece: String) -> Range<Int> {
      let start = text.count
      text += piece.utf8
      return start..<text.count
    }
    labels = Labels(command: add("command"), length: add("length"), spare: add("spare bytes"), data: add("data"))
    unknownItem = add(": not documented, ")
    for (index, field) in catalog.fields.enumerated() {
      let length = catalog.lengthNames[UInt16(index)].map { add($0.title) } ?? labels.length
      fields.append(FieldWords(title: add(field.name.title), length: length, isJSON: field.isJSON))
    }
    items = catalog.items.map { add(": " + $0.name.split(separator: "-").joined(separator: " ") + ", ") }
    schemas = catalog.schemas.map { schema in
      SchemaWords(
        title: add(schema.title), meaning: add(schema.title.lowercased()), command: schema.command?.rawValue,
        role: schema.role)
    }
    self.text = text
  }

  /// What frames from `role` are that begin with `command`.
  func meaning(of command: UInt8, from role: StreamRole?) -> Range<Int> {
    for schema in schemas where schema.command == command && schema.role == role { return schema.meaning }
    return 0..<0
  }

  /// The label of a value.
  func title(of leaf: FieldRef) -> Range<Int> {
    leaf.field == FieldRef.none ? labels.data : fields[Int(leaf.field)].title
  }

  func title(ofLengthBefore leaf: FieldRef) -> Range<Int> {
    leaf.field == FieldRef.none ? labels.length : fields[Int(leaf.field)].length
  }
}
