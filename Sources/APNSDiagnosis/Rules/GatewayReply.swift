import APNSWire

/// The reply of the push gateway to a notification that it refuses. The gateway then closes the connection. It sends
/// nothing for a notification that it accepts.
public enum GatewayReply: Sendable, Hashable {
  /// An error response with this status. The gateway then closes the connection.
  case status(UInt8)
  /// An error response whose status no document names. The gateway then closes the connection.
  case errorResponse
  /// No packet. The gateway only closes the connection.
  case close

  /// The form for scripts: a number, `error-response` or `close`.
  public var text: String {
    switch self {
    case .status(let code): String(code)
    case .errorResponse: "error-response"
    case .close: "close"
    }
  }
}

/// The reason why the gateway refuses a notification, according to Apple's documents.
public enum Refusal: Sendable, Hashable {
  /// The fault has this status in the guide's table.
  case status(UInt8)
  /// "Malformed or otherwise unintelligible": the table has no specific status for the fault.
  case malformed
}

/// How the gateway replies to some frame types in some editions.
public struct ReplyRow: Sendable {
  package let editions: ClosedRange<Edition>
  /// Whether the row applies to frame types with an identifier, which an error response repeats, or to those without
  /// one; nil for both.
  package let isIdentified: Bool?
  /// The reply to bytes that the gateway cannot read. If it is the close alone, so are all other replies.
  package let malformed: GatewayReply
  /// The document that says so.
  public let source: String

  /// All rows. The first one that matches applies.
  public static let all = [
    ReplyRow(
      editions: .year2009 ... .year2009, isIdentified: nil, malformed: .close,
      source: "revision history of the guide: the error response came with the enhanced format, on 2010-05-27"),
    ReplyRow(
      editions: .year2010 ... .year2017, isIdentified: false, malformed: .close,
      source: Guide.enhancedFormat + ": to a malformed "
        + "notification in the simple format APNs \"responds by severing the connection\""),
    ReplyRow(
      editions: .year2010 ... .year2013, isIdentified: true, malformed: .errorResponse,
      source: Guide.binaryInterface + ": if a notification is \"malformed or otherwise unintelligible, APNs returns an "
        + "error-response packet and closes the connection\""),
    ReplyRow(
      editions: .year2017 ... .year2017, isIdentified: true, malformed: .status(128),
      source: Guide.binaryInterface2017 + ": status 128, Protocol error, if APNs could not parse the notification"),
  ]

  /// A statement by Apple that contradicts the guide. Users are shown both.
  package static let technicalNote =
    "Apple's technical note TN2265 (2013, quoted at stackoverflow.com/questions/15712067) says that the gateway may "
    + "close without a packet: \"If you get zero bytes back, the connection was closed because of an error such as "
    + "an invalid command byte or other parsing error\""
}

/// How the gateway replies to one frame type in one edition.
public struct ReplyPolicy: Sendable {
  package let row: ReplyRow
  /// Whether the edition defines the frame type. If not, the gateway cannot read it.
  private let isReadable: Bool

  /// Finds the row for a frame type.
  ///
  /// - Parameters:
  ///   - schema: nil for bytes that begin no frame, which the gateway cannot read in any edition.
  ///   - edition: the edition that the gateway follows.
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

  /// The reply to a notification that is refused for this reason.
  public func reply(to refusal: Refusal) -> GatewayReply {
    if isReadable, row.malformed != .close, case .status(let code) = refusal { return .status(code) }
    return row.malformed
  }
}

extension FrameSchema {
  /// Whether its frames have an identifier, by which an error response can name them.
  public var hasIdentifier: Bool {
    (parts.compactMap(\.field) + items.map(\.field)).contains { $0.role == .identifier }
  }
}
