/// Frame types that cannot be read or written together: one sentence that names them.
public struct CatalogError: Error, Sendable, Hashable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

extension FrameSchema {
  /// Names that every record has beside the fields of its frame, in NDJSON and for filters. A field of the same name would
  /// hide one.
  package static let recordMembers: Set<String> = [
    "schema", "type", "command", "offset", "length", "condition", "needed", "rest", "hex", "reason", "missing", "at",
    "number", "stream", "from", "to", "direction", "packet", "packets", "time", "file", "role", "item", "finding",
    "findings",
  ]

  /// Names in one frame are different ones, and values are what their roles take them for.
  func check() throws(CatalogError) {
    var members: Set<String> = []
    for part in parts {
      var names = part.field.map { [$0.name.member] } ?? []
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
  fileprivate func check(in place: String) throws(CatalogError) {
    guard isOfRole else { throw CatalogError("\(place): \(name.member) has not the content of its role, \(role)") }
    if let size, !(1...8).contains(size) { throw CatalogError("\(place): \(name.member) is a number of \(size) bytes") }
    guard case .items(let items) = content else { return }
    var ids: Set<ItemID> = []
    var names: Set<String> = []
    for item in items {
      if !ids.insert(item.id).inserted { throw CatalogError("\(place): two items have the id \(item.id.rawValue)") }
      if !names.insert(item.name).inserted { throw CatalogError("\(place): two items are called \(item.name)") }
      try item.field.check(in: "\(place), item \(item.name)")
    }
  }

  /// The content is the one that ``Role`` names.
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
