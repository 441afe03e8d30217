import APNSDiagnosis
import APNSViews
import Octets

/// Writes records through a view, in their order: one by one as they come, or, where two threads are allowed and the view
/// shows each record alone, in batches of which each thread writes a part. What is written is the same.
final class RecordWriter {
  var view: any View
  private var file: OutputFile
  private var isShared: Bool
  /// Records that are not written yet.
  private var batch = RecordBatch()
  /// Absent until the first batch is full: a process that shows a few frames needs no thread.
  private var helper: Helper?
  /// What this thread wrote of a batch, and the other one of the batch before.
  private var own = Output()
  private var others = Output()
  /// Of a batch, this thread writes the first part: it has the reading to do as well.
  private var balance = Balance(part: 0.25)

  init(_ view: any View, to file: consuming OutputFile, jobs: Int) {
    self.view = view
    self.file = file
    isShared = jobs > 1 && type(of: view).showsEachAlone
  }

  /// The reader has closed the pipe, or a write failed.
  var isClosed: Bool { file.isClosed }

  func show(_ record: Record, _ bytes: Span<UInt8>) {
    guard isShared else { return file.append { view.show(record, bytes, to: &$0) } }
    batch.add(record, bytes)
    if batch.isFull { share(Int(Double(batch.count) * balance.part)) }
  }

  /// Text between records.
  func write(_ text: String) {
    writeBatch()
    file.append { $0.write(text) }
  }

  /// Everything so far goes out.
  func flush() {
    writeBatch()
    file.flush()
  }

  /// What the view says last, and the end of the file.
  func close(complete: Bool) throws(Failure) {
    writeBatch()
    file.append { view.finish(to: &$0) }
    try file.close(complete: complete)
  }

  /// Begins to write a full batch, the first records here and the others on the other thread, while the next one is read.
  private func share(_ count: Int) {
    guard let helper else { return begin() }
    batch.write(0..<count, through: &view, to: &own)
    if helper.isBusy {
      balance.settle(secondWasDone: helper.finish(into: &others))
    }
    helper.begin(&batch, from: count)
    file.pass(&others)
    file.pass(&own)
    if file.isClosed { _ = helper.finish(into: &others) }
  }

  /// The first batch is written here, since a copy of the view is asked for one that has shown a record.
  private func begin() {
    writeBatch()
    helper = Helper(view)
    isShared = helper != nil
  }

  /// Writes what is held, in this thread.
  private func writeBatch() {
    if let helper, helper.isBusy {
      _ = helper.finish(into: &others)
      file.pass(&others)
    }
    guard batch.count > 0 else { return }
    batch.write(0..<batch.count, through: &view, to: &own)
    batch.clear()
    file.pass(&own)
  }
}

/// Records with their bytes, kept to be written together.
private struct RecordBatch {
  private var records: [Record] = []
  /// Of all records, one behind the other.
  private var bytes: [UInt8] = []
  /// Where those of each record end.
  private var ends: [Int] = []

  var count: Int { records.count }

  private var findings = 0

  /// Enough to be worth waiting for each other, and little enough for the memory near the processor. A finding takes far
  /// more of it than the bytes that it is about.
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

/// What the other thread writes. This one touches it only while that has nothing to do, which is why a class is enough.
private final class Helper {
  private let companion: Companion
  private var view: any View
  private var batch = RecordBatch()
  private var out = Output()
  private(set) var isBusy = false

  /// Nil where there is no second thread.
  init?(_ view: any View) {
    guard let companion = Companion() else { return nil }
    self.companion = companion
    self.view = view
  }

  /// Begins to write the records of `full` from `start` on, and gives an empty batch for them.
  func begin(_ full: inout RecordBatch, from start: Int) {
    swap(&batch, &full)
    isBusy = true
    companion.begin { [self] in batch.write(start..<batch.count, through: &view, to: &out) }
  }

  /// Waits until they are written, and gives what came of it. Whether they were written already.
  func finish(into other: inout Output) -> Bool {
    let wasDone = companion.wait()
    isBusy = false
    batch.clear()
    swap(&out, &other)
    return wasDone
  }
}
