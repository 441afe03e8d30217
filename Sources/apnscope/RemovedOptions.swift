/// Options and values that were removed, so that a script that still gives one learns what to do.
enum RemovedOptions {
  /// What to do instead, by the spelling as the parser's message quotes it.
  private static let replacements = [
    "--follow": "pipe the file: tail -c +1 -f FILE | apnscope",
    "--strict": "drop it, and name the format with --from if it must not be recognised",
    "-o": "use -w",
    "header=n": "it is the default, so drop -E",
  ]

  /// The sentence for a message of the parser that rejects something removed; nil if it rejects something else.
  static func sentence(for message: String) -> String? {
    let quoted = message.split(separator: "'", omittingEmptySubsequences: false).dropFirst().first.map(String.init)
    return quoted.flatMap { spelling in replacements[spelling].map { "\(spelling) was removed; \($0)" } }
  }
}
