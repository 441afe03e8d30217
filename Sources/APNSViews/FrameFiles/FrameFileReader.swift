import APNSPayload
import APNSQuery
import APNSWire
import Octets

/// Reads a ``FrameFile``.
struct FrameFileReader {
  private let text: [UInt8]
  private let root: JSONValue
  private var roles: [StreamRole: String]

  init(_ text: [UInt8], _ roles: [StreamRole: String]) throws(FrameFileError) {
    self.text = text
    self.roles = roles
    do throws(JSONError) { root = try JSONValue(text.span, range: 0..<text.count) } catch {
      throw FrameFileError("this is not JSON: \(error.code.rawValue)", at: error.offset, in: text)
    }
  }

  mutating func read() throws(FrameFileError) -> FrameFile {
    var file = try FrameFileObject(root, "the file", text)
    guard let version = try file.integer("apnscope_frames", 0...Int.max) else { throw file.missing("apnscope_frames") }
    guard version == FrameFile.version else {
      throw file.error("apnscope_frames", "is \(version); this version reads \(FrameFile.version)")
    }
    _ = try file.string("$schema")
    var additions: [FrameFile.Addition] = []
    for value in try file.array("frames") ?? [] {
      additions.append(FrameFile.Addition(.frame(try schema(value)), at: value.range.lowerBound))
    }
    for value in try file.array("items") ?? [] {
      var object = try FrameFileObject(value, "an item", text)
      guard let frame = try object.string("frame") else { throw object.missing("frame") }
      let item = try item(&object, reference: Self.defaultReference)
      additions.append(FrameFile.Addition(.item(item, of: frame), at: value.range.lowerBound))
    }
    try file.finish()
    return FrameFile(text, additions)
  }

  private static let defaultReference = "a file of frame types"

  private mutating func schema(_ value: JSONValue) throws(FrameFileError) -> FrameSchema {
    var object = try FrameFileObject(value, "a frame", text)
    let name = try object.name("name")
    let roleName = try object.name("role")
    guard roleName != "auto" else { throw object.error("role", "is \"auto\", which --role uses itself") }
    let command = try object.integer("command", 0...255).map { Command(rawValue: UInt8($0)) }
    guard let fields = try object.array("fields") else { throw object.missing("fields") }
    var parts: [FrameSchema.Part] = []
    for field in fields { parts.append(try part(field)) }
    let schema = FrameSchema(
      name, title: try object.string("title") ?? name, role: try role(roleName, object), roleName: roleName,
      command: command, parts: parts, reference: try object.string("reference") ?? Self.defaultReference,
      since: try object.edition("since") ?? .year2009)
    try object.finish()
    return schema
  }

  /// The role of this name, a new one if need be.
  private mutating func role(_ name: String, _ object: FrameFileObject) throws(FrameFileError) -> StreamRole {
    if let known = roles.first(where: { $0.value == name }) { return known.key }
    let near = suggestion(name, roles.values.sorted())
    guard near.isEmpty else { throw object.error("role", "is \"\(printable(name))\"\(near)") }
    let next = (roles.keys.map(\.rawValue).max() ?? 0) + 1
    guard next < Self.mostRoles else { throw object.error("role", "is one of more than \(Self.mostRoles); use fewer") }
    let role = StreamRole(rawValue: next)
    roles[role] = name
    return role
  }

  /// A catalog keeps a table for each.
  private static let mostRoles: UInt8 = 32

  private func part(_ value: JSONValue) throws(FrameFileError) -> FrameSchema.Part {
    var object = try FrameFileObject(value, "a field", text)
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
    let name = try object.optionalName("length_name") ?? field.name.member + "_length"
    let title = try object.string("length_title") ?? name.replacing("_", with: " ")
    try object.finish()
    return .counted(field, by: count, length: FrameSchema.Name(name, title))
  }

  private func field(_ object: inout FrameFileObject) throws(FrameFileError) -> Field {
    let name = try object.name("name")
    let title = try object.string("title") ?? name.replacing("_", with: " ")
    let plausible = try object.range("plausible")
    let usual = try object.integer("usual", 0...FrameFileObject.largestSize)
    let role = try object.choice("role", Field.Role.names) ?? .other
    let content = try content(&object)
    return Field(name, title, content, role: role, plausible: plausible, usual: usual)
  }

  private func content(_ object: inout FrameFileObject) throws(FrameFileError) -> Field.Content {
    enum Kind { case integer, octets, text, json, items }
    let kinds: [(String, Kind)] = [
      ("integer", .integer), ("octets", .octets), ("text", .text), ("json", .json), ("items", .items),
    ]
    guard let kind = try object.choice("type", kinds) else { throw object.missing("type") }
    switch kind {
    case .octets: return .octets
    case .text: return .text
    case .json: return .json
    case .integer:
      guard let bytes = try object.integer("bytes", 1...8) else { throw object.missing("bytes") }
      let meaning = try meaning(&object)
      if case .code(let codes, _) = meaning, bytes < 8, let code = codes.keys.max(), code >> (8 * UInt64(bytes)) > 0 {
        throw object.error("codes", "has \(code), which does not fit into \(plural(bytes, "byte"))")
      }
      return .integer(bytes: bytes, meaning)
    case .items:
      guard let values = try object.array("items") else { throw object.missing("items") }
      var items: [Item] = []
      for value in values {
        var item = try FrameFileObject(value, "an item", text)
        items.append(try self.item(&item))
      }
      return .items(items)
    }
  }

  private func meaning(_ object: inout FrameFileObject) throws(FrameFileError) -> Field.Meaning {
    enum Kind { case number, identifier, unixSeconds, code }
    let kinds: [(String, Kind)] = [
      ("number", .number), ("identifier", .identifier), ("unix-seconds", .unixSeconds), ("code", .code),
    ]
    let codes = try object.codes("codes")
    switch try object.choice("meaning", kinds) ?? (codes == nil ? .number : .code) {
    case .number: return .number
    case .identifier: return .identifier
    case .unixSeconds: return .unixSeconds(zero: try object.string("zero") ?? "1970")
    case .code:
      guard let codes else { throw object.missing("codes") }
      return .code(codes, named: try object.bool("named") ?? true)
    }
  }

  /// - Parameter reference: The default; nil is that of the frame type.
  private func item(_ object: inout FrameFileObject, reference: String? = nil) throws(FrameFileError) -> Item {
    guard let id = try object.integer("id", 0...255) else { throw object.missing("id") }
    let name = try object.name("name")
    guard let value = try object.value("field") else { throw object.missing("field") }
    var member = try FrameFileObject(value, "a field", text)
    let field = try field(&member)
    try member.finish()
    enum Kind { case required, optional, any }
    let kinds: [(String, Kind)] = [("required", .required), ("optional", .optional), ("any", .any)]
    let requiredSince = try object.edition("required_since")
    let occurrence: Item.Occurrence =
      switch try object.choice("occurs", kinds) ?? .optional {
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

  /// Each with its name.
  static var names: [(String, Field.Role)] { allCases.map { ($0.name, $0) } }
}

/// An object in a file of frame types: each member is read once, and what is left over is an error.
struct FrameFileObject {
  /// The largest size in bytes that a file may state.
  static let largestSize = Int(Int32.max)

  private let what: String
  private let text: [UInt8]
  private let range: Range<Int>
  private let members: [JSONValue.Member]
  private var known: Set<String> = []

  /// - Parameter what: A noun for messages, such as "a field".
  init(_ value: JSONValue, _ what: String, _ text: [UInt8]) throws(FrameFileError) {
    guard case .object(let members) = value.content else {
      throw FrameFileError("\(what) is an object in braces", at: value.range.lowerBound, in: text)
    }
    (self.what, self.text, range, self.members) = (what, text, value.range, members)
    var names: Set<String> = []
    for member in members where !names.insert(member.key).inserted {
      throw FrameFileError("duplicate member \"\(printable(member.key))\"", at: member.keyRange.lowerBound, in: text)
    }
  }

  mutating func value(_ name: String) throws(FrameFileError) -> JSONValue? {
    known.insert(name)
    return members.first { $0.key == name }?.value
  }

  mutating func string(_ name: String) throws(FrameFileError) -> String? {
    guard let value = try value(name) else { return nil }
    guard case .string(let bytes?) = value.content else { throw error(name, "must be a string") }
    let text = String(decoding: bytes, as: UTF8.self)
    // Titles and words are shown on terminals.
    guard printable(text) == text else { throw error(name, "has a control character") }
    return text
  }

  /// A name that records, filters and shells can use.
  mutating func name(_ member: String) throws(FrameFileError) -> String {
    guard let name = try optionalName(member) else { throw missing(member) }
    return name
  }

  mutating func optionalName(_ member: String) throws(FrameFileError) -> String? {
    guard let name = try string(member) else { return nil }
    let isName = name.utf8.first.map { ("a"..."z").contains(Character(UnicodeScalar($0))) } ?? false
    let characters = "abcdefghijklmnopqrstuvwxyz0123456789_-".utf8
    guard isName, name.utf8.allSatisfy({ characters.contains($0) }) else {
      throw error(member, "must consist of small letters, digits, \"-\" and \"_\", such as \"batch-ack\"")
    }
    return name
  }

  mutating func integer(_ name: String, _ range: ClosedRange<Int>) throws(FrameFileError) -> Int? {
    guard let value = try value(name) else { return nil }
    guard case .number(let digits) = value.content, let number = Int(String(decoding: digits, as: UTF8.self)),
      range.contains(number)
    else {
      throw error(
        name, range.upperBound == .max ? "must be a whole number" : "must be \(range.lowerBound) to \(range.upperBound)"
      )
    }
    return number
  }

  mutating func bool(_ name: String) throws(FrameFileError) -> Bool? {
    guard let value = try value(name) else { return nil }
    guard case .bool(let bool) = value.content else { throw error(name, "must be true or false") }
    return bool
  }

  mutating func array(_ name: String) throws(FrameFileError) -> [JSONValue]? {
    guard let value = try value(name) else { return nil }
    guard case .array(let values) = value.content else { throw error(name, "must be a list in brackets") }
    return values
  }

  mutating func choice<Value>(_ name: String, _ choices: [(String, Value)]) throws(FrameFileError) -> Value? {
    guard let word = try string(name) else { return nil }
    guard let choice = choices.first(where: { $0.0 == word }) else {
      let names = choices.map(\.0)
      let near = suggestion(word, names)
      throw error(
        name, "is \"\(printable(word))\"\(near.isEmpty ? "; write one of \(names.joined(separator: ", "))" : near)")
    }
    return choice.1
  }

  mutating func edition(_ name: String) throws(FrameFileError) -> Edition? {
    guard let year = try integer(name, 0...Int.max) else { return nil }
    guard let edition = Edition(rawValue: year) else {
      let years = Edition.allCases.map { String($0.rawValue) }.joined(separator: ", ")
      throw error(name, "is \(year), which is no edition; write one of \(years)")
    }
    return edition
  }

  /// Sizes in bytes, as a list of the least and the most.
  mutating func range(_ name: String) throws(FrameFileError) -> ClosedRange<Int>? {
    guard let values = try array(name) else { return nil }
    let numbers = values.compactMap { value in
      if case .number(let digits) = value.content { Int(String(decoding: digits, as: UTF8.self)) } else { nil }
    }
    guard values.count == 2, numbers.count == 2, 0 <= numbers[0], numbers[0] <= numbers[1],
      numbers[1] <= Self.largestSize
    else {
      throw error(name, "must be the least and the most, such as [1, 100]")
    }
    return numbers[0]...numbers[1]
  }

  /// Words for values.
  mutating func codes(_ name: String) throws(FrameFileError) -> [UInt64: String]? {
    guard let value = try value(name) else { return nil }
    guard case .object = value.content else { throw error(name, "must be an object, such as {\"0\": \"ok\"}") }
    var object = try FrameFileObject(value, "codes", text)
    var codes: [UInt64: String] = [:]
    for member in object.members {
      guard let code = UInt64(member.key) else {
        throw object.error(member.key, "must be a number in quotes, such as \"0\"")
      }
      codes[code] = try object.string(member.key)
    }
    return codes
  }

  /// Refuses members that were not read.
  func finish() throws(FrameFileError) {
    guard let other = members.first(where: { !known.contains($0.key) }) else { return }
    throw error(other.key, "does not belong to \(what)\(suggestion(other.key, known.sorted()))")
  }

  func missing(_ name: String) -> FrameFileError {
    let similar = members.map(\.key).first { !known.contains($0) && !suggestion($0, [name]).isEmpty }
    let hint = similar.map { ", not \"\(printable($0))\"" } ?? ""
    return FrameFileError("\(what) needs a member \"\(name)\"\(hint)", at: range.lowerBound, in: text)
  }

  func error(_ name: String, _ problem: String) -> FrameFileError {
    let member = members.first { $0.key == name }
    return FrameFileError(
      "member \"\(printable(name))\" \(problem)", at: member?.keyRange.lowerBound ?? range.lowerBound, in: text)
  }
}
