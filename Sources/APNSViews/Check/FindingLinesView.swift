import APNSDiagnosis
import APNSInput
import APNSWire

/// `check -T ndjson`: one finding a line, with the members that it has in records, and those of its frame that say
/// which one it is. What this writes is what a ``Baseline`` reads.
public struct FindingLinesView: View {
  public static var showsFaultless: Bool { false }

  private let catalog: Catalog
  private let inputs: [String]

  /// `inputs`: the names of the files, written where there are several.
  public init(_ catalog: Catalog, inputs: [String] = []) {
    self.catalog = catalog
    self.inputs = inputs
  }

  public mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    for finding in record.findings {
      out.write("{\"schema\":")
      out.decimal(NDJSONView.schema)
      out.write(",")
      out.findingMembers(finding)
      out.originMembers(of: record, inputs, inFile: true)
      out.write(",\"frame_offset\":")
      out.decimal(record.offset)
      out.write(",\"type\":\"")
      out.write(record.typeName(catalog))
      out.write("\"")
      if let identifier = record.identifier(bytes, catalog) {
        out.write(",\"identifier\":")
        out.decimal(identifier)
      }
      if let position = record.position(of: finding) {
        out.write(",\"line\":")
        out.decimal(Int(position.line))
        out.write(",\"column\":")
        out.decimal(Int(position.column))
      }
      out.write(",\"fingerprint\":\"")
      out.write(Fingerprint(finding, in: record, bytes, catalog).description)
      out.write("\"}\n")
    }
  }
}
