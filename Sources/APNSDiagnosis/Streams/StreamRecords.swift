import APNSInput
import APNSWire

/// What is reported about a stream: a record for each frame, and for bytes outside frames, with its findings.
extension StreamState {
  mutating func emitProxyHeader(
    _ bytes: Span<UInt8>, _ setting: borrowing Setting, into records: inout some RecordSink & ~Copyable
  ) {
    var report = Report(setting.inspector.policy, at: offset)
    report.add(
      proxyHeader, at: 0..<bytes.count, "a proxy wrote a PROXY protocol header before the stream; it is no frame")
    emit(.unparsed(reason: proxyHeader.id), bytes, count: bytes.count, findings: report.findings, into: &records)
  }

  mutating func emit(
    _ frame: FrameRef, in held: Span<UInt8>, ending: RunEnding?, _ cause: Cause?, _ history: FrameHistory?,
    _ setting: inout Setting, into records: inout some RecordSink & ~Copyable
  ) {
    let bytes = held.extracting(frame.range)
    // Causes wait for this many bytes, so that the result does not depend on how the bytes arrive.
    let horizon = setting.recovers ? min(held.count, frame.start + CauseFinder.horizon) : frame.end
    let ahead = held.extracting(frame.start..<max(horizon, frame.end))
    let frame = frame.moved(by: -frame.start)
    var history = history
    if frame.isFrame, cause == nil, !setting.enough.isEmpty,
      pass(frame, bytes, ahead: ahead, ending: ending, &history, &setting, countsFaultless: records.countsFaultless)
    {
      return
    }
    let packets = provenance.packets(in: offset..<(offset + bytes.count))
    // A cause may be attached to a note.
    var (findings, notes, isMalformed) = setting.inspector.judge(
      frame, bytes, ahead: ahead, of: role, at: offset, position, ending: ending ?? .over, time: packets.first?.time,
      history?.sighting,
      countsNotes: setting.countsNotes && cause == nil, &memory)
    let content: Record.Content
    if frame.isFrame {
      content = .frame(frame, frame.condition == .truncated ? .truncated : isMalformed ? .malformed : nil)
    } else {
      content = .unparsed(reason: reason(of: frame.condition))
      findings += explanation(of: frame.condition, setting.inspector.policy)
    }
    if frame.condition != .tail { lastCondition = frame.condition }
    if let cause { add(cause, to: &findings, setting.inspector.policy) }
    if setting.recovers, frame.condition == .complete, role == .provider {
      let framesAgo = setting.inspector.sighting.framesAgo
      if let count = history.map({ $0.run })
        ?? memory.run.add(bytes, framesAgo: framesAgo, time: packets.first?.time?.seconds)
      {
        addRun(of: count, bytes, &findings, setting.inspector.policy)
      }
    }
    addConnectionFindings(frame, bytes, packets.first, &findings, setting)
    followsFrame = frame.condition == .complete && setting.inspector.hasReadWhole
    memory.effort.earn(frame.count)
    emit(content, bytes, count: frame.count, findings: findings, notes: notes, packets: packets, into: &records)
    guard records.countsFaultless else { return }
    for finding in findings
    where finding.cause == nil && !setting.enough.contains(finding.rule, finding.severity)
      && records.hasEnough(of: finding.rule, finding.severity)
    {
      setting.enough.insert(finding.rule, finding.severity)
    }
  }

  /// Counts a frame of whose findings the sink has enough. If it cannot, what was looked up for it is in `history`.
  private mutating func pass(
    _ frame: FrameRef, _ bytes: Span<UInt8>, ahead: Span<UInt8>, ending: RunEnding?, _ history: inout FrameHistory?,
    _ setting: inout Setting, countsFaultless: Bool
  ) -> Bool {
    guard countsFaultless else { return false }
    let time = provenance.time(at: offset)
    let isCounted = setting.inspector.count(
      frame, bytes, ahead: ahead, of: role, position, ending: ending ?? .over, time: time, history?.sighting,
      countsNotes: setting.countsNotes, setting.enough, &memory)
    var run = history.flatMap { $0.run }
    if history == nil, setting.recovers, frame.condition == .complete, role == .provider {
      run = memory.run.add(bytes, framesAgo: setting.inspector.sighting.framesAgo, time: time?.seconds)
    }
    history = FrameHistory(sighting: setting.inspector.sighting, run: run)
    guard isCounted, run == nil else { return false }
    setting.passed.add(setting.inspector.counted)
    lastCondition = frame.condition
    followsFrame = frame.condition == .complete && setting.inspector.hasReadWhole
    memory.effort.earn(frame.count)
    number += 1
    offset += frame.count
    return true
  }

  mutating func emit(
    _ content: Record.Content, _ bytes: Span<UInt8>, count: Int, findings: [Finding], notes: Int = 0,
    packets: [Origin.Packet]? = nil, into records: inout some RecordSink & ~Copyable
  ) {
    number += 1
    let held = offset..<(offset + bytes.count)
    let packets = packets ?? provenance.packets(in: held)
    let record = Record(
      stream: stream, input: packets.first?.input ?? Int(input), role: role, number: number, offset: offset,
      count: count,
      content: content,
      findings: findings, packets: packets, positions: provenance.positions(in: held), countedNotes: notes)
    records.take(record, bytes)
    offset += count
  }

  private var position: FrameFacts.Position {
    if offset == 0 { return .streamStart }
    return (role == .provider ? followsFrame : lastCondition == .complete) ? .afterFrame : .afterDamage
  }

  /// To the first error, or to a finding of its own if there is none.
  private func add(_ cause: Cause, to findings: inout [Finding], _ policy: RulePolicy) {
    if let index = findings.firstIndex(where: { $0.severity == .error }) ?? findings.indices.first {
      findings[index].cause = cause
      return
    }
    guard let root = RootCauses[cause.id] else { return }
    var report = Report(policy, at: cause.range.lowerBound)
    report.add(senderFault, at: 0..<1, root.title, fix: root.fix)
    findings += report.findings
    if !findings.isEmpty { findings[0].cause = cause }
  }

  /// What only the other side, or other connections, show.
  private mutating func addConnectionFindings(
    _ frame: FrameRef, _ bytes: Span<UInt8>, _ packet: Origin.Packet?, _ findings: inout [Finding],
    _ setting: borrowing Setting
  ) {
    if role == .gateway, connection.countsAnswers, frame.condition == .complete,
      let status = setting.catalog.leaf(.status, of: frame, in: bytes)?.integer(in: bytes)
    {
      var report = Report(setting.inspector.policy, at: offset)
      connection.noteAnswer(
        UInt8(truncatingIfNeeded: status), isDirected: stream.isDirected, packet, at: 0..<bytes.count, &report)
      findings += report.findings
    }
    guard role != .gateway, connection.isWatching else { return }
    connection.add(
      to: &findings, of: 0..<bytes.count, at: offset, packet, of: stream, setting.inspector.policy)
  }

  private func addRun(of count: Int, _ bytes: Span<UInt8>, _ findings: inout [Finding], _ policy: RulePolicy) {
    var report = Report(policy, at: offset)
    let sentence = "the last \(count) frames were sent \(count) times in a row, byte for byte"
    report.add(repeatedBatch, at: 0..<bytes.count, sentence)
    let first = findings.count
    findings += report.findings
    guard findings.count > first else { return }
    findings[first].cause = Cause(
      batchRepeated.id, evidence: sentence, fix: batchRepeated.fix, range: offset..<(offset + bytes.count),
      repaired: nil)
  }

  private func reason(of condition: FrameRef.Condition) -> String {
    switch condition {
    case .tail: lastCondition.map { reason(of: $0) } ?? ""
    case .unaligned: noFrameFound.id
    case .foreign: foreign?.rule.id ?? "another-protocol"
    case .complete, .truncated, .overruled: "rest-of-frame"
    case .oversized: DecodeError.Code.oversizedFrame.rawValue
    case .unknownCommand: DecodeError.Code.unknownCommand.rawValue
    }
  }

  private func explanation(of condition: FrameRef.Condition, _ policy: RulePolicy) -> [Finding] {
    var report = Report(policy, at: offset)
    switch condition {
    case .foreign:
      guard let foreign, number == 0 else { return [] }
      report.add(foreign.rule, at: 0..<1, foreign.message, fix: foreign.fix(for: stream))
    case .unaligned:
      report.add(noFrameFound, at: 0..<1, "no frame can be recognised in the bytes after the gap, up to the next frame")
    default:
      break
    }
    return report.findings
  }
}
