import APNSQuery
import APNSViews
import ArgumentParser

/// Options to test how a provider copes with errors.
struct ScenarioOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Misbehave as a scenario demands: a file (docs/conformance.md), or one of "
        + "\(ScenarioFile.names.joined(separator: ", ")).",
      valueName: "file"), completion: .file())
  var scenario: String?

  @Option(help: ArgumentHelp("Seed for what the scenario leaves open.", valueName: "number"))
  var seed: UInt64 = 1

  func validate() throws {
    if seed != 1, scenario == nil { throw ValidationError("The option --seed works only with --scenario.") }
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

private func checkSeconds(_ seconds: Double, _ option: String) throws {
  if !(1...1e6).contains(seconds) {
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
    help: ArgumentHelp("Format of the report.", valueName: "format"))
  var format = ConformanceFormat.text

  @Option(
    help: ArgumentHelp(
      "End a scenario when the provider has connected and then sent nothing for this time.", valueName: "seconds"))
  var quietSeconds = 5.0

  @Option(help: ArgumentHelp("End a scenario after this time.", valueName: "seconds"))
  var timeLimit = 60.0

  func validate() throws {
    let needing = [
      ("-T", format != .text), ("--only", !only.isEmpty), ("--quiet-seconds", quietSeconds != 5),
      ("--time-limit", timeLimit != 60),
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

/// What to write instead of an option that a scenario file replaces, if that is the one that the parser's message does
/// not know.
func replacement(for message: String) -> String? {
  [
    "--reject", "--shutdown-after", "--close-after", "--reset-after", "--stall-after", "--reply-delay",
    "--split-replies",
  ].first { message.hasPrefix("Unknown option '\($0)'") }
    .map { "\($0) is a scenario now: --scenario FILE with a line as docs/serving.md shows them" }
}
