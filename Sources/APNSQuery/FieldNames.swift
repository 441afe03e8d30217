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

  /// All names: record members first, then the fields of frames in the order of the catalog.
  public let all: [QueryField]
  /// A group for the members of every record, then one for each frame type, as `explain --fields` prints them.
  /// A location is the item that contains the field; it is empty outside items.
  package let groups: [(title: String, rows: [(field: QueryField, location: String)])]

  /// Collects the names from the frame types of the definitions. `finding.rule` is one of their rules.
  public init(_ definitions: Definitions) {
    let catalog = definitions.catalog
    let parts = catalog.schemas.map(\.namedParts)
    var fields: [QueryField] = []
    let types = zip(catalog.schemas, parts).map { schema, own in
      var rows: [(field: QueryField, location: String)] = []
      for part in own {
        for field in QueryField.fields(of: part, among: parts, in: catalog) {
          if !fields.contains(where: { $0.name == field.name }) { fields.append(field) }
          if !rows.contains(where: { $0.field.name == field.name && $0.location == part.location }) {
            rows.append((field, part.location))
          }
        }
      }
      return (schema.name, rows)
    }
    // If a frame type defines a field with the name of a record member, the field takes precedence.
    let members = RecordMembers(definitions).fields.filter { member in !fields.contains { $0.name == member.name } }
    all = members + fields
    groups = [("every record", members.map { ($0, "") })] + types
  }

  /// The field with this name, which may be a path into JSON: `payload.aps.badge`.
  /// - Throws: ``UnknownName`` if no frame type has such a field.
  public func field(_ name: String) throws(UnknownName) -> QueryField {
    if let field = all.first(where: { $0.name == name }) { return field }
    let steps = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard let field = all.first(where: { $0.name == steps[0] }) else { throw UnknownName(name, near: all.map(\.name)) }
    guard case .json = field.kind else {
      throw UnknownName(description: "\(field.name) has no members, so there is no \(name)")
    }
    guard !steps.contains("") else {
      throw UnknownName(description: "\(name) has an empty part; write it as payload.aps.badge")
    }
    return field.values(at: JSONPath(steps.dropFirst()), name: name)
  }
}

/// An unknown field name. `description` is a clause that names it and suggests another.
public struct UnknownName: Error, Sendable, Hashable, CustomStringConvertible {
  public let description: String
}

extension UnknownName {
  fileprivate init(_ name: String, near names: [String]) {
    let head = String(name.prefix { $0 != "." })
    let hints = [
      Self.qualified(name, head, names), suggestion(name, names), suggestion(head, names),
      "; to list all fields, run apnscope explain --fields",
    ]
    description = "unknown field \"\(name)\"\(hints.first { !$0.isEmpty } ?? "")"
  }

  /// Suggests the complete name of a field of findings, or of a key in the payload.
  private static func qualified(_ name: String, _ head: String, _ names: [String]) -> String {
    let part = name == "findings" ? ".rule" : "." + name
    if let whole = names.first(where: { $0.hasSuffix(part) }) { return "; use \"\(whole)\"" }
    let isKey = PayloadKey.all.contains { $0.container == .aps && $0.name == name }
    guard isKey || head == "aps" else { return "" }
    return "; it is in the payload: \"payload.\(isKey ? "aps." : "")\(name)\""
  }
}
