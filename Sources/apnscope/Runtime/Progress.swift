/// A progress line on standard error, which is erased before other output and at the end of the run.
final class Progress {
  private let began = clockSeconds()
  private var last = 0.0
  private var isShown = false

  /// Nil if standard error is not a terminal, or if `quiet` is set.
  init?(quiet: Bool) {
    guard !quiet, isTerminal(2) else { return nil }
  }

  /// Shows the line, after the first second and at most four times a second.
  func show(_ line: (_ seconds: Double) -> String) {
    let now = clockSeconds()
    guard now - began >= 1, now - last >= 0.25 else { return }
    last = now
    isShown = true
    StandardError.write("\r\u{1b}[K\(line(now - began))")
  }

  func clear() {
    if isShown { StandardError.write("\r\u{1b}[K") }
    isShown = false
  }
}
