/// The command that `fuzz`, `minimize` and `serve` run: everything after `--`. It is split off before parsing, because a list
/// of files may precede it and the parser supports only one list.
enum TrailingCommand {
  /// The command and its arguments; empty if there is no `--`.
  static let words = Array(split.after ?? [])
  /// Whether nothing follows `--`, perhaps because a variable of a shell is empty.
  static let isMissing = split.after?.isEmpty ?? false
  /// The arguments that apnscope parses: everything before `--`. For other subcommands, `--` keeps its usual meaning.
  static let ownArguments = Array(split.before)

  private static let split: (before: ArraySlice<String>, after: ArraySlice<String>?) = {
    let arguments = CommandLine.arguments.dropFirst()
    guard let first = arguments.first, ["fuzz", "minimize", "serve"].contains(first),
      let end = arguments.firstIndex(of: "--")
    else { return (arguments, nil) }
    return (arguments[..<end], arguments[(end + 1)...])
  }()
}
