import APNSViews
import Synchronization

/// Messages for people, as opposed to the data on standard output.
enum StandardError {
  /// Whether there is a line of ``Progress``, which other output erases.
  private static let showsProgress = Atomic(false)

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
  static func write(_ text: String, isProgress: Bool = false) {
    let isShown = showsProgress.exchange(isProgress, ordering: .relaxed)
    let bytes = Array(((isShown || isProgress ? "\r\u{1b}[K" : "") + text).utf8)
    _ = writeAll(bytes.span, to: 2)
  }
}

/// A progress line on standard error.
final class Progress {
  private let began = clockSeconds()
  private var last = 0.0

  /// Nil if standard error is not a terminal, or if `quiet` is set.
  init?(quiet: Bool) {
    guard !quiet, isTerminal(2) else { return nil }
  }

  /// Shows the line, after the first second and at most four times a second.
  func show(_ line: (_ seconds: Double) -> String) {
    let now = clockSeconds()
    guard now - began >= 1, now - last >= 0.25 else { return }
    last = now
    StandardError.write(line(now - began), isProgress: true)
  }
}
