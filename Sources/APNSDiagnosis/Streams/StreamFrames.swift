import APNSInput
import APNSWire
import Octets

/// Converts bytes to frames. Each frame is framed, read, explained if it is doubtful, and judged exactly once.
extension StreamState {
  /// Emits every record that `held`, which begins at `offset`, determines. With an `ending`, it emits all bytes.
  /// Returns the last frame and the number of bytes that were emitted.
  mutating func frames(
    in held: Span<UInt8>, until ending: RunEnding?, _ shared: inout Shared,
    into records: inout some RecordSink & ~Copyable
  ) -> (last: FrameRef?, count: Int) {
    let isFinal = ending != nil
    var last: FrameRef?
    var head = 0
    if framer == nil, number == 0, isAligned {
      let size = ProxyHeader.size(in: held)
      if size > held.count, !isFinal { return (nil, 0) }
      if size > 0, size <= held.count {
        emitProxyHeader(held.extracting(0..<size), shared, into: &records)
        head = size
      }
    }
    if framer == nil { decide(held.extracting(head...), isFinal: isFinal, shared) }
    while records.wantsMore, framer != nil {
      var sighting: FrameSighting?
      head = readRemembered(from: head, in: held, &shared, &sighting, into: &records)
      guard let frame = next(at: head, in: held, ending, &shared) else { break }
      last = frame
      judge(frame, in: held, ending: ending, sighting, &shared, into: &records)
      doubt = Doubt()
      head = frame.end
    }
    if head > 0 { provenance.drop(before: offset) }
    tail = tail(before: head, in: held)
    shared.judge.verdicts.move(to: &shared.counted)
    if shared.counted.count > 0 {
      records.count(shared.counted)
      shared.counted = CountedFrames()
    }
    return (last, head)
  }

  /// The last four bytes of the stream before an offset in `held`.
  private func tail(before end: Int, in held: Span<UInt8>) -> UInt32 {
    (max(0, end - 4)..<end).reduce(tail) { $0 << 8 | UInt32(held[$1]) }
  }

  /// Reads frames from `head` on while their verdict is remembered and they have no findings, or only counted ones.
  /// Returns the end of the last one. `sighting` receives what was looked up for the next frame.
  private mutating func readRemembered(
    from head: Int, in held: Span<UInt8>, _ shared: inout Shared, _ sighting: inout FrameSighting?,
    into records: inout some RecordSink & ~Copyable
  ) -> Int {
    guard role == .provider, framer?.isAligned == true, !connection.isWatching, !expectsDeviation else { return head }
    let counts = shared.counting != nil
    let start = head
    var (head, identifier): (Int, UInt32?) = (head, nil)
    var wantsMore = records.wantsMore
    while wantsMore {
      let time = provenance.time(at: offset)?.seconds
      guard let judged = shared.judge.frame(at: head, in: held, time: time),
        shared.judge.verdicts.isCountable(judged.verdict, by: shared.counting)
      else { break }
      let seen = see(judged.identifier, mark: shared.recovers ? judged.mark : nil, time, within: &shared.budget)
      guard seen.isOrdinary else {
        sighting = seen
        break
      }
      lastExpiry = judged.expiry ?? lastExpiry
      identifier = judged.identifier ?? identifier
      let end = head + judged.count
      if counts {
        shared.judge.verdicts.add(judged.verdict)
        advance(past: judged.count, .complete, isSound: true)
      } else {
        let frame = FrameRef(start: 0, end: judged.count, schema: judged.schema, condition: .complete)
        emit(.frame(frame, nil), held.extracting(head..<end), count: judged.count, findings: [], into: &records)
        note(.complete, isSound: true)
        wantsMore = records.wantsMore
      }
      head = end
    }
    if head > start { context.isUncertain = false }
    if let identifier { context.identifier = Int(identifier) }
    return head
  }

  /// Reads the next frame, or bytes that belong to none, and searches for the bug that explains it. Returns nil if more
  /// bytes are needed.
  private mutating func next(
    at head: Int, in held: Span<UInt8>, _ ending: RunEnding?, _ shared: inout Shared
  ) -> FrameRef? {
    let isFinal = ending != nil
    let wasDoubted = framer?.isDoubting == true
    guard let frame = framer?.next(at: head, in: held, isFinal: isFinal) else { return nil }
    guard shared.recovers, !wasDoubted else {
      shared.read(frame, in: held)
      return frame
    }
    let isPlausible = shared.catalog.isPlausible(frame, in: held)
    if frame.condition == .truncated, isPlausible, !isFinal { return nil }
    shared.read(frame, in: held)
    let isImplausible = frame.isWanted && (!isPlausible || frame.condition == .truncated)
    // A valid frame has no cause, however unusual its values are. Remembered verdicts rely on this.
    let isExpected = expectsDeviation && frame.condition != .tail
    let isDoubted = isImplausible && !shared.facts.isSound || shared.facts.isSuspicious || isExpected
    // A number that no sender means is a habit, so a few frames decide; as is damage that was explained.
    let mayBeOdd = position != .afterDamage || !known.all.isEmpty && !context.isUncertain
    let isOdd =
      !isDoubted && oddNumbersLeft > 0 && mayBeOdd
      && shared.facts.hasOddNumber(in: held.extracting(frame.range), &expirySteps)
    if isDoubted || isOdd {
      switch explain(frame, in: held, ending, &shared) {
      case .needsMore: return nil
      case .unknown:
        if isOdd { oddNumbersLeft -= 1 }
        expectsDeviation = false
      case .explained(let explained): return explained
      }
    } else if shared.facts.isSound {
      // A token of another size may be one that is written in another way.
      context.isUncertain =
        shared.facts.token.map { token in
          token.count != Evidence.tokenSize
            && !Evidence.isLongToken([UInt8](copying: held.extracting(frame.range).extracting(token.range)))
        } ?? true
      if let identifier = shared.facts.sentIdentifier(in: held.extracting(frame.range)) {
        context.identifier = Int(identifier)
      }
    }
    guard isImplausible else { return frame }
    let doubted = framer?.doubt(frame, in: held, isFinal: isFinal)
    if let doubted, doubted != frame { shared.read(doubted, in: held) }
    return doubted
  }

  /// The result of searching the cause of a doubtful frame.
  struct Doubt {
    var cause: Cause?
    /// Whether the fix of the cause says what to write in place of a length.
    var saysLength = false
    /// If no cause is certain, a sentence that names possible ones.
    var symptom: String?
    /// Whether it is the first one for which the stream has no work left.
    var isSearchEnd = false
  }

  private enum ExplainedFrame {
    case needsMore
    case unknown
    case explained(FrameRef)
  }

  /// Searches for the shortest description of the bytes from a doubtful frame on, and resolves the frame according to
  /// it.
  private mutating func explain(
    _ frame: FrameRef, in held: Span<UInt8>, _ ending: RunEnding?, _ shared: inout Shared
  ) -> ExplainedFrame {
    guard shared.explainer.knows(frame) else { return .unknown }
    // The search would end as before, and ask for the same bytes again.
    guard ending != nil || held.count - frame.start >= bytesForSearch else { return .needsMore }
    bytesForSearch = 0
    let budget = Self.searchWork(upTo: offset) - work.searches
    // What the stream has shown is recognized for longer.
    let onlyAgain = budget <= 0
    let mayRecognize = !known.isEmpty && work.vain < Self.vainWork(upTo: offset)
    var context = context
    if let lastExpiry { context.expiry = Int(lastExpiry) }
    if context.form == nil, number > 0 { context.form = Description.Context.unknownForm }
    context.tail = tail(before: frame.start, in: held)
    let outcome =
      onlyAgain && !mayRecognize
      ? .unknown(work: 0)
      : shared.explainer.explain(
        held.extracting(frame.start...), of: role ?? .provider, isFinal: ending != nil, isEnd: ending == .over,
        known, context, mostWork: onlyAgain ? .max : budget, onlyAgain: onlyAgain)
    switch outcome {
    case .needsMore(let count):
      bytesForSearch = count
      return .needsMore
    case .unknown(let units):
      guard let end = nextFrame(after: frame, in: held, isFinal: ending != nil, shared) else {
        bytesForSearch = Explainer.horizon
        return .needsMore
      }
      spend(units, onlyAgain, isVain: true, &shared)
      if onlyAgain, !hasSearchEnded { (hasSearchEnded, doubt.isSearchEnd) = (true, true) }
      expectsDeviation = false
      guard end > frame.start, !frame.isFrame || end < frame.end, let resolved = framer?.resolve(frame, upTo: end)
      else { return .unknown }
      shared.read(resolved, in: held)
      return .explained(resolved)
    case .explained(let explanation, let units):
      spend(units, onlyAgain, isVain: false, &shared)
      if explanation.isCertain {
        known = explanation.known
        // What another writing explains is no evidence for the next one.
        expirySteps = ExpirySteps()
      }
      expectsDeviation = explanation.isCertain && explanation.next?.kind == .deviating
      self.context = explanation.context
      return resolve(frame, by: explanation, in: held, &shared).map { .explained($0) } ?? .unknown
    }
  }

  /// The work that a stream may spend on its first bytes. It is counted in steps of about a nanosecond, never in time,
  /// so that results are repeatable and do not depend on other streams. The last search may overdraw it.
  private static func searchWork(upTo offset: Int) -> Int { (1 << 23) + 32 * offset }

  /// The work that it may then spend in vain to recognize the writings that it has shown before.
  private static func vainWork(upTo offset: Int) -> Int { (1 << 21) + 64 * offset }

  private mutating func spend(_ units: Int, _ onlyAgain: Bool, isVain: Bool, _ shared: inout Shared) {
    if !onlyAgain { work.searches += units } else if isVain { work.vain += units }
    shared.searchWork += units
  }

  /// The offset in `held` of the next frame that is reliable, or the start of this one if none is known; nil if more
  /// bytes are needed to say. What was searched once is not searched again.
  private mutating func nextFrame(
    after frame: FrameRef, in held: Span<UInt8>, isFinal: Bool, _ shared: borrowing Shared
  ) -> Int? {
    guard shared.explainer.findsFrames(of: role ?? .provider) else { return frame.start }
    let isSearched = reliable.place > offset
    // More bytes may complete the frame.
    let isOpen = !isSearched || frame.condition == .truncated
    guard !isOpen || isFinal || held.count - frame.start >= Explainer.horizon else { return nil }
    if !isSearched {
      let found = shared.explainer.nextFrame(in: held.extracting(frame.start...), of: role ?? .provider)
      reliable = (offset + found.place, found.isFound)
    }
    return frame.start + (reliable.isFound ? reliable.place - offset : 0)
  }

  /// Resolves a frame according to its explanation. Returns nil if its lengths say the same, or nothing else is known.
  private mutating func resolve(
    _ frame: FrameRef, by explanation: Explainer.Explanation, in held: Span<UInt8>, _ shared: inout Shared
  ) -> FrameRef? {
    let (root, sentence) = (explanation.cause, explanation.doubt)
    // If the stream ends within a frame, no other reading is needed.
    let endsInside =
      frame.condition == .truncated && explanation.next == nil && [.cut, .foreign].contains(explanation.piece.kind)
    if let sentence, root == nil, !endsInside { doubt.symptom = sentence }
    // One error response is hardly evidence that other bytes are foreign; with an unknown status it is none.
    if role == .gateway, number < 2, root == .foreignBytes || !followsFrame && explanation.piece.kind == .foreign {
      return nil
    }
    // Where nothing is certain, only a frame that follows says where this one ends, at the latest.
    let isKnown = root != nil || explanation.isFollowed
    let window = explanation.window
    let next =
      isKnown ? (place: explanation.piece.range.count, isFound: true) : window.nextFrame(before: window.bytes.count)
    guard explanation.piece.kind != .documented, next.isFound,
      let resolved = framer?.resolve(frame, upTo: frame.start + next.place)
    else { return nil }
    if resolved != frame { shared.read(resolved, in: held) }
    if let root {
      doubt.saysLength = explanation.correction != nil
      doubt.cause = Cause(
        root.id, evidence: sentence ?? explanation.evidence, fix: explanation.fix,
        range: offset..<(offset + explanation.piece.range.count),
        repaired: explanation.isCertain ? explanation.piece.meant : nil)
    }
    return resolved
  }

  private mutating func decide(_ bytes: Span<UInt8>, isFinal: Bool, _ shared: borrowing Shared) {
    let decision = RoleDecision.of(
      bytes, isAligned: isAligned, isFinal: isFinal, stream: stream, policy: shared.roles,
      catalog: shared.catalog)
    switch decision {
    case .open: break
    case .role(let role):
      self.role = role
      if RoleDecision.beginsInside(bytes, isFinal: isFinal, of: stream, role, shared.catalog) { isAligned = false }
      if isAligned {
        connection.noteRole(
          role, of: stream, shared.roles,
          holdsFrame: shared.catalog.plausibleFrame(at: 0, in: bytes, of: role) != nil)
      }
      framer = Framer(shared.catalog, role: role, isAligned: isAligned, trustsLengths: !shared.recovers)
    case .foreign(let foreign):
      self.foreign = foreign
      // A client may have sent its requests to the feedback service.
      if foreign.isReadable { connection.noteRole(.provider, of: stream, shared.roles, holdsFrame: false) }
      role = RolePolicy.role(of: stream.route, by: RolePolicy.documentedPorts)
      framer = Framer(shared.catalog, role: .provider)
      framer?.abandon()
    }
  }
}

extension StreamState.Shared {
  /// Reads the facts of a frame in `bytes`.
  fileprivate mutating func read(_ frame: FrameRef, in bytes: Span<UInt8>) {
    facts.read(frame.moved(by: -frame.start), bytes.extracting(frame.range))
  }
}

extension FrameRef {
  /// Whether it was read at a place where a frame should begin.
  fileprivate var isWanted: Bool { isFrame || condition == .unknownCommand }

  func moved(by distance: Int) -> FrameRef {
    FrameRef(
      start: start + distance, end: end + distance, schema: schema, condition: condition, needed: needed,
      endIsKnown: endIsKnown)
  }
}
