import APNSViews

/// Messages for people, as opposed to the data on standard output.
enum StandardError {
  /// Prints one sentence, made safe for a terminal.
  static func say(_ sentence: String) { say([sentence]) }

  /// Prints a sentence and what belongs to it, a line each, made safe for a terminal.
  static func say(_ lines: [String]) {
    for (index, line) in lines.enumerated() { write((index == 0 ? "apnscope: " : "  ") + printable(line) + "\n") }
  }

  /// Tells the user that the command waits for standard input, if that is a terminal.
  static func sayWaiting(for what: String = "", see help: String = "apnscope --help") {
    guard isTerminal(0) else { return }
    say("reading \(what)standard input; end with Ctrl-D, or see \(help)")
  }

  /// Prints text unchanged; it must be safe for a terminal.
  static func write(_ text: String) {
    let bytes = Array(text.utf8)
    _ = writeAll(bytes.span, to: 2)
  }
}
