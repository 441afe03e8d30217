import APNSInput
import APNSWire

/// One connection as a conversation: what the provider sent, what the service answered, and what became of each
/// notification.
///
/// The service does not acknowledge what it accepts. Its one answer names a notification. Notifications before it were
/// presumably accepted; those after it were discarded and must be sent again.
public struct Conversation: Sendable {
  /// The number of the connection. Its directions are the streams `2 * connection` and `2 * connection + 1`.
  public let connection: Int
  /// The endpoints, with the provider as the source; nil outside captures.
  public internal(set) var route: ByteStream.Route?
  /// The time at which its first packet was captured; nil if it is not known.
  public internal(set) var time: CaptureTime?
  /// The service's first error response that refuses something; nil if there is none.
  public internal(set) var answer: Answer?
  /// The notification that the answer refers to, or where the service stopped reading. It is known once the connection
  /// is over.
  public internal(set) var match = Match.none

  var moreAnswers = 0
  /// The number of answers with status 0. They refuse nothing, and the service never sends them.
  package internal(set) var successes = 0
  var (providerEnding, gatewayEnding) = (StreamEnding.open, StreamEnding.open)
  /// The point after the last notification so far.
  var sent = Point()
  /// The point after the last notification, or before it if it has an error.
  var lastSound = Point()
  /// The point before the first notification that was written after the answer had arrived.
  var answered: Point?
  /// The first frame that the service refuses according to Apple's documents, and the first other one with an error.
  var firstRefused, firstFaulty: Named?
  var firstFault: Named? { firstRefused ?? firstFaulty }
  /// The first notifications that are not certain to be accepted, up to a limit: the rule that each violates, or nil if
  /// the capture contains only a part of it.
  private(set) var doubts: [(ordinal: Int, fault: String?)] = []
  /// The points of the first and the last hole before the answer.
  var holes: (first: Point, last: Point)?
  /// Bytes from the service that are not an error response, before the first answer.
  var brokenBytes = 0
  /// The bytes of the service that are missing from the capture.
  var missingBytes = 0
  private(set) var beginning = ByteStream.Beginning.unknown
  /// Whether the input tells the two sides of the connection apart.
  private var isDirected = false
  /// The sides that the input has: 1 for the side that opened the connection, plus 2 for the other one.
  private var sides = 0
  var isForeign = false
  /// Whether notifications were written to the port of the feedback service, which reads none.
  var isMisdirected = false
  /// The answer that the first reading found.
  let known: Answer?
  /// The notifications with its identifier. Those written after the answer count only if no other has it, because a
  /// capture's packets may be out of order.
  var (same, late) = (Candidates(), Candidates())
  /// The notifications with the bytes of its identifier reversed.
  var swapped = Candidates()
  /// The first frame that the service refuses with its status.
  var faulty: Named?
  var zones = Zones()

  init(_ connection: Int, _ known: Answer?) {
    self.connection = connection
    self.known = known
  }

  /// The number of notifications that the provider sent, including those of which the capture contains only a part.
  public var notifications: Int { sent.ordinal }
  /// The number of notifications that were written after the answer had arrived.
  package var sentAfterAnswer: Int { isOutOfOrder ? 0 : answered.map { sent.ordinal - $0.ordinal } ?? 0 }
  /// Whether not all notifications were presumably accepted.
  package var isBad: Bool { count(of: .accepted) < notifications || answer?.isShutdown == false || brokenBytes > 0 }
  /// Whether the input has no readable bytes of the service, nor packets that would show its silence. An input that is
  /// not a capture of packets shows no silence; if it tells the sides apart, it is taken to have both.
  package var isOneSided: Bool { isForeign || sides != 3 && (!isDirected || beginning != .unknown) }
  /// Whether the service closed the connection without an answer, and before the provider did.
  package var closedInSilence: Bool {
    answer == nil && !hasUnknownBytes && !isForeign && (gatewayEnding == .reset || gatewayEnding == .finished)
  }
  /// Whether bytes of the service are missing, or are no error response, so that an answer may be in them.
  var hasUnknownBytes: Bool { brokenBytes + missingBytes > 0 }
  /// Whether both sides have closed, so that nothing more follows.
  var hasEnded: Bool { providerEnding != .open && gatewayEnding != .open }
  /// Whether the connection contains anything that belongs to a push connection.
  var hasMessages: Bool {
    notifications > 0 || answer != nil || brokenBytes > 0 || successes > 0 || firstRefused != nil
  }
  /// Whether the fates are not those of a connection of which nothing is kept.
  var needsFates: Bool { count(of: .accepted) + zones.accepted.doubtful < notifications || answer != nil }
  /// Whether the capture contains the answer before the notification that it names.
  var isOutOfOrder: Bool { same.count == 0 && late.count > 0 }
  var candidates: Candidates { isOutOfOrder ? late : same }

  /// An error response of the service.
  public struct Answer: Sendable {
    /// The status code.
    public let status: UInt8
    /// The identifier of the notification that the status refers to.
    public let identifier: UInt32
    /// The number of the packet that contained it; nil outside captures.
    public var packet: Int? { origin?.number }
    let origin: Origin.Packet?
    /// The number of its record.
    let number: Int

    /// Whether the status is 10. The service then closes the connection and names the last notification that it
    /// accepted.
    package var isShutdown: Bool { status == ErrorResponse.shutdown }

    /// Whether a packet was captured after the answer's packet; nil if that is not known.
    func precedes(_ other: Origin.Packet?) -> Bool? {
      if let origin, let other { origin < other } else { nil }
    }
  }

  /// A point in a connection after a notification, with counts of the notifications up to it.
  struct Point: Sendable, Comparable {
    /// The number of notifications, and thus the ordinal of the last one.
    var ordinal = 0
    /// The record number of the last notification.
    var number = 0
    /// The number of notifications of which the capture contains only a part.
    var cut = 0
    /// The number of those, plus the ones that the service refuses according to Apple's documents.
    var doubtful = 0

    static let end = Point(ordinal: .max, number: .max)

    static func < (one: Self, other: Self) -> Bool { one.ordinal < other.ordinal }
  }

  /// A frame that the conversation refers to. It is a class, because most conversations have none.
  public final class Named: Sendable {
    /// The number of its record in the stream.
    public let number: Int
    /// The offset of its first byte in the stream.
    public let offset: Int
    /// The position among the notifications of its connection, counted from 1; nil for bytes that are not a frame.
    package let ordinal: Int?
    /// The ``Rule/id`` of the rule that it violates; nil if it violates none.
    package let fault: String?
    /// The service's reply to this fault; nil if no document describes one.
    let reply: GatewayReply?
    /// The hash of the token; 0 if there is none.
    let tokenHash: UInt64
    let before, after: Point

    init(
      _ record: Record, fault: Finding?, isNotification: Bool, before: Point, after: Point, tokenHash: UInt64 = 0
    ) {
      (number, offset, ordinal) = (record.number, record.offset, isNotification ? after.ordinal : nil)
      (self.fault, reply) = (fault?.rule, fault?.answer)
      (self.before, self.after, self.tokenHash) = (before, after, tokenHash)
    }
  }

  /// Which notification the answer refers to.
  public enum Match: Sendable {
    /// There is no answer, or it cannot be determined which notification it refers to.
    case none
    /// This notification has the identifier. If several have it, this is the only one that violates the status's rule.
    case exact(Named)
    /// This notification has the identifier with its bytes reversed.
    case byteSwapped(Named)
    /// Several notifications have it.
    case several(Named, count: Int)
    /// No notification has it, but this frame is at fault.
    case presumed(Named)
    /// The notification was sent before the capture began.
    case earlier
    /// The notification is in a hole of the capture.
    case lost
  }

  /// The fate of a notification.
  public enum Fate: String, Sendable, CaseIterable {
    /// The service presumably accepted it. It does not acknowledge accepted notifications.
    case accepted
    /// The service rejected it.
    case rejected
    /// The service did not read it, so it must be sent again.
    case discarded
    /// The capture does not show what became of it.
    case unknown
  }

  mutating func note(_ stream: ByteStream) {
    isDirected = isDirected || stream.isDirected
    sides |= stream.number.isMultiple(of: 2) ? 1 : 2
    // What was sent before the capture began depends on the provider's side.
    if beginning == .unknown || stream.number.isMultiple(of: 2) { beginning = stream.beginning }
  }

  mutating func note(_ record: Record, from route: ByteStream.Route?) {
    self.route = self.route ?? route
    time = time ?? record.packets.first?.time
    note(record.stream)
  }

  /// Notes that the last notification is not certain to be accepted.
  mutating func doubt(_ fault: String?) {
    sent.doubtful += 1
    if doubts.count < 16 { doubts.append((sent.ordinal, fault)) }
  }

  /// Whether the record was written after the answer had arrived. Every record after a late one is late, too.
  func isLate(_ record: Record) -> Bool {
    if answered != nil { return true }
    guard let known, known.status != 0 else { return false }
    return known.precedes(record.packets.first) ?? (answer != nil)
  }
}
