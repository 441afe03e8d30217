import APNSDiagnosis
import APNSInput
import APNSWire

/// One line a record, missing and unparsed bytes included; with `showsBytes` a dump under each.
public struct LineView: View {
  private let catalog: Catalog
  private let palette: Palette
  private let showsBytes: Bool
  private let verbose: Bool

  public init(
    _ catalog: Catalog, palette: Palette = Palette(isColored: false), showsBytes: Bool = false, verbose: Bool = false
  ) {
    self.catalog = catalog
    self.palette = palette
    self.showsBytes = showsBytes
    self.verbose = verbose
  }

  public mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    if let time = record.packets.first?.time {
      out.painted(.dim, palette) { $0.write(UTC.text(time)) }
      out.write("  ")
    }
    if record.stream.isDirected {
      out.decimal(record.stream.number)
      out.write("  ")
    }
    if let route = record.stream.route {
      out.painted(.dim, palette) { $0.write("\(route.source) > \(route.destination)") }
      out.write("  ")
    }
    writePlace(record.offset, to: &out)
    out.write("  ")
    switch record.content {
    case .frame(let frame, let condition):
      out.painted(.title, palette) { $0.write(catalog.schema(of: frame)?.name ?? "frame") }
      writeCount(record.count, to: &out)
      if let condition {
        out.write("  ")
        out.painted(.error, palette) { $0.write(condition.rawValue) }
      }
      catalog.forEachField(of: frame, in: bytes) { leaf in write(leaf, bytes, to: &out) }
    case .unparsed(let reason):
      out.painted(.error, palette) { $0.write("unparsed") }
      writeCount(record.count, to: &out)
      out.write("  ")
      out.write(reason)
    case .gap:
      out.painted(.warning, palette) { $0.write("gap") }
      writeCount(record.count, to: &out)
      out.write(" missing")
    case .overlap(let place):
      out.painted(.warning, palette) { $0.write("overlap") }
      out.write("  at ")
      writePlace(place, to: &out)
      out.write("  ")
      out.write(shortened(ValueWords.digits(bytes)))
    }
    writeFindings(record.findings, to: &out)
    out.write("\n")
    if showsBytes { HexView.dump(bytes, at: record.firstByte, to: &out) }
  }

  private func writePlace(_ offset: Int, to out: inout Output) {
    out.painted(.dim, palette) { out in
      out.write("0x")
      out.hex(offset, digits: 4)
    }
  }

  private func writeCount(_ count: Int, to out: inout Output) {
    out.write("  ")
    out.decimal(count)
    out.write(count == 1 ? " byte" : " bytes")
  }

  private func writeFindings(_ findings: [Finding], to out: inout Output) {
    var said: [String] = []
    for finding in findings where !said.contains(finding.rule) {
      said.append(finding.rule)
      let count = findings.count { $0.rule == finding.rule }
      let times = count > 1 ? " x\(count)" : ""
      out.write("  ")
      let causes = findings.compactMap { $0.rule == finding.rule ? $0.cause?.id : nil }
      let cause = causes.first.map { " cause \($0)" } ?? ""
      out.painted(.of(finding.severity), palette) {
        $0.write("[\(finding.severity.rawValue) \(finding.rule)\(times)\(cause)]")
      }
    }
  }

  private func write(_ leaf: FieldRef, _ bytes: Span<UInt8>, to out: inout Output) {
    let data = bytes.extracting(leaf.range)
    let field = catalog.field(of: leaf)
    switch (leaf.kind, leaf.state) {
    case (.value, .whole):
      guard let field, !field.isList else { return }
      out.write("  ")
      out.write(field.name.member)
      out.write(" ")
      write(field, data, to: &out)
    case (.value, .unknown), (.value, .wrongSize):
      out.write("  ")
      out.write(leaf.state == .unknown ? "item data" : field?.name.member ?? "data")
      out.write(" ")
      writeDigits(data, to: &out)
    default:
      break
    }
  }

  private func write(_ field: Field, _ data: Span<UInt8>, to out: inout Output) {
    switch field.content {
    case .integer(_, .code), .integer(_, .unixSeconds):
      let words = ValueWords.of(field, data)
      out.write(words.joined(separator: " ("))
      out.write(")")
    case .integer:
      out.decimal(data.number)
    case .octets where !data.isEmpty:
      writeDigits(data, to: &out)
    case .json where !data.isEmpty && data.count <= Self.longestValue && data.isPlainText:
      out.write(data)
    default:
      out.write(shortened(ValueWords.of(field, data)[0]))
    }
  }

  private static let longestValue = 160

  private func writeDigits(_ data: Span<UInt8>, to out: inout Output) {
    if data.count * 2 <= Self.longestValue { out.hex(data) } else { out.write(shortened(ValueWords.digits(data))) }
  }

  private func shortened(_ text: String) -> String {
    guard !verbose, text.count > Self.longestValue else { return text }
    return text.prefix(Self.longestValue - 3) + "..."
  }
}

extension Span<UInt8> {
  /// Printable ASCII and nothing else.
  fileprivate var isPlainText: Bool {
    for index in indices where !(0x20..<0x7f).contains(self[index]) { return false }
    return true
  }
}
