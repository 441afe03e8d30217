import APNSInput
import APNSWire

/// Bytes that are written together, with what is known of where they belong.
struct EncodedPiece {
  var bytes: [UInt8] = []
  /// Bytes of the stream that are missing before what comes next.
  var missing = 0
  var role: StreamRole?
  /// The role is that of a frame type, not what ports or directions suggest.
  var isTyped = false
  var stream: Int?
  var route: ByteStream.Route?
  var packets: [Int] = []
  var time: CaptureTime?
}

extension ByteStream.Route {
  /// Who would have spoken to whom, on the documented ports; each connection has a port of the provider's to itself.
  static func documented(for role: StreamRole, connection: Int) -> ByteStream.Route {
    let isFeedback = role == .feedback
    let port = (isFeedback ? 40001 : 40000) + 2 * (connection % 10_000)
    let provider = Endpoint(address: .v4(0x0a00_0001), port: UInt16(port))
    let service = Endpoint(address: .v4(0x1100_0001), port: isFeedback ? Endpoint.feedbackPort : Endpoint.pushPort)
    return role == .provider
      ? ByteStream.Route(source: provider, destination: service)
      : ByteStream.Route(source: service, destination: provider)
  }
}
