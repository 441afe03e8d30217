/// THE registry: which frame types there are, compiled so that framing and the field walk never allocate.
public struct Catalog: Sendable {
  @usableFromInline let tables: Tables

  public var schemas: [FrameSchema] { tables.schemas }
  /// Every field of every schema and item, in the order of ``FieldRef/field``.
  public var fields: [Field] { tables.fields }
  /// Every item of every list, in the order of ``FieldRef/item``.
  public var items: [Item] { tables.items }
  /// By index in ``fields``: what the length before a value of the frame itself is called.
  package var lengthNames: [UInt16: FrameSchema.Name] { tables.lengthNames }
  /// In the order of ``fields``.
  package var expectations: [Expectation] { tables.expectations }
  /// In the order of ``fields``.
  package var fieldRoles: [Field.Role] { tables.fieldRoles }

  /// A class, since catalogs are copied for each frame.
  @usableFromInline final class Tables: Sendable {
    let schemas: [FrameSchema]
    @usableFromInline let fields: [Field]
    let items: [Item]
    let lengthNames: [UInt16: FrameSchema.Name]
    @usableFromInline let plan: Plan
    let expectations: [Expectation]
    let fieldRoles: [Field.Role]

    init(_ schemas: [FrameSchema], _ compiler: PlanCompiler) {
      self.schemas = schemas
      fields = compiler.fields
      items = compiler.items
      lengthNames = compiler.lengthNames
      plan = compiler.plan
      expectations = compiler.fields.map { Expectation($0) }
      fieldRoles = compiler.fields.map(\.role)
    }
  }

  /// The types Apple documented. A new frame type is one file beside these and one line here.
  public static let standard = Catalog([
    LegacyNotification.schema,
    EnhancedNotification.schema,
    Notification.schema,
    ErrorResponse.schema,
    FeedbackTuple.schema,
  ])

  /// - Precondition: the types go together, as ``init(validating:)`` checks.
  public init(_ schemas: [FrameSchema]) {
    do throws(CatalogError) { try self.init(validating: schemas) } catch { preconditionFailure("\(error)") }
  }

  /// Frame types from outside. Names are different, and so are the commands of one role; a role has at most one type
  /// without a command byte; no field hides a member that every record has.
  public init(validating schemas: [FrameSchema]) throws(CatalogError) {
    var compiler = PlanCompiler()
    for schema in schemas { try compiler.add(schema) }
    tables = Tables(schemas, compiler)
  }

  /// This catalog with one more type, or with another type of the same name in its place.
  public func adding(_ schema: FrameSchema) -> Catalog {
    Catalog(schemas.filter { $0.name != schema.name } + [schema])
  }

  /// The frame type of that name.
  public subscript(name: String) -> FrameSchema? {
    schemas.first { $0.name == name }
  }

  /// The type of a frame, nil where its first byte names none.
  public func schema(of frame: FrameRef) -> FrameSchema? {
    frame.schema == FrameRef.noSchema ? nil : schemas[Int(frame.schema)]
  }

  /// The field a leaf belongs to; nil for commands, item headers, unknown items and unclaimed bytes.
  public func field(of leaf: FieldRef) -> Field? {
    leaf.field == FieldRef.none ? nil : fields[Int(leaf.field)]
  }

  /// What the length before a value of the frame itself is called; nil for values without one.
  public func lengthName(of leaf: FieldRef) -> FrameSchema.Name? {
    lengthNames[leaf.field]
  }

  /// The item a leaf belongs to; nil outside items and for unknown ids.
  public func item(of leaf: FieldRef) -> Item? {
    leaf.item == FieldRef.none ? nil : items[Int(leaf.item)]
  }

  /// Whether a frame of `role` may begin with `byte`.
  public func knows(_ byte: UInt8, from role: StreamRole) -> Bool {
    tables.plan.schema(startingWith: byte, role: role) != FrameRef.noSchema
  }

  /// A type of any role begins with this byte.
  package func isCommand(_ byte: UInt8) -> Bool { schemas.contains { $0.command?.rawValue == byte } }

  /// The roles of its types, in the order of their first type.
  public var roles: [StreamRole] {
    schemas.reduce(into: []) { if !$0.contains($1.role) { $0.append($1.role) } }
  }

  /// Whether frames of `role` begin with a command byte.
  public func hasCommands(_ role: StreamRole) -> Bool {
    schemas.contains { $0.role == role && $0.command != nil }
  }
}
