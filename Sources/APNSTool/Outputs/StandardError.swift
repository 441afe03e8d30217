import APNSViews

/// What is said to people, as opposed to the data on standard output.
package enum StandardError {
  /// One sentence, made safe for a terminal.
  package static func say(_ sentence: String) {
    write("apnscope: " + printable(sentence) + "\n")
  }

  /// Before standard input is read, if that is a terminal, where nothing else shows that the command waits.
  static func sayWaiting(for what: String = "", see help: String = "apnscope --help") {
    guard isTerminal(0) else { return }
    say("reading \(what)standard input; end with Ctrl-D, or see \(help)")
  }

  /// As it is: for text that is safe already.
  static func write(_ text: String) { _ = writeAll(text, to: 2) }
}
