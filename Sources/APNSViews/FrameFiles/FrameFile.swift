import APNSInput
import APNSWire

/// Frame types and items as JSON: what `--frames` reads and `export frames` writes.
///
///     {"apnscope_frames": 1,
///      "frames": [{"name": "batch-ack", "role": "gateway", "command": 9, "fields": [
///        {"name": "status", "type": "integer", "bytes": 1, "meaning": "code", "codes": {"0": "ok"}},
///        {"name": "note", "type": "octets", "length_bytes": 2}]}],
///      "items": [{"frame": "notification", "id": 6, "name": "collapse-id",
///        "field": {"name": "collapse_id", "type": "text"}}]}
public struct FrameFile: Sendable {
  /// The version of the form, the value of `apnscope_frames`.
  static let version = 1

  let text: [UInt8]
  /// The roles that exist, with those that the file names first.
  var roles: [StreamRole: String]
  /// Each with its offset in the file.
  private var frames: [(schema: FrameSchema, offset: Int)] = []
  /// Each item is for the list of the frame type with this name.
  private var items: [(item: Item, frame: String, offset: Int)] = []

  /// Reads a file.
  /// - Parameters:
  ///   - text: The contents of the file.
  ///   - roles: The names of roles that exist, such as those of the catalog to add to. Other names become new roles.
  /// - Throws: The first error, with its line and column.
  public init(_ text: [UInt8], roles: [StreamRole: String]) throws(ReadError) {
    (self.text, self.roles) = (text, roles)
    // A new name that is similar to one of these is probably a mistake.
    let knownRoles = roles.values.sorted()
    var file = try JSONFileObject(file: text, "apnscope_frames", version: Self.version)
    for value in try file.array("frames") ?? [] {
      frames.append((try schema(value, knownRoles), value.range.lowerBound))
    }
    for value in try file.array("items") ?? [] {
      var object = try JSONFileObject(value, "an item", text)
      guard let frame = try object.string("frame") else { throw object.missing("frame") }
      items.append((try item(&object, reference: Self.defaultReference), frame, value.range.lowerBound))
    }
    try file.finish()
  }

  /// A catalog with these frame types and items.
  /// - Throws: The first name or command that collides, with its line and column.
  public func adding(to catalog: Catalog) throws(ReadError) -> Catalog {
    var catalog = catalog
    for (schema, offset) in frames { try put(schema, into: &catalog, at: offset) }
    for (item, frame, offset) in items {
      guard let schema = catalog.schemas.first(where: { $0.name == frame && $0.hasList }) else {
        throw ReadError("item \(item.name): no frame type \"\(frame)\" has a list of items", at: offset, in: text)
      }
      try put(schema.adding(item), into: &catalog, at: offset)
    }
    return catalog
  }

  /// Puts a frame type in the place of the one with its name, or after all others.
  private func put(_ schema: FrameSchema, into catalog: inout Catalog, at offset: Int) throws(ReadError) {
    var schemas = catalog.schemas
    let index = schemas.firstIndex { $0.name == schema.name } ?? schemas.endIndex
    schemas.replaceSubrange(index..<min(index + 1, schemas.endIndex), with: [schema])
    do throws(CatalogError) { catalog = try Catalog(validating: schemas) } catch {
      throw ReadError(error.description, at: offset, in: text)
    }
  }
}
