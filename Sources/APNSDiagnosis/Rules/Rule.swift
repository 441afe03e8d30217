import APNSWire

/// A kind of fault, as data: what it is, why it matters, which document says so, how to fix it, and why the gateway
/// refuses it. `explain`, the guide's table, every report and the tests read these values.
///
/// A rule is referred to by value, such as `truncated`. Two rules are equal if they have the same name.
public struct Rule: Sendable, Hashable {
  /// The stable name in kebab case, in reports and on the command line.
  public let id: String
  /// The default severity. Some findings have another one, and a user may override it.
  public let severity: Finding.Severity
  /// The fault, in a few words.
  package let title: String
  /// The consequences.
  package let why: String
  /// The document, chapter and edition that says so, or what was observed and where.
  public let source: String
  /// The usual fix. A finding may have a more specific one.
  public let fix: String
  /// Why the gateway refuses such a frame, the usual reason first. Empty if no document says that the gateway checks
  /// this.
  package let refusals: [Refusal]
  /// Whether the rule is about how a device interprets a valid payload, so that a decoder need not refuse it.
  package let isAboutDevice: Bool
  /// Whether only frames of items can violate the rule.
  package let isAboutItems: Bool
  /// The editions that support the rule, or at least do not contradict it. In other editions it reports nothing.
  package let editions: ClosedRange<Edition>
  /// Streams that violate the rule.
  package var bad: [Sample] { makeBad() }
  /// Similar streams that do not violate the rule.
  package var good: [Sample] { makeGood() ?? [.notification()] }
  // The samples are created on demand, because most runs do not need them.
  private let makeBad: @Sendable () -> [Sample]
  private let makeGood: @Sendable () -> [Sample]?

  /// Creates a rule. Each parameter is the property of its name. A rule whose `good` is nil has a valid notification
  /// there.
  public init(
    _ id: String, _ severity: Finding.Severity, _ title: String, why: String, source: String, fix: String,
    refusals: [Refusal] = [], isAboutDevice: Bool = false, isAboutItems: Bool = false,
    editions: ClosedRange<Edition> = .year2009 ... .latest,
    bad: @autoclosure @escaping @Sendable () -> [Sample] = [],
    good: @autoclosure @escaping @Sendable () -> [Sample]? = nil
  ) {
    self.id = id
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

  public static func == (a: Rule, b: Rule) -> Bool { a.id == b.id }
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
