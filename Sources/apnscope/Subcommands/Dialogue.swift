import ArgumentParser

struct Dialogue: Runnable {
  static let configuration = CommandConfiguration(
    abstract: "Show which notifications of each connection were accepted, rejected or discarded.",
    usage: """
      apnscope dialogue [<options>] [<file> ...]
      apnscope dialogue --hex '0808 0000 04d2'
      apnscope encode --status 8 --identifier 7 -T pcap | apnscope dialogue
      apnscope encode --status 8 --identifier 7 -T pcap | apnscope dialogue --emit resend -T raw | xxd
      """,
    discussion: """
      The service doesn't answer a notification that it accepts. An error response names one notification: those sent \
      before it were probably accepted, those sent after it were discarded and have to be sent again. --emit resend \
      writes exactly those frames, in order. Status 10 is not an error: the notification it names was accepted. Notifications are \
      numbered from 1 on each connection.

      For feedback connections the tokens are listed. If the input also has push connections, the list says how often \
      each token was still sent to. Everything is read twice, so a pipe is copied to a temporary file first.

      \(HelpText.exitStatus("all notifications were probably accepted", "not all were"))
      """)

  @OptionGroup(title: "Input") var input: InputOptions
  @OptionGroup(title: "Roles") var roles: RoleOptions
  @OptionGroup(title: "Rules") var rules: RuleOptions

  @Option(
    help: ArgumentHelp(
      "Write notifications instead of the report: resend (the discarded ones), accepted, rejected, discarded or unknown.",
      valueName: "which"))
  var emit: Emission?

  @Option(
    name: [.customShort("T"), .customLong("format")],
    help: ArgumentHelp(
      "Output format: text, tree (the answer and its notification, byte by byte) or ndjson; with --emit: raw, hex, "
        + "pcap, ndjson, line or tree.", valueName: "format"))
  var format: DialogueFormat?

  @Option(
    help: ArgumentHelp(
      "Read only the connection with this number, or those between two numbers, such as 3-5.", valueName: "numbers"))
  var connections: ConnectionNumbers?

  @OptionGroup(title: "Output") var text: TextOptions

  @OptionGroup var target: OutputOption

  @OptionGroup var messages: QuietOption

  func validate() throws {
    if let format, !(emit == nil ? DialogueFormat.ofReport : DialogueFormat.ofFrames).contains(format) {
      throw ValidationError(
        "The format \(format.rawValue) works only \(emit == nil ? "with --emit" : "without --emit").")
    }
  }

  var frames: FramesOption { roles.frames }

  func execute() throws -> ExitStatus {
    var run = DialogueRun(input.request, try roles.settings(rules), text.style)
    run.emission = emit
    run.format = format
    run.connections = connections?.range
    run.output = target.output
    run.quiet = messages.quiet
    return try run.run()
  }
}

/// `3`, or `3-5`
struct ConnectionNumbers: ExpressibleByArgument {
  let range: ClosedRange<Int>

  init?(argument: String) {
    let numbers = argument.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).map { UInt32($0) }
    guard let first = numbers.first ?? nil, let last = numbers.last ?? nil, first <= last else { return nil }
    range = Int(first)...Int(last)
  }
}
