import ArgumentParser

struct WatchOptions: ParsableArguments {
  @Option(
    "--refuse-status <status>",
    "Only this status refuses a stream; any other except 0 is a failure; repeatable (default: 1 to 125).", rare: true)
  var refuseStatus: [Int32] = []

  @Option(
    "--crash-text <text>",
    """
    Count this text on standard error as a failure, whatever the status; repeatable. The texts of sanitizers and of \
    uncaught exceptions in Python, Java, Node, Go, Rust, Swift, PHP and .NET are built in; an empty text turns these \
    off.
    """, rare: true)
  var crashText: [String] = []

  @Option("--timeout <timeout>", "Kill a run after this many seconds; that counts as a failure.")
  var timeout = 1.0

  @Option(
    "--memory <memory>", "Kill a run that uses more memory than this, in MiB; that counts as a failure.", rare: true)
  var memory = 512

  func validate() throws {
    if !(timeout > 0) { throw ValidationError("The option --timeout must be more than 0.") }
    let mostMemory = 1 << 30  // a pebibyte
    if !(1...mostMemory).contains(memory) {
      throw ValidationError("The option --memory must be from 1 to \(mostMemory).")
    }
    if !refuseStatus.allSatisfy({ 1...125 ~= $0 || 128...255 ~= $0 }) {
      throw ValidationError("The option --refuse-status must be from 1 to 125, or from 128 to 255.")
    }
  }
}

/// The command that `fuzz`, `minimize` and `serve` run: everything after `--`. It is split off before parsing, because
/// a list of files may precede it and the parser supports only one list.
enum TrailingCommand {
  /// The command and its arguments; empty if there is no `--`.
  static let words = Array(arguments.dropFirst(ownArguments.count + 1))
  /// The arguments that apnscope parses: everything before `--`. For other subcommands, `--` keeps its usual meaning.
  static let ownArguments = Array(
    ["fuzz", "minimize", "serve"].contains(arguments.first) ? arguments.prefix { $0 != "--" } : arguments)
  private static let arguments = CommandLine.arguments.dropFirst()
}
