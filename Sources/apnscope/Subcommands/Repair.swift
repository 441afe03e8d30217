import APNSDiagnosis
import APNSInput
import APNSViews
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
    let pipeline = try RecordPipeline(
      settings, RecordSelection(stream: selection.stream), records, else: .raw, inputs: sources.map(\.name),
      output: target, exit, messages)
    try target.checkIsNoCapture()
    try report?.checkIsNoCapture()
    // The stream goes to standard output, so the changes go to standard error.
    let isBesideStream = target.path == "-" && report == nil
    pipeline.hasHeadings = false
    pipeline.joinsStreams = true
    let text = RepairText(
      settings.catalog, terminal: records.text.terminal(for: report, on: isBesideStream ? 2 : 1))
    var dissector = settings.dissector(
      into: RepairSink(
        text: isBesideStream && messages.quiet ? nil : text,
        shown: isBesideStream ? .standardError() : try OutputFile(report), stream: selection.stream,
        repaired: settings.dissector(into: pipeline)))
    return try pipeline.run { _ in
      var reading = input.read(sources, by: settings.definitions, into: &dissector, quiet: messages.quiet)
      dissector.records.repaired.finish()
      let isComplete = pipeline.mixture == nil && !Interrupt.isRaised
      do throws(Failure) { try dissector.records.shown.close(complete: isComplete) } catch {
        reading.failures.append(error)
      }
      pipeline.ending = .lines(
        summary(of: target, changed: dissector.records.changed, errors: pipeline.triage.severities[.error] ?? 0))
      return reading
    }
  }

  private func summary(of target: OutputPath, changed: Int, errors: Int) -> [String] {
    let (remaining, isFile) = (plural(errors, "error"), target.path != "-")
    guard changed > 0 else {
      let what = errors == 0 ? "no error had to be repaired" : "no repair of the \(remaining) is certain"
      return [what + (isFile ? "; \(target.path) has the stream unchanged" : "")]
    }
    return [
      "\(plural(changed, "place")) repaired" + (isFile ? " in \(target.path)" : "")
        + (errors == 0 ? "" : "; no repair of the other \(remaining) is certain"),
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

  var wantsMore: Bool { repaired.records.wantsMore }
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
      repaired.records.mixture = .unreadable(
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
}
