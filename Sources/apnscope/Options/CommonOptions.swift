import ArgumentParser

// Options shared by several subcommands, each declared once.

struct QuietOption: ParsableArguments {
  @Flag(name: .customShort("q"), help: "Print nothing to standard error except fatal errors.")
  var quiet = false
}

struct OutputOption: ParsableArguments {
  @Option(writes: "-w", help: "Write to FILE instead of standard output.")
  var output: OutputPath?
}

/// Files of frame types, which are loaded before the subcommand runs.
struct FramesOption: ParsableArguments {
  @Option(
    reads: FrameFiles.option,
    help: "Add the frame types and items that FILE describes as JSON, or replace those of the same name. The "
      + "environment variable \(FrameFiles.variable) names such files, too.")
  var frames: [InputPath] = []
}

struct FailOnOption: ParsableArguments {
  @Option(help: ArgumentHelp("Exit with 1 on findings of this severity or worse.", valueName: "severity"))
  var failOn: FailOn = .error
}

/// The number of threads.
struct ThreadOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Number of threads, 1 or 2 (default: 2 if there are two processors).",
      valueName: "count"))
  var jobs: Int?

  func validate() throws {
    if let jobs, jobs < 1 { throw ValidationError("The option --jobs must be at least 1.") }
  }

  var count: Int { jobs ?? processorCount() }
}

/// Colour and width of text.
struct TextOptions: ParsableArguments {
  @Option(help: ArgumentHelp("When to use colour; NO_COLOR is honoured.", valueName: "when"))
  var color: ColorMode = .auto

  @Option(help: "Columns of text to write (default: the width of the terminal, or 80).")
  var width: Int?

  func validate() throws {
    if let width, width < 60 { throw ValidationError("The option --width must be at least 60.") }
  }

  var style: TextStyle { TextStyle(color: color, width: width) }
}
