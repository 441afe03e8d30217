import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSWire

/// Writes the report of `check -T ndjson`: one finding a line, with the members that it has in a record and members
/// that identify its frame. A `Baseline` reads these lines.
public struct FindingLinesView: View {
  public static var showsEachAlone: Bool { false }
  public static var showsFaultless: Bool { false }

  private let catalog: Catalog
  private let inputs: [String]

  /// The names of the inputs are written if there are several.
  public init(_ catalog: Catalog, inputs: [String] = []) {
    (self.catalog, self.inputs) = (catalog, inputs)
  }

  public mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    for finding in record.findings {
      out.line { out in
        out.member("schema", NDJSONView.schema)
        out.findingMembers(finding)
        out.originMembers(of: record, inputs, inFile: true)
        out.member("frame_offset", record.offset)
        out.member("type", record.content.typeName(catalog))
        out.member("identifier", record.number(.identifier, in: bytes, catalog))
        if let position = record.position(of: finding) {
          out.member("line", Int(position.line))
          out.member("column", Int(position.column))
        }
        out.member("fingerprint", Fingerprint(finding, in: record, bytes, catalog).description)
      }
    }
  }
}
