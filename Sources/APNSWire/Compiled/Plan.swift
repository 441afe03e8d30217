/// A catalog as flat tables. Framing and the field walk read these instead of the schemas.
@usableFromInline
struct Plan: Sendable {
  /// The schema index by role and first byte, or ``FrameRef/noSchema``.
  @usableFromInline private(set) var starts = [UInt8]()
  /// The steps of schema `i` are `steps[bounds[i] ..< bounds[i + 1]]`, one for each part.
  @usableFromInline private(set) var bounds: [Int] = [0]
  @usableFromInline private(set) var steps: [Step] = []
  /// The size in bytes of the shortest frame of each schema that a real sender could have written.
  private(set) var leastSizes: [Int] = []
  /// 256 entries for each list: an index into `items` and `itemSteps`, or ``FieldRef/none``.
  @usableFromInline private(set) var itemTable: [UInt16] = []
  @usableFromInline private(set) var itemSteps: [Step] = []
  private(set) var items: [Item] = []
  private(set) var fields: [Field] = []
  /// In the order of `fields`.
  private(set) var expectations: [Expectation] = []
  /// The name of the length before a counted field of the frame, by field index.
  private(set) var lengthNames: [UInt16: FrameSchema.Name] = [:]

  @inlinable
  func schema(startingWith byte: UInt8, role: StreamRole) -> UInt8 {
    let slot = Int(role.rawValue) << 8 | Int(byte)
    return slot < starts.count ? starts[slot] : FrameRef.noSchema
  }

  /// One part of a frame, or the data of an item.
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

    fileprivate static let command = Step(width: 1, isCounted: false, field: FieldRef.none, list: FieldRef.none)
  }
}

// MARK: - Compiling

extension Plan {
  init(_ schemas: [FrameSchema]) throws(CatalogError) {
    var names: Set<String> = []
    var roles: [String: StreamRole] = [:]
    for (index, schema) in schemas.enumerated() {
      try require(names.insert(schema.name).inserted, "two frame types are called \(schema.name)")
      let role = roles.updateValue(schema.role, forKey: schema.roleName) ?? schema.role
      try require(role == schema.role, "\(schema.name): another role is called \(schema.roleName)")
      try schema.check()
      try require(index < Int(FrameRef.noSchema), "a catalog holds at most \(FrameRef.noSchema) frame types")
      try claimFirstByte(of: schema, for: UInt8(index))
      try addSteps(of: schema)
    }
  }

  private mutating func claimFirstByte(of schema: FrameSchema, for index: UInt8) throws(CatalogError) {
    let row = Int(schema.role.rawValue) << 8
    while starts.count <= row { starts += [UInt8](repeating: FrameRef.noSchema, count: 256) }
    let bytes = schema.command.map { Int($0.rawValue)...Int($0.rawValue) } ?? 0...255
    for byte in bytes {
      try require(
        starts[row + byte] == FrameRef.noSchema,
        "\(schema.name): another frame type of the \(schema.roleName) starts with the byte \(byte)")
      starts[row + byte] = index
    }
  }

  private mutating func addSteps(of schema: FrameSchema) throws(CatalogError) {
    try require(!schema.parts.isEmpty, "\(schema.name) has no bytes")
    let first = steps.count
    for part in schema.parts {
      guard let field = part.field else {
        steps.append(.command)
        continue
      }
      let step = try step(field, lengthWidth: part.lengthWidth, in: schema.name, depth: 1)
      lengthNames[step.field] = part.lengthName
      steps.append(step)
    }
    bounds.append(steps.count)
    leastSizes.append(
      steps[first...].reduce(0) { $0 + $1.width + ($1.isCounted ? expectations[Int($1.field)].least : 0) })
    for step in (first..<steps.count - 1).reversed() {
      let next = steps[step + 1]
      steps[step].tail = next.width + next.tail
      steps[step].hasLaterLength = next.isCounted || next.hasLaterLength
    }
  }

  /// The time to prepare names for filters grows with the square of the number of fields.
  private static let mostFields = 600
  /// ``FieldRef/depth`` is a byte. No known protocol nests its lists.
  private static let deepestList = 128

  private mutating func step(
    _ field: Field, lengthWidth: Int, in place: String, depth: Int
  ) throws(CatalogError) -> Step {
    try field.check(in: place)
    try require(fields.count < Self.mostFields, "a catalog holds at most \(Self.mostFields) fields")
    let index = UInt16(fields.count)
    fields.append(field)
    expectations.append(Expectation(field))
    return try Step(
      width: field.size ?? lengthWidth, isCounted: field.size == nil, field: index,
      list: field.isList ? addList(field.rows, in: place, depth: depth) : FieldRef.none)
  }

  private mutating func addList(_ rows: [Item], in place: String, depth: Int) throws(CatalogError) -> UInt16 {
    try require(depth <= Self.deepestList, "\(place): lists are nested more than \(Self.deepestList) deep")
    let list = itemTable.count / 256
    itemTable += [UInt16](repeating: FieldRef.none, count: 256)
    for item in rows {
      let index = items.count
      itemTable[list << 8 | Int(item.id.rawValue)] = UInt16(index)
      items.append(item)
      // The items of its own list follow it.
      itemSteps.append(.command)
      itemSteps[index] = try step(
        item.field, lengthWidth: Item.headerSize - 1, in: "\(place), item \(item.name)", depth: depth + 1)
    }
    return UInt16(list)
  }
}
