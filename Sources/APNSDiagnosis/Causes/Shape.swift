import APNSWire

/// A frame type in the form that causes can judge: numbers, a token, a payload; or a list of items with these in it. A type
/// of any other form is not judged. A class: searches copy it often.
final class Shape: Sendable {
  let schema: FrameSchema
  /// Of ``FrameRef/schema``.
  let index: UInt8
  let command: UInt8
  let body: Body
  let sketch: Sketch
  /// The fields of a frame, or of its items, in the order of ``ContentReading/Value/field``.
  let fields: [Field]

  enum Body: Sendable {
    case flat(Flat)
    case list(List)
  }

  /// Numbers of fixed sizes, then a token and a payload, each behind its length.
  struct Flat: Sendable {
    let fixed: [Field]
    let token: Field
    let tokenWidth: Int
    let payload: Field
    let payloadWidth: Int
    var fixedSize: Int { fixed.reduce(0) { $0 + ($1.size ?? 0) } }
  }

  /// Items behind the length of all of them.
  struct List: Sendable {
    let field: Field
    let width: Int
    let items: [Item]
    private let ids: [ItemID]

    init(field: Field, width: Int, items: [Item]) {
      self.field = field
      self.width = width
      self.items = items
      ids = items.map(\.id)
    }

    /// Without copying an item.
    func index(of id: ItemID) -> Int? { ids.firstIndex(of: id) }
  }

  /// Command byte and, of a list, its length.
  var headerSize: Int {
    switch body {
    case .flat: 1
    case .list(let list): 1 + list.width
    }
  }

  init?(_ schema: FrameSchema, index: UInt8) {
    guard let command = schema.command, let body = Self.body(of: schema.parts.dropFirst()) else { return nil }
    self.schema = schema
    self.index = index
    self.command = command.rawValue
    self.body = body
    sketch = Sketch(command: command.rawValue, body)
    switch body {
    case .flat(let flat): fields = flat.fixed + [flat.token, flat.payload]
    case .list(let list): fields = list.items.map(\.field)
    }
  }

  private static func body(of parts: ArraySlice<FrameSchema.Part>) -> Body? {
    if parts.count == 1, case .counted(let field, let width, _)? = parts.first, case .items(let items) = field.content {
      return .list(List(field: field, width: width, items: items))
    }
    var fixed: [Field] = []
    var parts = parts
    while case .fixed(let field)? = parts.first {
      fixed.append(field)
      parts.removeFirst()
    }
    guard parts.count == 2, case .counted(let token, let tokenWidth, _)? = parts.first, token.role == .token,
      case .counted(let payload, let payloadWidth, _)? = parts.last, payload.role == .payload
    else { return nil }
    return .flat(
      Flat(fixed: fixed, token: token, tokenWidth: tokenWidth, payload: payload, payloadWidth: payloadWidth))
  }

  /// Those of a catalog that a provider writes.
  static func all(of catalog: Catalog) -> [Shape] {
    catalog.schemas.indices.compactMap { index in
      let schema = catalog.schemas[index]
      return schema.role == .provider ? Shape(schema, index: UInt8(index)) : nil
    }
  }
}
