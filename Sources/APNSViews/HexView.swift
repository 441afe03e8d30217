import APNSDiagnosis
import APNSWire

/// A dump in the layout of `xxd`, a comment line before each record; the hex reader takes it back.
///
/// Offsets count the bytes of the dump, so missing bytes leave no hole that a reader would stumble over.
public struct HexView: View {
  private let catalog: Catalog
  private var written = 0

  public init(_ catalog: Catalog) {
    self.catalog = catalog
  }

  public mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    if case .overlap(let place) = record.content { return showOverlap(record, bytes, at: place, to: &out) }
    out.write("# #\(record.number) ")
    switch record.content {
    case .frame(let frame, let condition):
      out.write(catalog.schema(of: frame)?.name ?? "frame")
      out.write(condition.map { ", \($0.rawValue)" } ?? "")
    case .unparsed(let reason): out.write("unparsed, \(reason)")
    case .gap, .overlap: out.write("gap")
    }
    out.write(", \(plural(record.count, "byte")) at \(record.offset)")
    if record.stream.isDirected { out.write(" of stream \(record.stream.number)") }
    out.write("\n")
    HexView.dump(bytes, at: written, to: &out)
    written += bytes.count
  }

  /// A comment: the bytes are not the stream's.
  private func showOverlap(_ record: Record, _ bytes: Span<UInt8>, at place: Int, to out: inout Output) {
    out.write("# #\(record.number) overlap, other bytes for \(place)")
    if record.stream.isDirected { out.write(" of stream \(record.stream.number)") }
    out.write(": ")
    out.hex(bytes)
    out.write("\n")
  }

  static func dump(_ bytes: Span<UInt8>, at base: Int = 0, to out: inout Output) {
    for start in stride(from: 0, to: bytes.count, by: 16) {
      let end = min(start + 16, bytes.count)
      out.hex(base + start, digits: 8)
      out.write(": ")
      for index in start..<(start + 16) {
        if index < end { out.hex(bytes[index]) } else { out.write("  ") }
        if (index - start) % 2 == 1 { out.write(" ") }
      }
      out.write(" ")
      for index in start..<end {
        out.byte(bytes[index].inDump)
      }
      out.write("\n")
    }
  }
}

/// The bytes themselves.
public struct RawView: View {
  public init() {}

  public mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    if case .overlap = record.content { return }
    out.write(bytes)
  }
}
