import APNSGateway
import APNSQuery
import APNSServer
import APNSTool
import APNSViews
import ArgumentParser
import Octets

struct Serve: Runnable {
  static let configuration = CommandConfiguration(
    abstract: "Serve as a push gateway and a feedback service, to test a provider.",
    usage: """
      apnscope serve [<options>] [-- <command> ...]
      apnscope serve -w push.pcap
      apnscope serve --tls-self-signed certificates
      apnscope serve --listen 127.0.0.1:0 --reject every=100:8
      apnscope serve --scenario scenario.json --seed 7
      apnscope serve --conformance -T junit -- python3 provider.py
      """,
    discussion: """
      Point the provider at 127.0.0.1:2195. Each frame is shown as it arrives, on one line; -T tree shows its bytes. The \
      gateway answers as Apple documents: it says nothing about a notification that it accepts, answers the first one \
      that it refuses with an error response, closes the connection, and discards the rest. For command 0 it only \
      closes. Ctrl-C stops.

      With --conformance, the gateway misbehaves in one scenario after another, and the report says how the provider \
      reacts. A command after -- is started for each scenario, with APNS_HOST, APNS_PORT and APNS_FEEDBACK_PORT in its \
      environment, and is ended after it. A scenario that fails or cannot be tested gives status 1.

      \(HelpText.exitStatus())
      """)

  @Option(
    name: .customLong("listen"),
    help: ArgumentHelp(
      "Address of the push gateway; port 0 chooses a free port. (default: \(usualPush))", valueName: "host:port"),
    transform: Self.address)
  var push = usualPush

  @Option(
    name: .customLong("feedback"),
    help: ArgumentHelp("Address of the feedback service. (default: \(usualFeedback))", valueName: "host:port"),
    transform: Self.address)
  var feedback = usualFeedback

  private static let usualPush = ListenAddress.loopback(2195)
  private static let usualFeedback = ListenAddress.loopback(2196)

  private static func address(_ text: String) throws -> ListenAddress {
    guard let address = ListenAddress(text) else {
      throw ValidationError("write HOST:PORT or PORT, such as \(usualPush) or [::1]:2195")
    }
    return address
  }

  @Option(
    reads: "--feedback-tokens",
    help: "Tokens that the feedback service reports: a token in hex on each line, optionally followed by a UNIX time.")
  var feedbackTokens: InputPath?

  @OptionGroup(title: "TLS") var tls: ServerTLSOptions
  @OptionGroup(title: "Limits") var limits: ServerLimitOptions
  @OptionGroup(title: "Misbehaviour") var behavior: BehaviorOptions
  @OptionGroup(title: "Conformance") var conformance: ConformanceOptions

  @Option(writes: "-w", help: "Also write the decrypted connections to FILE.")
  var output: OutputPath?

  @OptionGroup var frames: FramesOption
  @OptionGroup(title: "Rules") var rules: RuleOptions
  @OptionGroup(title: "Selection") var selection: SelectionOptions
  @OptionGroup(title: "Output") var records: RecordOptions<ServeFormat>

  @OptionGroup var exit: FailOnOption

  @OptionGroup var messages: QuietOption

  func validate() throws {
    if push.port == feedback.port, push.port != 0 {
      throw ValidationError("The push gateway and the feedback service need different ports.")
    }
    if output?.path == "-" { throw ValidationError("The option -w needs a file, which other commands read.") }
    if TrailingCommand.isMissing { throw ValidationError("No command follows --.") }
    let format = records.chosen
    if conformance.conformance {
      if behavior.isAny {
        throw ValidationError("The option --conformance has its own scenarios; drop the options for misbehaviour.")
      }
      if selection.isAny || records.isAny || exit.failOn != .error {
        throw ValidationError("The options --stream, -Y, -e, -x, -v and --fail-on do not work with --conformance.")
      }
      if let format, format.report == nil { throw ValidationError("With --conformance, use -T text, ndjson or junit.") }
    } else {
      if let format, format.view == nil { throw ValidationError("The formats text and junit need --conformance.") }
      if !TrailingCommand.words.isEmpty { throw ValidationError("A command after -- needs --conformance.") }
    }
  }

  func execute() throws -> ExitStatus {
    if conformance.list {
      try ConformanceRun.list()
      return .clean
    }
    var server = ServerSettings()
    server.replyDelay = behavior.replyDelay
    server.splitsReplies = behavior.splitReplies
    server.idleSeconds = limits.idleTimeout
    server.frameSeconds = limits.frameTimeout
    server.listeners = [(push, .push), (feedback, .feedback)]
    server.tls = try tls.certificates()
    let settings = StreamSettings(rules: try rules.policy(), flags: FrameFiles.flags + rules.flags)
    if conformance.conformance { return try judge(server, settings) }
    var run = ServeRun(settings, try records.style(else: .line), server)
    run.behavior = try behavior.behavior()
    run.feedbackTokens = feedbackTokens
    run.packetFile = output
    run.selection = try selection.selection()
    run.failOn = exit.failOn
    run.quiet = messages.quiet
    return try run.run()
  }

  private func judge(_ server: ServerSettings, _ settings: StreamSettings) throws -> ExitStatus {
    var run = ConformanceRun(settings, records.text.style, server, records.chosen?.report ?? .text)
    run.names = conformance.only
    run.command = TrailingCommand.words
    if let seconds = conformance.quietSeconds { run.quietSeconds = seconds }
    if let seconds = conformance.timeLimit { run.limitSeconds = seconds }
    run.feedbackTokens = feedbackTokens
    run.packetFile = output
    run.quiet = messages.quiet
    return try run.run()
  }
}

/// The formats of records, and of reports about providers.
struct ServeFormat: RecordFormat {
  let view: ViewFormat?
  let report: ConformanceFormat?

  init?(argument: String) {
    view = ViewFormat(rawValue: argument)
    report = ConformanceFormat(rawValue: argument)
    if view == nil, report == nil { return nil }
  }

  static var others: String { "; with --conformance: text, ndjson or junit" }

  static var allValueStrings: [String] {
    let views = ViewFormat.allCases.map(\.rawValue)
    return views + ConformanceFormat.allCases.map(\.rawValue).filter { !views.contains($0) }
  }
}

/// Options for judging a provider.
struct ConformanceOptions: ParsableArguments {
  @Flag(help: "Run scenarios against a provider, and report how it reacts.")
  var conformance = false

  @Flag(help: "List the scenarios of --conformance.")
  var list = false

  @Option(
    help: ArgumentHelp("Run only this scenario; repeatable.", valueName: "name"),
    completion: .list(ConformanceRun.names))
  var only: [String] = []

  @Option(
    help: ArgumentHelp(
      "End a scenario when the provider has connected and then sent nothing for this time (default: "
        + "\(shortest(ConformanceRun.usualQuietSeconds))).",
      valueName: "seconds"))
  var quietSeconds: Double?

  @Option(
    help: ArgumentHelp(
      "End a scenario after this time (default: \(shortest(ConformanceRun.usualLimitSeconds))).", valueName: "seconds"))
  var timeLimit: Double?

  func validate() throws {
    let needing = [("only", !only.isEmpty), ("quiet-seconds", quietSeconds != nil), ("time-limit", timeLimit != nil)]
    if let (option, _) = needing.first(where: \.1), !conformance {
      throw ValidationError("The option --\(option) works only with --conformance.")
    }
    for name in only where !ConformanceRun.names.contains(name) {
      let near = suggestion(name, ConformanceRun.names)
      throw ValidationError(
        "No scenario is called \"\(printable(name))\"\(near.isEmpty ? "; --list shows all." : near)")
    }
    for (seconds, option) in [(quietSeconds, "quiet-seconds"), (timeLimit, "time-limit")]
    where seconds.map((1...1e6).contains) == false {
      throw ValidationError("The option --\(option) must be 1 to 1000000 seconds.")
    }
  }
}

/// Options for certificates.
struct ServerTLSOptions: ParsableArguments {
  @Option(reads: "--tls-cert", help: "Use TLS with this certificate, in PEM form; needs --tls-key.")
  var tlsCert: InputPath?

  @Option(reads: "--tls-key", help: "The private key of the certificate, in PEM form.")
  var tlsKey: InputPath?

  @Option(
    help: ArgumentHelp(
      "Use TLS with the certificates in DIR, which are made with openssl if they are missing: ca.pem for clients to "
        + "trust, client.pem and client.key to identify themselves.",
      valueName: "dir"), completion: .directory)
  var tlsSelfSigned: String?

  @Option(reads: "--client-ca", help: "Demand a client certificate from the CA in FILE, in PEM form.")
  var clientCA: InputPath?

  @Option(help: ArgumentHelp("Oldest version of TLS to accept.", valueName: "version"))
  var tlsMin = ServerTLS.Version.tls12

  func validate() throws {
    if (tlsCert == nil) != (tlsKey == nil) {
      throw ValidationError("The options --tls-cert and --tls-key need each other.")
    }
    if tlsCert != nil, tlsSelfSigned != nil {
      throw ValidationError("Use --tls-self-signed or --tls-cert, not both.")
    }
    for (option, isGiven) in [("client-ca", clientCA != nil), ("tls-min", tlsMin != .tls12)]
    where isGiven && tlsCert == nil && tlsSelfSigned == nil {
      throw ValidationError("The option --\(option) needs --tls-cert or --tls-self-signed.")
    }
  }

  /// Nil for connections without TLS.
  func certificates() throws(Failure) -> ServerTLS? {
    var files: (certificate: String, key: String)?
    if let tlsCert, let tlsKey { files = (tlsCert.path, tlsKey.path) }
    if let tlsSelfSigned { files = try SelfSigned.files(in: tlsSelfSigned) }
    guard let files else { return nil }
    do throws(ServerError) {
      return try ServerTLS(certificate: files.certificate, key: files.key, clientCA: clientCA?.path, oldest: tlsMin)
    } catch {
      throw .unreadable("\(error)")
    }
  }
}

/// When to give up on a client.
struct ServerLimitOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Close connections without traffic for this time.", valueName: "seconds"))
  var idleTimeout = ServerSettings().idleSeconds

  @Option(help: ArgumentHelp("Close connections on which one notification takes longer.", valueName: "seconds"))
  var frameTimeout = ServerSettings().frameSeconds

  func validate() throws {
    for (seconds, option) in [(idleTimeout, "idle-timeout"), (frameTimeout, "frame-timeout")]
    where !(1...1e6).contains(seconds) {
      throw ValidationError("The option --\(option) must be 1 to 1000000 seconds.")
    }
  }
}

/// Options to test how a provider copes with errors.
struct BehaviorOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Refuse notifications with a status: token=HEX:STATUS or every=COUNT:STATUS; repeatable.", valueName: "rule"),
    transform: BehaviorRule.rejection)
  var reject: [Behavior.Rule] = []

  @Option(
    help: ArgumentHelp("Shut each connection down, with status 10, after COUNT notifications.", valueName: "count"))
  var shutdownAfter: Int?

  @Option(help: ArgumentHelp("Close each connection without an answer after COUNT notifications.", valueName: "count"))
  var closeAfter: Int?

  @Option(help: ArgumentHelp("Reset each connection after COUNT notifications.", valueName: "count"))
  var resetAfter: Int?

  @Option(help: ArgumentHelp("Stop reading from each connection after COUNT notifications.", valueName: "count"))
  var stallAfter: Int?

  @Option(reads: "--scenario", help: "Follow the steps in this file (docs/conformance.md).")
  var scenario: InputPath?

  private static let usualSeed: UInt64 = 1
  @Option(help: ArgumentHelp("Seed for what the scenario leaves open (default: \(usualSeed)).", valueName: "number"))
  var seed: UInt64?

  @Option(help: ArgumentHelp("Wait before each answer or close.", valueName: "seconds"))
  var replyDelay = 0.0

  @Flag(help: "Send error responses in two segments.")
  var splitReplies = false

  func validate() throws {
    let given = [
      (shutdownAfter, "--shutdown-after"), (closeAfter, "--close-after"), (resetAfter, "--reset-after"),
      (stallAfter, "--stall-after"),
    ].filter { $0.0 != nil }
    for case (let count?, let option) in given where count < 1 {
      throw ValidationError("The option \(option) must be at least 1.")
    }
    if given.count > 1 {
      throw ValidationError("Only one of \(given.map(\.1).joined(separator: " and ")) can be used.")
    }
    guard (0...1e6).contains(replyDelay) else {
      throw ValidationError("The option --reply-delay must be 0 to 1000000 seconds.")
    }
    if seed != nil, scenario == nil { throw ValidationError("The option --seed works only with --scenario.") }
  }

  /// Whether the gateway deviates from the documents.
  var isAny: Bool {
    !reject.isEmpty || scenario != nil || replyDelay > 0 || splitReplies
      || [shutdownAfter, closeAfter, resetAfter, stallAfter].contains { $0 != nil }
  }

  func behavior() throws(Failure) -> Behavior {
    var behavior = Behavior()
    behavior.rules = reject
    let counted: [(Int?, Behavior.Act)] = [
      (shutdownAfter, .shutdown), (closeAfter, .close), (resetAfter, .reset), (stallAfter, .stall),
    ]
    for case (let count?, let act) in counted { behavior.rules.append(.init(.number(count), act)) }
    if let scenario { behavior.steps = try ScenarioFile(scenario, seed: seed ?? Self.usualSeed).steps }
    return behavior
  }
}
