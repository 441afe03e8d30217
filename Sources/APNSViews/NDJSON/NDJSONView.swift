import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSWire

/// One JSON object a line, one line a record (schema 1): the contract for pipelines. What this writes,
/// ``NDJSONReader`` reads back to the same bytes.
public struct NDJSONView: View {
  public static let schema = 1

  private let catalog: Catalog
  private let isArray: Bool
  private let inputs: [String]
  private var isFirst = true

  /// - Parameters:
  ///   - asArray: one JSON array of the same objects.
  ///   - inputs: the names of the files, written where there are several.
  public init(_ catalog: Catalog, asArray: Bool = false, inputs: [String] = []) {
    self.inputs = inputs
    self.catalog = catalog
    self.isArray = asArray
  }

  public mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    if isArray { out.write(isFirst ? "[\n" : ",\n") }
    isFirst = false
    writeObject(record, bytes, to: &out)
    if !isArray { out.write("\n") }
  }

  public mutating func finish(to out: inout Output) {
    if isArray { out.write(isFirst ? "[]\n" : "\n]\n") }
  }

  private func writeObject(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    out.write("{\"schema\":")
    out.decimal(Self.schema)
    out.write(",\"type\":\"")
    switch record.content {
    case .frame(let frame, let condition):
      if let schema = catalog.schema(of: frame) { writeHead(of: schema, bytes, to: &out) }
      out.write(",\"offset\":")
      out.decimal(record.offset)
      out.write(",\"length\":")
      out.decimal(record.count)
      if let condition {
        out.write(",\"condition\":\"")
        out.write(condition.rawValue)
        out.write("\"")
        if condition == .truncated {
          out.write(",\"needed\":")
          out.decimal(frame.needed)
        }
      }
      var members = FrameMembers(catalog, frame)
      members.write(bytes, to: &out)
    case .unparsed(let reason):
      out.write("unparsed\",\"offset\":")
      out.decimal(record.offset)
      out.write(",\"length\":")
      out.decimal(record.count)
      out.write(",\"hex\":\"")
      out.hex(bytes)
      out.write("\",\"reason\":\"")
      out.write(reason)
      out.write("\"")
    case .gap:
      out.write("gap\",\"offset\":")
      out.decimal(record.offset)
      out.write(",\"missing\":")
      out.decimal(record.count)
    case .overlap(let place):
      out.write("overlap\",\"offset\":")
      out.decimal(record.offset)
      out.write(",\"at\":")
      out.decimal(place)
      out.write(",\"hex\":\"")
      out.hex(bytes)
      out.write("\"")
    }
    out.originMembers(of: record, inputs)
    writeFindings(record.findings, to: &out)
    out.write("}")
  }

  private func writeHead(of schema: FrameSchema, _ bytes: Span<UInt8>, to out: inout Output) {
    out.write(schema.name)
    out.write("\"")
    guard schema.command != nil else { return }
    out.write(",\"command\":")
    out.decimal(UInt64(bytes[0]))
  }

  private func writeFindings(_ findings: [Finding], to out: inout Output) {
    guard !findings.isEmpty else { return }
    out.write(",\"findings\":[")
    for (index, finding) in findings.enumerated() {
      out.write(index > 0 ? ",{" : "{")
      out.findingMembers(finding)
      out.write("}")
    }
    out.write("]")
  }
}
