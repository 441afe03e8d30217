import APNSTool
import ArgumentParser

struct Export: Runnable {
  static let configuration = CommandConfiguration(
    abstract: "Export the frame types for other tools, or to start a file of your own.",
    usage: """
      apnscope export [-w <file>] <what>
      apnscope export frames -w frames.json
      apnscope export frames | jq '.frames[].name'
      """,
    discussion: """
      frames is the JSON that --frames reads.

      \(HelpText.exitStatus("everything was written", nil))
      """)

  @Argument(help: "What to export.")
  var what: ExportKind

  @OptionGroup var target: OutputOption

  @OptionGroup var frames: FramesOption

  func execute() throws -> ExitStatus {
    try ExportRun(what, output: target.output).run()
  }
}
