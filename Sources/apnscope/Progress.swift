import APNSCapture
import APNSDiagnosis

/// How far a long input is, on one line of standard error that is gone when the run ends. Only for people: where
/// standard error is a terminal and the records go elsewhere.
final class Progress {
  /// Shown so far.
  var records = 0
  private let began = clockSeconds()
  private var last = clockSeconds()
  private var isShown = false

  /// Nil where nobody looks on.
  init?(quiet: Bool, writesFile: Bool) {
    guard !quiet, isTerminal(2), writesFile || !isTerminal(1) else { return nil }
  }

  /// Tells of this source from now on.
  func watch(_ source: ByteSource) {
    source.onRead = { [unowned source] in self.update(source) }
  }

  private func update(_ source: ByteSource) {
    let now = clockSeconds()
    guard let size = source.size, now - began >= 1, now - last >= 0.25 else { return }
    last = now
    isShown = true
    let rate = Double(source.position) / (now - began)
    let left = Double(max(0, size - source.position)) / max(rate, 1)
    let percent = size == 0 ? 100 : source.position * 100 / size
    let line =
      "\(percent) %  \(source.position >> 20) of \(size >> 20) MiB  \(plural(records, "record"))  "
      + "\(Int(rate) >> 20) MiB/s  \(Int(left.rounded(.up))) s left"
    _ = writeAll("\r\u{1b}[K\(line)", to: 2)
  }

  /// Takes the line away.
  func clear() {
    if isShown { _ = writeAll("\r\u{1b}[K", to: 2) }
    isShown = false
  }
}
