import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSViews

/// Shows the records that were asked for, and keeps count of what was seen.
struct ViewSink<V: View>: InputSink, ~Copyable {
  private let writer: RecordWriter<V>
  /// The one that is shown; all where there is none.
  private let stream: Int?
  private let filter: Filter?
  private let limit: Int?
  private let refusesMixture: Bool
  private var shown = 0
  private var firstStream: Int?
  private let inputs: [String]
  private let hasHeadings: Bool
  private let hidesNotes: Bool
  private let baseline: Baseline?
  private let progress: Progress?
  private let reports: [ReportFile]
  private let isWanted: ((Record) -> Bool)?
  /// The input whose heading was written last.
  private var headed: Int?
  /// What is left for the last line.
  private(set) var triage = Triage()
  /// Bytes of a second stream turned up where only one can be written.
  private(set) var mixture: Failure?

  /// - Parameters:
  ///   - inputs: the names of the inputs, by their numbers.
  ///   - hidesNotes: they count, but the view does not get them.
  ///   - baseline: findings in it neither count nor are shown.
  ///   - reports: files that are written besides.
  ///   - hasHeadings: where the records of one of several inputs begin, its name is written, as `head` and `tail` do.
  init(
    _ view: V, to output: consuming OutputFile, selection: Selection, filter: Filter?, limit: Int?,
    refusesMixture: Bool,
    inputs: [String], hasHeadings: Bool, hidesNotes: Bool, baseline: Baseline?, reports: [ReportFile], jobs: Int,
    progress: Progress?,
    isWanted: ((Record) -> Bool)?
  ) {
    writer = RecordWriter(view, to: output, jobs: jobs)
    stream = selection.stream
    self.filter = filter
    self.inputs = inputs
    self.progress = progress
    self.isWanted = isWanted
    self.hidesNotes = hidesNotes
    self.baseline = baseline
    self.reports = reports
    self.hasHeadings = hasHeadings && inputs.count > 1
    self.limit = limit
    self.refusesMixture = refusesMixture
  }

  var wantsMore: Bool {
    !isClosed && mixture == nil && limit.map { shown < $0 } ?? true
  }

  var wantsInput: Bool { wantsMore && !Interrupt.isRaised }

  mutating func pause() { writer.flush() }

  /// The view tells of gaps and overlaps, all of them, where it tells what else was not read.
  var showsLosses: Bool { writer.view.saysRemarks }

  mutating func note(_ tally: Reassembler.Tally) { triage.note(tally) }

  mutating func note(_ name: String, isEmpty: Bool, remark: String?) {
    let isSaid = writer.view.saysRemarks
    if isSaid, let remark, !remark.isEmpty { writer.view.note(remark) }
    triage.note(input: name, isEmpty: isEmpty, remark: isSaid ? nil : remark)
  }

  /// Nothing chooses among records, and the view has nothing to say about those without a finding.
  var countsFaultless: Bool {
    !V.showsFaultless && stream == nil && filter == nil && limit == nil && !refusesMixture && !hasHeadings
      && isWanted == nil
  }

  func hasEnough(of rule: String, _ severity: Finding.Severity) -> Bool {
    baseline == nil
      && (hidesNotes && severity == .note || reports.isEmpty && writer.view.hasEnough(of: rule, severity))
  }

  mutating func pass(_ frames: PassedFrames, of stream: ByteStream) {
    if stream.isDirected { triage.see(stream: stream.number) }
    shown += frames.count
    progress?.records = shown
    triage.pass(frames)
    for finding in frames.findings where finding.severity > .note || !hidesNotes {
      writer.view.count(finding.count, in: finding.frames, of: finding.rule, finding.severity)
    }
  }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    if record.stream.isDirected { triage.see(stream: record.stream.number) }
    guard stream == nil || stream == record.stream.number, wantsMore, isWanted?(record) ?? true
    else {
      return
    }
    if filter?.accepts(record, bytes) ?? true {
      for report in reports where report.includesKnown { report.show(withoutHiddenNotes(record), bytes) }
    }
    guard let baseline, !record.findings.isEmpty else { return show(record, bytes, known: 0) }
    var rest = record
    rest.findings.removeAll { baseline.knows($0, in: record, bytes) }
    show(rest, bytes, known: record.findings.count - rest.findings.count)
  }

  private mutating func show(_ record: Record, _ bytes: Span<UInt8>, known: Int) {
    if let filter, !filter.accepts(record, bytes) { return triage.passOver() }
    if refusesMixture, record.stream.isDirected {
      if let firstStream, firstStream != record.stream.number {
        mixture = .unreadable(
          "\(input(of: record)) holds more than one stream, and their bytes cannot be written as one; choose one with --stream "
            + "\(firstStream) or --stream \(record.stream.number)")
        return
      }
      firstStream = record.stream.number
    }
    if hasHeadings, headed != record.input {
      let lead = shown == 0 ? "" : "\n"
      let name = printable(input(of: record))
      writer.write("\(lead)==> \(name) <==\n")
      headed = record.input
    }
    shown += 1
    progress?.records = shown
    triage.count(record, known: known, of: input(of: record))
    let shown = withoutHiddenNotes(record)
    writer.show(shown, bytes)
    for report in reports where !report.includesKnown { report.show(shown, bytes) }
  }

  private func withoutHiddenNotes(_ record: Record) -> Record {
    guard hidesNotes, record.findings.contains(where: { $0.severity == .note }) else { return record }
    var rest = record
    rest.findings.removeAll { $0.severity == .note }
    return rest
  }

  private func input(of record: Record) -> String {
    inputs.indices.contains(record.input) ? inputs[record.input] : ""
  }

  /// The reader has closed the pipe, or a write failed, and there is no other output.
  var isClosed: Bool { writer.isClosed && reports.isEmpty }

  /// Not `complete`: the run failed, and what was written must not pass for its result.
  mutating func close(complete: Bool) throws(Failure) {
    var failure: Failure?
    do throws(Failure) { try writer.close(complete: complete) } catch { failure = error }
    for report in reports {
      do throws(Failure) { try report.close(complete: complete) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }
}
