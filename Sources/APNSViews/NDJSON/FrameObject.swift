import APNSInput
import APNSWire

// Frames and items out of their objects: the other way of `FrameMembers`.
extension RecordObject {
  mutating func draft(of schema: FrameSchema) throws(ReadError) -> FrameDraft {
    var draft = FrameDraft(schema)
    if let command = try integer("command") {
      guard schema.command != nil, let byte = UInt8(exactly: command) else {
        throw error("command", "is no command byte of \(schema.name)")
      }
      draft.command = Command(rawValue: byte)
    }
    draft.isPartial = try word("condition", oneOf: ["truncated", "malformed"]) != nil
    ignore(["needed"])
    draft.rest = try hex("rest") ?? []
    for part in schema.parts {
      switch part {
      case .command: break
      case .fixed(let field):
        draft.values[field.name.member] = try value(of: field)
      case .counted(let field, let width, let length):
        let value = try value(of: field)
        draft.values[field.name.member] = value
        draft.lengths[length.member] = try integer(length.member, bytes: width)
        if draft.lengths[length.member] == nil { try check(value, of: field, length: length.member, bytes: width) }
      }
    }
    return draft
  }

  /// The value of a field under its own name, or under `<name>_hex` if it is text that is not UTF-8.
  private mutating func value(of field: Field) throws(ReadError) -> FieldDraft? {
    let name = field.name.member
    switch field.content {
    case .integer(let bytes, let meaning):
      if case .code(_, named: true) = meaning { ignore([name + "_name"]) }
      return try integer(name, bytes: bytes).map { .integer($0) }
    case .octets:
      return try hex(name).map { .octets($0) }
    case .text, .json:
      try exclude(name, with: name + "_hex")
      let exact = try hex(name + "_hex")
      let written = if case .json = field.content { try json(name) } else { try text(name) }
      return (exact ?? written).map { .octets($0) }
    case .items(let rows):
      return try objects(name) { (object: inout RecordObject) throws(ReadError) in try object.item(rows) }
        .map { .items($0) }
    }
  }

  private mutating func item(_ rows: [Item]) throws(ReadError) -> ItemDraft {
    guard let id = try integer("id", bytes: 1) else {
      let headers = ["name", "data", "data_length", "rest"]
      try finish(knowing: headers + rows.flatMap { $0.field.members })
      throw error("id", "is missing")
    }
    var item = ItemDraft(ItemID(rawValue: UInt8(truncatingIfNeeded: id)), data: nil)
    item.length = try integer("data_length", bytes: 2)
    item.rest = try hex("rest") ?? []
    ignore(["name"])
    let field = rows.first { $0.id == item.id }?.field
    if let field {
      for member in field.members { try exclude(member, with: "data") }
      item.data = try value(of: field)
    }
    if let data = try hex("data") { item.data = .octets(data) }
    try finish()
    if item.data == nil, item.length == nil { throw error(field?.name.member ?? "data", "is missing") }
    if item.length == nil { try check(item.data, of: has("data") ? nil : field, length: "data_length", bytes: 2) }
    return item
  }

  /// A computed length must hold what it counts; where it does not, the value is too long.
  private func check(
    _ value: FieldDraft?, of field: Field?, length: String, bytes: Int
  ) throws(ReadError) {
    guard case .octets(let data)? = value else { return }
    let highest = UInt64.max >> UInt64(64 - bytes * 8)
    guard data.count > highest else { return }
    let member = field?.members.first { has($0) } ?? "data"
    let reason = EncodeError(.tooLong, field: length, value: UInt64(data.count), highest: highest).reason
    throw error(member, "is too long: \(length) \(reason)")
  }
}

extension Field {
  /// The names under which records may carry its value.
  fileprivate var members: [String] {
    switch content {
    case .text, .json: [name.member, name.member + "_hex"]
    case .integer, .octets, .items: [name.member]
    }
  }
}
