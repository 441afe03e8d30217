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
    var parts: [String] = []
    if let route = record.stream.route {
      if let packet = record.packets.first { parts.append(palette.paint(UTC.text(packet.time), .dim)) }
      parts.append("\(record.stream.number)")
      parts.append(palette.paint("\(route.source) > \(route.destination)", .dim))
    }
    parts.append(palette.paint(hexText(record.offset, digits: 4), .dim))
    switch record.content {
    case .frame(let frame, let condition):
      parts.append(palette.paint(catalog.schema(of: frame)?.name ?? "frame", .title))
      parts.append(plural(record.count, "byte"))
      if let condition { parts.append(palette.paint(condition.rawValue, .error)) }
      catalog.forEachField(of: frame, in: bytes) { leaf in
        if let text = text(of: leaf, bytes) { parts.append(text) }
      }
    case .unparsed(let reason):
      parts.append(palette.paint("unparsed", .error))
      parts.append(plural(record.count, "byte"))
      parts.append(reason)
    case .gap:
      parts.append(palette.paint("gap", .warning))
      parts.append(plural(record.count, "byte") + " missing")
    case .overlap(let place):
      parts.append(palette.paint("overlap", .warning))
      parts.append("at " + hexText(place, digits: 4))
      parts.append(shortened(ValueWords.digits(bytes)))
    }
    var said: [String] = []
    for finding in record.findings where !said.contains(finding.rule) {
      said.append(finding.rule)
      let count = record.findings.count { $0.rule == finding.rule }
      let times = count > 1 ? " x\(count)" : ""
      let style: Palette.Style = finding.severity == .error ? .error : .warning
      parts.append(palette.paint("[\(finding.severity.rawValue) \(finding.rule)\(times)]", style))
    }
    out.write(parts.joined(separator: "  ") + "\n")
    if showsBytes { HexView.dump(bytes, at: record.offset, to: &out) }
  }

  private func text(of leaf: FieldRef, _ bytes: Span<UInt8>) -> String? {
    let data = bytes.extracting(leaf.range)
    switch (leaf.kind, leaf.state) {
    case (.value, .whole):
      guard let field = catalog.field(of: leaf), !field.isList else { return nil }
      let words = ValueWords.of(field, data)
      switch field.content {
      case .integer(_, .code), .integer(_, .unixSeconds):
        return "\(field.name.member) " + words.joined(separator: " (") + ")"
      case .integer: return "\(field.name.member) \(words[0])"
      default: return "\(field.name.member) \(shortened(words[0]))"
      }
    case (.value, .unknown): return "item data \(shortened(ValueWords.digits(data)))"
    case (.value, .wrongSize):
      return "\(catalog.field(of: leaf)?.name.member ?? "data") \(shortened(ValueWords.digits(data)))"
    default: return nil
    }
  }

  private func shortened(_ text: String) -> String {
    guard !verbose, text.count > 160 else { return text }
    return text.prefix(157) + "..."
  }
}
