import APNSInput
import APNSWire

/// Why bytes of a stream end.
enum RunEnding {
  /// The stream is over.
  case over
  /// The capture lacks what follows.
  case gap
  /// The input cannot be read on.
  case brokenOff
}

/// One stream on its way into records. Small, since there may be many thousand.
struct StreamState {
  let stream: ByteStream
  /// Where the stream was opened; packets know better.
  private let input: Int32
  private(set) var role: StreamRole?
  private var foreign: ForeignProtocol?
  private var framer: FramingState?
  /// Bytes not framed yet; the first is at `offset` in the stream.
  private var buffer: [UInt8] = []
  private var offset = 0
  private var provenance = Provenance()
  private var number = 0
  /// What the last record that was no tail is: it says why bytes behind it belong to no frame.
  private var lastCondition: FrameRef.Condition?
  /// Missing bytes that are told of with the packet that comes behind them.
  private var pendingGap = 0
  /// The first byte of the stream is there.
  private var isAligned = true

  /// What rules remember from frame to frame.
  private var memory = StreamMemory()
  /// Bytes further on that belong to a frame whose cause was found, as offsets in the stream.
  private var tails: [Range<Int>] = []
  /// The record before is a whole frame, and nothing is missing behind it.
  private var followsFrame = false
  /// What was found last: a sender does the same again.
  private var lastCause: String?

  /// What all streams share.
  struct Setting {
    let catalog: Catalog
    let roles: RolePolicy
    let recovers: Bool
    let causes: CauseFinder
    var inspector: Inspector
    var glance: Glance
    var glances = true
    /// Of the stream that is read.
    var forecast = Forecast()
    var countsNotes = false
    /// Of these it is enough to count them.
    var counted = Said()
  }

  init(_ stream: ByteStream, of input: Int, at offset: Int) {
    self.offset = offset
    self.stream = stream
    self.input = Int32(truncatingIfNeeded: input)
  }

  /// With what it takes to say where they came from, which is more where packets are small.
  var heldBytes: Int { buffer.count + (buffer.isEmpty ? 0 : provenance.footprint) }

  mutating func append(
    _ bytes: Span<UInt8>, from origin: Origin, _ setting: inout Setting, into records: inout some RecordSink & ~Copyable
  ) {
    if pendingGap > 0 { emitGap(before: origin, &setting, into: &records) }
    provenance.note(origin, at: offset + buffer.count, count: bytes.count)
    var start = 0
    if !buffer.isEmpty {
      start = join(bytes, &setting, into: &records)
      if !buffer.isEmpty { return }
    }
    // Most packets end where a frame does, and are read where they stand.
    let rest = bytes.extracting(start...)
    let count = frames(in: rest, until: nil, &setting, into: &records).count
    if count < rest.count { buffer.append(contentsOf: rest.extracting(count...)) } else { provenance.forget() }
  }

  /// Puts bytes behind those that are held: all of them, or as many as it takes to frame what is held. Returns how many
  /// are framed with it, where nothing is held any more.
  private mutating func join(
    _ bytes: Span<UInt8>, _ setting: inout Setting, into records: inout some RecordSink & ~Copyable
  ) -> Int {
    var taken = 0
    while taken < bytes.count {
      let held = buffer.count
      let count = min(bytes.count - taken, max(Self.leastJoint, held))
      buffer.append(contentsOf: bytes.extracting(taken..<(taken + count)))
      taken += count
      drain(until: nil, &setting, into: &records)
      // What is still held came with the new bytes, where it can be read as well.
      if buffer.count <= count, taken < bytes.count {
        taken -= buffer.count
        buffer.removeAll(keepingCapacity: true)
        return taken
      }
    }
    return taken
  }

  /// Most frames are shorter.
  private static let leastJoint = 1024

  /// Where the next byte will stand in the stream.
  var end: Int { offset + buffer.count + pendingGap }

  mutating func gap(of count: Int) {
    pendingGap += count
  }

  /// Shown where the stream stands now; its own place is behind it.
  mutating func overlap(
    _ bytes: Span<UInt8>, at place: Int, from origin: Origin, _ setting: Setting,
    into records: inout some RecordSink & ~Copyable
  ) {
    guard case .packet(let packet) = origin, records.wantsMore else { return }
    var report = Report(setting.inspector.policy, at: place)
    report.add(
      overlappingBytes, at: 0..<bytes.count,
      "packet \(packet.number) carries other bytes for a place that was sent before; the first ones are shown in the frame",
      fix: "compare both with the sender's log; a tampered or spliced capture looks like this")
    number += 1
    let record = Record(
      stream: stream, input: packet.input, role: role, number: number, offset: offset, count: 0,
      content: .overlap(at: place), findings: report.findings, packets: [packet], positions: [])
    records.take(record, bytes)
  }

  mutating func close(
    _ ending: RunEnding, _ setting: inout Setting, into records: inout some RecordSink & ~Copyable
  ) {
    if pendingGap > 0 { emitGap(before: nil, &setting, into: &records) }
    drain(until: ending, &setting, into: &records)
    forget(&setting)
  }

  /// Nothing more comes: what rules remember is given back.
  mutating func forget(_ setting: inout Setting) {
    setting.inspector.forget(&memory)
  }

  private mutating func emitGap(
    before origin: Origin?, _ setting: inout Setting, into records: inout some RecordSink & ~Copyable
  ) {
    let count = pendingGap
    pendingGap = 0
    let last = drain(until: .gap, &setting, into: &records)
    if framer == nil { isAligned = false }
    followsFrame = false
    tails = []
    framer?.gap(of: count, after: last)
    var report = Report(setting.inspector.policy, at: offset)
    report.add(missingBytes, at: 0..<count, "the capture lacks \(plural(count, "byte")) here")
    if let origin { provenance.note(origin, at: offset, count: 0) }
    let nothing: [UInt8] = []
    emit(.gap, nothing.span, count: count, findings: report.findings, into: &records)
  }

  /// Emits what the held bytes settle; with an `ending` all of them. Returns the last frame.
  @discardableResult
  private mutating func drain(
    until ending: RunEnding?, _ setting: inout Setting, into records: inout some RecordSink & ~Copyable
  ) -> FrameRef? {
    // Taken out of self while records borrow from it.
    var held: [UInt8] = []
    swap(&held, &buffer)
    defer { swap(&held, &buffer) }
    let (last, count) = frames(in: held.span, until: ending, &setting, into: &records)
    if count > 0 {
      // Thousands of streams may be open: what one held at its worst is given back.
      if held.capacity > 4096, held.count - count < held.capacity / 4 {
        held = Array(held[count...])
      } else {
        held.removeSubrange(..<count)
      }
    }
    return last
  }

  /// Emits every record that `held`, which begins at `offset`, settles; with an `ending` all of it. Returns the last frame,
  /// and how many bytes were emitted.
  private mutating func frames(
    in held: Span<UInt8>, until ending: RunEnding?, _ setting: inout Setting,
    into records: inout some RecordSink & ~Copyable
  ) -> (last: FrameRef?, count: Int) {
    let isFinal = ending != nil
    var last: FrameRef?
    var head = 0
    if framer == nil, number == 0, isAligned {
      switch ProxyHeader.at(startOf: held) {
      case .whole(let count):
        emitProxyHeader(held.extracting(0..<count), setting, into: &records)
        head = count
      case .needsMore where !isFinal: return (nil, 0)
      default: break
      }
    }
    if framer == nil { decide(held.extracting(head...), isFinal: isFinal, setting) }
    framing: while records.wantsMore, framer != nil {
      var history: FrameHistory?
      head = pass(from: head, in: held, ending, &setting, &history, into: &records)
      if let tail = tails.first, tail.lowerBound <= offset {
        tails.removeFirst()
        framer?.skip(tail.count)
      }
      var cause: Cause?
      var next = framer?.next(at: head, in: held, isFinal: isFinal, setting.catalog)
      if let doubted = framer?.question ?? next, doubted.isJudged {
        let isSuspicious = setting.inspector.read(doubted.moved(by: -head), held.extracting(doubted.range))
        if setting.recovers, next == nil || isSuspicious {
          switch self.cause(of: doubted, in: held, ending: ending, setting.causes) {
          case .needsMore: break framing
          case .found(let found, let end):
            cause = found
            next = framer?.settle(doubted, upTo: end)
            if let frame = next { _ = setting.inspector.read(frame.moved(by: -head), held.extracting(frame.range)) }
          case .unknown:
            if next == nil {
              framer?.leaveToRecovery()
              continue
            }
          }
        }
      } else if let frame = next {
        _ = setting.inspector.read(frame.moved(by: -head), held.extracting(frame.range))
      }
      guard let frame = next else { break }
      last = frame
      emit(frame, held.extracting(frame.range), ending: ending, cause, history, &setting, into: &records)
      head = frame.end
    }
    if head > 0 { provenance.drop(before: offset) }
    return (last, head)
  }

  /// What a frame is among those before it, where it was looked up before the frame is judged: that is done once.
  private struct FrameHistory {
    let sighting: IdentifierSighting
    let run: Int?
  }

  /// Passes the frames from `head` on that surely draw no finding, and returns where they end. Where the next one does
  /// for what the frames before it say, that is left in `history`.
  private mutating func pass(
    from head: Int, in held: Span<UInt8>, _ ending: RunEnding?, _ setting: inout Setting,
    _ history: inout FrameHistory?, into records: inout some RecordSink & ~Copyable
  ) -> Int {
    guard setting.glances, role == .provider, tails.isEmpty, framer?.isAligned == true else { return head }
    let countsOnly = records.countsFaultless
    var counts = SaidCounts()
    var head = head
    var wantsMore = records.wantsMore
    // Only records that are taken can be enough.
    while wantsMore, let look = look(at: head, in: held, &setting) {
      guard look.passes, look.said.isEmpty || countsOnly && isCounted(look.said, &setting, records) else { break }
      let end = head + look.count
      let sighting = setting.inspector.see(look.hasIdentifier ? look.identifier : nil, &memory)
      let run = setting.recovers ? memory.run.see(look.mark) : nil
      guard sighting.isOrdinary, run == nil else {
        history = FrameHistory(sighting: sighting, run: run)
        break
      }
      framer?.passWhole()
      lastCondition = .complete
      followsFrame = true
      memory.effort.earn(end - head)
      if countsOnly {
        counts.add(look.said)
        number += 1
        offset += end - head
      } else {
        let frame = FrameRef(start: 0, end: end - head, schema: look.schema, condition: .complete)
        emit(.frame(frame, nil), held.extracting(head..<end), count: end - head, findings: [], into: &records)
        wantsMore = records.wantsMore
      }
      head = end
    }
    if counts.frames.count > 0 { records.pass(counts.all, of: stream) }
    return head
  }

  /// Whether enough was shown of all that is said.
  private func isCounted(
    _ said: Said, _ setting: inout Setting, _ records: borrowing some RecordSink & ~Copyable
  ) -> Bool {
    if said.isSubset(of: setting.counted) { return true }
    for bit in said.subtracting(setting.counted).bits {
      let (rule, severity) = Said.rules[bit]
      guard records.hasEnough(of: rule.id, severity) else { return false }
      setting.counted.insert(Said(bit))
    }
    return true
  }

  /// A glance at the frame at `head`, which was cast before or is cast now.
  private func look(at head: Int, in held: Span<UInt8>, _ setting: inout Setting) -> Forecast.Look? {
    if let look = setting.forecast.look(at: offset), head + look.count <= held.count { return look }
    let passes = setting.glance.passes(held, at: head, time: provenance.time(at: offset)?.seconds)
    return passes ? setting.glance.look(true, from: head, in: held) : nil
  }

  private enum CauseAnswer {
    case needsMore
    case unknown
    case found(Cause, end: Int)
  }

  /// The bug behind a frame, and where the next record begins then.
  private mutating func cause(
    of frame: FrameRef, in held: Span<UInt8>, ending: RunEnding?, _ causes: CauseFinder
  ) -> CauseAnswer {
    var isOver = false
    if case .over? = ending { isOver = true }
    let answer = causes.answer(
      frame, of: role ?? .provider, in: held, isFinal: ending != nil, isOver: isOver, followsFrame: followsFrame,
      known: lastCause,
      &memory.effort)
    switch answer {
    case .needsMore: return .needsMore
    case .unknown: return .unknown
    case .found(let root, let explanation, let followers, let endsStream):
      lastCause = root.id
      let found = root.cause(
        explanation, followers: followers, endsStream: endsStream, at: offset, frame.start, held)
      // Whole frames inside are shown as such; what stands between and behind them belongs to this one.
      var position = explanation.wholeFrames.first?.lowerBound ?? explanation.end
      let end = position
      for (index, whole) in explanation.wholeFrames.enumerated() {
        position = whole.upperBound
        let next =
          index + 1 < explanation.wholeFrames.count ? explanation.wholeFrames[index + 1].lowerBound : explanation.end
        if next > position { tails.append((position + offset - frame.start)..<(next + offset - frame.start)) }
      }
      return .found(found, end: end)
    }
  }

  private mutating func emitProxyHeader(
    _ bytes: Span<UInt8>, _ setting: Setting, into records: inout some RecordSink & ~Copyable
  ) {
    var report = Report(setting.inspector.policy, at: offset)
    report.add(
      proxyHeader, at: 0..<bytes.count, "a proxy wrote a PROXY protocol header before the stream: it is no frame")
    emit(.unparsed(reason: ProxyHeader.rule), bytes, count: bytes.count, findings: report.findings, into: &records)
  }

  private mutating func decide(_ bytes: Span<UInt8>, isFinal: Bool, _ setting: Setting) {
    let decision = RoleDecision.of(
      bytes, isAligned: isAligned, isFinal: isFinal, stream: stream, policy: setting.roles,
      catalog: setting.catalog)
    switch decision {
    case .open: break
    case .role(let role):
      self.role = role
      framer = FramingState(
        role: role, isAligned: isAligned, recovers: setting.recovers, asks: setting.recovers && role == .provider)
    case .foreign(let foreign):
      self.foreign = foreign
      role = RolePolicy.role(of: stream.route, by: RolePolicy.documentedPorts)
      var framer = FramingState(role: .provider)
      framer.abandon()
      self.framer = framer
    }
  }

  private mutating func emit(
    _ frame: FrameRef, _ bytes: Span<UInt8>, ending: RunEnding?, _ cause: Cause?, _ history: FrameHistory?,
    _ setting: inout Setting, into records: inout some RecordSink & ~Copyable
  ) {
    let frame = frame.moved(by: -frame.start)
    let packets = provenance.packets(in: offset..<(offset + bytes.count))
    // A cause may be told of with a note.
    var (findings, notes, isMalformed) = setting.inspector.judge(
      frame, bytes, at: offset, ending: ending ?? .over, time: packets.first?.time, history?.sighting,
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
      if let count = history.map({ $0.run }) ?? memory.run.see(bytes) {
        addRun(of: count, bytes, &findings, setting.inspector.policy)
      }
    }
    followsFrame = frame.condition == .complete && setting.inspector.hasReadWhole
    memory.effort.earn(frame.count)
    emit(content, bytes, count: frame.count, findings: findings, notes: notes, packets: packets, into: &records)
  }

  private mutating func emit(
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

  /// On the first error; on a finding of its own where nothing is said yet.
  private func add(_ cause: Cause, to findings: inout [Finding], _ policy: RulePolicy) {
    if let index = findings.firstIndex(where: { $0.severity == .error }) ?? findings.indices.first {
      findings[index].cause = cause
      return
    }
    guard let root = RootCauses[cause.id] else { return }
    var report = Report(policy, at: cause.range.lowerBound)
    report.add(senderFault, at: 0..<1, root.title, fix: root.remedy)
    findings += report.findings
    if !findings.isEmpty { findings[0].cause = cause }
  }

  private func addRun(of count: Int, _ bytes: Span<UInt8>, _ findings: inout [Finding], _ policy: RulePolicy) {
    var report = Report(policy, at: offset)
    report.add(
      repeatedBatch, at: 0..<bytes.count,
      "this frame and the \(plural(count - 1, "frame")) before it were sent before, in the same order")
    let first = findings.count
    findings += report.findings
    guard findings.count > first else { return }
    findings[first].cause = Cause(
      batchRepeated.id, evidence: "\(count) frames come a second time, byte for byte and in the same order",
      fix: batchRepeated.remedy, range: offset..<(offset + bytes.count), mended: nil)
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
      report.add(noFrameFound, at: 0..<1, "behind missing bytes, nothing up to the next frame can be told apart")
    default:
      break
    }
    return report.findings
  }
}

extension FrameRef {
  /// A frame, or what stands where one should begin.
  fileprivate var isJudged: Bool { isFrame || condition == .unknownCommand }

  fileprivate func moved(by distance: Int) -> FrameRef {
    FrameRef(
      start: start + distance, end: end + distance, schema: schema, condition: condition, needed: needed,
      endIsKnown: endIsKnown)
  }
}
