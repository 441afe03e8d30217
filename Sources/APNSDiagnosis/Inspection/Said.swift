/// What a glance can say of a frame that passes: findings of the commonest rules, each at most once in a frame.
struct Said: OptionSet, BitwiseCopyable, Sendable {
  let rawValue: UInt8

  static let identifierMissing = Said(rawValue: 1)
  static let severalActions = Said(rawValue: 2)
  static let escapedText = Said(rawValue: 4)
  /// In a frame type whose priority is an item, without that item: a note.
  static let immediateSilent = Said(rawValue: 8)
  /// In a frame type that implies priority 10: a warning.
  static let impliedImmediate = Said(rawValue: 16)

  /// By bit.
  static let rules: [(rule: Rule, severity: Finding.Severity)] = [
    (APNSDiagnosis.identifierMissing, .note), (APNSDiagnosis.severalActions, .note),
    (APNSDiagnosis.escapedText, .note), (APNSDiagnosis.immediateSilent, .note),
    (APNSDiagnosis.immediateSilent, .warning),
  ]

  /// As a user weighs them.
  struct Weights {
    /// Nobody wants to hear of these.
    private(set) var unheard = Said()
    /// These weigh what they usually do.
    private(set) var usual = Said()

    init(_ policy: RulePolicy) {
      for (bit, row) in Said.rules.enumerated() {
        let severity = policy.severity(of: row.rule, row.severity)
        if severity == nil { unheard.insert(Said(bit)) }
        if severity == row.severity { usual.insert(Said(bit)) }
      }
    }
  }

  init(rawValue: UInt8) { self.rawValue = rawValue }
  init(_ bit: Int) { rawValue = 1 << UInt8(bit) }

  static let notes = Said(rules.indices.filter { rules[$0].severity == .note }.map { Said($0) })

  /// Bits that are set.
  var bits: [Int] { Said.rules.indices.filter { contains(Said($0)) } }
}

/// How often a glance said what.
struct SaidCounts {
  private(set) var frames = PassedFrames()
  private var counts = InlineArray<8, Int>(repeating: 0)

  @inline(__always)
  mutating func add(_ said: Said) {
    frames.count += 1
    guard !said.isEmpty else { return }
    if !said.isSubset(of: .notes) { frames.bad += 1 }
    var rest = said.rawValue
    while rest != 0 {
      counts[rest.trailingZeroBitCount] += 1
      rest &= rest &- 1
    }
  }

  /// With all that was said.
  var all: PassedFrames {
    var all = frames
    for (bit, row) in Said.rules.enumerated() where counts[bit] > 0 {
      all.findings.append((row.rule.id, row.severity, counts[bit], counts[bit]))
    }
    return all
  }
}
