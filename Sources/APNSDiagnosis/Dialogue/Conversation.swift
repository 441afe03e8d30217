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
  /// The service's answer; nil if there is none.
  public internal(set) var answer: Answer?
  /// The number of error responses after the first.
  public internal(set) var moreAnswers = 0
  /// The number of answers with status 0. They refuse nothing, and the service never sends them.
  public internal(set) var successes = 0
  /// How the provider's stream ended.
  public internal(set) var providerEnding = StreamEnding.open
  /// How the service's stream ended.
  public internal(set) var gatewayEnding = StreamEnding.open
  /// The notification that the answer refers to, or where the service stopped reading. It is known once the connection
  /// is over.
  public internal(set) var match = Match.none
  /// The first frame that the service refuses according to Apple's documents, otherwise the first frame with an error.
  public var firstFault: Named? { firstRefused ?? firstFaulty }

  /// The point after the last notification so far.
  var sent = Point()
  /// The point after the last notification, or before it if it has an error.
  var lastSound = Point()
  /// The point before the first notification that was written after the answer had arrived.
  var answered: Point?
  var firstRefused: Named?
  var firstFaulty: Named?
  /// The first notifications that are not certain to be accepted, up to a limit.
  private(set) var doubts: [Doubt] = []
  /// The holes before the answer: the points of the first and the last hole, and the bytes in all of them.
  var holes: (first: Point, last: Point, bytes: Int)?
  /// Bytes from the service that are not an error response, before the first answer.
  var brokenBytes = 0
  /// Bytes from the service that are not an error response, after the first answer.
  var spareBytes = 0
  /// Whether the broken bytes begin like an error response.
  var isAnswerCut = false
  private(set) var beginning = ByteStream.Beginning.unknown
  /// Whether the input tells the two sides of the connection apart.
  private var isDirected = false
  /// The sides that the input has: 1 for the side that opened the connection, plus 2 for the other one.
  private var sides = 0
  /// Whether a side is in another protocol.
  var isForeign = false
  /// Whether any notification has an identifier.
  var hasIdentifiers = false
  /// Whether notifications were written to the port of the feedback service, which reads none.
  var isMisdirected = false
  /// Contains one element if the first reading found an answer.
  var search: [AnswerSearch] = []
  var zones = Zones()

  init(_ connection: Int, _ answer: AnswerTable.Entry?) {
    self.connection = connection
    if let answer { search = [AnswerSearch(answer)] }
  }

  /// Whether both sides have closed, so that nothing more follows.
  var hasEnded: Bool { providerEnding != .open && gatewayEnding != .open }

  /// The number of notifications that the provider sent, including those of which the capture contains only a part.
  public var notifications: Int { sent.ordinal }
  /// Whether the connection contains anything that belongs to a push connection.
  public var hasMessages: Bool { notifications > 0 || hasAnswer || firstRefused != nil }
  /// The number of notifications that were written after the answer had arrived.
  public var sentAfterAnswer: Int {
    guard let answered, !isOutOfOrder else { return 0 }
    return sent.ordinal - answered.ordinal
  }
  /// Whether not all notifications were presumably accepted.
  public var isBad: Bool { count(of: .accepted) < notifications || answer?.isShutdown == false || brokenBytes > 0 }

  /// Whether the input has no readable bytes of the service, nor packets that would show its silence. An input that is
  /// not a capture of packets shows no silence; if it tells the sides apart, it is taken to have both.
  public var isOneSided: Bool { isForeign || sides != 3 && (!isDirected || beginning != .unknown) }

  private var hasAnswer: Bool { answer != nil || brokenBytes > 0 || successes > 0 }

  /// The service's first error response that refuses something.
  public struct Answer: Sendable {
    /// The status code.
    public let status: UInt8
    /// The identifier of the notification that the status refers to.
    public let identifier: UInt32
    /// The number of the packet that contained it; nil outside captures.
    public let packet: Int?
    /// The number of its record.
    let number: Int

    /// Whether the status is 10. The service then closes the connection and names the last notification that it
    /// accepted.
    public var isShutdown: Bool { status == ErrorResponse.shutdown }
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

    static func < (one: Self, other: Self) -> Bool { one.ordinal < other.ordinal }
  }

  /// A frame that the conversation refers to. It is a class, because most conversations have none.
  public final class Named: Sendable {
    /// The number of the stream that contains it.
    public let stream: Int
    /// The number of its record in the stream.
    public let number: Int
    /// The offset of its first byte in the stream.
    public let offset: Int
    /// The position among the notifications of its connection, counted from 1; nil for bytes that are not a frame.
    public let ordinal: Int?
    /// The ``Rule/id`` of the rule that it violates; nil if it violates none.
    public let fault: String?
    /// The service's reply to this fault; nil if no document describes one.
    let reply: GatewayReply?
    /// The size in bytes.
    let tokenSize: Int?
    let payloadSize: Int?
    /// The hash of the token; 0 if there is none.
    let tokenHash: UInt64
    /// The points before and after the frame.
    let before: Point
    let after: Point

    init(
      _ record: Record, fault: Finding?, tokenSize: Int?, payloadSize: Int?, tokenHash: UInt64, isNotification: Bool,
      before: Point, after: Point
    ) {
      (stream, number, offset) = (record.stream.number, record.number, record.offset)
      ordinal = isNotification ? after.ordinal : nil
      self.fault = fault?.rule
      reply = fault?.answer
      (self.tokenSize, self.payloadSize, self.tokenHash) = (tokenSize, payloadSize, tokenHash)
      (self.before, self.after) = (before, after)
    }
  }

  struct Doubt: Sendable {
    let ordinal: Int
    /// The rule that it violates; nil if the capture contains only a part of it.
    let fault: String?
  }

  /// Which notification the answer refers to.
  public enum Match: Sendable {
    /// There is no answer, or it cannot be determined which notification it refers to.
    case none
    /// This notification has the identifier. If several have it, this is the only one that violates the status's rule.
    case exact(Named)
    /// This notification has the identifier with its bytes reversed.
    case byteSwapped(Named)
    /// Several notifications have it: the ordinals of the first and the last one, and their number.
    case several(ClosedRange<Int>, count: Int)
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

  /// Notes that the input has this stream.
  mutating func note(_ stream: ByteStream) {
    isDirected = isDirected || stream.isDirected
    sides |= stream.number.isMultiple(of: 2) ? 1 : 2
    // What was sent before the capture began depends on the provider's side.
    if beginning == .unknown || stream.number.isMultiple(of: 2) { beginning = stream.beginning }
  }

  mutating func doubt(_ ordinal: Int, _ fault: String?) {
    if doubts.count < Self.maxDoubts { doubts.append(Doubt(ordinal: ordinal, fault: fault)) }
  }

  static let maxDoubts = 16
}

// MARK: - Fates

extension Conversation {
  /// The fates that follow from the match: notifications are accepted up to a point, one is rejected, and they are
  /// discarded after another point. All others are unknown. Partly captured notifications are always unknown, and so
  /// are refused ones before the named one.
  struct Zones: Sendable {
    var accepted = Point()
    var rejected: Named?
    var discarded = Point()
  }

  /// The number of notifications with this fate.
  public func count(of fate: Fate) -> Int {
    switch fate {
    case .accepted: zones.accepted.ordinal - zones.accepted.doubtful
    case .rejected: zones.rejected == nil ? 0 : 1
    case .discarded: sent.ordinal - sent.cut - (zones.discarded.ordinal - zones.discarded.cut)
    case .unknown: notifications - count(of: .accepted) - count(of: .rejected) - count(of: .discarded)
    }
  }

  /// The ordinals of the notifications with this fate, as ascending ranges. Doubtful notifications beyond the limit are
  /// treated like their neighbors.
  public func ordinals(of fate: Fate) -> [ClosedRange<Int>] {
    guard count(of: fate) > 0 else { return [] }
    var found: [ClosedRange<Int>] = []
    func add(_ range: Range<Int>, _ own: Fate) {
      guard own == fate, let end = range.last else { return }
      if let last = found.last, last.upperBound + 1 == range.lowerBound {
        found[found.count - 1] = last.lowerBound...end
      } else {
        found.append(range.lowerBound...end)
      }
    }
    let rejected = zones.rejected?.ordinal
    let (accepted, discarded) = (zones.accepted.ordinal + 1, max(zones.accepted, zones.discarded).ordinal + 1)
    var next = 1
    func addZones(before end: Int) {
      add(next..<max(next, min(end, accepted)), .accepted)
      add(max(next, accepted)..<max(next, accepted, min(end, discarded)), .unknown)
      add(max(next, discarded)..<max(next, discarded, end), .discarded)
      next = end + 1
    }
    var special = doubts.map { (ordinal: $0.ordinal, isCut: $0.fault == nil) }
    if let rejected { special.append((rejected, false)) }
    for (ordinal, isCut) in special.sorted(by: { $0.ordinal < $1.ordinal }) where ordinal >= next {
      addZones(before: ordinal)
      let own: Fate = ordinal == rejected ? .rejected : ordinal >= discarded && !isCut ? .discarded : .unknown
      add(ordinal..<(ordinal + 1), own)
    }
    addZones(before: sent.ordinal + 1)
    return found
  }
}

/// The fates of a conversation in a few bytes, by record numbers.
struct Fates: Sendable {
  private let accepted: UInt32
  private let rejected: UInt32
  private let discarded: UInt32
  /// The records that a view shows for the conversation: the named frame and the answer.
  private let named: UInt32
  private let answer: UInt32

  init(_ conversation: Conversation) {
    func number(_ value: Int?) -> UInt32 { UInt32(clamping: value ?? 0) }
    let zones = conversation.zones
    accepted = number(zones.accepted.number)
    rejected = number(zones.rejected?.number)
    discarded =
      zones.discarded.ordinal >= conversation.notifications ? .max : number(zones.discarded.number)
    named = number(conversation.named?.number)
    answer = number(conversation.answer?.number)
  }

  func fate(of record: Record) -> Conversation.Fate {
    let number = UInt32(clamping: record.number)
    let isCut = record.isCut
    if number == rejected { return .rejected }
    if number <= accepted { return isCut || record.isRefused ? .unknown : .accepted }
    return number > discarded && !isCut ? .discarded : .unknown
  }

  func isAnswerOrNamed(_ record: Record) -> Bool {
    record.number > 0 && UInt32(clamping: record.number) == (record.role == .gateway ? answer : named)
  }
}

extension Record {
  /// Whether this is a frame of which the stream contains only a part.
  public var isCut: Bool {
    if case .frame(_, .truncated?) = content { true } else { false }
  }

  /// Whether the service refuses the frame according to Apple's documents.
  var isRefused: Bool { refusal != nil }
}
