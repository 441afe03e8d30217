import APNSDiagnosis
import APNSViews

/// Writes records through a view in order. With two threads and a view that shows each record independently, records
/// are collected in batches, and the second thread writes the last records of each.
final class RecordWriter: RecordSink {
  var view: any View
  /// Whether records are shown with the findings of the baseline.
  let includesKnown: Bool
  private var file: OutputFile
  private let isShared: Bool
  private var batch = RecordBatch()
  private let worker = WorkerThread()
  /// What the second thread writes: the last records of the preceding batch. Nil until the first batch is full, because
  /// a run that shows a few frames needs no second thread.
  private var rest: Rest?
  private var output = Output()
  private var restOutput = Output()
  /// The share of the second thread. The thread that finishes first gets more of the next batch.
  private var part = 0.75

  init(_ view: any View, to file: consuming OutputFile, jobs: Int = 1, includesKnown: Bool = false) {
    self.view = view
    self.includesKnown = includesKnown
    self.file = file
    isShared = jobs > 1 && type(of: view).showsEachAlone
  }

  var isClosed: Bool { file.isClosed }

  /// What was encoded before an interruption is still written.
  var wantsMore: Bool { true }

  func take(_ record: Record, _ bytes: Span<UInt8>) {
    guard isShared else { return file.append { view.show(record, bytes, to: &$0) } }
    batch.add(record, bytes)
    // Large enough to be worth sharing, but still in the processor's cache.
    if batch.size >= 1 << 16 || batch.count >= 1 << 10 { share() }
  }

  /// Writes something between records.
  func append(_ write: (inout Output) -> Void) {
    writeBatch()
    file.append(write)
  }

  func flush() {
    writeBatch()
    file.flush()
  }

  func close(complete: Bool) throws(Failure) {
    writeBatch()
    view.finish(to: &output) { file.pass(&$0) }
    file.pass(&output)
    try file.close(complete: complete)
  }

  /// Writes the first records of a full batch, and the second thread writes the others while the next batch is read.
  private func share() {
    guard let rest else {
      writeBatch()
      // Its view is a copy of one that has shown a record.
      rest = Rest(view)
      return
    }
    let count = batch.count - Int(Double(batch.count) * part)
    batch.write(0..<count, through: &view, to: &output)
    finishRest()
    swap(&rest.batch, &batch)
    worker.begin { rest.batch.write(count..<rest.batch.count, through: &rest.view, to: &rest.output) }
    file.pass(&restOutput)
    file.pass(&output)
  }

  /// Waits for the second thread and moves its output to `restOutput`.
  private func finishRest() {
    guard let rest, worker.isBusy else { return }
    part = max(0, min(1, part + (worker.wait() ? 0.05 : -0.05)))
    rest.batch.clear()
    swap(&rest.output, &restOutput)
  }

  private func writeBatch() {
    guard isShared else { return }
    finishRest()
    file.pass(&restOutput)
    batch.write(0..<batch.count, through: &view, to: &output)
    batch.clear()
    file.pass(&output)
  }
}

/// The work of the second thread. This thread accesses it only while none is pending.
private final class Rest {
  var view: any View
  var batch = RecordBatch()
  var output = Output()

  init(_ view: any View) { self.view = view }
}
