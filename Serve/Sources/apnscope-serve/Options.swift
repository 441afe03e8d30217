import APNSQuery
import APNSViews
import APNSWire
import ArgumentParser
import Octets

/// Options to test how a provider copes with errors.
struct ScenarioOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Misbehave as a scenario demands: a file (docs/conformance.md), or one of "
        + "\(ScenarioFile.names.joined(separator: ", ")).",
      valueName: "file"), completion: .file())
  var scenario: String?

  private static let usualSeed: UInt64 = 1
  @Option(help: ArgumentHelp("Seed for what the scenario leaves open (default: \(usualSeed)).", valueName: "number"))
  var seed: UInt64?

  func validate() throws {
    if seed != nil, scenario == nil { throw ValidationError("The option --seed works only with --scenario.") }
  }

  func behavior() throws(Failure) -> Behavior {
    guard let scenario else { return Behavior() }
    return try ScenarioFile.behavior(scenario, seed: seed ?? Self.usualSeed)
  }
}

/// Options for certificates.
struct TLSOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Use TLS with this certificate, in PEM form; needs --tls-key.", valueName: "file"),
    completion: .file())
  var tlsCert: String?

  @Option(
    help: ArgumentHelp("The private key of the certificate, in PEM form.", valueName: "file"), completion: .file())
  var tlsKey: String?

  @Option(
    help: ArgumentHelp(
      "Use TLS with the certificates in DIR, which are made with openssl if they are missing: ca.pem for clients to "
        + "trust, client.pem and client.key to identify themselves.",
      valueName: "dir"), completion: .directory)
  var tlsSelfSigned: String?

  @Option(
    name: .customLong("client-ca"),
    help: ArgumentHelp("Demand a client certificate from the CA in FILE, in PEM form.", valueName: "file"),
    completion: .file())
  var clientCA: String?

  @Option(help: ArgumentHelp("Oldest version of TLS to accept.", valueName: "version"))
  var tlsMin = OldestTLS.tls12

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

  /// The files that are read, with the options that name them.
  var files: [(path: String?, option: String)] {
    [(tlsCert, "--tls-cert"), (tlsKey, "--tls-key"), (clientCA, "--client-ca")]
      + SelfSigned.names.map { name in (tlsSelfSigned.map { "\($0)/\(name)" }, "--tls-self-signed") }
  }
}

/// When to give up on a client.
struct LimitOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Close connections without traffic for this time.", valueName: "seconds"))
  var idleTimeout = 3600.0

  @Option(help: ArgumentHelp("Close connections on which one notification takes longer.", valueName: "seconds"))
  var frameTimeout = 60.0

  func validate() throws {
    try checkSeconds(idleTimeout, "idle-timeout")
    try checkSeconds(frameTimeout, "frame-timeout")
  }
}

private func checkSeconds(_ seconds: Double?, _ option: String) throws {
  if let seconds, !(1...1e6).contains(seconds) {
    throw ValidationError("The option --\(option) must be 1 to 1000000 seconds.")
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
    completion: .list(ConformanceScenario.all.map(\.name)))
  var only: [String] = []

  @Option(
    name: .customShort("T"),
    help: ArgumentHelp("Format of the report: text (default), ndjson or junit.", valueName: "format"))
  var format: ConformanceFormat?

  static let usualQuietSeconds = 5.0
  @Option(
    help: ArgumentHelp(
      "End a scenario when the provider has connected and then sent nothing for this time (default: "
        + "\(shortest(usualQuietSeconds))).",
      valueName: "seconds"))
  var quietSeconds: Double?

  static let usualLimitSeconds = 60.0
  @Option(
    help: ArgumentHelp(
      "End a scenario after this time (default: \(shortest(usualLimitSeconds))).", valueName: "seconds"))
  var timeLimit: Double?

  func validate() throws {
    let needing = [
      ("-T", format != nil), ("--only", !only.isEmpty), ("--quiet-seconds", quietSeconds != nil),
      ("--time-limit", timeLimit != nil),
    ]
    if let (option, _) = needing.first(where: \.1), !conformance {
      throw ValidationError("The option \(option) works only with --conformance.")
    }
    let names = ConformanceScenario.all.map(\.name)
    for name in only where !names.contains(name) {
      let near = suggestion(name, names)
      throw ValidationError(
        "No scenario is called \"\(printable(name))\"\(near.isEmpty ? "; --list shows all." : near)")
    }
    try checkSeconds(quietSeconds, "quiet-seconds")
    try checkSeconds(timeLimit, "time-limit")
  }
}

/// Options that a scenario file replaces.
enum RemovedOption {
  private static let names = [
    "--reject", "--shutdown-after", "--close-after", "--reset-after", "--stall-after", "--reply-delay",
    "--split-replies",
  ]

  /// What to write instead, if the parser's message says that it does not know such an option.
  static func sentence(for message: String) -> String? {
    names.first { message.hasPrefix("Unknown option '\($0)'") }
      .map { "\($0) is a scenario now: --scenario FILE with a line as docs/serving.md shows them" }
  }
}
