import APNSDiagnosis
import APNSWire
import Octets

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
    out.write("# #")
    out.decimal(record.number)
    out.byte(UInt8(ascii: " "))
    switch record.content {
    case .frame(let frame, let condition):
      out.write(frame.isFrame ? catalog.schemas[Int(frame.schema)].name : "frame")
      if let condition {
        out.write(", ")
        out.write(condition.rawValue)
      }
    case .unparsed(let reason):
      out.write("unparsed, ")
      out.write(reason)
    case .gap, .overlap: out.write("gap")
    }
    out.write(", ")
    out.plural(record.count, "byte")
    out.write(" at ")
    out.decimal(record.offset)
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
    let rows = (bytes.count + 15) / 16
    // 68 columns, and more for places beyond 4 GiB; spaces reach further.
    out.fill(atMost: rows * 80 + 40) { room, end in
      var end = end
      for start in stride(from: 0, to: bytes.count, by: 16) {
        storeRow(bytes, start..<min(start + 16, bytes.count), at: base + start, in: &room, at: &end)
      }
      return end
    }
  }

  @inline(__always)
  private static func storeRow(
    _ bytes: Span<UInt8>, _ range: Range<Int>, at place: Int, in room: inout MutableRawSpan, at end: inout Int
  ) {
    room.storeHex(place, digits: 8, at: &end)
    room.store(UInt8(ascii: ":"), at: &end)
    let digits = end
    for index in range {
      if (index - range.lowerBound) % 2 == 0 { room.store(UInt8(ascii: " "), at: &end) }
      room.storeHex(bytes[index], at: &end)
    }
    // Behind eight pairs, each with a space before it, come two spaces.
    room.storeSpaces(digits + 42 - end, at: &end)
    room.storeDump(bytes, range, at: &end)
    room.store(UInt8(ascii: "\n"), at: &end)
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

/// One C array of all bytes.
public struct ArrayView: View {
  private var format = ByteFormat.cArray(isFirst: true)

  public init() {}

  public mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    if case .overlap = record.content { return }
    format.write([UInt8](copying: bytes), to: &out)
  }

  public mutating func finish(to out: inout Output) { format.finish(to: &out) }
}
