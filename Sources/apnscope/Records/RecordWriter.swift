import APNSDiagnosis
import APNSViews
import Octets

/// Writes records through a view in order. With two threads and a view that shows each record independently, records
/// are collected in batches, of which each thread writes a part. The output is the same.
final class RecordWriter {
  var view: any View
  private var file: OutputFile
  private var isShared: Bool
  /// Records not written yet.
  private var batch = RecordBatch()
  /// Nil until the first batch is full, because a run that shows a few frames needs no second thread.
  private var helper: Helper?
  /// The output of this thread for the current batch, and of the other thread for the preceding one.
  private var output = Output()
  private var others = Output()
  /// This thread writes the first part of each batch. Its share is smaller, because it also reads.
  private var balance = Balance(part: 0.25)

  init(_ view: any View, to file: consuming OutputFile, jobs: Int = 1) {
    self.view = view
    self.file = file
    isShared = jobs > 1 && type(of: view).showsEachAlone
  }

  /// Whether the reader closed the pipe or a write failed.
  var isClosed: Bool { file.isClosed }

  func show(_ record: Record, _ bytes: Span<UInt8>) {
    guard isShared else { return file.append { view.show(record, bytes, to: &$0) } }
    batch.add(record, bytes)
    if batch.isFull { share(Int(Double(batch.count) * balance.part)) }
  }

  /// Writes text between records.
  func write(_ text: String) {
    writeBatch()
    file.append { $0.write(text) }
  }

  /// Writes everything so far.
  func flush() {
    writeBatch()
    file.flush()
  }

  /// Writes the end of the view's output and closes the file.
  func close(complete: Bool) throws(Failure) {
    writeBatch()
    file.append { view.finish(to: &$0) }
    try file.close(complete: complete)
  }

  /// Starts writing a full batch: this thread writes the first `count` records, and the other thread writes the rest
  /// while the next batch is read.
  private func share(_ count: Int) {
    guard let helper else { return begin() }
    batch.write(0..<count, through: &view, to: &output)
    if helper.isBusy {
      balance.adjust(secondWasDone: helper.finish(into: &others))
    }
    helper.begin(&batch, from: count)
    file.pass(&others)
    file.pass(&output)
    if file.isClosed { _ = helper.finish(into: &others) }
  }

  /// Writes the first batch and starts the second thread with a copy of the view, which must have shown a record before
  /// it is copied.
  private func begin() {
    writeBatch()
    helper = Helper(view)
    isShared = helper != nil
  }

  /// Writes the current batch in this thread.
  private func writeBatch() {
    if let helper, helper.isBusy {
      _ = helper.finish(into: &others)
      file.pass(&others)
    }
    guard batch.count > 0 else { return }
    batch.write(0..<batch.count, through: &view, to: &output)
    batch.clear()
    file.pass(&output)
  }
}

/// Records with their bytes, to be written together.
private struct RecordBatch {
  private var records: [Record] = []
  /// The concatenated bytes of all records.
  private var bytes: [UInt8] = []
  /// The end of each record in `bytes`.
  private var ends: [Int] = []

  var count: Int { records.count }

  private var findings = 0

  /// Whether the batch is large enough to be worth sharing, but still fits into the processor's cache. A finding counts
  /// as 512 bytes.
  var isFull: Bool { bytes.count + findings << 9 >= 1 << 16 || records.count >= 1 << 10 }

  mutating func add(_ record: Record, _ span: Span<UInt8>) {
    records.append(record)
    findings += record.findings.count
    bytes.append(contentsOf: span)
    ends.append(bytes.count)
  }

  func write(_ range: Range<Int>, through view: inout any View, to out: inout Output) {
    let span = bytes.span
    for index in range {
      view.show(records[index], span.extracting((index == 0 ? 0 : ends[index - 1])..<ends[index]), to: &out)
    }
  }

  mutating func clear() {
    records.removeAll(keepingCapacity: true)
    findings = 0
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }
}

/// The state of the other thread. This thread accesses it only while the other one is idle, so no lock is needed.
private final class Helper {
  private let worker: WorkerThread
  private var view: any View
  private var batch = RecordBatch()
  private var out = Output()
  private(set) var isBusy = false

  /// Nil if no thread can be started.
  init?(_ view: any View) {
    guard let worker = WorkerThread() else { return nil }
    self.worker = worker
    self.view = view
  }

  /// Starts writing the records of `full` from `start` on, and exchanges `full` for an empty batch.
  func begin(_ full: inout RecordBatch, from start: Int) {
    swap(&batch, &full)
    isBusy = true
    worker.begin { [self] in batch.write(start..<batch.count, through: &view, to: &out) }
  }

  /// Waits for the other thread and returns its output in `other`. Returns whether it had already finished.
  func finish(into other: inout Output) -> Bool {
    let wasDone = worker.wait()
    isBusy = false
    batch.clear()
    swap(&out, &other)
    return wasDone
  }
}
