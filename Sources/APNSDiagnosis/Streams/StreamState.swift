import APNSInput
import APNSWire
import Octets

/// Why bytes of a stream end.
enum RunEnding {
  /// The stream is over.
  case over
  /// The capture lacks what follows.
  case gap
  /// The input cannot be read on.
  case brokenOff
  /// The user stopped the reading.
  case stopped
}

/// One stream on its way into records. Small, since there may be many thousand.
struct StreamState {
  let stream: ByteStream
  /// Where the stream was opened; packets know better.
  let input: Int32
  private(set) var role: StreamRole?
  var foreign: ForeignProtocol?
  private var framer: FramingState?
  /// Bytes not framed yet; the first is at `offset` in the stream.
  private var buffer: [UInt8] = []
  var offset = 0
  var provenance = Provenance()
  var number = 0
  /// What the last record that was no tail is: it says why bytes behind it belong to no frame.
  var lastCondition: FrameRef.Condition?
  /// Missing bytes that are told of with the packet that comes behind them.
  private var pendingGap = 0
  /// The first byte of the stream is there.
  private var isAligned = true

  /// What rules remember from frame to frame.
  var memory = StreamMemory()
  /// Bytes further on that belong to a frame whose cause was found, as offsets in the stream.
  private var tails: [Range<Int>] = []
  /// The record before is a whole frame, and nothing is missing behind it.
  var followsFrame = false
  /// What was found last: a sender does the same again.
  private var lastCause: String?
  /// What is known beside its own bytes.
  var connection = ConnectionNotes()

  /// What all streams share.
  struct Setting {
    let catalog: Catalog
    let roles: RolePolicy
    let recovers: Bool
    let causes: CauseFinder
    /// What searches for causes cost all streams.
    var searchWork = 0
    var inspector: Inspector
    var judge: FormJudge
    var remembersForms = true
    var verdicts = VerdictCounts()
    /// Of the stream that is read.
    var forecast = Forecast()
    var countsNotes = false
    var recent = RecentConnections()
    var enough = EnoughFindings()
    /// Frames whose findings were counted, until the sink is informed.
    var passed = PassedFrames()
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
    if framer == nil, buffer.isEmpty, offset == 0, case .packet(let packet) = origin {
      connection.noteBegin(of: stream, packet.time, &setting.recent)
    }
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
    _ bytes: Span<UInt8>, at place: Int, from origin: Origin, _ setting: borrowing Setting,
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
    report.add(
      missingBytes, at: 0..<count,
      "\(plural(count, "byte")) of the stream \(count == 1 ? "is" : "are") missing from the capture here")
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
          switch self.cause(of: doubted, in: held, ending: ending, &setting) {
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
      emit(frame, in: held, ending: ending, cause, history, &setting, into: &records)
      head = frame.end
    }
    if head > 0 { provenance.drop(before: offset) }
    if setting.passed.count > 0 {
      records.pass(setting.passed, of: stream)
      setting.passed = PassedFrames()
    }
    return (last, head)
  }

  /// What a frame is among those before it, where it was looked up before the frame is judged: that is done once.
  struct FrameHistory {
    let sighting: IdentifierSighting
    let run: Int?
  }

  /// Passes the frames from `head` on whose verdict is known and of which no record is wanted, or that have no finding, and
  /// returns where they end. Where the next one does for what the frames before it say, that is left in `history`.
  private mutating func pass(
    from head: Int, in held: Span<UInt8>, _ ending: RunEnding?, _ setting: inout Setting,
    _ history: inout FrameHistory?, into records: inout some RecordSink & ~Copyable
  ) -> Int {
    guard setting.remembersForms, role == .provider, tails.isEmpty, framer?.isAligned == true, !connection.isWatching
    else { return head }
    let countsOnly = records.countsFaultless
    var head = head
    var wantsMore = records.wantsMore
    // Only records that are taken can be enough.
    while wantsMore, let look = look(at: head, in: held, &setting) {
      guard look.isJudged, look.verdict.isClean || countsOnly && isCountable(look.verdict, &setting, records) else {
        break
      }
      let end = head + look.count
      let sighting = setting.inspector.see(look.hasIdentifier ? look.identifier : nil, &memory)
      let time = provenance.time(at: offset)?.seconds
      let run =
        setting.recovers ? memory.run.add(look.mark, framesAgo: sighting.framesAgo, time: time) : nil
      guard sighting.isOrdinary, run == nil else {
        history = FrameHistory(sighting: sighting, run: run)
        break
      }
      framer?.passWhole()
      lastCondition = .complete
      followsFrame = true
      memory.effort.earn(end - head)
      if countsOnly {
        setting.verdicts.add(look.verdict)
        number += 1
        offset += end - head
      } else {
        let frame = FrameRef(start: 0, end: end - head, schema: look.schema, condition: .complete)
        emit(.frame(frame, nil), held.extracting(head..<end), count: end - head, findings: [], into: &records)
        wantsMore = records.wantsMore
      }
      head = end
    }
    if !setting.verdicts.isEmpty { records.pass(setting.verdicts.take(), of: stream) }
    return head
  }

  @inline(__always)
  private func isCountable(
    _ verdict: Verdict.Number, _ setting: inout Setting, _ records: borrowing some RecordSink & ~Copyable
  ) -> Bool {
    setting.verdicts.isCountable(
      verdict, of: setting.judge.verdicts, countsNotes: setting.countsNotes, records)
  }

  /// What is known of the frame at `head`, from before or from a look at it now.
  private func look(at head: Int, in held: Span<UInt8>, _ setting: inout Setting) -> Forecast.Look? {
    if let look = setting.forecast.look(at: offset), head + look.count <= held.count { return look }
    let isJudged = setting.judge.judges(held, at: head, time: provenance.time(at: offset)?.seconds)
    return isJudged ? setting.judge.look(true, from: head, in: held) : nil
  }

  private enum CauseAnswer {
    case needsMore
    case unknown
    case found(Cause, end: Int)
  }

  /// The bug behind a frame, and where the next record begins then.
  private mutating func cause(
    of frame: FrameRef, in held: Span<UInt8>, ending: RunEnding?, _ setting: inout Setting
  ) -> CauseAnswer {
    var isOver = false
    if case .over? = ending { isOver = true }
    let effortBefore = memory.effort.left
    let answer = setting.causes.answer(
      frame, of: role ?? .provider, in: held, isFinal: ending != nil, isOver: isOver, followsFrame: followsFrame,
      known: lastCause, at: offset, &memory.effort)
    setting.searchWork += effortBefore - memory.effort.left
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

  private mutating func decide(_ bytes: Span<UInt8>, isFinal: Bool, _ setting: borrowing Setting) {
    let decision = RoleDecision.of(
      bytes, isAligned: isAligned, isFinal: isFinal, stream: stream, policy: setting.roles,
      catalog: setting.catalog)
    switch decision {
    case .open: break
    case .role(let role):
      self.role = role
      if isAligned {
        let frame = setting.catalog.frame(at: 0, in: bytes, of: role)
        connection.noteRole(
          role, of: stream, setting.roles,
          holdsFrame: frame.condition == .complete && setting.catalog.isPlausible(frame, in: bytes))
      }
      framer = FramingState(
        role: role, isAligned: isAligned, recovers: setting.recovers, asks: setting.recovers && role == .provider)
    case .foreign(let foreign):
      self.foreign = foreign
      connection.noteForeign(foreign, of: stream, setting.roles)
      role = RolePolicy.role(of: stream.route, by: RolePolicy.documentedPorts)
      var framer = FramingState(role: .provider)
      framer.abandon()
      self.framer = framer
    }
  }
}

extension FrameRef {
  /// A frame, or what stands where one should begin.
  fileprivate var isJudged: Bool { isFrame || condition == .unknownCommand }

  func moved(by distance: Int) -> FrameRef {
    FrameRef(
      start: start + distance, end: end + distance, schema: schema, condition: condition, needed: needed,
      endIsKnown: endIsKnown)
  }
}
