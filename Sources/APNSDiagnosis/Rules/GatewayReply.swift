import APNSWire

/// What the push gateway sends back before it closes the connection on a notification that it refuses. It sends nothing
/// for a notification that it accepts.
public enum GatewayReply: Sendable, Hashable {
  /// An error response with this status, then the close.
  case status(UInt8)
  /// An error response whose status no document names, then the close.
  case errorResponse
  /// The close, without a packet.
  case close

  /// As scripts read it: a number, `error-response` or `close`.
  public var text: String {
    switch self {
    case .status(let code): String(code)
    case .errorResponse: "error-response"
    case .close: "close"
    }
  }
}

/// Why the gateway refuses a notification, as Apple's documents put it.
public enum Refusal: Sendable, Hashable {
  /// The table of statuses names the fault.
  case status(UInt8)
  /// "Malformed or otherwise unintelligible": the table has no status of its own for the fault.
  case malformed
}

/// How the gateway replies to some frame types in some editions: a row of ``all``.
public struct ReplyRow: Sendable {
  public let editions: ClosedRange<Edition>
  /// Frame types with an identifier, which an error response repeats, or those without one; nil for both.
  public let isIdentified: Bool?
  public let packet: Packet
  /// The text that says so.
  public let source: String

  public enum Packet: Sendable, Hashable {
    /// The connection is closed without one.
    case none
    /// An error response. `malformed` is its status for what the gateway cannot read; nil if no document names one.
    case errorResponse(malformed: UInt8?)
  }

  /// The first row that fits applies.
  public static let all = [
    ReplyRow(
      editions: .year2009 ... .year2009, isIdentified: nil, packet: .none,
      source: "revision history of the guide: the error response came with the enhanced format, on 2010-05-27"),
    ReplyRow(
      editions: .year2010 ... .year2017, isIdentified: false, packet: .none,
      source: Guide.enhancedFormat + ": to a malformed "
        + "notification in the simple format APNs \"responds by severing the connection\""),
    ReplyRow(
      editions: .year2010 ... .year2013, isIdentified: true, packet: .errorResponse(malformed: nil),
      source: Guide.binaryInterface
        + ": if a "
        + "notification is \"malformed or otherwise unintelligible, APNs returns an error-response packet and closes the "
        + "connection\""),
    ReplyRow(
      editions: .year2017 ... .year2017, isIdentified: true, packet: .errorResponse(malformed: 128),
      source: Guide.binaryInterface2017
        + ": status 128, Protocol error, "
        + "if APNs could not parse the notification"),
  ]

  /// Apple's other statement about it, which contradicts the guide: readers get both.
  public static let technicalNote =
    "Apple's technical note TN2265 (2013, quoted at stackoverflow.com/questions/15712067) says that the gateway may close "
    + "without a packet: \"If you get zero bytes back, the connection was closed because of an error such as an invalid "
    + "command byte or other parsing error\""
}

/// How the gateway of an edition replies to one frame type.
public struct ReplyPolicy: Sendable {
  public let row: ReplyRow
  /// The edition knows the frame type; otherwise the gateway cannot read any of it.
  private let isReadable: Bool

  /// - Parameter schema: nil for bytes that begin no frame, which no edition can read.
  public init(_ schema: FrameSchema?, in edition: Edition) {
    let known = schema.flatMap { $0.since <= edition ? $0 : nil }
    isReadable = known != nil
    let isIdentified = known?.hasIdentifier ?? true
    guard
      let row = ReplyRow.all.first(where: { row in
        row.editions.contains(edition) && row.isIdentified ?? isIdentified == isIdentified
      })
    else { preconditionFailure("no reply is stated for the edition of \(edition.rawValue)") }
    self.row = row
  }

  public func reply(to refusal: Refusal) -> GatewayReply {
    guard case .errorResponse(let malformed) = row.packet else { return .close }
    if isReadable, case .status(let code) = refusal { return .status(code) }
    return malformed.map { .status($0) } ?? .errorResponse
  }
}

extension FrameSchema {
  /// It carries an identifier, by which an error response can name it.
  public var hasIdentifier: Bool {
    (parts.compactMap(\.field) + items.map(\.field)).contains { $0.role == .identifier }
  }
}
