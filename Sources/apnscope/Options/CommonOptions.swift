import APNSDiagnosis
import APNSWire
import ArgumentParser

// Options shared by several subcommands, each declared once.

struct QuietOption: ParsableArguments {
  @Flag(name: .customShort("q"), help: "Print nothing to standard error except fatal errors.")
  var quiet = false
}

struct OutputOption: ParsableArguments {
  @Option(writes: "-w <outfile>", "Write to FILE instead of standard output.")
  var output: OutputPath?
}

struct FailOnOption: ParsableArguments {
  @Option("--fail-on <severity>", "Exit with 1 on findings of this severity or worse.")
  var failOn: FailOn = .error
}

/// The lowest severity that makes the exit status 1.
enum FailOn: String, CaseIterable, ExpressibleByArgument {
  case never, error, warning, note

  func isReached(by worst: Finding.Severity?) -> Bool {
    guard let worst, let bar = Finding.Severity(rawValue: rawValue) else { return false }
    return worst >= bar
  }
}

struct ThreadOption: ParsableArguments {
  @Option("--jobs <count>", "Number of threads, 1 or 2 (default: 2 if there are two processors).", rare: true)
  var jobs: Int?

  func validate() throws {
    if let jobs, jobs < 1 { throw ValidationError("The option --jobs must be at least 1.") }
  }

  var count: Int { jobs ?? processorCount() }
}

extension Edition: ExpressibleByArgument {}
extension Record.Condition: ExpressibleByArgument {}
