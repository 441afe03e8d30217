import APNSInput
import APNSWire

/// Reports a stream: one record for each frame and for bytes outside frames, with findings.
extension StreamState {
  mutating func emitProxyHeader(
    _ bytes: Span<UInt8>, _ shared: borrowing Shared, into records: inout some RecordSink & ~Copyable
  ) {
    let findings = shared.inspector.findings(at: offset) {
      $0.add(
        .proxyHeader, at: 0..<bytes.count, "a proxy wrote a PROXY protocol header before the stream; it is no frame")
    }
    emit(.unparsed(reason: Rule.proxyHeader.id), bytes, count: bytes.count, findings: findings, into: &records)
  }

  /// Judges the frame that was read. It emits a record, or counts its findings if enough of them were reported.
  mutating func judge(
    _ frame: FrameRef, in held: Span<UInt8>, ending: RunEnding?, _ sighting: FrameSighting?,
    _ shared: inout Shared, into records: inout some RecordSink & ~Copyable
  ) {
    let bytes = held.extracting(frame.range)
    // The search for causes waits for this many bytes, so that the result does not depend on how the bytes arrive.
    let horizon = shared.recovers ? min(held.count, frame.start + Explainer.horizon) : frame.end
    let ahead = held.extracting(frame.start..<max(horizon, frame.end))
    let cause = doubt.cause
    let written = held.extracting(frame.start..<max(frame.end, frame.start + (cause?.range.count ?? 0)))
    let frame = frame.moved(by: -frame.start)
    (shared.facts.role, shared.facts.time) = (role, provenance.time(at: offset)?.seconds)
    (shared.facts.position, shared.facts.ending) = (position, ending ?? .over)
    shared.facts.findPayloadClose(in: ahead)
    let isAsWritten = cause?.repaired == nil
    if isAsWritten { compare(frame, bytes, sighting, &shared) } else { shared.facts.sighting = FrameSighting() }
    if let counting = shared.counting, frame.isFrame, cause == nil, doubt.symptom == nil,
      shared.facts.sighting.run == nil, searchEnd != offset, !isConnectionWatched,
      case let found = CountedFrames(shared.inspector.findings(on: shared.facts, bytes, omitsMessages: true)),
      counting.isEnough(of: found)
    {
      shared.counted.add(found)
      return advance(past: frame.count, frame.condition, isSound: shared.facts.isValid(in: bytes))
    }
    let inspector = shared.inspector
    var findings = inspector.findings(on: shared.facts, bytes, at: offset)
    let packets = provenance.packets(in: offset..<(offset + bytes.count))
    let content: Record.Content
    if frame.isFrame {
      content = .frame(
        frame, frame.condition == .truncated ? .truncated : shared.facts.isMalformed ? .malformed : nil)
    } else {
      content = .unparsed(reason: reason(of: frame.condition))
      findings += inspector.findings(at: offset) { addUnframed(frame.condition, &$0) }
    }
    let isSound = shared.facts.isValid(in: bytes)
    let status = frame.condition == .complete ? shared.facts.status?.integer(in: bytes) : nil
    if let cause { explain(&findings, on: frame, written, by: cause, &shared) }
    if let symptom = doubt.symptom, let first = findings.firstIndex(where: { $0.severity == .error }) {
      findings[first].fix += "; " + symptom
    }
    findings += inspector.findings(at: offset) { report in
      if searchEnd == offset {
        report.add(.searchEnded, at: 0..<1, "the search for causes has done as much as the bytes so far allow")
      }
      if let count = shared.facts.sighting.run {
        report.add(
          .repeatedBatch, at: 0..<bytes.count,
          "the last \(count) frames were sent \(count) times in a row, byte for byte")
      }
      if role == .gateway, isConnectionWatched, let status {
        connection.noteAnswer(
          UInt8(truncatingIfNeeded: status), isDirected: stream.isDirected, packets.first, at: 0..<bytes.count, &report)
      }
    }
    if role != .gateway, isConnectionWatched {
      connection.add(to: &findings, of: 0..<bytes.count, at: offset, packets.first, of: stream, inspector)
    }
    emit(content, bytes, count: frame.count, findings: findings, packets: packets, into: &records)
    note(frame.condition, isSound: isSound)
    shared.counting?.add(findings)
  }

  /// Compares the frame that was read with earlier ones, unless it was compared before.
  mutating func compare(
    _ frame: FrameRef, _ bytes: Span<UInt8>, _ sighting: FrameSighting?, _ shared: inout Shared
  ) {
    shared.facts.otherExpiry = lastExpiry.map { Int($0) }
    lastExpiry = shared.facts.ordinaryExpiry(in: bytes) ?? lastExpiry
    shared.facts.sighting = sighting ?? FrameSighting()
    guard sighting == nil, frame.isFrame else { return }
    let mayRepeat = shared.recovers && frame.condition == .complete && role == .provider
    shared.facts.sighting = see(
      shared.facts.sentIdentifier(in: bytes), mark: mayRepeat ? RepeatedRun.mark(of: bytes) : nil, shared.facts.time,
      within: &shared.budget)
  }

  /// Compares a frame with earlier ones. Frames without an identifier count too. Each frame is added once, in stream
  /// order.
  ///
  /// - Parameters:
  ///   - mark: the mark of a complete notification.
  ///   - time: the time of capture in seconds.
  mutating func see(_ identifier: UInt32?, mark: UInt32?, _ time: Int?, within budget: inout Int) -> FrameSighting {
    var sighting = identifiers.see(identifier, within: &budget)
    if let mark { sighting.run = run.add(mark, framesAgo: sighting.framesAgo, time: time) }
    return sighting
  }

  /// Continues after a frame that is only counted.
  mutating func advance(past count: Int, _ condition: FrameRef.Condition, isSound: Bool) {
    note(condition, isSound: isSound)
    number += 1
    offset += count
  }

  /// Stores what the next record follows.
  mutating func note(_ condition: FrameRef.Condition, isSound: Bool) {
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
      count: count, content: content, findings: findings, packets: packets, positions: provenance.positions(in: held))
    records.take(record, bytes)
    offset += count
  }

  var position: FrameFacts.Position {
    if offset == 0 { return .streamStart }
    return (role == .provider ? followsFrame : lastCondition == .complete) ? .afterFrame : .afterDamage
  }

  /// Whether every frame matters for findings about the connection.
  private var isConnectionWatched: Bool {
    role == .gateway ? connection.countsAnswers : connection.isWatching
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

  /// Reports bytes of another protocol, once, and those after a gap.
  private func addUnframed(_ condition: FrameRef.Condition, _ report: inout Report) {
    if condition == .foreign, let foreign, number == 0 {
      report.add(foreign.rule, at: 0..<1, foreign.rule.title, fix: foreign.fix(for: stream))
    } else if condition == .unaligned {
      let reason = offset == 0 ? "the capture begins within a frame" : "bytes before these are missing"
      report.add(.noFrameFound, at: 0..<1, "\(reason), so no frame can be recognised up to the next one")
    }
  }
}
