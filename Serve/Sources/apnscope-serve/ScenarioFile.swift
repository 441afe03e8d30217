import APNSGateway
import APNSViews
import Octets

/// A scenario: what a gateway does instead of accepting notifications, as JSON. Steps with `after` follow one another, and
/// happen once each; the others apply all the time.
///
///     {"apnscope_scenario": 1, "delay_seconds": 0.5, "split": true, "steps": [
///       {"after": 5, "do": "reject", "status": 8, "delay_seconds": 0.5, "split": true},
///       {"after": [5, 20], "do": "shutdown"},
///       {"after": 3, "do": "close", "refuse_seconds": 2},
///       {"after": 1, "do": "stall", "stall_seconds": 10},
///       {"every": 100, "do": "reject", "status": 1},
///       {"number": 5, "do": "reset"},
///       {"token": "aabbcc", "do": "reject", "status": 8}]}
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

  /// What a scenario demands, with every choice made.
  ///
  /// - Parameters:
  ///   - source: The name of a scenario, or the path of a file.
  ///   - seed: Chooses the numbers that the file leaves open. The same seed chooses the same numbers.
  static func behavior(_ source: String, seed: UInt64 = 1) throws(Failure) -> Behavior {
    let text: [UInt8]
    if let known = named.first(where: { $0.name == source }) {
      text = known.text
    } else {
      text = try InputFiles.read(source, "--scenario", limit: 1 << 20)
    }
    var generator = SplitMix64(seed: seed)
    do throws(JSONFileError) {
      var file = try JSONFileObject(file: text, "apnscope_scenario", version: Self.version)
      var behavior = Behavior()
      behavior.delaySeconds = try file.decimal("delay_seconds", seconds) ?? 0
      behavior.splitsReplies = try file.bool("split") ?? false
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
  ) throws(JSONFileError) {
    let counts = try object.numbers("after", 1...mostCount)
    let trigger = try trigger(&object)
    var deviation = Behavior.Deviation(try act(&object))
    deviation.manner.delaySeconds = try object.decimal("delay_seconds", seconds)
    deviation.manner.refusalSeconds = try object.decimal("refuse_seconds", seconds) ?? 0
    if let splits = try object.bool("split") {
      guard deviation.act.sendsPacket else { throw object.error("split", "is only for reject and shutdown") }
      deviation.manner.splitsReply = splits
    }
    try object.finish()
    switch (counts, trigger) {
    case (let counts?, nil):
      behavior.steps.append(Behavior.Step(after: Int.random(in: counts, using: &generator), deviation))
    case (nil, let trigger?): behavior.rules.append(Behavior.Rule(trigger, deviation))
    case (nil, nil): throw object.missing("after")
    case (_?, _?): throw object.error("after", "excludes the others: a step has one of after, every, number and token")
    }
  }

  private static func trigger(_ object: inout JSONFileObject) throws(JSONFileError) -> Behavior.Trigger? {
    if let count = try object.integer("every", 1...mostCount) { return .every(count) }
    if let number = try object.integer("number", 1...mostCount) { return .number(number) }
    guard let digits = try object.string("token") else { return nil }
    guard let token = [UInt8](hexDigits: Array(digits.utf8)) else {
      throw object.error("token", "must be pairs of hex digits")
    }
    return .token(token)
  }

  private static func act(_ object: inout JSONFileObject) throws(JSONFileError) -> Behavior.Act {
    enum Word { case reject, shutdown, close, reset, stall }
    let words: [(String, Word)] = [
      ("reject", .reject), ("shutdown", .shutdown), ("close", .close), ("reset", .reset), ("stall", .stall),
    ]
    guard let word = try object.choice("do", words) else { throw object.missing("do") }
    let status = try object.integer("status", 1...255)
    let stall = try object.decimal("stall_seconds", 0.001...seconds.upperBound)
    if status != nil, word != .reject { throw object.error("status", "is only for reject") }
    if stall != nil, word != .stall { throw object.error("stall_seconds", "is only for stall") }
    switch word {
    case .reject:
      guard let status else { throw object.missing("status") }
      return .reject(UInt8(status))
    case .shutdown: return .shutdown
    case .close: return .close
    case .reset: return .reset
    case .stall: return stall.map { .pause($0) } ?? .stall
    }
  }
}

extension Behavior.Act {
  /// Whether it includes an error response.
  fileprivate var sendsPacket: Bool {
    switch self {
    case .reject, .shutdown: true
    case .close, .reset, .stall, .pause: false
    }
  }
}
