import APNSDiagnosis
import APNSInput
import APNSWire

/// Writes records as a packet capture, each on the connection that carried it.
package struct CaptureView: View {
  package static var showsEachAlone: Bool { false }
  private var writer = CaptureWriter()
  private var packets: [UInt8] = []
  /// The endpoints for a stream that has none.
  private let route: @Sendable (_ stream: ByteStream, StreamRole) -> ByteStream.Route

  /// - Parameter route: returns the endpoints for a stream that has none, by the role of its sender.
  package init(route: @escaping @Sendable (_ stream: ByteStream, StreamRole) -> ByteStream.Route) {
    self.route = route
  }

  package mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    let route = record.stream.route ?? route(record.stream, record.role ?? .provider)
    writer.segment(bytes, on: route, at: record.packets.first?.time, into: &packets)
    out.write(packets)
    packets.removeAll(keepingCapacity: true)
  }

  package mutating func finish(to out: inout Output) {
    writer.finish(into: &packets)
    out.write(packets)
  }
}
