import APNSCraft
import APNSDiagnosis
import APNSQuery
import APNSViews
import APNSWire
import ArgumentParser

struct Minimize: Runnable {
  static let configuration = CommandConfiguration(
    abstract: "Shrink a stream while a command still fails on it in the same way, or a rule still finds the same.",
    usage: """
      apnscope minimize --keep item-overrun -w small.bin samples/malformed/item-overrun.hex
      apnscope minimize -w small.bin crash.bin -- ./decoder
      apnscope minimize -w small.bin crash.bin -- python3 decode.py @@
      """,
    discussion: """
      Removes frames, then items, payload keys, characters of texts, and bytes. The enclosing lengths are adjusted: a \
      correct length stays correct, and a wrong one stays wrong by as much. When nothing more can be removed that way, \
      bytes are removed without adjusting any length. Each step is reported on standard error.

      The command reads the stream on its standard input, or from the file that replaces @@ in its arguments. It fails \
      if its status is not 0, if a signal kills it, if it prints the text of an uncaught exception, or if it exceeds \
      --timeout or --memory; minimize keeps the same failure.
      """)

  @OptionGroup(title: "Input") var input: Inputs
  @OptionGroup(title: "Roles") var roles: RoleOptions
  @OptionGroup(title: "Rules") var rules: RuleOptions

  @Option(help: ArgumentHelp("Number of the stream to shrink.", valueName: "number"))
  var stream: Int?

  @Option(help: ArgumentHelp("Keep the findings of this rule, or this root cause.", valueName: "rule"))
  var keep: String?

  @OptionGroup(title: "Command") var watch: WatchOptions

  @Option(help: "Run the command, or the check, at most this many times.")
  var tries = 2000

  @Option(name: .customShort("w"), help: ArgumentHelp("Write to FILE instead of standard output.", valueName: "file"))
  var output: String?

  @Flag(name: .customShort("q"), help: "Print nothing to standard error except fatal errors.")
  var quiet = false

  private var command: [String] { DecoderCommand.words }

  func validate() throws {
    if (keep == nil) == command.isEmpty {
      throw ValidationError("Give either a rule with --keep, or a command after --.")
    }
    if tries < 1 { throw ValidationError("The option --tries must be at least 1.") }
  }

  func execute() throws -> ExitStatus {
    let sources = try input.sources()
    let streams = try input.gathered(roles, from: sources).filter { stream == nil || $0.number == stream }
    guard let chosen = streams.first else {
      throw Failure.unreadable("the input has no stream to minimize; choose a file that has one")
    }
    guard streams.count == 1 else {
      throw Failure.usage(
        "there are \(streams.count) streams, and only one can be minimized; choose one with --stream \(chosen.number)")
    }
    var file = try OutputFile(output, reading: Inputs.paths(of: sources), content: .bytes)
    let role = chosen.role ?? .provider
    let smallest = try keep.map { try keeping($0, chosen.bytes, role) } ?? keepingFailure(chosen.bytes, role)
    guard let smallest else { return .findings }
    file.append { $0.write(smallest) }
    try file.close()
    // What was found until then fails just the same, so it is kept.
    return Interrupt.isRaised ? .unreadable : .clean
  }

  /// Nil where the rule finds nothing to begin with.
  private func keeping(_ rule: String, _ bytes: [UInt8], _ role: StreamRole) throws -> [UInt8]? {
    guard Rules[rule] != nil || RootCauses[rule] != nil else {
      let names = Rules.all.map(\.id) + RootCauses.all.map(\.id)
      throw Failure.usage("there is no rule or cause \(rule)\(suggestion(rule, names)); see apnscope explain --list")
    }
    let policy = try rules.policy()
    func stays(_ bytes: [UInt8]) -> Bool {
      breaks(bytes, role, policy) { $0.rule == rule || $0.cause?.id == rule }
    }
    guard stays(bytes) else {
      Talk.say("\(rule) finds nothing in this stream, so there is nothing to keep; apnscope check lists the findings")
      return nil
    }
    return shrink(bytes, role, while: stays)
  }

  /// Nil where the command does not fail to begin with.
  private func keepingFailure(_ bytes: [UInt8], _ role: StreamRole) throws -> [UInt8]? {
    let decoder = try watch.decoder(command)
    let scratch = try ScratchFile()
    guard let ending = try decoder.ending(on: bytes, in: scratch) else {
      throw Failure.unreadable("stopped before the command ended, so nothing was shrunk")
    }
    guard ending != .exited(0) else {
      Talk.say(
        "the command accepts this stream (status 0), so there is no failure to keep; choose a stream that it fails on")
      return nil
    }
    if !quiet { Talk.say("the command \(ending.words); this failure is kept") }
    return try shrink(bytes, role) { try decoder.ending(on: $0, in: scratch) == ending }
  }

  private func shrink(
    _ bytes: [UInt8], _ role: StreamRole, while stays: ([UInt8]) throws -> Bool
  ) rethrows -> [UInt8] {
    var minimizer = Minimizer(role: role, mostTries: tries)
    let smallest = try minimizer.shrink(
      bytes, while: { try !Interrupt.isRaised && stays($0) },
      note: { step in
        if !quiet { Talk.say("\(step.words): \(step.before) -> \(step.after) bytes") }
      })
    if Interrupt.isRaised {
      Talk.say("interrupted after \(plural(minimizer.tries, "run")): \(bytes.count) -> \(smallest.count) bytes so far")
    } else if !quiet {
      let limit = minimizer.tries == tries ? "; more --tries may find a smaller stream" : ""
      Talk.say("\(bytes.count) -> \(smallest.count) bytes in \(plural(minimizer.tries, "run"))\(limit)")
    }
    return smallest
  }
}

extension Minimizer.Step {
  var words: String {
    switch what {
    case .frame: plural(count, "frame") + " left out"
    case .item: plural(count, "item") + " left out"
    case .key: plural(count, "key") + " left out"
    case .text: plural(count, "character") + " left out"
    case .byte: plural(count, "byte") + " left out"
    case .cut: plural(count, "byte") + " left out, lengths unchanged"
    }
  }
}

/// How someone else's command is watched, and what counts as its failure.
struct WatchOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Only this status refuses a stream; any other except 0 is a failure; repeatable (default: 1 to 125).",
      valueName: "status"))
  var refuseStatus: [Int32] = []

  @Option(
    help: ArgumentHelp(
      """
      Text on standard error that is a failure, whatever the status; repeatable. The texts of sanitizers and of uncaught \
      exceptions in Python, Java, Node, Go, Rust, Swift, PHP and .NET are built in; an empty text turns these off.
      """, valueName: "text"))
  var crashText: [String] = []

  @Option(help: "Kill a run after this many seconds; that counts as a failure.")
  var timeout = 1.0

  @Option(help: "Kill a run that uses more memory than this, in MiB; that counts as a failure.")
  var memory = 512

  func validate() throws {
    if !(timeout > 0) { throw ValidationError("The option --timeout must be more than 0.") }
    if !(1...Self.mostMemory).contains(memory) {
      throw ValidationError("The option --memory must be from 1 to \(Self.mostMemory).")
    }
    if !refuseStatus.allSatisfy({ 1...125 ~= $0 || 128...255 ~= $0 }) {
      throw ValidationError("The option --refuse-status must be from 1 to 125, or from 128 to 255.")
    }
  }

  /// A pebibyte, in MiB.
  private static let mostMemory = 1 << 30

  func decoder(_ command: [String]) throws(Failure) -> Decoder {
    let texts = (crashText.contains("") ? [] : FailureSigns.usualTexts) + crashText.filter { !$0.isEmpty }
    return try Decoder(
      command, limits: ChildProcess.Limits(seconds: timeout, memory: memory << 20),
      signs: FailureSigns(refusals: Set(refuseStatus), texts: texts))
  }
}
