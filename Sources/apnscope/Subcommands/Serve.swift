import APNSDiagnosis
import ArgumentParser

struct Serve: Runnable {
  static let configuration = CommandConfiguration(
    "serve", "Serve as a push gateway and a feedback service, to test a provider.",
    usage: """
      apnscope serve [<options>] [<server-options>] [-- <command> ...]
      apnscope serve -w push.pcap
      apnscope serve --tls-self-signed certificates
      apnscope serve --listen 127.0.0.1:0 --scenario close
      apnscope serve --conformance -T junit -- python3 provider.py
      """,
    discussion: """
      Point the provider at 127.0.0.1:2195. Each frame is shown as it arrives, on one line; -T tree shows its bytes. \
      Ctrl-C stops. With --conformance, the report says how the provider reacts to a gateway that misbehaves.

      The gateway is the program apnscope-serve. Its options are given here: addresses, TLS, misbehaviour, conformance \
      and limits; `apnscope-serve --help` lists and explains them.
      """)

  @Argument(
    parsing: .allUnrecognized,
    help: ArgumentHelp("Options of the gateway; see `apnscope-serve --help`.", valueName: "server-options"))
  var server: [String] = []

  @Option(writes: "-w <outfile>", "Also write the decrypted connections to FILE.")
  var output: OutputPath?

  @OptionGroup var frames: FramesOption
  @OptionGroup var rules: RuleOptions
  @OptionGroup var selection: SelectionOptions
  @OptionGroup var records: RecordOptions
  @OptionGroup var exit: FailOnOption
  @OptionGroup var messages: QuietOption

  /// A conformance test shows no frames, so the gateway does all of it.
  static func testsAProvider(_ arguments: [String]) -> Bool {
    arguments.first == "serve"
      && arguments.contains { $0 == "--conformance" || $0 == "--list" }
  }

  func execute(_ definitions: Definitions) throws -> ExitStatus {
    guard TrailingCommand.words.isEmpty else { throw Failure.usage("a command after -- needs --conformance") }
    var settings = StreamSettings(
      definitions: definitions, rules: try rules.policy(), frameFlags: frames.flags,
      usualPorts: RolePolicy.documentedPorts)
    let selection = try selection.selection(definitions)
    _ = try records.format(else: .line)
    var words = server + frames.files.flatMap { ["--frames", $0.path] }
    words += ["--edition", String(settings.rules.edition.rawValue)]
    words += (output.map { ["-w", $0.path] } ?? []) + (messages.quiet ? ["-q"] : [])
    let gateway = try GatewayProgram(words)
    guard !gateway.ports.isEmpty else { return gateway.status() }
    settings.roles.ports = gateway.ports
    let pipeline = try RecordPipeline(
      settings, selection, records, else: .line, inputs: [output?.path ?? ""], output: nil, exit, messages)
    // The gateway's capture is standard input now.
    let input = InputOptions([InputPath("-")], from: .pcap)
    let status = try pipeline.run(input, try input.sources())
    let ending = gateway.status()
    return ending == .clean ? status : ending
  }
}
