import APNSDiagnosis
import APNSViews
import APNSWire
import ArgumentParser
import Foundation

/// Parses the arguments, serves, and exits with one of the documented statuses.
@main
struct ApnscopeServe: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apnscope-serve",
    abstract: "Serve as a push gateway and a feedback service, and write the decrypted connections as a capture.",
    usage: """
      apnscope serve [<options>]
      apnscope-serve [<options>] | apnscope -T tree
      apnscope-serve --conformance [<options>] [-- <command> ...]
      """,
    discussion: """
      It is what `apnscope serve` runs; that command shows the frames as they arrive, and takes these options, too. \
      The gateway answers as Apple documents: it says nothing about a notification that it accepts, answers the \
      first one that it refuses with an error response, closes the connection, and discards the rest. For command 0 \
      it only closes. Ctrl-C stops.

      With --conformance, the gateway misbehaves in one scenario after another, and the report says how the provider \
      reacts. A command after -- is started for each scenario, with APNS_HOST, APNS_PORT and APNS_FEEDBACK_PORT in its \
      environment, and is ended after it.

      Exit status: 0 all scenarios passed; 1 one failed or was not tested; 2 wrong usage; 3 it cannot listen, or a \
      file cannot be read or written.
      """,
    version: "0.1.0")

  @Option(
    help: ArgumentHelp(
      "Address of the push gateway; port 0 chooses a free port. (default: 127.0.0.1:2195)", valueName: "host:port"),
    transform: { try ServiceAddress($0, .push) })
  var listen = ServiceAddress(host: "127.0.0.1", port: 2195, service: .push)

  @Option(
    help: ArgumentHelp("Address of the feedback service. (default: 127.0.0.1:2196)", valueName: "host:port"),
    transform: { try ServiceAddress($0, .feedback) })
  var feedback = ServiceAddress(host: "127.0.0.1", port: 2196, service: .feedback)

  @Option(
    help: ArgumentHelp(
      "Tokens that the feedback service reports: a token in hex on each line, optionally followed by a UNIX time.",
      valueName: "file"), completion: .file())
  var feedbackTokens: String?

  @Option(
    name: .customShort("w"), help: ArgumentHelp("Also write the decrypted connections to FILE.", valueName: "outfile"),
    completion: .file())
  var output: String?

  @OptionGroup(title: "Misbehaviour") var scenario: ScenarioOptions
  @OptionGroup(title: "TLS") var tls: TLSOptions
  @OptionGroup(title: "Conformance") var conformance: ConformanceOptions
  @OptionGroup(title: "Limits") var limits: LimitOptions

  @Option(
    help: ArgumentHelp("Answer as Apple's guide of this year says (default: 2013).", valueName: "year"),
    transform: { text in
      if let edition = Int(text).flatMap(Edition.init(rawValue:)) { return edition }
      throw ValidationError("it must be one of \(Edition.allCases.map { "\($0.rawValue)" }.joined(separator: ", "))")
    })
  var edition = Edition.standard

  @Option(help: ArgumentHelp("Add the frame types in this file; repeatable.", valueName: "file"), completion: .file())
  var frames: [String] = []

  @Flag(name: .customShort("q"), help: "Say only where it listens, and what failed.")
  var quiet = false

  /// A descriptor that gets a line for each service: its name and its port. It is closed then.
  @Option(help: .private) var portsDescriptor: Int32?

  /// The program that is tested, and its arguments; empty if the user starts it.
  @Argument(parsing: .postTerminator, help: .private) var provider: [String] = []

  func validate() throws {
    if listen.port == feedback.port, listen.port != 0 {
      throw ValidationError("The push gateway and the feedback service need different ports.")
    }
    if output == "-" { throw ValidationError("The option -w needs a file; standard output has the capture anyway.") }
    // Perhaps a variable of a shell is empty.
    if provider.isEmpty, CommandLine.arguments.last == "--" { throw ValidationError("No command follows --.") }
    if !provider.isEmpty, !conformance.conformance { throw ValidationError("A command after -- needs --conformance.") }
    if conformance.conformance, scenario.scenario != nil {
      throw ValidationError("The option --conformance has its own scenarios; drop --scenario.")
    }
  }

  static func main() {
    holdStandardStreams()
    Interrupt.catchSignals()
    Foundation.exit(status())
  }

  private static func status() -> Int32 {
    do {
      return try parse().serve()
    } catch let failure as Failure {
      if !failure.sentence.isEmpty { StandardError.say(failure.sentence) }
      return failure.status
    } catch {
      guard exitCode(for: error) == .success else {
        var sentence = String(message(for: error).prefix { $0 != "\n" })
        sentence = replacement(for: sentence) ?? sentence
        while sentence.hasSuffix(".") { sentence.removeLast() }
        StandardError.say(sentence.hasSuffix("?") ? sentence : "\(sentence); see apnscope-serve --help")
        return 2
      }
      print(fullMessage(for: error))
      return 0
    }
  }

  private func serve() throws(Failure) -> Int32 {
    if conformance.list {
      for scenario in ConformanceScenario.all { print(scenario.name.padded(to: 14) + scenario.demand) }
      return 0
    }
    if !conformance.conformance, isatty(1) == 1 {
      throw .usage("standard output is a terminal, which must not get a capture; use apnscope serve")
    }
    let inputs = [(feedbackTokens, "--feedback-tokens"), (scenario.scenario, "--scenario")]
    let files = inputs + frames.map { ($0, "--frames") } + tls.files
    try InputFiles.check(files, output: output)
    let definitions = try definitions()
    let behavior =
      if let file = scenario.scenario { try ScenarioFile.behavior(file, seed: scenario.seed) } else { Behavior() }
    var tuples = FeedbackList(count: conformance.conformance ? FeedbackList.enough : 0)
    if let feedbackTokens { tuples = try FeedbackList(feedbackTokens) }
    let context = try tls.context()
    // The certificates may have been made just now.
    try InputFiles.check(files, output: output)
    let capture = try SessionCapture(output, writesOutput: !conformance.conformance)
    let server = Server(self, definitions, context, feedback: tuples.bytes, behavior)
    defer { server.shutDown() }
    try server.start()
    // Without a command, the user starts the provider, and needs the ports for that.
    if !(conformance.conformance && quiet && !provider.isEmpty) {
      for address in server.addresses { StandardError.write("listening on \(address)\n") }
    }
    guard conformance.conformance else { return try show(server, capture, stepCount: behavior.steps.count) }
    return try runScenarios(ConformanceSession(server, capture))
  }

  /// Writes what happens until the server has stopped.
  private func show(_ server: Server, _ capture: consuming SessionCapture, stepCount: Int) throws(Failure) -> Int32 {
    if let portsDescriptor {
      let lines = server.addresses.map { "\($0.service.rawValue) \($0.port)\n" }.joined()
      _ = writeAll(Array(lines.utf8).span, to: portsDescriptor)
      close(portsDescriptor)
    }
    var log = ReactionLog(quiet: quiet, stepCount: stepCount)
    while !capture.hasStopped {
      let events = server.events.take(waitingFor: 0.05)
      capture.write(events[...])
      for event in events { log.note(event) }
      if Interrupt.isRaised || capture.failure != nil { server.stop() }
    }
    if !quiet { StandardError.say(log.summary) }
    if let failure = capture.failure { throw failure }
    return 0
  }

  /// The frame types and rules, with those of files.
  private func definitions() throws(Failure) -> Definitions {
    var definitions = Definitions.standard
    for path in frames {
      let text = try InputFiles.read(path, "--frames", limit: 1 << 20)
      do {
        definitions.catalog = try FrameFile(text, addingTo: definitions.catalog).catalog
      } catch { throw .usage("--frames \(path): \(error)") }
    }
    return definitions
  }
}
