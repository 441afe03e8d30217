import APNSDiagnosis
import APNSViews

/// A file that `check` writes in addition to its output, from the same records.
final class ReportFile {
  /// Whether it also contains the findings of the baseline.
  let includesKnown: Bool
  private(set) var view: any View
  private var file: OutputFile

  init(_ view: any View, to output: OutputPath, includesKnown: Bool = false) throws(Failure) {
    self.view = view
    self.includesKnown = includesKnown
    file = try OutputFile(output)
  }

  func show(_ record: Record, _ bytes: Span<UInt8>) {
    file.append { view.show(record, bytes, to: &$0) }
  }

  func note(unread input: Int, _ reason: String) { view.note(unread: input, reason) }

  /// Publishes the file; if the run failed (not `complete`), discards it.
  func close(complete: Bool) throws(Failure) {
    file.append { view.finish(to: &$0) }
    try file.close(complete: complete)
  }
}
