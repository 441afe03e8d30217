import ArgumentParser

struct Redact: Runnable {
  static let configuration = CommandConfiguration(
    abstract: "Replace private data and keep every finding, so that the result can be shared.",
    usage: """
      apnscope redact [<options>] [<file>]
      apnscope encode --command 1 --identifier 7 --expiry 0 --token fc13adff785122b4 --payload '{"aps":{"alert":"Hi Jenna"}}' | apnscope redact --key k
      apnscope encode --status 8 --identifier 7 -T pcap | apnscope redact -T pcap | apnscope -T line
      apnscope redact -w public.pcap private.pcap
      """,
    discussion: """
      Tokens, texts, your own payload keys and their numbers are replaced by others of the same size. With the same \
      --key, a value always gets the same replacement. Without --key a random one is used and discarded, so the \
      values cannot be recovered. Whatever findings depend on is kept: lengths, identifiers, expiries, priorities, \
      Apple's keys, and errors of any kind. Input and result are then compared: nothing is written unless their \
      findings are the same, by every edition.

      Text is written as hex digits, raw bytes as raw bytes, captures as pcap files of Ethernet packets: with other \
      addresses, and without options, comments, secrets and packets of other protocols.

      \(HelpText.exitStatus("the result was written", nil))
      """)

  @Argument(help: "File to read; - is standard input (the default).", completion: .file())
  var file: InputPath?

  @Option(reads: "-r", help: "Read FILE, as in tcpdump.")
  var readFile: InputPath?

  @Option(help: ArgumentHelp("Format of the input; hex is any form of hex text.", valueName: "format"))
  var from: InputFormat = .auto

  @OptionGroup(title: "Roles") var roles: RoleOptions

  @Option(help: ArgumentHelp("Any text, kept secret (default: a random one, which is discarded).", valueName: "key"))
  var key: String?

  @Option(
    name: [.customShort("T"), .customLong("format")],
    help: ArgumentHelp("hex, raw or pcap (default: that of the input).", valueName: "format"))
  var format: RedactFormat?

  @OptionGroup var target: OutputOption

  @OptionGroup var messages: QuietOption

  func validate() throws {
    if file != nil, readFile != nil { throw ValidationError("Only one file can be redacted at a time.") }
    if let key, key.isEmpty { throw ValidationError("An empty --key keeps nothing secret.") }
  }

  var frames: FramesOption { roles.frames }

  func execute() throws -> ExitStatus {
    var run = RedactRun(try roles.settings())
    run.inputFormat = from
    run.format = format
    run.key = key
    run.output = target.output
    run.quiet = messages.quiet
    return try run.run((readFile ?? file)?.path ?? "-")
  }
}
