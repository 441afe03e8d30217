import ArgumentParser

struct Export: Runnable {
  static let configuration = CommandConfiguration(
    abstract: "Export the frame types for other tools, or to start a file of your own.",
    usage: """
      apnscope export [-w <file> | --install] <what>
      apnscope export frames -w frames.json
      apnscope export frames | jq '.frames[].name'
      apnscope export wireshark --install
      """,
    discussion: """
      frames is the JSON that --frames reads. wireshark is a dissector in Lua for Wireshark and tshark.

      \(HelpText.exitStatus("everything was written", nil))
      """)

  @Argument(help: "What to export.")
  var what: ExportKind

  @OptionGroup var target: OutputOption

  @Flag(help: "Write the dissector to the folder from which Wireshark loads it, and print the path.")
  var install = false

  @OptionGroup var frames: FramesOption

  func execute() throws -> ExitStatus {
    try ExportRun(what, output: target.output, installs: install).run()
  }
}
