/// Frame types that are invalid or cannot be used together.
public struct CatalogError: Error, Sendable, Hashable, CustomStringConvertible {
  /// One sentence that names the frame type and the problem.
  public let description: String

  package init(_ description: String) { self.description = description }
}

extension FrameSchema {
  /// Member names that every record has in NDJSON and in filters. A field with one of these names would hide the
  /// member.
  package static let recordMembers: Set<String> = [
    "schema", "type", "command", "offset", "length", "condition", "needed", "rest", "hex", "reason", "missing", "at",
    "number", "stream", "from", "to", "direction", "packet", "packets", "time", "file", "role", "item", "finding",
    "findings",
  ]

  /// Types of records that are not frames.
  private static let recordTypes: Set<String> = ["unparsed", "gap", "overlap"]

  /// Checks that the names in one frame are distinct and that each field has the content its role requires.
  func check() throws(CatalogError) {
    if Self.recordTypes.contains(name) { throw CatalogError("\(name): records of another type are called so") }
    try checkNames()
    var members: Set<String> = []
    for part in parts {
      var names = part.field?.members ?? []
      if case .counted(_, _, let length) = part { names.append(length.member) }
      for name in names {
        if Self.recordMembers.contains(name) {
          throw CatalogError("\(self.name): every record has a member called \(name)")
        }
        if !members.insert(name).inserted { throw CatalogError("\(self.name): two fields are called \(name)") }
      }
      try part.field?.check(in: self.name)
    }
  }
}

extension Field {
  /// Its members in records.
  fileprivate var members: [String] {
    switch content {
    case .text, .json: [name.member, name.member + "_hex"]
    case .integer(_, .code(_, named: true)): [name.member, name.member + "_name"]
    case .integer, .octets, .items: [name.member]
    }
  }

  /// Members that every item has in records.
  private static let itemMembers: Set<String> = ["id", "name", "data", "data_length"]

  fileprivate func check(in place: String) throws(CatalogError) {
    guard isOfRole else {
      throw CatalogError("\(place): \(name.member) does not have the content of its role, \(role)")
    }
    if let size, !(1...8).contains(size) { throw CatalogError("\(place): \(name.member) is a number of \(size) bytes") }
    guard case .items(let items) = content else { return }
    var ids: Set<ItemID> = []
    var names: Set<String> = []
    for item in items {
      if !ids.insert(item.id).inserted { throw CatalogError("\(place): two items have the id \(item.id.rawValue)") }
      if !names.insert(item.name).inserted { throw CatalogError("\(place): two items are called \(item.name)") }
      if let name = item.field.members.first(where: { Self.itemMembers.contains($0) }) {
        throw CatalogError("\(place), item \(item.name): every item has a member called \(name)")
      }
      try item.field.check(in: "\(place), item \(item.name)")
    }
  }

  /// Whether the content is the one that ``Role`` requires.
  private var isOfRole: Bool {
    switch (role, content) {
    case (.token, .octets), (.payload, .json), (.identifier, .integer(4, _)), (.expiry, .integer(4, .unixSeconds)),
      (.timestamp, .integer(4, .unixSeconds)), (.status, .integer(1, .code)), (.other, _):
      true
    case (.priority, .integer(1, .code(let names, _))): names[5] != nil && names[10] != nil
    default: false
    }
  }
}
