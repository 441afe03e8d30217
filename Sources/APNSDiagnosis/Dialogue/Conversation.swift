import APNSInput
import APNSWire

/// One connection as a conversation: what the provider sent, what the service answered, and what became of each
/// notification.
///
/// The service is silent about what it accepts. Its one answer names a notification: those sent before it are presumably
/// accepted, those sent after it are discarded and must be sent again.
public struct Conversation: Sendable {
  /// Streams `2k` and `2k + 1` are its directions.
  public let connection: Int
  public internal(set) var route: ByteStream.Route?
  /// When its first packet was captured.
  public internal(set) var time: CaptureTime?
  public internal(set) var answer: Answer?
  /// Error responses after the first.
  public internal(set) var moreAnswers = 0
  /// Answers of status 0: they refuse nothing, and the service sends none.
  public internal(set) var successes = 0
  public internal(set) var providerEnding = StreamEnding.open
  public internal(set) var gatewayEnding = StreamEnding.open
  /// Which notification is meant, or where the service stopped reading. Known once nothing more arrives.
  public internal(set) var match = Match.none
  /// The first frame that the documents say is refused, else the first with an error.
  public var firstFault: Named? { firstRefused ?? firstFaulty }

  /// After the last notification so far.
  var sent = Point()
  /// Before the first one that was written after the answer had arrived.
  var answered: Point?
  var firstRefused: Named?
  var firstFaulty: Named?
  /// The first of those that are not accepted for sure, as far as they are remembered.
  private(set) var doubts: [Doubt] = []
  /// Holes before the answer: where the first and the last one are, and bytes in all of them.
  var holes: (first: Point, last: Point, bytes: Int)?
  /// Bytes from the service that are no error response: before the first one, and after it.
  var brokenBytes = 0
  var spareBytes = 0
  /// The broken bytes begin as an error response does.
  var isAnswerCut = false
  var beginning = ByteStream.Beginning.unknown
  /// One of the notifications has an identifier.
  var hasIdentifiers = false
  /// Written to the port of the feedback service, which reads no notifications.
  var isMisdirected = false
  /// One, where the first reading found an answer.
  var search: [AnswerSearch] = []
  var zones = Zones()

  init(_ connection: Int, _ answer: AnswerTable.Entry?) {
    self.connection = connection
    if let answer { search = [AnswerSearch(answer)] }
  }

  /// Both sides have closed: no more of it follows.
  var hasEnded: Bool { providerEnding != .open && gatewayEnding != .open }

  /// Notifications that the provider sent, those included of which the capture has only a part.
  public var notifications: Int { sent.ordinal }
  /// Anything of a push connection was said.
  public var hasMessages: Bool { notifications > 0 || hasAnswer || firstRefused != nil }
  /// Those written after the answer had arrived.
  public var sentAfterAnswer: Int {
    guard let answered, !isOutOfOrder else { return 0 }
    return sent.ordinal - answered.ordinal
  }
  /// Not all notifications are presumably accepted.
  public var isBad: Bool { count(of: .accepted) < notifications || answer?.isShutdown == false || brokenBytes > 0 }

  private var hasAnswer: Bool { answer != nil || brokenBytes > 0 || successes > 0 }

  /// The service's first error response that refuses something.
  public struct Answer: Sendable {
    public let status: UInt8
    public let identifier: UInt32
    /// The packet that carried it; nil outside captures.
    public let packet: Int?
    /// Of its record.
    let number: Int

    /// Status 10: the service closes the connection, and names the last notification that it accepted.
    public var isShutdown: Bool { status == ErrorResponse.shutdown }
  }

  /// How far a connection was read: after a notification, and what those up to it are.
  struct Point: Sendable, Comparable {
    /// Notifications so far; the ordinal of the last one.
    var ordinal = 0
    /// The number of its record.
    var number = 0
    /// Those of which the capture has only a part.
    var cut = 0
    /// Those, and the ones that the documents say are refused.
    var doubtful = 0

    static func < (one: Self, other: Self) -> Bool { one.ordinal < other.ordinal }
  }

  /// A frame that something is said of. A class, since most conversations have none.
  public final class Named: Sendable {
    /// Its record is `number` of `stream`, and begins at `offset`.
    public let stream: Int
    public let number: Int
    public let offset: Int
    /// Counted from 1 among the notifications of its connection; nil for bytes that are no frame.
    public let ordinal: Int?
    /// The rule that it breaks, should it break one.
    public let fault: String?
    /// What the service replies to this fault, if a document says so.
    let reply: GatewayReply?
    /// In bytes.
    let tokenSize: Int?
    let payloadSize: Int?
    /// Of the token; 0 where there is none.
    let tokenHash: UInt64
    /// Before it, and after it.
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
    /// The rule that it breaks; nil where the capture has only a part of it.
    let fault: String?
  }

  public enum Match: Sendable {
    /// There is no answer, or nothing tells which notification it means.
    case none
    /// One notification has the identifier, or is the only one with it that breaks the rule of the status.
    case exact(Named)
    /// One has it, with its bytes in the other order.
    case byteSwapped(Named)
    /// Several have it: the first and the last of them, by their ordinals.
    case several(ClosedRange<Int>, count: Int)
    /// None has it, but this frame is at fault.
    case presumed(Named)
    /// It was sent before the capture began.
    case earlier
    /// It is in a hole of the capture.
    case lost
  }

  /// What became of a notification.
  public enum Fate: String, Sendable, CaseIterable {
    /// Presumably: the service says nothing of what it accepts.
    case accepted
    case rejected
    /// Not read by the service: to be sent again.
    case discarded
    case unknown
  }

  mutating func doubt(_ ordinal: Int, _ fault: String?) {
    if doubts.count < Self.mostDoubts { doubts.append(Doubt(ordinal: ordinal, fault: fault)) }
  }

  static let mostDoubts = 16
}

// MARK: - Fates

extension Conversation {
  /// What the match says of all notifications: accepted up to a point, one rejected, discarded from a point on, the others
  /// unknown. Those that the capture has only a part of are unknown anywhere, and so are refused ones before the named.
  struct Zones: Sendable {
    var accepted = Point()
    var rejected: Named?
    var discarded = Point()
  }

  /// How many notifications ended so.
  public func count(of fate: Fate) -> Int {
    switch fate {
    case .accepted: zones.accepted.ordinal - zones.accepted.doubtful
    case .rejected: zones.rejected == nil ? 0 : 1
    case .discarded: sent.ordinal - sent.cut - (zones.discarded.ordinal - zones.discarded.cut)
    case .unknown: notifications - count(of: .accepted) - count(of: .rejected) - count(of: .discarded)
    }
  }

  /// Which notifications ended so, by their ordinals. More in doubt than are remembered are not left out.
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

/// The same in a few bytes, by the numbers of records.
struct Fates: Sendable {
  private let accepted: UInt32
  private let rejected: UInt32
  private let discarded: UInt32
  /// The records that a view shows of the conversation: what was named, and what named it.
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
  /// A frame of which the stream has only a part.
  public var isCut: Bool {
    if case .frame(_, .truncated?) = content { true } else { false }
  }

  /// The documents say that the service refuses it.
  var isRefused: Bool { !isCut && findings.contains { $0.answer != nil } }
}
