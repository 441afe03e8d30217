import APNSGateway
import APNSViews
import Octets

/// A scenario: what a gateway does instead of accepting notifications, one step after the other, as JSON.
///
///     {"apnscope_scenario": 1, "steps": [
///       {"after": 5, "do": "reject", "status": 8, "delay_seconds": 0.5, "split": true},
///       {"after": [5, 20], "do": "shutdown"},
///       {"after": 3, "do": "close", "refuse_seconds": 2},
///       {"after": 1, "do": "stall", "stall_seconds": 10}]}
package struct ScenarioFile {
  /// The steps, with every choice made.
  package private(set) var steps: [Behavior.Step] = []

  /// The version of the form, the value of `apnscope_scenario`.
  private static let version = 1
  private static let mostCount = 1_000_000_000
  /// A day.
  private static let seconds = 0.0...86400.0

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - seed: Chooses the numbers that the file leaves open. The same seed chooses the same numbers.
  package init(_ input: InputPath, seed: UInt64) throws(Failure) {
    let text = try smallFile(input, limit: 1 << 20)
    var generator = SplitMix64(seed: seed)
    do throws(JSONFileError) {
      var file = try JSONFileObject(file: text, "apnscope_scenario", version: Self.version)
      guard let steps = try file.array("steps") else { throw file.missing("steps") }
      for step in steps {
        var object = try JSONFileObject(step, "a step", text)
        self.steps.append(try Self.step(&object, &generator))
      }
      try file.finish()
    } catch {
      throw .usage("\(input.description): \(error)")
    }
  }

  private static func step(
    _ object: inout JSONFileObject, _ generator: inout SplitMix64
  ) throws(JSONFileError) -> Behavior.Step {
    guard let counts = try object.numbers("after", 1...mostCount) else { throw object.missing("after") }
    var deviation = Behavior.Deviation(try act(&object))
    deviation.manner.delaySeconds = try object.decimal("delay_seconds", seconds)
    deviation.manner.refusalSeconds = try object.decimal("refuse_seconds", seconds) ?? 0
    if let splits = try object.bool("split") {
      guard deviation.act.sendsPacket else { throw object.error("split", "is only for reject and shutdown") }
      deviation.manner.splitsReply = splits
    }
    try object.finish()
    return Behavior.Step(after: Int.random(in: counts, using: &generator), deviation)
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
