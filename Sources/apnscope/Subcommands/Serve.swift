import APNSDiagnosis
import APNSTool
import ArgumentParser

struct Serve: Runnable {
  static let configuration = CommandConfiguration(
    abstract: "Serve as a push gateway and a feedback service, to test a provider.",
    usage: """
      apnscope serve [<options>] [<server-options>] [-- <command> ...]
      apnscope serve -w push.pcap
      apnscope serve --tls-self-signed certificates
      apnscope serve --listen 127.0.0.1:0 --scenario close
      apnscope serve --conformance -T junit -- python3 provider.py
      """,
    discussion: """
      Point the provider at 127.0.0.1:2195. Each frame is shown as it arrives, on one line; -T tree shows its bytes. The \
      gateway answers as Apple documents: it says nothing about a notification that it accepts, answers the first one \
      that it refuses with an error response, closes the connection, and discards the rest. For command 0 it only \
      closes. Ctrl-C stops.

      With --conformance, the gateway misbehaves in one scenario after another, and the report says how the provider \
      reacts. A command after -- is started for each scenario. A scenario that fails or cannot be tested gives status 1.

      The gateway is the program apnscope-serve. Its options are given here: addresses, TLS, misbehaviour, conformance \
      and limits; `apnscope-serve --help` lists them.

      \(HelpText.exitStatus())
      """)

  @Argument(
    parsing: .allUnrecognized,
    help: ArgumentHelp("Options of the gateway; see `apnscope-serve --help`.", valueName: "server-options"))
  var server: [String] = []

  @Option(writes: "-w", help: "Also write the decrypted connections to FILE.")
  var output: OutputPath?

  @OptionGroup var frames: FramesOption
  @OptionGroup(title: "Rules") var rules: RuleOptions
  @OptionGroup(title: "Selection") var selection: SelectionOptions
  @OptionGroup(title: "Output") var records: RecordOptions<ServeFormat>

  @OptionGroup var exit: FailOnOption

  @OptionGroup var messages: QuietOption

  func execute() throws -> ExitStatus {
    // These show no frames, so the gateway does all of it.
    if server.contains(where: ["--conformance", "--list"].contains) { try GatewayProgram.replaceThisProcess() }
    if let format = records.chosen, format.view == nil {
      throw Failure.usage("the formats text and junit need --conformance")
    }
    guard TrailingCommand.words.isEmpty else { throw Failure.usage("a command after -- needs --conformance") }
    let style = try records.style(else: .line)
    let selection = try selection.selection()
    var settings = StreamSettings(rules: try rules.policy(), flags: FrameFiles.flags + rules.flags)
    var words = server + FrameFiles.flags + ["--edition", String(settings.rules.edition.rawValue)]
    if let output { words += ["-w", output.path] }
    if messages.quiet { words.append("-q") }
    let gateway = try GatewayProgram(words)
    for (port, service) in gateway.ports {
      settings.roles.ports[port] = service
      if RolePolicy.documentedPorts[port] != service { settings.flags += ["-d", service.decodeRule(for: port)] }
    }
    guard !gateway.ports.isEmpty else { return gateway.status() }
    var run = RecordRun(settings, style, inputs: [output?.path ?? ""], output: nil, failOn: exit.failOn)
    run.selection = selection
    run.quiet = messages.quiet
    run.ending = .triage
    // Its capture is standard input now.
    let request = InputRequest([InputPath("-")], format: .pcap)
    let status = try run.run(request, try request.sources())
    let ending = gateway.status()
    return ending == .clean ? status : ending
  }
}

/// The formats of records. Those of reports about providers are for the gateway.
struct ServeFormat: RecordFormat {
  let view: ViewFormat?

  init?(argument: String) {
    view = ViewFormat(rawValue: argument)
    if view == nil, !["text", "junit"].contains(argument) { return nil }
  }

  static var others: String { "; with --conformance: text, ndjson or junit" }
  static var allValueStrings: [String] { ViewFormat.allCases.map(\.rawValue) + ["text", "junit"] }
}
