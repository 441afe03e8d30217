import APNSInput
import APNSViews
import APNSWire
import Octets

/// A scenario: what a gateway does instead of accepting notifications, as JSON; docs/conformance.md describes the form.
/// Steps with `after` follow one another, and happen once each; the others apply all the time.
enum ScenarioFile {
  /// The scenarios that have names.
  private static let named: [(name: String, text: [UInt8])] = [
    ("close", PackageResources.close_json), ("error-packet", PackageResources.error_packet_json),
    ("resend", PackageResources.resend_json), ("reset", PackageResources.reset_json),
    ("shutdown", PackageResources.shutdown_json), ("slow-reader", PackageResources.slow_reader_json),
  ]
  static var names: [String] { named.map(\.name) }

  /// The version of the form, the value of `apnscope_scenario`.
  private static let version = 1
  private static let mostCount = 1_000_000_000
  /// A day.
  private static let seconds = 0.0...86400.0

  /// What a scenario demands: one with this name, or one in a file. The same seed chooses the same numbers for what the
  /// file leaves open.
  static func behavior(_ source: String, seed: UInt64 = 1) throws(Failure) -> Behavior {
    let known = named.first { $0.name == source }
    let text = if let known { known.text } else { try InputFiles.read(source, "--scenario", limit: 1 << 20) }
    var generator = SplitMix64(seed: seed)
    do throws(ReadError) {
      var file = try JSONFileObject(file: text, "apnscope_scenario", version: Self.version)
      var behavior = Behavior()
      behavior.documented.delaySeconds = try file.decimal("delay_seconds", seconds) ?? 0
      behavior.documented.splitsReply = try file.bool("split") ?? false
      guard let steps = try file.array("steps") else { throw file.missing("steps") }
      for step in steps {
        var object = try JSONFileObject(step, "a step", text)
        try add(&object, to: &behavior, &generator)
      }
      try file.finish()
      return behavior
    } catch {
      throw .usage("--scenario \(source): \(error)")
    }
  }

  private static func add(
    _ object: inout JSONFileObject, to behavior: inout Behavior, _ generator: inout SplitMix64
  ) throws(ReadError) {
    let counts = try object.numbers("after", 1...mostCount)
    let trigger = try trigger(&object)
    var reaction = behavior.documented
    try act(&object, &reaction)
    reaction.delaySeconds = try object.decimal("delay_seconds", seconds) ?? reaction.delaySeconds
    reaction.refusalSeconds = try object.decimal("refuse_seconds", seconds) ?? 0
    if let splits = try object.bool("split") {
      guard reaction.status != nil else { throw object.error("split", "is only for reject and shutdown") }
      reaction.splitsReply = reaction.splitsReply || splits
    }
    try object.finish()
    switch (counts, trigger) {
    case (let counts?, nil):
      reaction.reason = .step(behavior.steps.count + 1)
      behavior.steps.append((Int.random(in: counts, using: &generator), reaction))
    case (nil, let trigger?):
      reaction.reason = .rule
      behavior.rules.append((trigger, reaction))
    case (nil, nil): throw object.missing("after")
    case (_?, _?): throw object.error("after", "excludes the others: a step has one of after, every, number and token")
    }
  }

  private static func trigger(_ object: inout JSONFileObject) throws(ReadError) -> Behavior.Trigger? {
    if let count = try object.integer("every", 1...mostCount) { return .every(count) }
    if let number = try object.integer("number", 1...mostCount) { return .number(number) }
    guard let digits = try object.string("token") else { return nil }
    guard let token = [UInt8](hexDigits: Array(digits.utf8)) else {
      throw object.error("token", "must be pairs of hex digits")
    }
    return .token(token)
  }

  private enum Act: String, CaseIterable { case reject, shutdown, close, reset, stall }

  private static func act(_ object: inout JSONFileObject, _ reaction: inout Reaction) throws(ReadError) {
    guard let act = try object.choice("do", Act.self, \.rawValue) else { throw object.missing("do") }
    let status = try object.integer("status", 1...255)
    let stall = try object.decimal("stall_seconds", 0.001...seconds.upperBound)
    if status != nil, act != .reject { throw object.error("status", "is only for reject") }
    if stall != nil, act != .stall { throw object.error("stall_seconds", "is only for stall") }
    switch act {
    case .reject:
      guard let status else { throw object.missing("status") }
      reaction.status = UInt8(status)
    case .shutdown: reaction.status = ErrorResponse.shutdown
    case .close: break
    case .reset: reaction.ending = .reset
    case .stall: reaction.ending = stall.map { .pause($0) } ?? .stall
    }
  }
}
