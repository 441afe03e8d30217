import Octets

/// Frame types that are invalid or cannot be used together.
public struct CatalogError: Error, Sendable, Hashable, CustomStringConvertible {
  /// One sentence that names the frame type and the problem.
  public let description: String

  package init(_ description: String) { self.description = description }
}

/// Throws an error that states the problem unless the condition holds.
func require(_ condition: Bool, _ problem: @autoclosure () -> String) throws(CatalogError) {
  if !condition { throw CatalogError(problem()) }
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

  /// Checks that the names in one frame are distinct, and that each field has either a size or a length. Each field is
  /// checked when it is compiled.
  func check() throws(CatalogError) {
    try require(!Self.recordTypes.contains(name), "\(name): records of another type are called so")
    try checkNames()
    var members: Set<String> = []
    for (index, part) in parts.enumerated() {
      var names = part.field?.members ?? []
      switch part {
      case .command:
        try require(
          index == 0 && command != nil, "\(name): the command byte always comes first; leave it out of the parts")
      case .fixed(let field):
        try require(field.size != nil, "\(name): \(field.name.member) needs a length before it")
      case .counted(let field, let width, let length):
        try require(field.size == nil, "\(name): \(field.name.member) has a size, so it needs no length before it")
        try require(
          Part.Count(rawValue: width) != nil,
          "\(name): \(length.member) is a length of \(width) bytes; it must have 1, 2 or 4")
        names.append(length.member)
      }
      for member in names {
        try require(!Self.recordMembers.contains(member), "\(name): every record has a member called \(member)")
        try require(members.insert(member).inserted, "\(name): two fields are called \(member)")
      }
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

  /// The largest size in bytes that ``plausible`` and ``usual`` may state, because ``FrameLayouts`` keeps sizes in 32
  /// bits.
  package static let largestSize = Int(Int32.max)

  /// Checks that its numbers fit, that its content is that of its role, and that the names and ids of its items are
  /// distinct.
  func check(in place: String) throws(CatalogError) {
    try require(isOfRole, "\(place): \(name.member) does not have the content of its role, \(role)")
    for size in [plausible?.lowerBound, plausible?.upperBound, usual].compactMap(\.self) {
      try require(
        0...Self.largestSize ~= size,
        "\(place): \(name.member) cannot have \(size) bytes; write 0 to \(Self.largestSize)")
    }
    if case .integer(let size, let meaning) = content {
      try require(1...8 ~= size, "\(place): \(name.member) is a number of \(size) bytes; it must have 1 to 8")
      if case .code(let names, _) = meaning, let code = names.keys.max(), code > UInt64.max >> UInt64(64 - size * 8) {
        throw CatalogError("\(place): the code \(code) of \(name.member) does not fit into \(plural(size, "byte"))")
      }
    }
    guard case .items(let items) = content else { return }
    var ids: Set<ItemID> = []
    var names: Set<String> = []
    for item in items {
      try require(ids.insert(item.id).inserted, "\(place): two items have the id \(item.id.rawValue)")
      try require(names.insert(item.name).inserted, "\(place): two items are called \(item.name)")
      if let name = item.field.members.first(where: { Self.itemMembers.contains($0) }) {
        throw CatalogError("\(place), item \(item.name): every item has a member called \(name)")
      }
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
