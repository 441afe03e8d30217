import APNSWire

/// One thing that can be wrong, as data: what it is, why it matters, who says so, how to fix it, what the service
/// answers. `explain`, the README's table, every report and the tests read these rows.
public struct Rule: Sendable {
  /// Stable, kebab-case.
  public let id: String
  /// What it usually weighs; an edition may weigh it otherwise, and a user too.
  public let severity: Finding.Severity
  /// What is wrong, in a few words.
  public let title: String
  /// What comes of it.
  public let why: String
  /// Who says so.
  public let source: String
  /// What to do, where a finding has nothing closer to its case.
  public let fix: String
  /// What the service answered to such a frame; nil where it took it, or where nobody knows.
  public let answer: Answer?
  /// Streams in which it is found.
  public var bad: [Sample] { makeBad() }
  /// Streams that look alike, and in which it is not.
  public var good: [Sample] { makeGood() }
  // Made when they are asked for: hardly any run does.
  private let makeBad: @Sendable () -> [Sample]
  private let makeGood: @Sendable () -> [Sample]

  public init(
    _ id: String, _ severity: Finding.Severity, _ title: String, why: String, source: String, fix: String,
    answer: Answer? = nil, bad: @autoclosure @escaping @Sendable () -> [Sample] = [],
    good: @autoclosure @escaping @Sendable () -> [Sample] = []
  ) {
    self.id = id
    self.severity = severity
    self.title = title
    self.why = why
    self.source = source
    self.fix = fix
    self.answer = answer
    makeBad = bad
    makeGood = good
  }

  /// What the service does with a frame that breaks the rule.
  public enum Answer: Sendable, Hashable {
    /// An error response with this status, and the close.
    case status(UInt8)
    /// The close alone.
    case close
    /// The service cannot read on: status 128 since 2017, the close alone before.
    case unreadable

    /// What comes back in an edition for a frame type: only those with an identifier are answered at all.
    func given(in edition: Edition, isAnswered: Bool) -> Finding.Answer {
      guard isAnswered, edition >= ErrorResponse.schema.since else { return .close }
      return switch self {
      case .status(let code): .status(code)
      case .close: .close
      case .unreadable: edition >= .year2017 ? .status(128) : .close
      }
    }
  }
}
