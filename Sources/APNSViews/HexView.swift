import APNSDiagnosis
import APNSQuery
import APNSWire
import Octets

/// Writes a dump in the layout of `xxd`, with a comment line before each record, which apnscope can read again.
///
/// Offsets count the bytes of the dump, not of the stream, so they have no gaps.
public struct HexView: View {
  public static var showsEachAlone: Bool { false }
  private let catalog: Catalog
  /// Bytes dumped so far.
  private var written = 0

  /// A view that has written nothing yet.
  public init(_ catalog: Catalog) { self.catalog = catalog }

  public mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    out.write("# #")
    out.decimal(record.number)
    out.byte(UInt8(ascii: " "))
    out.printable(record.content.typeName(catalog))
    let stream = record.stream.isDirected ? " of stream \(record.stream.number)" : ""
    switch record.content {
    case .frame(_, let condition): if let condition { out.write(", \(condition.rawValue)") }
    case .unparsed(let reason): out.printable(", \(reason)")
    case .gap: break
    case .overlap(let offset):
      // In the comment, since the stream has other bytes there.
      out.write(", other bytes for \(offset)\(stream): ")
      out.hex(bytes)
      return out.write("\n")
    }
    out.write(", ")
    out.plural(record.count, "byte")
    out.write(" at ")
    out.decimal(record.offset)
    out.write(stream)
    out.write("\n")
    HexView.dump(bytes, at: written, to: &out)
    written += bytes.count
  }

  /// Writes rows of 16 bytes. `base`: the offset of the first byte.
  static func dump(_ bytes: Span<UInt8>, at base: Int = 0, to out: inout Output) {
    let rows = (bytes.count + 15) / 16
    // A row has 68 columns, and up to 8 more if the offset is above 4 GiB. Storing spaces may write up to 40 more
    // bytes.
    out.fill(atMost: rows * 80 + 40) { buffer, end in
      for start in stride(from: 0, to: bytes.count, by: 16) {
        storeRow(bytes, start..<min(start + 16, bytes.count), at: base + start, in: &buffer, at: &end)
      }
    }
  }

  @inline(__always)
  private static func storeRow(
    _ bytes: Span<UInt8>, _ range: Range<Int>, at offset: Int, in buffer: inout MutableRawSpan, at end: inout Int
  ) {
    buffer.storeHex(offset, digits: 8, at: &end)
    buffer.store(UInt8(ascii: ":"), at: &end)
    let digits = end
    for index in range {
      if (index - range.lowerBound) % 2 == 0 { buffer.store(UInt8(ascii: " "), at: &end) }
      buffer.storeHex(bytes[index], at: &end)
    }
    // Eight groups of five columns, then two spaces.
    buffer.storeSpaces(digits + 42 - end, at: &end)
    buffer.storeDump(bytes, range, at: &end)
    buffer.store(UInt8(ascii: "\n"), at: &end)
  }
}

/// Writes the bytes of records without their fields: unchanged, or as one C array.
public struct BytesView: View {
  public static var showsEachAlone: Bool { false }
  private var format: ByteFormat

  /// A view that has written nothing yet.
  public init(asCArray: Bool = false) { format = asCArray ? .cArray(isFirst: true) : .raw }

  public mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    if case .overlap = record.content { return }
    format.write(bytes, to: &out)
  }

  public mutating func finish(to out: inout Output) { format.finish(to: &out) }
}
