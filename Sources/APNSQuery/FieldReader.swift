import APNSDiagnosis
import APNSInput
import APNSPayload
import APNSWire
import Octets

/// One value that a name stands for in a record.
public enum FieldValue: Sendable {
  /// Also the number of a word, where the name takes words.
  case number(UInt64)
  /// Bytes of the record.
  case octets(Range<Int>)
  case text(String)
  case endpoint(Endpoint)
  case time(CaptureTime)
  /// A value within JSON, quotes and brackets included: its first token and its place in the record.
  case json(JSONScanner.Kind, Range<Int>)
}

/// Reads the values of one name, looked up once: from record to record it compares indices, never names.
///
/// A class, since it holds much that never changes and is handed around with every record.
public final class FieldReader: Sendable {
  public let field: FieldName
  let path: [JSONPath.Step]
  private let catalog: Catalog

  init(_ field: FieldName, path: [JSONPath.Step], _ catalog: Catalog) {
    self.field = field
    self.path = path
    self.catalog = catalog
  }

  /// As it was asked for.
  public var name: String { ([field.name] + path.map(\.text)).joined(separator: ".") }

  /// Each value in wire order, until `visit` returns false. A field that is cut, or not of its documented size, is none.
  public func walk(_ record: Record, _ bytes: Span<UInt8>, while visit: (FieldValue) -> Bool) {
    switch field.source {
    case .record(let member):
      member.walk(record, bytes, catalog, while: visit)
    case .leaves(let leaves):
      guard case .frame(let frame, _) = record.content, leaves.schemas[Int(frame.schema)] else { return }
      catalog.walkFields(of: frame, in: bytes) { leaf in
        guard leaves.includes(leaf) else { return true }
        return give(leaf, bytes, to: visit)
      }
    }
  }

  private func give(_ leaf: FieldRef, _ bytes: Span<UInt8>, to visit: (FieldValue) -> Bool) -> Bool {
    switch field.kind {
    case .number:
      // Not `leaf.integer`: the length before an item is whole even where the item is not.
      return leaf.count > 8 || visit(.number(bytes.bigEndian(leaf.start, width: leaf.count)))
    case .word(let words, _):
      let code = leaf.count > 8 ? nil : Optional(bytes.bigEndian(leaf.start, width: leaf.count))
      guard let code, words[code] != nil else { return true }
      return visit(.number(code))
    case .json where !path.isEmpty:
      return JSONPath.walk(path, in: bytes, leaf.range) { visit(.json($0, $1)) }
    case .json, .octets, .text, .endpoint, .time:
      return visit(.octets(leaf.range))
    }
  }
}
