import APNSCapture
import Octets

/// A progress line on standard error, which is erased before other output and at the end of the run.
final class Progress {
  /// Number of records shown so far.
  var records = 0
  private let began = clockSeconds()
  private var last = 0.0
  private var isShown = false

  /// Nil if standard error is not a terminal, if data is written there too, or if `quiet` is set.
  init?(quiet: Bool, writesFile: Bool) {
    guard !quiet, isTerminal(2), writesFile || !isTerminal(1) else { return nil }
  }

  /// Shows the line, after the first second and at most four times a second.
  func show(_ line: (_ seconds: Double) -> String) {
    let now = clockSeconds()
    guard now - began >= 1, now - last >= 0.25 else { return }
    last = now
    isShown = true
    StandardError.write("\r\u{1b}[K\(line(now - began))")
  }

  /// Shows the progress of reading this source from now on.
  func watch(_ source: ByteSource) {
    source.onRead = { [unowned source] in
      guard let size = source.size else { return }
      self.show { seconds in
        let rate = Double(source.position) / seconds
        let left = Double(max(0, size - source.position)) / max(rate, 1)
        let percent = size == 0 ? 100 : source.position * 100 / size
        return "\(percent) %  \(source.position >> 20) of \(size >> 20) MiB  \(plural(self.records, "record"))  "
          + "\(Int(rate) >> 20) MiB/s  \(Int(left.rounded(.up))) s left"
      }
    }
  }

  func clear() {
    if isShown { StandardError.write("\r\u{1b}[K") }
    isShown = false
  }
}
