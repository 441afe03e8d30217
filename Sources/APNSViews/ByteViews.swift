import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSWire
import Octets

/// Writes a dump in the layout of `xxd`, with a comment line before each record, which apnscope can read again.
///
/// Offsets count the bytes of the dump, not of the stream, so they have no gaps.
public struct HexView: View {
  private let catalog: Catalog
  /// Bytes dumped so far.
  private var written = 0

  /// A view that has written nothing yet.
  public init(_ catalog: Catalog) { self.catalog = catalog }

  public mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    let stream = record.stream.isDirected ? " of stream \(record.stream.number)" : ""
    var note = "# #\(record.number) \(printable(record.content.typeName(catalog)))"
    switch record.content {
    case .frame(_, let condition): if let condition { note += ", \(condition.rawValue)" }
    case .unparsed(let reason): note += ", \(printable(reason))"
    case .gap: break
    case .overlap(let offset):
      // In the comment, since the stream has other bytes there.
      out.write("\(note), other bytes for \(offset)\(stream): ")
      out.hex(bytes)
      return out.write("\n")
    }
    out.write("\(note), \(plural(record.count, "byte")) at \(record.offset)\(stream)\n")
    HexView.dump(bytes, at: written, to: &out)
    written += bytes.count
  }

  /// Writes rows of 16 bytes. `base`: the offset of the first byte.
  static func dump(_ bytes: Span<UInt8>, at base: Int = 0, to out: inout Output) {
    for start in stride(from: 0, to: bytes.count, by: 16) {
      let end = min(start + 16, bytes.count)
      out.hex(base + start, digits: 8)
      out.byte(UInt8(ascii: ":"))
      for pair in stride(from: start, to: end, by: 2) {
        out.byte(UInt8(ascii: " "))
        out.hex(bytes.extracting(pair..<min(pair + 2, end)))
      }
      // Eight groups of five columns, then two spaces.
      out.spaces(42 - (end - start) * 2 - (end - start + 1) / 2)
      out.dump(bytes, start..<end)
      out.byte(UInt8(ascii: "\n"))
    }
  }
}

/// Writes records as a packet capture, each on the connection that carried it.
package struct CaptureView: View {
  private var writer = CaptureWriter()
  private var packets: [UInt8] = []

  package init() {}

  package mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    let stream = record.stream
    let route = stream.route ?? .documented(for: record.role ?? .provider, connection: stream.connection)
    writer.segment(bytes, on: route, at: record.packets.first?.time, into: &packets)
    out.write(packets)
    packets.removeAll(keepingCapacity: true)
  }

  package mutating func finish(to out: inout Output) {
    writer.finish(into: &packets)
    out.write(packets)
  }
}

extension ByteStream.Route {
  /// Who would have spoken to whom, on the documented ports; each connection has a port of the provider's to itself.
  package static func documented(for role: StreamRole, connection: Int) -> ByteStream.Route {
    let isFeedback = role == .feedback
    let port = (isFeedback ? 40001 : 40000) + 2 * (connection % 10_000)
    let provider = Endpoint(address: .v4(0x0a00_0001), port: UInt16(port))
    let service = Endpoint(address: .v4(0x1100_0001), port: isFeedback ? Endpoint.feedbackPort : Endpoint.pushPort)
    return role == .provider
      ? ByteStream.Route(source: provider, destination: service)
      : ByteStream.Route(source: service, destination: provider)
  }
}
