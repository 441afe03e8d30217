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
  /// The catalog with the frame types and items of the file.
  public private(set) var catalog: Catalog
  /// The roles without the file. A new name that is similar to one of these is probably a mistake.
  let knownRoles: [StreamRole: String]

  /// Reads a file, and adds its frame types and items to a catalog. A role of another name is a new one.
  /// - Throws: The first error, or the first name or command that collides, with its line and column.
  public init(_ text: [UInt8], addingTo catalog: Catalog) throws(ReadError) {
    (self.text, self.catalog, knownRoles) = (text, catalog, catalog.roleNames)
    var file = try JSONFileObject(file: text, "apnscope_frames", version: Self.version)
    for value in try file.array("frames") ?? [] { try put(schema(value), at: value.range.lowerBound) }
    for value in try file.array("items") ?? [] {
      var object = try JSONFileObject(value, "an item", text)
      guard let frame = try object.string("frame") else { throw object.missing("frame") }
      let (added, offset) = (try item(&object, reference: Self.defaultReference), value.range.lowerBound)
      guard let schema = self.catalog.schemas.first(where: { $0.name == frame && $0.hasList }) else {
        throw ReadError("item \(added.name): no frame type \"\(frame)\" has a list of items", at: offset, in: text)
      }
      try put(schema.adding(added), at: offset)
    }
    try file.finish()
  }

  /// Puts a frame type in the place of the one with its name, or after all others.
  private mutating func put(_ schema: FrameSchema, at offset: Int) throws(ReadError) {
    var schemas = catalog.schemas
    let index = schemas.firstIndex { $0.name == schema.name } ?? schemas.endIndex
    schemas.replaceSubrange(index..<min(index + 1, schemas.endIndex), with: [schema])
    do throws(CatalogError) { catalog = try Catalog(validating: schemas) } catch {
      throw ReadError(error.description, at: offset, in: text)
    }
  }
}
