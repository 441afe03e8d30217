/// A catalog as flat tables of trivial values. Framing and the field walk read these instead of the schemas.
@usableFromInline
struct Plan: Sendable {
  /// The schema index by role and first byte, or ``FrameRef/noSchema``.
  @usableFromInline var starts = [UInt8]()
  /// The steps of schema `i` are `steps[bounds[i] ..< bounds[i + 1]]`, one for each part.
  @usableFromInline var bounds: [Int] = [0]
  @usableFromInline var steps: [Step] = []
  /// 256 entries for each list: an index into `itemSteps`, or ``FieldRef/none``.
  @usableFromInline var itemTable: [UInt16] = []
  @usableFromInline var itemSteps: [ItemStep] = []

  @usableFromInline init() {}

  @inlinable
  func schema(startingWith byte: UInt8, role: StreamRole) -> UInt8 {
    let slot = Int(role.rawValue) << 8 | Int(byte)
    return slot < starts.count ? starts[slot] : FrameRef.noSchema
  }

  /// One part of a frame.
  @frozen @usableFromInline
  struct Step: BitwiseCopyable, Sendable {
    /// The size in bytes of the value, or of its length if `isCounted`.
    @usableFromInline let width: Int
    @usableFromInline let isCounted: Bool
    @usableFromInline let field: UInt16
    /// The index of the list that the content is, or `none`.
    @usableFromInline let list: UInt16
    /// The least number of bytes in later parts.
    @usableFromInline var tail = 0
    /// Whether a later part has a length, so that the frame's end is not known yet.
    @usableFromInline var hasLaterLength = false
  }

  @frozen @usableFromInline
  struct ItemStep: BitwiseCopyable, Sendable {
    /// The documented size of the data in bytes; negative if any size is valid.
    @usableFromInline let size: Int
    @usableFromInline let field: UInt16
    @usableFromInline let list: UInt16
  }
}

struct PlanCompiler {
  private(set) var plan = Plan()
  private(set) var fields: [Field] = []
  private(set) var items: [Item] = []
  /// The name of the length before a counted field, by field index.
  private(set) var lengthNames: [UInt16: FrameSchema.Name] = [:]
  private var names: Set<String> = []
  private var roles: [String: StreamRole] = [:]

  mutating func add(_ schema: FrameSchema) throws(CatalogError) {
    guard names.insert(schema.name).inserted else { throw CatalogError("two frame types are called \(schema.name)") }
    guard roles.updateValue(schema.role, forKey: schema.roleName) ?? schema.role == schema.role else {
      throw CatalogError("\(schema.name): another role is called \(schema.roleName)")
    }
    try schema.check()
    let index = plan.bounds.count - 1
    guard index < Int(FrameRef.noSchema) else {
      throw CatalogError("a catalog holds at most \(FrameRef.noSchema) frame types")
    }
    try claimFirstByte(of: schema, for: UInt8(index))

    for part in schema.parts { plan.steps.append(try step(part, of: schema)) }
    plan.bounds.append(plan.steps.count)
    guard plan.steps.count > plan.bounds[index] else { throw CatalogError("\(schema.name) has no bytes") }
    for step in (plan.bounds[index]..<plan.steps.count - 1).reversed() {
      let next = plan.steps[step + 1]
      plan.steps[step].tail = next.width + next.tail
      plan.steps[step].hasLaterLength = next.isCounted || next.hasLaterLength
    }
  }

  private mutating func claimFirstByte(of schema: FrameSchema, for index: UInt8) throws(CatalogError) {
    let row = Int(schema.role.rawValue) << 8
    while plan.starts.count <= row { plan.starts += [UInt8](repeating: FrameRef.noSchema, count: 256) }
    let bytes = schema.command.map { Int($0.rawValue)...Int($0.rawValue) } ?? 0...255
    for byte in bytes {
      guard plan.starts[row + byte] == FrameRef.noSchema else {
        throw CatalogError("\(schema.name): another frame type of the \(schema.roleName) starts with the byte \(byte)")
      }
      plan.starts[row + byte] = index
    }
  }

  private mutating func step(
    _ part: FrameSchema.Part, of schema: FrameSchema
  ) throws(CatalogError) -> Plan.Step {
    guard let field = part.field else {
      return Plan.Step(width: 1, isCounted: false, field: FieldRef.none, list: FieldRef.none)
    }
    let index = try register(field, in: schema.name)
    lengthNames[index] = part.lengthName
    return Plan.Step(
      width: field.size ?? part.lengthWidth, isCounted: part.lengthName != nil, field: index,
      list: try registerList(of: field, in: schema.name, depth: 1))
  }

  /// The time to prepare names for filters grows with the square of the number of fields.
  private static let mostFields = 600
  /// ``FieldRef/depth`` is a byte. No known protocol nests its lists.
  private static let deepestList = 128

  private mutating func register(_ field: Field, in place: String) throws(CatalogError) -> UInt16 {
    try field.check(in: place)
    guard fields.count < Self.mostFields else {
      throw CatalogError("a catalog holds at most \(Self.mostFields) fields")
    }
    fields.append(field)
    return UInt16(fields.count - 1)
  }

  private mutating func registerList(of field: Field, in place: String, depth: Int) throws(CatalogError) -> UInt16 {
    guard case .items(let rows) = field.content else { return FieldRef.none }
    guard depth <= Self.deepestList else {
      throw CatalogError("\(place): lists are nested more than \(Self.deepestList) deep")
    }
    let list = plan.itemTable.count / 256
    plan.itemTable += [UInt16](repeating: FieldRef.none, count: 256)
    for item in rows {
      let slot = list * 256 + Int(item.id.rawValue)
      plan.itemTable[slot] = UInt16(items.count)
      items.append(item)
      // Append the row before compiling its own list, so that the indices of `items` and `itemSteps` agree.
      plan.itemSteps.append(Plan.ItemStep(size: -1, field: FieldRef.none, list: FieldRef.none))
      let own = plan.itemSteps.count - 1
      let place = "\(place), item \(item.name)"
      let field = try register(item.field, in: place)
      plan.itemSteps[own] = Plan.ItemStep(
        size: item.field.size ?? -1, field: field, list: try registerList(of: item.field, in: place, depth: depth + 1))
    }
    return UInt16(list)
  }
}
