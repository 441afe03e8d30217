import ArgumentParser

struct Diff: Runnable {
  static let configuration = CommandConfiguration(
    abstract: "Compare two inputs frame by frame and field by field.",
    usage: """
      apnscope diff [<options>] <a> <b>
      apnscope diff --ignore identifier --ignore expiry old-sender.pcap new-sender.pcap
      apnscope encode --status 8 --identifier 7 -T raw | apnscope diff - expected.bin
      apnscope diff -T ndjson a.pcap b.pcap | jq -r '.fields[].name' | sort | uniq -c
      """,
    discussion: """
      Prints the fields that differ, and nothing if both inputs are equal. Connections are paired if their providers \
      sent the same, then by order; ports and addresses don't matter. In two streams, frames are paired by identifier \
      if it is unique in both, then by token, then by order. A pair is "moved" if its position relative to the other \
      frames changed. Frames without a partner are printed in full, with - or +.

      A payload is compared by key if both are JSON: payload.aps.alert. Gaps and bytes that belong to no frame are \
      compared, too. Either file may be - for standard input; a folder means all its files.

      \(HelpText.exitStatus("the inputs are equal", "they differ"))
      """)

  @Argument(help: "The first file or directory; - is standard input.", completion: .file())
  var a: InputPath

  @Argument(help: "The second file or directory; - is standard input.", completion: .file())
  var b: InputPath

  @Option(help: ArgumentHelp("Format of both inputs; hex is any form of hex text.", valueName: "format"))
  var from: InputFormat = .auto

  @Option(
    name: .customShort("f"), help: ArgumentHelp("Read only packets that match a BPF expression.", valueName: "bpf"))
  var packets: String?

  @OptionGroup(title: "Roles") var roles: RoleOptions
  @OptionGroup(title: "Selection") var selection: SelectionOptions

  @Option(
    help: ArgumentHelp(
      "Don't compare this field, or several separated by commas, nor their lengths.", valueName: "field"),
    completion: .list(DiffRun.fields))
  var ignore: [String] = []

  @Option(
    name: [.customShort("T"), .customLong("format")],
    help: ArgumentHelp("Output format.", valueName: "format"))
  var format: DiffFormat = .text

  @OptionGroup(title: "Output") var text: TextOptions

  @OptionGroup var target: OutputOption

  @OptionGroup var messages: QuietOption

  func validate() throws {
    if a.path == "-", b.path == "-" { throw ValidationError("Standard input can be only one of the two inputs.") }
  }

  var frames: FramesOption { roles.frames }

  func execute() throws -> ExitStatus {
    var run = DiffRun(try roles.settings(), text.style)
    run.format = format
    run.selection = try selection.selection()
    run.ignored = ignore
    run.output = target.output
    run.quiet = messages.quiet
    return try run.run(
      InputRequest([a], format: from, filter: packets), InputRequest([b], format: from, filter: packets))
  }
}
