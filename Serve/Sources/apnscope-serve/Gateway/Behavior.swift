/// How a gateway reacts: as Apple documents, and how it deviates from that, to test providers.
struct Behavior: Sendable {
  /// How it answers as documented, without the status and the identifier.
  var documented = Reaction()
  /// What it does instead of accepting a notification, each time one has this trigger.
  var rules: [(trigger: Trigger, reaction: Reaction)] = []
  /// What it does instead of accepting a notification, once each and in this order. `count` is the number of
  /// notifications after the preceding step, over all connections; the last of them causes the step.
  var steps: [(count: Int, reaction: Reaction)] = []
  /// The number of notifications that could be accepted, on all connections.
  private var total = 0
  /// The number of them since the last step.
  private var sinceStep = 0

  enum Trigger: Sendable {
    /// Its device token.
    case token([UInt8])
    /// Each time this many could be accepted, counted over all connections.
    case every(Int)
    /// Its number on its connection, counted from 1 among those that could be accepted.
    case number(Int)
  }

  /// Counts a notification, and returns what to do instead of accepting it. `number` is that of the trigger.
  mutating func deviation(token: [UInt8], _ number: Int) -> Reaction? {
    total += 1
    sinceStep += 1
    if let step = steps.first, sinceStep >= step.count {
      sinceStep = 0
      steps.removeFirst()
      return step.reaction
    }
    return rules.first { rule in
      switch rule.trigger {
      case .token(let expected): expected == token
      case .every(let count): total.isMultiple(of: count)
      case .number(let expected): expected == number
      }
    }?.reaction
  }
}

/// What a gateway does after a notification that it does not simply accept.
struct Reaction: Sendable {
  /// The identifier of the notification; nil if it has none.
  var identifier: UInt32?
  /// The status of the error response to send first; nil if there is none.
  var status: UInt8?
  var ending = Ending.close
  /// How long the gateway waits before all of this, in seconds.
  var delaySeconds = 0.0
  /// Whether it sends the error response in two segments.
  var splitsReply = false
  /// How long the server accepts no connection afterwards, in seconds.
  var refusalSeconds = 0.0
  var reason = Reason.documented

  /// What the gateway does with the connection after the error response.
  enum Ending {
    case close
    /// It aborts the connection (RST).
    case reset
    /// It leaves the connection open and stops reading.
    case stall
    /// It reads nothing for this time, in seconds, which is more than 0. Then the connection continues.
    case pause(Double)
  }

  enum Reason: Equatable {
    case documented
    /// A rule of the ``Behavior`` demands it.
    case rule
    /// The step with this number, counted from 1, demands it.
    case step(Int)
  }

  /// Whether the gateway judges nothing after it on the same connection.
  var isLast: Bool { if case .pause = ending { false } else { true } }
}
