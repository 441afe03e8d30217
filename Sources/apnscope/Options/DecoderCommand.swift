/// The command that `fuzz` and `minimize` run: everything after `--`. The parser cannot hold it, since a list of files
/// may precede it and it allows one list only.
enum DecoderCommand {
  /// The command and its arguments; empty if there is no `--`.
  static let words = Array(split.after)
  /// What apnscope parses: everything before `--`. Other subcommands keep the usual meaning of `--`.
  static let ownArguments = Array(split.before)

  private static let split: (before: ArraySlice<String>, after: ArraySlice<String>) = {
    let arguments = CommandLine.arguments.dropFirst()
    guard let first = arguments.first, ["fuzz", "minimize"].contains(first),
      let end = arguments.firstIndex(of: "--")
    else { return (arguments, []) }
    return (arguments[..<end], arguments[(end + 1)...])
  }()
}
