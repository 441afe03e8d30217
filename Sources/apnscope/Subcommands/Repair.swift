import APNSDiagnosis
import APNSInput
import APNSViews
import APNSWire
import Octets

/// Writes a stream as its sender should have written it, as far as root causes are known, and shows what changed.
extension Dissect {
  func write(
    _ settings: StreamSettings, _ sources: [InputSource], repairedTo target: OutputPath
  ) throws -> ExitStatus {
    var settings = settings
    // A repair depends on the frames that follow a wrong length.
    settings.recovers = true
    let report = self.target.output
    let streamOutput = target.path == "-" ? nil : target
    let pipeline = try RecordPipeline(
      settings, RecordSelection(stream: selection.stream), records, else: .raw, inputs: sources.map(\.name),
      output: streamOutput, exit, messages)
    for output in [target, report].compactMap(\.self) { try output.checkIsNoCapture() }
    // The stream goes to standard output, so the changes go to standard error.
    let isBesideStream = streamOutput == nil && report == nil
    pipeline.hasHeadings = false
    pipeline.joinsStreams = true
    let repaired = try OutputFile(target, content: pipeline.content)
    let text = RepairText(
      settings.catalog, terminal: records.text.terminal(for: report, on: isBesideStream ? 2 : 1))
    pipeline.begin(writingTo: repaired)
    var dissector = settings.dissector(
      into: RepairSink(
        text: isBesideStream && messages.quiet ? nil : text,
        shown: isBesideStream ? .standardError() : try OutputFile(report), stream: selection.stream,
        repaired: settings.dissector(into: pipeline)))
    var failures = input.read(sources, by: settings.definitions, into: &dissector, quiet: messages.quiet).failures
    if let mixture = dissector.records.mixture { failures.append(mixture) }
    do throws(Failure) {
      try dissector.records.close(complete: dissector.records.mixture == nil && !Interrupt.isRaised)
    } catch {
      failures.append(error)
    }
    for failure in failures { failure.report(quiet: messages.quiet) }
    let remaining = dissector.records.remaining
    if !messages.quiet, failures.isEmpty {
      StandardError.say(summary(of: target, changed: dissector.records.changed, errors: remaining.errors))
    }
    if !failures.isEmpty { return .unreadable }
    return exit.failOn.isReached(by: remaining.worst) ? .findings : .clean
  }

  private func summary(of target: OutputPath, changed: Int, errors: Int) -> [String] {
    let (remaining, isFile) = (plural(errors, "error"), target.path != "-")
    guard changed > 0 else {
      let what = errors == 0 ? "nothing had to be repaired" : "no known cause explains the \(remaining)"
      return [what + (isFile ? "; \(target.path) has the stream unchanged" : "")]
    }
    return [
      "\(plural(changed, "place")) repaired" + (isFile ? " in \(target.path)" : "")
        + (errors == 0 ? "" : "; \(remaining) left, which no known cause explains"),
      "the repair is a guess: compare it with the original before you use it",
    ]
  }
}

/// Writes a stream as its sender should have written it, and reports the changes.
private struct RepairSink: RecordSink, ~Copyable {
  /// Nil if the changes are not shown.
  let text: RepairText?
  var shown: OutputFile
  let stream: Int?
  var repaired: Dissector<RecordPipeline>
  var firstStream: Int?
  /// The offset up to which the stream has been repaired.
  var doneUntil = 0
  var changed = 0
  var mixture: Failure?

  var wantsMore: Bool { mixture == nil && repaired.records.wantsMore }
  var wantsInput: Bool { wantsMore && !Interrupt.isRaised }
  mutating func pause() { shown.flush() }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    guard stream == nil || stream == record.stream.number else { return }
    if case .overlap = record.content { return }
    if firstStream == nil {
      firstStream = record.stream.number
      repaired.open(record.stream, at: record.offset)
    }
    let number = record.stream.number
    guard firstStream == number else {
      mixture = .unreadable(
        "there is more than one stream, and only one can be repaired; choose one with --stream \(firstStream ?? 0) or "
          + "--stream \(number)")
      return
    }
    if case .gap = record.content { return repaired.gap(of: record.count, in: number) }
    let start = record.offset
    if let cause = record.findings.lazy.compactMap(\.cause).first, let right = cause.repaired, start >= doneUntil {
      if let text { shown.append { text.write(record, bytes, cause, repaired: right.span, to: &$0) } }
      append(right.span)
      doneUntil = cause.range.upperBound
      changed += 1
    }
    append(bytes.extracting(min(max(doneUntil - start, 0), bytes.count)...))
  }

  private mutating func append(_ bytes: Span<UInt8>) {
    guard let firstStream, !bytes.isEmpty else { return }
    repaired.append(bytes, from: .input(offset: 0), to: firstStream)
  }

  /// The findings in the repaired stream.
  var remaining: Triage { repaired.records.triage }

  /// Publishes the outputs; if the run failed (not `complete`), discards them.
  mutating func close(complete: Bool) throws(Failure) {
    repaired.finish()
    try shown.close(complete: complete)
    try repaired.records.close(complete: complete)
  }
}
