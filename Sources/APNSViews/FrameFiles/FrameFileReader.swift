import APNSInput
import APNSPayload
import APNSQuery
import APNSWire

// Reads the objects of a file.
extension FrameFile {
  static let defaultReference = "a file of frame types"

  func schema(_ value: JSONValue) throws(ReadError) -> FrameSchema {
    var object = try JSONFileObject(value, "a frame", text)
    guard let name = try object.name("name") else { throw object.missing("name") }
    guard let roleName = try object.name("role") else { throw object.missing("role") }
    guard roleName != "auto" else { throw object.error("role", "is \"auto\", which --role uses itself") }
    let command = try object.integer("command", 0...255).map { Command(rawValue: UInt8($0)) }
    guard let fields = try object.array("fields") else { throw object.missing("fields") }
    let parts = try fields.map(part)
    let schema = FrameSchema(
      name, title: try object.string("title") ?? name, role: try role(roleName, object), roleName: roleName,
      command: command, parts: parts, reference: try object.string("reference") ?? Self.defaultReference,
      since: try object.edition("since") ?? .year2009)
    try object.finish()
    return schema
  }

  /// The role of this name, a new one if need be.
  private func role(_ name: String, _ object: JSONFileObject) throws(ReadError) -> StreamRole {
    // The file may have taken the place of the only type of a role.
    let roles = catalog.roleNames.merging(knownRoles) { $1 }
    if let role = roles.first(where: { $0.value == name }) { return role.key }
    let near = suggestion(name, knownRoles.values.sorted())
    guard near.isEmpty else { throw object.error("role", "is \"\(printable(name))\"\(near)") }
    let next = roles.keys.reduce(Int(StreamRole.feedback.rawValue)) { max($0, Int($1.rawValue)) } + 1
    guard next < Self.mostRoles else { throw object.error("role", "is one of more than \(Self.mostRoles); use fewer") }
    return StreamRole(rawValue: UInt8(next))
  }

  /// A catalog keeps a table for each.
  private static let mostRoles = 32

  private func part(_ value: JSONValue) throws(ReadError) -> FrameSchema.Part {
    var object = try JSONFileObject(value, "a field", text)
    let width = try object.integer("length_bytes", 1...4)
    let field = try field(&object)
    if FrameSchema.recordMembers.contains(field.name.member) {
      throw object.error("name", "is \"\(field.name.member)\", which records use themselves; choose another name")
    }
    guard let width else {
      guard field.size != nil else {
        throw object.error("type", "needs length_bytes: only an integer has a size of its own")
      }
      try object.finish()
      return .fixed(field)
    }
    guard field.size == nil else { throw object.error("length_bytes", "is not for an integer, which has a size") }
    guard let count = FrameSchema.Part.Count(rawValue: width) else {
      throw object.error("length_bytes", "must be 1, 2 or 4")
    }
    let name = try object.name("length_name") ?? field.name.member + "_length"
    let title = try object.string("length_title") ?? name.replacing("_", with: " ")
    try object.finish()
    return .counted(field, by: count, length: FrameSchema.Name(name, title))
  }

  private func field(_ object: inout JSONFileObject) throws(ReadError) -> Field {
    guard let name = try object.name("name") else { throw object.missing("name") }
    let title = try object.string("title") ?? name.replacing("_", with: " ")
    let plausible = try object.range("plausible", 0...Field.largestSize)
    let usual = try object.integer("usual", 0...Field.largestSize)
    let role = try object.choice("role", Field.Role.self) { $0.name } ?? .other
    let content = try content(&object)
    return Field(name, title, content, role: role, plausible: plausible, usual: usual)
  }

  private func content(_ object: inout JSONFileObject) throws(ReadError) -> Field.Content {
    enum Kind: CaseIterable { case integer, octets, text, json, items }
    guard let kind = try object.choice("type", Kind.self) else { throw object.missing("type") }
    switch kind {
    case .octets: return .octets
    case .text: return .text
    case .json: return .json
    case .integer:
      guard let bytes = try object.integer("bytes", 1...8) else { throw object.missing("bytes") }
      return .integer(bytes: bytes, try meaning(&object))
    case .items:
      guard let values = try object.array("items") else { throw object.missing("items") }
      return .items(
        try values.map { value throws(ReadError) in
          var item = try JSONFileObject(value, "an item", text)
          return try self.item(&item)
        })
    }
  }

  private func meaning(_ object: inout JSONFileObject) throws(ReadError) -> Field.Meaning {
    enum Kind: String, CaseIterable {
      case number, identifier
      case unixSeconds = "unix-seconds"
      case code
    }
    let codes = try object.codes("codes")
    switch try object.choice("meaning", Kind.self, \.rawValue) ?? (codes == nil ? .number : .code) {
    case .number: return .number
    case .identifier: return .identifier
    case .unixSeconds: return .unixSeconds(zero: try object.string("zero") ?? "1970")
    case .code:
      guard let codes else { throw object.missing("codes") }
      return .code(codes, named: try object.bool("named") ?? true)
    }
  }

  /// - Parameter reference: The default; nil is that of the frame type.
  func item(_ object: inout JSONFileObject, reference: String? = nil) throws(ReadError) -> Item {
    guard let id = try object.integer("id", 0...255) else { throw object.missing("id") }
    guard let name = try object.name("name") else { throw object.missing("name") }
    guard let value = try object.value("field") else { throw object.missing("field") }
    var member = try JSONFileObject(value, "a field", text)
    let field = try field(&member)
    try member.finish()
    enum Kind: CaseIterable { case required, optional, any }
    let requiredSince = try object.edition("required_since")
    let occurrence: Item.Occurrence =
      switch try object.choice("occurs", Kind.self) ?? .optional {
      case .required: .required(since: requiredSince ?? .year2009)
      case .optional: .optional
      case .any: .any
      }
    let item = Item(
      ItemID(rawValue: UInt8(id)), name, field, occurrence, since: try object.edition("since") ?? .year2009,
      reference: try object.string("reference") ?? reference)
    try object.finish()
    return item
  }
}

extension Field.Role {
  /// Its name in files of frame types.
  var name: String { String(describing: self) }
}
