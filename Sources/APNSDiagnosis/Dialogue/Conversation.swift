import APNSInput
import APNSWire

/// One connection as a conversation: what the provider sent, what the service answered, and what became of each
/// notification.
///
/// The service is silent about what it takes. Its one answer names a notification; what was sent before it is
/// presumably accepted, what was sent behind it is discarded and has to be sent again.
public struct Conversation: Sendable {
  /// Streams `2k` and `2k + 1` are its directions.
  public let connection: Int
  public internal(set) var route: ByteStream.Route?
  /// Frames that the provider sent, damaged ones included.
  public internal(set) var notifications = 0
  /// Anything of a push connection was said.
  public var hasSpeech: Bool { notifications > 0 || answer != nil || hasBrokenAnswer }
  /// By the number of their records: the first and the last of them.
  public internal(set) var numbers: ClosedRange<Int>?
  /// The service's answer; it gives one, and closes.
  public internal(set) var answer: Answer?
  /// Answers behind the first.
  public internal(set) var moreAnswers = 0
  /// Something came from the service that is no whole answer.
  public internal(set) var hasBrokenAnswer = false
  public internal(set) var providerEnding = StreamEnding.open
  public internal(set) var gatewayEnding = StreamEnding.open
  /// When the first packet of it was captured.
  public internal(set) var time: CaptureTime?
  /// How the answer names its notification.
  public internal(set) var match = Match.none
  /// The first frame with an error: if the service named none, this is likely the one.
  public internal(set) var firstFault: Named?

  /// Occurrences of the answer's identifier, as it stands and byte-swapped.
  var same = Occurrences()
  var swapped = Occurrences()

  /// A class, as ``Named`` is: most conversations have none, and there may be a hundred thousand of them.
  public final class Answer: Sendable {
    public let status: UInt8
    public let identifier: UInt32
    /// It itself, and its bytes.
    public let record: Record
    public let bytes: [UInt8]

    /// Status 10: the service shuts the connection down, and names the last notification that it took.
    public var isShutdown: Bool { status == 10 }

    init(status: UInt8, identifier: UInt32, record: Record, bytes: [UInt8]) {
      self.status = status
      self.identifier = identifier
      self.record = record
      self.bytes = bytes
    }
  }

  /// A notification that something is said of.
  public final class Named: Sendable {
    public let record: Record
    public let bytes: [UInt8]
    /// Counted from 1 among the notifications of its connection.
    public let ordinal: Int

    public var number: Int { record.number }
    /// The first of its errors, should it have any.
    public var fault: Finding? { record.findings.first { $0.severity == .error } }

    init(record: Record, bytes: [UInt8], ordinal: Int) {
      self.record = record
      self.bytes = bytes
      self.ordinal = ordinal
    }
  }

  public enum Match: Sendable {
    /// There is no answer, or nothing tells which notification it means.
    case none
    /// One notification has the identifier.
    case exact(Named)
    /// One has it, with its bytes in the other order.
    case byteSwapped(Named)
    /// Several have it: one of these records, and those between them.
    case several(Range, count: Int)
    /// None has it, but this is the first frame at fault.
    case presumed(Named)
  }

  /// Some notifications in a row, the first and the last of them as records and as counted.
  public struct Range: Sendable {
    public let numbers: ClosedRange<Int>
    public let ordinals: ClosedRange<Int>
  }

  /// How many notifications ended so.
  public func count(of fate: Fate) -> Int {
    switch match {
    case .exact(let named), .byteSwapped(let named), .presumed(let named):
      let isTaken = answer?.isShutdown == true
      switch fate {
      case .accepted: return named.ordinal - (isTaken ? 0 : 1)
      case .rejected: return isTaken ? 0 : 1
      case .discarded: return notifications - named.ordinal
      case .unknown: return 0
      }
    case .several(let range, _):
      switch fate {
      case .accepted: return range.ordinals.lowerBound - 1
      case .rejected: return 0
      case .discarded: return notifications - range.ordinals.upperBound
      case .unknown: return range.ordinals.count
      }
    case .none:
      return fate == (isSilent ? .accepted : .unknown) ? notifications : 0
    }
  }

  /// What became of a notification.
  public enum Fate: String, Sendable, CaseIterable {
    /// Presumably: the service says nothing of what it takes.
    case accepted
    case rejected
    /// Never looked at: to be sent again.
    case discarded
    case unknown
  }

  /// Of the notification in the record of this number.
  public func fate(of number: Int) -> Fate {
    switch match {
    case .exact(let named), .byteSwapped(let named), .presumed(let named):
      if number < named.number { return .accepted }
      if number > named.number { return .discarded }
      return answer?.isShutdown == true ? .accepted : .rejected
    case .several(let range, _):
      let numbers = range.numbers
      return number < numbers.lowerBound ? .accepted : number > numbers.upperBound ? .discarded : .unknown
    case .none:
      return isSilent ? .accepted : .unknown
    }
  }

  /// Nothing speaks against it that all was taken: no answer, and the service did not close first.
  private var isSilent: Bool {
    answer == nil && !hasBrokenAnswer
      && (gatewayEnding == .open || (gatewayEnding == .finished && providerEnding == .finished))
  }

  /// The service went away without a packet, as it does when command 0 is at fault or nothing can be read.
  public var closedInSilence: Bool { answer == nil && !isSilent && !hasBrokenAnswer }
}

/// Where an identifier was sent, as far as it takes to tell one from several.
struct Occurrences: Sendable {
  private(set) var count = 0
  private(set) var first: Conversation.Named?
  private var last = (number: 0, ordinal: 0)

  mutating func note(_ number: Int, _ ordinal: Int, _ named: @autoclosure () -> Conversation.Named) {
    count += 1
    last = (number, ordinal)
    if first == nil { first = named() }
  }

  var range: Conversation.Range? {
    first.map {
      Conversation.Range(
        numbers: $0.number...max(last.number, $0.number), ordinals: $0.ordinal...max(last.ordinal, $0.ordinal))
    }
  }
}
