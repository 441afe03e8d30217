import APNSWire

/// One thing that can be wrong, as data: what it is, why it matters, which text says so, how to fix it, why the gateway
/// refuses it. `explain`, the guide's table, every report and the tests read these rows.
public struct Rule: Sendable {
  /// Stable, kebab-case.
  public let id: String
  /// Its usual severity; an edition may override it, and so may a user.
  public let severity: Finding.Severity
  /// What is wrong, in a few words.
  public let title: String
  /// What comes of it.
  public let why: String
  /// The document, chapter and edition that says so, or what was observed and where.
  public let source: String
  /// What to do, unless a finding has a fix of its own.
  public let fix: String
  /// Why the gateway refuses such a frame, the usual reason first. Empty if no document says that it checks this.
  public let refusals: [Refusal]
  /// About what a device makes of a payload that is read without an error: a decoder need not refuse it.
  public let isAboutDevice: Bool
  /// Only frames of items can break it.
  public let isAboutItems: Bool
  /// The editions whose text says so, or does not say the opposite. By others, nothing is reported.
  let editions: ClosedRange<Edition>
  /// Streams in which it is found.
  public var bad: [Sample] { makeBad() }
  /// Streams that look alike, and in which it is not.
  public var good: [Sample] { makeGood() }
  // Made when they are asked for: hardly any run does.
  private let makeBad: @Sendable () -> [Sample]
  private let makeGood: @Sendable () -> [Sample]

  public init(
    _ id: ID, _ severity: Finding.Severity, _ title: String, why: String, source: String, fix: String,
    refusals: [Refusal] = [], isAboutDevice: Bool = false, isAboutItems: Bool = false,
    editions: ClosedRange<Edition> = .year2009 ... .latest,
    bad: @autoclosure @escaping @Sendable () -> [Sample] = [],
    good: @autoclosure @escaping @Sendable () -> [Sample] = []
  ) {
    self.id = id.rawValue
    self.severity = severity
    self.title = title
    self.why = why
    self.source = source
    self.fix = fix
    self.refusals = refusals
    self.isAboutDevice = isAboutDevice
    self.isAboutItems = isAboutItems
    self.editions = editions
    makeBad = bad
    makeGood = good
  }
}
