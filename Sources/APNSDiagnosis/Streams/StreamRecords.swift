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
    let frame = frame.moved(by: -frame.start)
    let time = provenance.time(at: offset)?.seconds
    let sighting = sighting ?? see(frame, bytes, time, &shared)
    (shared.facts.role, shared.facts.time, shared.facts.sighting) = (role, time, sighting)
    (shared.facts.position, shared.facts.ending) = (position, ending ?? .over)
    shared.facts.otherExpiry = lastExpiry.map { Int($0) }
    shared.facts.findPayloadClose(in: ahead)
    lastExpiry = shared.facts.ordinaryExpiry(in: bytes) ?? lastExpiry
    if let counting = shared.counting, frame.isFrame, doubt.cause == nil, doubt.symptom == nil, sighting.run == nil,
      !doubt.isSearchEnd, !isConnectionWatched,
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
    if let cause = doubt.cause { add(cause, saysLength: doubt.saysLength, to: &findings, inspector) }
    if let symptom = doubt.symptom, let first = findings.firstIndex(where: { $0.severity == .error }) {
      findings[first].fix += "; " + symptom
    }
    findings += inspector.findings(at: offset) { report in
      if doubt.isSearchEnd {
        report.add(.searchEnded, at: 0..<1, "the search for causes has done as much as the bytes so far allow")
      }
      if let count = sighting.run {
        report.add(
          .repeatedBatch, at: 0..<bytes.count,
          "the last \(count) frames were sent \(count) times in a row, byte for byte")
      }
      if role == .gateway, isConnectionWatched, frame.condition == .complete,
        let status = shared.facts.status?.integer(in: bytes)
      {
        connection.noteAnswer(
          UInt8(truncatingIfNeeded: status), isDirected: stream.isDirected, packets.first, at: 0..<bytes.count, &report)
      }
    }
    if role != .gateway, isConnectionWatched {
      connection.add(to: &findings, of: 0..<bytes.count, at: offset, packets.first, of: stream, inspector)
    }
    emit(content, bytes, count: frame.count, findings: findings, packets: packets, into: &records)
    note(frame.condition, isSound: shared.facts.isValid(in: bytes))
    shared.counting?.add(findings)
  }

  /// Compares the record that was read with earlier ones.
  private mutating func see(
    _ frame: FrameRef, _ bytes: Span<UInt8>, _ time: Int?, _ shared: inout Shared
  ) -> FrameSighting {
    guard frame.isFrame else { return FrameSighting() }
    let mayRepeat = shared.recovers && frame.condition == .complete && role == .provider
    return see(
      shared.facts.sentIdentifier(in: bytes), mark: mayRepeat ? RepeatedRun.mark(of: bytes) : nil, time,
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

  /// Rules that ask for another length.
  private static let lengthRules: Set = Set(
    [
      Rule.truncated, .overruledLength, .itemOverrun, .wrongItemSize, .spareBytes, .jsonCut, .jsonTerminated,
      .tokenLength,
    ].map(\.id))

  /// Attaches a cause to the first error, or otherwise to the first warning. Notes are often muted, so a cause is not
  /// attached to them but reported as a separate finding.
  private func add(_ cause: Cause, saysLength: Bool, to findings: inout [Finding], _ inspector: Inspector) {
    let worst = max(.warning, findings.map(\.severity).max() ?? .note)
    if let index = findings.firstIndex(where: { $0.severity == worst }) {
      findings[index].cause = cause
      // A rule sees one length only, and may ask for another number.
      if saysLength, Self.lengthRules.contains(findings[index].rule) { findings[index].fix = cause.fix }
      return
    }
    guard let root = RootCauses[cause.id] else { return }
    var found = inspector.findings(at: cause.range.lowerBound) {
      $0.add(.senderFault, at: 0..<1, root.title, fix: root.fix)
    }
    for index in found.indices { found[index].cause = cause }
    findings += found
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
