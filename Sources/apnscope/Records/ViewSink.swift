import APNSDiagnosis
import APNSInput
import APNSViews

/// Shows the selected records, and counts them for the summary at the end.
struct ViewSink: RecordSink, ~Copyable {
  private let pipeline: RecordPipeline
  private let writer: RecordWriter
  private var shown = 0
  private var firstStream: Int?
  /// The input whose heading was written last.
  private var headed: Int?
  /// The counts for the summary at the end.
  private(set) var triage: Triage
  /// A second stream occurred, but the format contains only one.
  private(set) var mixture: Failure?

  init(_ pipeline: RecordPipeline, to output: consuming OutputFile) {
    self.pipeline = pipeline
    triage = Triage(namesInputs: pipeline.inputs.count > 1)
    writer = RecordWriter(pipeline.view, to: output, jobs: pipeline.jobs)
  }

  var wantsMore: Bool {
    !isClosed && mixture == nil && pipeline.selection.count.map { shown < $0 } ?? true
  }

  var wantsInput: Bool { wantsMore && !Interrupt.isRaised }

  mutating func pause() { writer.flush() }

  mutating func note(_ reading: InputReading) {
    triage.tally = reading.tally
    let isSaid = writer.view.saysRemarks
    for (name, isEmpty, remark) in reading.notes {
      if isSaid, let remark, !remark.isEmpty { writer.view.note(remark) }
      triage.note(input: name, isEmpty: isEmpty, remark: isSaid ? nil : remark)
    }
  }

  /// A view that writes remarks also says what could not be read.
  mutating func note(_ failure: Failure) {
    if writer.view.saysRemarks { writer.view.note(failure.sentence) }
    guard let input = failure.input else { return }
    // After an interruption, the rest is not read.
    for unread in input..<(failure.isInterruption ? pipeline.inputs.count : input + 1) {
      writer.view.note(unread: unread, failure.sentence)
      for report in pipeline.reports { report.writer.view.note(unread: unread, failure.sentence) }
    }
  }

  mutating func count(_ frames: CountedFrames) {
    shown += frames.count
    pipeline.progress?.records = shown
    triage.count(frames)
    for finding in frames.findings where finding.severity > .note || !pipeline.hidesNotes {
      writer.view.count(finding.count, in: finding.frames, of: finding.rule, finding.severity)
    }
  }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    if record.stream.isDirected { triage.note(stream: record.stream.number) }
    let stream = pipeline.selection.stream
    guard stream == nil || stream == record.stream.number, wantsMore, pipeline.isWanted?(record) ?? true else { return }
    if pipeline.selection.filter?.accepts(record, bytes) ?? true {
      for report in pipeline.reports where report.includesKnown {
        report.writer.show(withoutHiddenNotes(record), bytes)
      }
    }
    guard let baseline = pipeline.baseline, !record.findings.isEmpty else { return show(record, bytes, known: 0) }
    var rest = record
    rest.findings.removeAll { baseline.knows($0, in: record, bytes, pipeline.settings.catalog) }
    show(rest, bytes, known: record.findings.count - rest.findings.count)
  }

  private mutating func show(_ record: Record, _ bytes: Span<UInt8>, known: Int) {
    if let filter = pipeline.selection.filter, !filter.accepts(record, bytes) { return triage.countFiltered() }
    if pipeline.refusesMixture, record.stream.isDirected {
      if let firstStream, firstStream != record.stream.number {
        mixture = .unreadable(
          "\(input(of: record)) contains more than one stream, and their bytes cannot be joined; choose one with "
            + "--stream \(firstStream) or --stream \(record.stream.number)")
        return
      }
      firstStream = record.stream.number
    }
    if pipeline.writesHeadings, headed != record.input {
      let lead = shown == 0 ? "" : "\n"
      let name = printable(input(of: record))
      writer.write("\(lead)==> \(name) <==\n")
      headed = record.input
    }
    shown += 1
    pipeline.progress?.records = shown
    triage.count(record, known: known, of: input(of: record))
    let shown = withoutHiddenNotes(record)
    writer.show(shown, bytes)
    for report in pipeline.reports where !report.includesKnown { report.writer.show(shown, bytes) }
  }

  private func withoutHiddenNotes(_ record: Record) -> Record {
    guard pipeline.hidesNotes, record.findings.contains(where: { $0.severity == .note }) else { return record }
    var rest = record
    rest.findings.removeAll { $0.severity == .note }
    return rest
  }

  private func input(of record: Record) -> String {
    pipeline.inputs.indices.contains(record.input) ? pipeline.inputs[record.input] : ""
  }

  /// Whether nothing more can be written: the reader closed the pipe or a write failed, and there is no other output.
  var isClosed: Bool { writer.isClosed && pipeline.reports.isEmpty }

  /// Publishes the outputs; if the run failed (not `complete`), discards them. Those that say what was not read are
  /// kept if nothing but that failed (`unread`).
  mutating func close(complete: Bool, unread: Bool = false) throws(Failure) {
    var failure: Failure?
    for writer in [writer] + pipeline.reports.map(\.writer) {
      let isComplete = complete || (unread && type(of: writer.view).saysUnread)
      do throws(Failure) { try writer.close(complete: isComplete) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }
}
