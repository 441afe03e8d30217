import APNSCraft
import APNSDiagnosis
import APNSQuery
import APNSViews
import APNSWire
import Octets

/// Shrinks a stream while a finding or a failure remains.
struct MinimizeRun {
  private let settings: StreamSettings
  private let goal: Goal
  /// The number of the stream to shrink; nil if there is only one.
  var stream: Int?
  /// Maximum number of runs of the command, or of checks.
  var tries = 2000
  /// The output file; nil means standard output.
  var output: OutputPath?
  var quiet = false

  /// What must remain.
  enum Goal {
    /// The findings of a rule or of a root cause.
    case finding(String)
    /// The way in which a decoder fails.
    case failure(Decoder)
  }

  init(_ settings: StreamSettings, keeping goal: Goal) {
    self.settings = settings
    self.goal = goal
  }

  func run(_ input: InputRequest) throws -> ExitStatus {
    let sources = try input.sources()
    let streams = try settings.streams(of: input, sources).filter { stream == nil || $0.number == stream }
    guard let chosen = streams.first else {
      throw Failure.unreadable("the input has no stream to minimize; choose a file that has one")
    }
    guard streams.count == 1 else {
      throw Failure.usage(
        "there are \(streams.count) streams, and only one can be minimized; choose one with --stream \(chosen.number)")
    }
    var file = try OutputFile(output, content: .bytes)
    let role = chosen.role ?? .provider
    let smallest =
      switch goal {
      case .finding(let rule): try keeping(rule, chosen.bytes, role)
      case .failure(let decoder): try keepingFailure(of: decoder, chosen.bytes, role)
      }
    guard let smallest else { return .findings }
    file.append { $0.write(smallest) }
    try file.close()
    // After an interruption, the stream found so far is still valid output.
    return Interrupt.isRaised ? .unreadable : .clean
  }

  /// Nil if the rule has no finding in the original stream.
  private func keeping(_ rule: String, _ bytes: [UInt8], _ role: StreamRole) throws -> [UInt8]? {
    guard Rules[rule] != nil || RootCauses[rule] != nil else {
      let names = Rules.all.map(\.id) + RootCauses.all.map(\.id)
      throw Failure.usage("unknown rule or cause \(rule)\(suggestion(rule, names)); see apnscope explain --list")
    }
    func stays(_ bytes: [UInt8]) -> Bool {
      breaks(bytes, role, settings.rules) { $0.rule == rule || $0.cause?.id == rule }
    }
    guard stays(bytes) else {
      StandardError.say(
        "\(rule) finds nothing in this stream, so there is nothing to keep; apnscope check lists the findings")
      return nil
    }
    return shrink(bytes, role, while: stays)
  }

  /// Nil if the command does not fail on the original stream.
  private func keepingFailure(
    of decoder: Decoder, _ bytes: [UInt8], _ role: StreamRole
  ) throws -> [UInt8]? {
    let scratch = try TemporaryFile.make()
    guard let ending = try decoder.ending(on: bytes, in: scratch) else {
      throw Failure.unreadable("stopped before the command ended, so nothing was shrunk")
    }
    guard ending != .exited(0) else {
      StandardError.say(
        "the command accepts this stream (status 0), so there is no failure to keep; choose a stream that it fails on")
      return nil
    }
    if !quiet { StandardError.say("the command \(ending.words); this failure is kept") }
    return try shrink(bytes, role) { try decoder.ending(on: $0, in: scratch) == ending }
  }

  private func shrink(
    _ bytes: [UInt8], _ role: StreamRole, while stays: ([UInt8]) throws -> Bool
  ) rethrows -> [UInt8] {
    var minimizer = Minimizer(protocolDefinitions.catalog, role: role, maximumTries: tries)
    let smallest = try minimizer.shrink(
      bytes, while: { try !Interrupt.isRaised && stays($0) },
      note: { step in
        if !quiet { StandardError.say("\(step.words): \(step.before) -> \(step.after) bytes") }
      })
    if Interrupt.isRaised {
      StandardError.say(
        "interrupted after \(plural(minimizer.tries, "run")): \(bytes.count) -> \(smallest.count) bytes so far")
    } else if !quiet {
      let limit = minimizer.tries == tries ? "; more --tries may find a smaller stream" : ""
      StandardError.say("\(bytes.count) -> \(smallest.count) bytes in \(plural(minimizer.tries, "run"))\(limit)")
    }
    return smallest
  }
}

extension Minimizer.Step {
  fileprivate var words: String {
    switch what {
    case .frame: plural(count, "frame") + " removed"
    case .item: plural(count, "item") + " removed"
    case .key: plural(count, "key") + " removed"
    case .text: plural(count, "character") + " removed"
    case .byte: plural(count, "byte") + " removed"
    case .cut: plural(count, "byte") + " removed, lengths unchanged"
    }
  }
}
