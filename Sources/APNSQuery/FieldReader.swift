import APNSDiagnosis
import APNSInput
import APNSPayload
import APNSWire
import Octets

/// One value of a field in a record.
public enum FieldValue: Sendable {
  /// A number, or the number of a word if the field is a word.
  case number(UInt64)
  /// A range of the record's bytes.
  case octets(Range<Int>)
  /// A word or a text that is not part of the record's bytes.
  case text(String)
  /// An address and a port.
  case endpoint(Endpoint)
  /// The time at which a packet was captured.
  case time(CaptureTime)
  /// A value inside JSON, with its quotes or brackets: the kind of its first token, and its range in the record.
  case json(JSONScanner.Kind, Range<Int>)
}

/// Reads the values of one field name. The name is resolved once; for each record only indices are compared.
///
/// A class, because it is large, immutable and passed along with every record.
public final class FieldReader: Sendable {
  /// The field that the name begins with.
  public let field: FieldName
  let path: [JSONPath.Step]
  private let catalog: Catalog
  /// The numbers of the words that the field may have.
  private let codes: [String: UInt64]

  init(_ field: FieldName, path: [JSONPath.Step], _ catalog: Catalog) {
    self.field = field
    self.path = path
    self.catalog = catalog
    var codes: [String: UInt64] = [:]
    if case .word(let words, _) = field.kind { codes = Dictionary(words.map { ($1, $0) }, uniquingKeysWith: min) }
    self.codes = codes
  }

  /// The name as it was requested, including the path into JSON.
  public var name: String { ([field.name] + path.map(\.text)).joined(separator: ".") }

  /// Calls `visit` with each value in wire order until it returns false. A field that is cut or does not have its
  /// documented size has no value.
  public func walk(_ record: Record, _ bytes: Span<UInt8>, while visit: (FieldValue) -> Bool) {
    switch field.source {
    case .record(let member):
      member.walk(record, bytes, catalog, codes, while: visit)
    case .leaves(let leaves):
      guard case .frame(let frame, _) = record.content, let type = catalog.index(of: frame), leaves.schemas[type]
      else { return }
      catalog.walkFields(of: frame, in: bytes) { leaf in
        guard leaves.includes(leaf) else { return true }
        return report(leaf, bytes, to: visit)
      }
    }
  }

  private func report(_ leaf: FieldRef, _ bytes: Span<UInt8>, to visit: (FieldValue) -> Bool) -> Bool {
    switch field.kind {
    case .number:
      // `leaf.integer` would be nil if the item is cut, but its length field may be complete.
      return leaf.count > 8 || visit(.number(bytes.bigEndian(leaf.start, width: leaf.count)))
    case .word:
      guard leaf.count <= 8, let word = catalog.field(of: leaf)?.words[bytes.bigEndian(leaf.start, width: leaf.count)],
        let number = codes[word]
      else { return true }
      return visit(.number(number))
    case .json where !path.isEmpty:
      return JSONPath.walk(path, in: bytes, leaf.range) { visit(.json($0, $1)) }
    case .json, .octets, .text, .endpoint, .time:
      return visit(.octets(leaf.range))
    }
  }
}
