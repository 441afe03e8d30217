import APNSInput
import APNSWire

/// Reports a stream: one record for each frame and for bytes outside frames, with findings.
extension StreamState {
  mutating func emitProxyHeader(
    _ bytes: Span<UInt8>, _ shared: borrowing Shared, into records: inout some RecordSink & ~Copyable
  ) {
    var report = Report(shared.inspector.policy, at: offset)
    report.add(
      .proxyHeader, at: 0..<bytes.count, "a proxy wrote a PROXY protocol header before the stream; it is no frame")
    emit(.unparsed(reason: Rule.proxyHeader.id), bytes, count: bytes.count, findings: report.findings, into: &records)
  }

  /// Judges the frame that was read. It emits a record, or counts its findings if enough of them were reported.
  mutating func judge(
    _ frame: FrameRef, in held: Span<UInt8>, ending: RunEnding?, _ doubt: Doubt, _ sighting: FrameSighting?,
    _ shared: inout Shared, into records: inout some RecordSink & ~Copyable
  ) {
    let bytes = held.extracting(frame.range)
    // The search for causes waits for this many bytes, so that the result does not depend on how the bytes arrive.
    let horizon = shared.recovers ? min(held.count, frame.start + Explainer.horizon) : frame.end
    let ahead = held.extracting(frame.start..<max(horizon, frame.end))
    let frame = frame.moved(by: -frame.start)
    let time = provenance.time(at: offset)?.seconds
    let sighting = sighting ?? see(frame, bytes, time, &shared)
    shared.facts.note(
      ahead: ahead, role, position, ending ?? .over, time: time, sighting.identifier,
      otherExpiry: memory.lastExpiry.map { Int($0) })
    memory.lastExpiry = shared.facts.ordinaryExpiry(in: bytes) ?? memory.lastExpiry
    if let counting = shared.counting, frame.isFrame, doubt.cause == nil, doubt.symptoms.isEmpty, sighting.run == nil,
      !doubt.isSearchEnd, !isConnectionWatched,
      shared.inspector.count(on: shared.facts, bytes, counting, into: &shared.countedFrame)
    {
      shared.counted.add(shared.countedFrame)
      return advance(past: frame.count, frame.condition, isSound: shared.facts.isValid(in: bytes))
    }
    let policy = shared.inspector.policy
    var findings = shared.inspector.findings(on: shared.facts, bytes, at: offset)
    let packets = provenance.packets(in: offset..<(offset + bytes.count))
    let content: Record.Content
    if frame.isFrame {
      content = .frame(
        frame, frame.condition == .truncated ? .truncated : shared.facts.isMalformed ? .malformed : nil)
    } else {
      content = .unparsed(reason: reason(of: frame.condition))
      findings += explanation(of: frame.condition, policy)
    }
    if let cause = doubt.cause { add(cause, saysLength: doubt.saysLength, to: &findings, policy) }
    if let first = findings.firstIndex(where: { $0.severity == .error }) {
      findings[first].fix = ([findings[first].fix] + doubt.symptoms).joined(separator: "; ")
    }
    if doubt.isSearchEnd {
      var report = Report(policy, at: offset)
      report.add(.searchEnded, at: 0..<1, "the search for causes has done as much as the bytes so far allow")
      findings += report.findings
    }
    if let count = sighting.run { addRun(of: count, bytes, &findings, policy) }
    addConnectionFindings(frame, bytes, packets.first, &findings, shared)
    emit(content, bytes, count: frame.count, findings: findings, packets: packets, into: &records)
    note(frame.count, frame.condition, isSound: shared.facts.isValid(in: bytes))
    shared.counting?.add(findings)
  }

  /// How a frame relates to those before it.
  struct FrameSighting {
    let identifier: IdentifierSighting
    /// The length of the run that it repeats.
    let run: Int?

    /// Whether the frame repeats nothing.
    var isOrdinary: Bool { identifier.isOrdinary && run == nil }
  }

  /// Adds a complete notification to the memory. Each frame is added once, in stream order.
  mutating func see(_ identifier: UInt32?, _ mark: UInt32, _ time: Int?, _ shared: inout Shared) -> FrameSighting {
    let sighting = memory.see(identifier, within: &shared.budget)
    let run = shared.recovers ? memory.run.add(mark, framesAgo: sighting.framesAgo, time: time) : nil
    return FrameSighting(identifier: sighting, run: run)
  }

  /// Adds any record that was read to the memory.
  private mutating func see(
    _ frame: FrameRef, _ bytes: Span<UInt8>, _ time: Int?, _ shared: inout Shared
  ) -> FrameSighting {
    guard frame.isFrame else { return FrameSighting(identifier: IdentifierSighting(), run: nil) }
    let identifier = shared.facts.sentIdentifier(in: bytes)
    guard frame.condition == .complete, role == .provider else {
      return FrameSighting(identifier: memory.see(identifier, within: &shared.budget), run: nil)
    }
    return see(identifier, memory.run.isReported ? 0 : RepeatedRun.mark(of: bytes), time, &shared)
  }

  /// Continues after a frame that is only counted.
  mutating func advance(past count: Int, _ condition: FrameRef.Condition, isSound: Bool) {
    note(count, condition, isSound: isSound)
    number += 1
    offset += count
  }

  /// Stores what the next record follows.
  mutating func note(_ count: Int, _ condition: FrameRef.Condition, isSound: Bool) {
    if condition != .tail { lastCondition = condition }
    followsFrame = condition == .complete && isSound
  }

  mutating func emit(
    _ content: Record.Content, _ bytes: Span<UInt8>, count: Int, findings: [Finding],
    packets: [Origin.Packet]? = nil, into records: inout some RecordSink & ~Copyable
  ) {
    number += 1
    let held = offset..<(offset + bytes.count)
    let packets = packets ?? provenance.packets(in: held)
    let record = Record(
      stream: stream, input: packets.first?.input ?? Int(input), role: role, number: number, offset: offset,
      count: count,
      content: content,
      findings: findings, packets: packets, positions: provenance.positions(in: held))
    records.take(record, bytes)
    offset += count
  }

  var position: FrameFacts.Position {
    if offset == 0 { return .streamStart }
    return (role == .provider ? followsFrame : lastCondition == .complete) ? .afterFrame : .afterDamage
  }

  /// Rules that ask for another length.
  private static let lengthRules: Set = Set(
    [
      Rule.truncated, .overruledLength, .itemOverrun, .wrongItemSize, .spareBytes, .jsonCut, .jsonTerminated,
      .tokenLength,
    ].map(\.id))

  /// Attaches a cause to the first error, or otherwise to the first warning. Notes are often muted, so a cause is not
  /// attached to them but reported as a separate finding.
  private func add(_ cause: Cause, saysLength: Bool, to findings: inout [Finding], _ policy: RulePolicy) {
    let worst = max(.warning, findings.map(\.severity).max() ?? .note)
    if let index = findings.firstIndex(where: { $0.severity == worst }) {
      findings[index].cause = cause
      // A rule sees one length only, and may ask for another number.
      if saysLength, Self.lengthRules.contains(findings[index].rule) { findings[index].fix = cause.fix }
      return
    }
    guard let root = RootCauses[cause.id] else { return }
    var report = Report(policy, at: cause.range.lowerBound)
    report.add(.senderFault, at: 0..<1, root.title, fix: root.fix)
    findings += report.findings
    if !report.findings.isEmpty { findings[findings.count - 1].cause = cause }
  }

  /// Whether every frame matters for findings about the connection.
  private var isConnectionWatched: Bool {
    role == .gateway ? connection.countsAnswers : connection.isWatching
  }

  /// Adds findings that depend on the other side or on other connections.
  private mutating func addConnectionFindings(
    _ frame: FrameRef, _ bytes: Span<UInt8>, _ packet: Origin.Packet?, _ findings: inout [Finding],
    _ shared: borrowing Shared
  ) {
    if role == .gateway, isConnectionWatched, frame.condition == .complete,
      let status = shared.facts.status?.integer(in: bytes)
    {
      var report = Report(shared.inspector.policy, at: offset)
      connection.noteAnswer(
        UInt8(truncatingIfNeeded: status), isDirected: stream.isDirected, packet, at: 0..<bytes.count, &report)
      findings += report.findings
    }
    guard role != .gateway, isConnectionWatched else { return }
    connection.add(
      to: &findings, of: 0..<bytes.count, at: offset, packet, of: stream, shared.inspector.policy)
  }

  private func addRun(of count: Int, _ bytes: Span<UInt8>, _ findings: inout [Finding], _ policy: RulePolicy) {
    var report = Report(policy, at: offset)
    let sentence = "the last \(count) frames were sent \(count) times in a row, byte for byte"
    report.add(.repeatedBatch, at: 0..<bytes.count, sentence)
    findings += report.findings
  }

  private func reason(of condition: FrameRef.Condition) -> String {
    switch condition {
    case .tail: lastCondition.map { reason(of: $0) } ?? ""
    case .unaligned: Rule.noFrameFound.id
    case .foreign: foreign?.rule.id ?? "another-protocol"
    case .complete, .truncated, .overruled: Record.restOfFrame
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
      report.add(
        .noFrameFound, at: 0..<1, "no frame can be recognised in the bytes after the gap, up to the next frame")
    default:
      break
    }
    return report.findings
  }
}
