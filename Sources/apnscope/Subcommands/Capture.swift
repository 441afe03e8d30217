import ArgumentParser

struct Capture: Runnable {
  static let configuration = CommandConfiguration(
    abstract: "Capture and dissect live traffic.",
    usage: """
      apnscope capture [<options>]
      sudo apnscope capture -i lo -f 'tcp port 2195'
      sudo apnscope capture -i eth0 -w push.pcap
      apnscope capture -D
      """,
    discussion: """
      The traffic must not be encrypted: capture it after TLS is removed, such as behind a proxy. All privileges are \
      dropped before the first packet is parsed: root becomes the user who ran sudo, or else the user nobody, and no \
      capability is left. Ctrl-C stops.

      \(HelpText.exitStatus())
      """)

  @Option(
    name: .customShort("i"),
    help: ArgumentHelp(
      "Interface to capture on (default: the first that -D lists); any captures on all.", valueName: "iface"))
  var interface: String?

  @Flag(name: .customShort("D"), help: "List the interfaces.")
  var listsInterfaces = false

  @Option(
    name: .customShort("f"), help: ArgumentHelp("Capture only packets that match a BPF expression.", valueName: "bpf"))
  var filter: String?

  @Option(name: .customShort("c"), help: ArgumentHelp("Stop after COUNT packets.", valueName: "count"))
  var count: Int?

  @Option(writes: "-w", help: "Also write the packets to FILE.")
  var output: OutputPath?

  @OptionGroup(title: "Roles") var roles: RoleOptions
  @OptionGroup(title: "Rules") var rules: RuleOptions
  @OptionGroup(title: "Selection") var selection: SelectionOptions
  @OptionGroup(title: "Output") var records: RecordOptions<ViewFormat>

  @OptionGroup var exit: FailOnOption

  @OptionGroup var messages: QuietOption

  func validate() throws {
    if let count, count < 1 { throw ValidationError("The option -c must be at least 1.") }
    if output?.path == "-" {
      throw ValidationError("The option -w needs a file; to pipe packets, use tcpdump -U -w -.")
    }
  }

  var frames: FramesOption { roles.frames }

  func execute() throws -> ExitStatus {
    if listsInterfaces {
      try LiveRun.listInterfaces()
      return .clean
    }
    var run = LiveRun(try roles.settings(rules), try records.style(else: .line))
    run.interface = interface
    run.filter = filter
    run.count = count
    run.packetFile = output
    run.selection = try selection.selection()
    run.failOn = exit.failOn
    run.quiet = messages.quiet
    return try run.run()
  }
}
