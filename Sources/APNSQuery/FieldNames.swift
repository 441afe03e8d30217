import APNSDiagnosis
import APNSPayload
import APNSWire

/// The single registry of field names for `-Y`, `-e`, completions and `explain --fields`. `--set` reads the same
/// `FrameSchema.namedParts`.
///
/// A name refers to its field in flat frames and in items alike.
public struct FieldNames: Sendable {
  /// The names of `Definitions.standard`.
  public static let standard = FieldNames(Definitions.standard)

  /// The frame types whose fields have names.
  public let catalog: Catalog
  /// All names: record members first, then the fields of frames in the order of the catalog.
  public let all: [FieldName]

  /// Collects the names from the frame types of a catalog, with the standard rules.
  public init(_ catalog: Catalog) { self.init(Definitions(catalog)) }

  /// Collects the names from the frame types of the definitions. `finding.rule` is one of their rules.
  public init(_ definitions: Definitions) {
    catalog = definitions.catalog
    let parts = catalog.schemas.map(\.namedParts)
    var fields: [FieldName] = []
    var seen: Set<String> = []
    for part in parts.joined() where !seen.contains(part.name.member) {
      for name in FieldName.names(of: part, among: parts, in: catalog) where seen.insert(name.name).inserted {
        fields.append(name)
      }
    }
    // If a frame type defines a field with the name of a record member, the field takes precedence.
    let members = RecordMember.allCases.map { FieldName($0, in: definitions) }
    all = members.filter { member in !fields.contains { $0.name == member.name } } + fields
  }

  /// The entry for a complete name; nil if there is none.
  public subscript(name: String) -> FieldName? {
    all.first { $0.name == name }
  }

  /// A reader for `name`, which may be a path into JSON: `payload.aps.badge`.
  /// - Throws: ``UnknownName`` if no frame type of the catalog has such a field.
  public func reader(for name: String) throws(UnknownName) -> FieldReader {
    if let field = self[name] { return FieldReader(field, path: [], catalog) }
    let steps = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard let field = self[steps[0]] else { throw UnknownName(name, near: all.map(\.name)) }
    guard case .json = field.kind else {
      throw UnknownName("\(field.name) has no members, so there is no \(name)")
    }
    guard !steps.contains("") else { throw UnknownName("\(name) has an empty part; write it as payload.aps.badge") }
    return FieldReader(field, path: steps.dropFirst().map { JSONPath.Step($0) }, catalog)
  }
}

/// An unknown field name. `description` is a clause that names it and suggests another.
public struct UnknownName: Error, Sendable, Hashable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }

  init(_ name: String, near names: [String]) {
    let head = String(name.prefix { $0 != "." })
    let hints = [
      Self.known(name, head, names), suggestion(name, names), suggestion(head, names),
      "; to list all fields, run apnscope explain --fields",
    ]
    description = "unknown field \"\(name)\"\(hints.first { !$0.isEmpty } ?? "")"
  }
}

extension UnknownName {
  /// The name that apnscope uses for a known alternative name.
  private static func known(_ name: String, _ head: String, _ names: [String]) -> String {
    if let whole = names.first(where: { $0.hasSuffix("." + name) }) { return "; use \"\(whole)\"" }
    let parts = names.filter { $0.hasPrefix("finding.") }
    if name == "findings" || name == "finding", !parts.isEmpty {
      return "; use one of " + parts.map { "\"\($0)\"" }.joined(separator: ", ")
    }
    if head == "aps" { return "; it is in the payload: \"payload.\(name)\"" }
    if PayloadKey.all.contains(where: { $0.container == .aps && $0.name == name }) {
      return "; it is in the payload: \"payload.aps.\(name)\""
    }
    return others[name].map { "; use \"\($0)\"" } ?? ""
  }

  /// Names used by tshark and others.
  private static let others = [
    "ip.src": "from", "ipv6.src": "from", "ip.dst": "to", "ipv6.dst": "to", "ip.addr": "from", "tcp.port": "from",
    "tcp.srcport": "from", "tcp.dstport": "to", "tcp.stream": "stream", "frame.number": "packet", "frame.time": "time",
    "frame.len": "length", "tcp.len": "length", "data": "hex", "device_token": "token", "expiration": "expiry",
  ]
}

/// A field name with its type and title.
public struct FieldName: Sendable {
  /// The name as users type it: `token_length`.
  public let name: String
  /// The type of its values.
  public let kind: Kind
  /// A description of the field.
  public let title: String
  /// The words for codes, in all frame types that have the field.
  let codes: [(word: String, code: UInt64)]
  let source: Source

  /// The type of a field's values, which decides how a filter compares them.
  public enum Kind: Sendable {
    /// An unsigned number with this many bytes.
    case number(bytes: Int, Field.Meaning)
    /// One of a closed set of words, represented by its number.
    case word([UInt64: String], isOrdered: Bool)
    /// UTF-8 text.
    case text
    /// Bytes, written as hexadecimal digits.
    case octets
    /// JSON text, which a path such as `payload.aps.badge` leads into.
    case json
    /// An address and a port.
    case endpoint
    /// The time at which a packet was captured, UTC.
    case time
  }

  enum Source: Sendable {
    case record(RecordMember)
    case leaves(LeafSelection)
  }

  fileprivate init(_ member: RecordMember, in definitions: Definitions) {
    name = member.rawValue
    kind = member.kind(in: definitions)
    title = member.title
    codes = []
    source = .record(member)
  }

  private init(
    _ name: FrameSchema.Name, _ kind: Kind, _ leaves: LeafSelection, _ codes: [(word: String, code: UInt64)] = []
  ) {
    self.name = name.member
    self.kind = kind
    self.title = name.title
    self.codes = codes
    self.source = .leaves(leaves)
  }

  /// The names of a part. A code may have two: one for its number and one for its word.
  ///
  /// - Parameter parts: the parts of each frame type that may have the name as well.
  static func names(
    of part: FrameSchema.NamedPart, among parts: [[FrameSchema.NamedPart]], in catalog: Catalog
  ) -> [FieldName] {
    let leaves = LeafSelection(part, among: parts, in: catalog)
    let namesakes = parts.joined().filter { $0.name.member == part.name.member }
    // Frame types may have numbers of different sizes.
    let bytes = namesakes.map(\.numberSize).max() ?? 0
    switch part.content {
    case .length:
      return [FieldName(part.name, .number(bytes: bytes, .number), leaves)]
    case .value(let field):
      switch field.content {
      case .items: return []
      case .octets: return [FieldName(part.name, .octets, leaves)]
      case .text: return [FieldName(part.name, .text, leaves)]
      case .json: return [FieldName(part.name, .json, leaves)]
      case .integer(_, let meaning):
        guard case .code(_, let named) = meaning else {
          return [FieldName(part.name, .number(bytes: bytes, meaning), leaves)]
        }
        let codes = namesakes.flatMap { $0.field?.codes ?? [] }
        let number = FieldName(part.name, .number(bytes: bytes, meaning), leaves, codes)
        guard named else { return [number] }
        // Frame types may have different words for a code, so words have numbers of their own.
        var seen: Set<String> = []
        let words = zip(UInt64(0)..., codes.map(\.word).filter { seen.insert($0).inserted })
        let name = FrameSchema.Name(part.name.member + "_name", "\(part.name.title) in words")
        return [number, FieldName(name, .word(Dictionary(uniqueKeysWithValues: words), isOrdered: false), leaves)]
      }
    }
  }
}

extension FrameSchema.NamedPart {
  /// Bytes of the number; 0 if the part is no number.
  fileprivate var numberSize: Int {
    switch content {
    case .length(let width): width
    case .value(let field): if case .integer(let bytes, _) = field.content { bytes } else { 0 }
    }
  }
}

/// The leaves of a frame that a name refers to, by index so that names need not be compared for each frame.
struct LeafSelection: Sendable {
  /// Whether the name refers to lengths instead of values.
  let isLength: Bool
  /// Selected fields, by index in ``Catalog/fields``.
  let fields: [Bool]
  /// Items whose data length is selected, by index in ``Catalog/items``.
  let items: [Bool]
  /// Whether the data lengths of unknown items are selected.
  let unknownItems: Bool
  /// Frame types that can contain the name, by index in ``Catalog/schemas``.
  let schemas: [Bool]

  /// - Parameter parts: the parts of each frame type.
  init(_ part: FrameSchema.NamedPart, among parts: [[FrameSchema.NamedPart]], in catalog: Catalog) {
    let member = part.name.member
    switch part.content {
    case .value:
      isLength = false
      fields = catalog.fields.map { $0.name.member == member && !$0.isList }
      items = catalog.items.map { _ in false }
      unknownItems = false
      schemas = parts.map { $0.contains { $0.name.member == member } }
    case .length:
      let isCounted = catalog.fields.indices.map { catalog.lengthNames[UInt16($0)]?.member == member }
      // `token_length` is also the length of an item that contains a token.
      let values = Set(catalog.fields.indices.filter { isCounted[$0] }.map { catalog.fields[$0].name.member })
      let isAnyItem = member == FrameSchema.Name.itemLength.member
      let items = catalog.items.map { isAnyItem || values.contains($0.field.name.member) }
      isLength = true
      fields = isCounted
      self.items = items
      unknownItems = isAnyItem
      schemas = parts.map { parts in
        parts.contains { part in
          if part.name.member == member { return true }
          return part.item != nil && values.contains(part.name.member)
        }
      }
    }
  }

  /// Whether the leaf is selected and complete.
  func includes(_ leaf: FieldRef) -> Bool {
    switch leaf.kind {
    case .value: !isLength && leaf.state == .whole && leaf.field != FieldRef.none && fields[Int(leaf.field)]
    case .length: isLength && leaf.state == .whole && leaf.field != FieldRef.none && fields[Int(leaf.field)]
    case .itemLength: isLength && (leaf.item == FieldRef.none ? unknownItems : items[Int(leaf.item)])
    case .command, .itemID, .gap: false
    }
  }
}

extension Field {
  /// The words of a code; empty for other fields.
  var words: [UInt64: String] { if case .integer(_, .code(let words, _)) = content { words } else { [:] } }

  /// The words with their codes, in ascending order.
  fileprivate var codes: [(word: String, code: UInt64)] {
    words.sorted { $0.key < $1.key }.map { ($0.value, $0.key) }
  }
}
