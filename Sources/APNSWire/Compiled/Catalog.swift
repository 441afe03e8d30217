/// The registry of frame types, compiled so that framing and the field walk never allocate.
public struct Catalog: Sendable {
  @usableFromInline let tables: Tables

  /// The frame types, in the order in which they were given.
  public var schemas: [FrameSchema] { tables.schemas }
  /// Every field of every frame type and item; ``FieldRef/field`` is an index into it.
  public var fields: [Field] { tables.plan.fields }
  /// Every item of every list; ``FieldRef/item`` is an index into it.
  public var items: [Item] { tables.plan.items }
  /// The name of the length before a field of the frame itself, by index in ``fields``.
  package var lengthNames: [UInt16: FrameSchema.Name] { tables.plan.lengthNames }
  /// The role and the plausible contents of each field, in the order of ``fields``.
  package var expectations: [Expectation] { tables.plan.expectations }

  /// A class, because catalogs are copied for each frame.
  @usableFromInline final class Tables: Sendable {
    let schemas: [FrameSchema]
    @usableFromInline let plan: Plan

    init(_ schemas: [FrameSchema]) throws(CatalogError) {
      self.schemas = schemas
      plan = try Plan(schemas)
    }
  }

  /// The five types that Apple documented. To add a frame type, add a file beside theirs and a line here.
  public static let standard = Catalog([
    LegacyNotification.schema,
    EnhancedNotification.schema,
    Notification.schema,
    ErrorResponse.schema,
    FeedbackTuple.schema,
  ])

  /// Creates a catalog of types that are known to be compatible.
  ///
  /// - Precondition: ``init(validating:)`` would not throw.
  package init(_ schemas: [FrameSchema]) {
    do throws(CatalogError) { try self.init(validating: schemas) } catch { preconditionFailure("\(error)") }
  }

  /// Creates a catalog of frame types from outside.
  ///
  /// - Throws: ``CatalogError`` if a type is invalid or if types conflict. A type is invalid if it has no bytes, a
  ///   command byte among its parts, or duplicate names or item ids. It is also invalid if one of its fields has
  ///   neither a size nor a length, or both; a number or a length of an impossible width; a size or a code that does
  ///   not fit; content that does not match its role; lists nested too deeply; or the name of a member that every
  ///   record has. Types conflict if they have the same name, or the same role and the same first byte. A type without
  ///   a command byte conflicts with all others of its role.
  public init(validating schemas: [FrameSchema]) throws(CatalogError) {
    tables = try Tables(schemas)
  }

  /// Returns a copy that includes `schema`. It replaces a type of the same name.
  ///
  /// - Precondition: the types are compatible, as for ``init(validating:)``.
  public func adding(_ schema: FrameSchema) -> Catalog {
    Catalog(schemas.filter { $0.name != schema.name } + [schema])
  }

  /// The frame type with this name, such as `enhanced-notification`; nil if there is none.
  package subscript(name: String) -> FrameSchema? { schemas.first { $0.name == name } }

  /// The index in ``schemas`` of a frame's type; nil if its bytes belong to no type of this catalog.
  package func index(of frame: FrameRef) -> Int? {
    schemas.indices.contains(Int(frame.schema)) ? Int(frame.schema) : nil
  }

  /// The type of a frame; nil if its bytes belong to no type of this catalog.
  public func schema(of frame: FrameRef) -> FrameSchema? { index(of: frame).map { schemas[$0] } }

  /// The field that a leaf belongs to; nil for commands, item headers, unknown items and unclaimed bytes.
  public func field(of leaf: FieldRef) -> Field? {
    fields.indices.contains(Int(leaf.field)) ? fields[Int(leaf.field)] : nil
  }

  /// The name of the length before a value of the frame itself; nil for values without one.
  package func lengthName(of leaf: FieldRef) -> FrameSchema.Name? { lengthNames[leaf.field] }

  /// The item that a leaf belongs to; nil outside items and for unknown ids.
  public func item(of leaf: FieldRef) -> Item? {
    items.indices.contains(Int(leaf.item)) ? items[Int(leaf.item)] : nil
  }

  /// The items of the lists in a frame type, without those of nested lists, as indices into ``items``.
  ///
  /// - Parameter type: an index in ``schemas``.
  package func items(ofType type: Int) -> [Int] {
    let plan = tables.plan
    return plan.steps[plan.bounds[type]..<plan.bounds[type + 1]].filter { $0.list != FieldRef.none }.flatMap { step in
      fields[Int(step.field)].rows.map { Int(plan.itemTable[Int(step.list) << 8 | Int($0.id.rawValue)]) }
    }
  }

  /// Whether a frame from `role` can begin with `byte`.
  package func knows(_ byte: UInt8, from role: StreamRole) -> Bool {
    tables.plan.schema(startingWith: byte, role: role) != FrameRef.noSchema
  }

  /// Whether a type of any role begins with this byte.
  package func isCommand(_ byte: UInt8) -> Bool { schemas.contains { $0.command?.rawValue == byte } }

  /// The roles of the frame types, each once, in order of first appearance.
  package var roles: [StreamRole] {
    schemas.reduce(into: []) { if !$0.contains($1.role) { $0.append($1.role) } }
  }

  /// The names of the roles of its types.
  public var roleNames: [StreamRole: String] {
    Dictionary(schemas.map { ($0.role, $0.roleName) }, uniquingKeysWith: { first, _ in first })
  }

  /// Whether `role` has frame types that begin with a command byte.
  package func hasCommands(_ role: StreamRole) -> Bool { schemas.contains { $0.role == role && $0.command != nil } }
}
