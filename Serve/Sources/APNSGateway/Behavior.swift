/// How a gateway deviates from the documented behaviour, to test providers.
public struct Behavior: Sendable {
  /// Deviations that happen each time a notification causes them.
  public var rules: [Rule] = []
  /// Deviations that happen once each, in this order.
  public var steps: [Step] = []
  /// How long the gateway waits before it answers or deviates, in seconds, unless the deviation says so.
  public var delaySeconds = 0.0
  /// Whether it sends each error response in two segments.
  public var splitsReplies = false
  /// The number of notifications on all connections that the rules allow.
  private var total = 0
  /// The value of `total` at the last step.
  private var totalAtStep = 0
  private var stepCount = 0

  /// The documented behaviour.
  public init() {}

  /// What the gateway does with a notification that it would accept.
  public enum Act: Sendable, Hashable {
    /// It answers with this status and closes the connection.
    case reject(UInt8)
    /// It accepts the notification, answers with the status for a shutdown, and closes the connection.
    case shutdown
    /// It closes the connection without an answer.
    case close
    /// It aborts the connection (RST).
    case reset
    /// It stops reading.
    case stall
    /// It accepts the notification, and reads nothing for this time, in seconds, which is more than 0.
    case pause(Double)
  }

  /// A notification that causes a deviation each time.
  public enum Trigger: Sendable, Hashable {
    /// One with this device token.
    case token([UInt8])
    /// Each time this many were received that the rules allow, counted over all connections.
    case every(Int)
    /// The one with this number on its connection, counted from 1 among those that the rules allow.
    case number(Int)
  }

  /// A deviation that happens each time.
  public struct Rule: Sendable, Hashable {
    /// The notification that causes it.
    public let trigger: Trigger
    /// What the gateway does.
    public let deviation: Deviation

    /// Creates a rule.
    public init(_ trigger: Trigger, _ deviation: Deviation) {
      self.trigger = trigger
      self.deviation = deviation
    }
  }

  /// What the gateway does instead of accepting a notification.
  public struct Deviation: Sendable, Hashable {
    /// What it does.
    public let act: Act
    /// How it does it.
    public var manner = Manner()
    /// The number of the step that demands it, counted from 1; nil if a rule does.
    var step: Int?

    /// Creates a deviation.
    public init(_ act: Act) { self.act = act }
  }

  /// How the gateway does something.
  public struct Manner: Sendable, Hashable {
    /// How long it waits first, in seconds; nil to wait as ``Behavior/delaySeconds`` says.
    public var delaySeconds: Double?
    /// Whether it sends an error response in two segments.
    public var splitsReply = false
    /// How long it accepts no connection afterwards, in seconds.
    public var refusalSeconds = 0.0
  }

  /// A deviation that happens once.
  public struct Step: Sendable, Hashable {
    /// The number of notifications after the preceding step, over all connections. The last of them causes this step.
    public let count: Int
    /// What the gateway does.
    public let deviation: Deviation

    /// Creates a step. `count` must be at least 1.
    public init(after count: Int, _ deviation: Deviation) {
      self.count = count
      self.deviation = deviation
    }
  }

  /// Counts a notification, and returns what to do instead of accepting it.
  ///
  /// - Parameters:
  ///   - token: its device token.
  ///   - number: its number on its connection, counted from 1.
  mutating func deviation(token: [UInt8], _ number: Int) -> Deviation? {
    total += 1
    if stepCount < steps.count, total - totalAtStep >= steps[stepCount].count {
      totalAtStep = total
      stepCount += 1
      var deviation = steps[stepCount - 1].deviation
      deviation.step = stepCount
      return deviation
    }
    return rules.first { rule in
      switch rule.trigger {
      case .token(let expected): expected == token
      case .every(let count): total.isMultiple(of: count)
      case .number(let expected): expected == number
      }
    }?.deviation
  }
}
