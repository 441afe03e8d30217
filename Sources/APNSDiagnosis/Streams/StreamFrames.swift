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
    if framer == nil { decideRole(held.extracting(head...), isFinal: isFinal, shared) }
    while records.wantsMore, framer != nil {
      var sighting: FrameSighting?
      head = readRemembered(from: head, in: held, &shared, &sighting, into: &records)
      guard let frame = next(at: head, in: held, ending, &shared) else { break }
      last = frame
      judge(frame, in: held, ending: ending, sighting, &shared, into: &records)
      doubt = Doubt()
      head = frame.end
    }
    if head > 0 {
      provenance.drop(before: offset)
      tail = tail(before: head, in: held)
    }
    shared.judge.verdicts.move(to: &shared.counted)
    if shared.counted.count > 0 {
      records.count(shared.counted)
      shared.counted = CountedFrames()
    }
    return (last, head)
  }

  /// The last bytes of the stream before an offset in `held`.
  private func tail(before end: Int, in held: Span<UInt8>) -> [UInt8] {
    let own = max(0, end - Self.longestTail)..<end
    return tail.suffix(Self.longestTail - own.count) + [UInt8](copying: held.extracting(own))
  }

  /// More than most frames have.
  private static let longestTail = 1 << 10

  /// Reads frames from `head` on while their verdict is remembered and they have no findings, or only counted ones.
  /// Returns the end of the last one. `sighting` receives what was looked up for the next frame.
  private mutating func readRemembered(
    from head: Int, in held: Span<UInt8>, _ shared: inout Shared, _ sighting: inout FrameSighting?,
    into records: inout some RecordSink & ~Copyable
  ) -> Int {
    guard role == .provider, framer?.isAligned == true, !connection.isWatching, !expectsDeviation,
      unexplained.place != offset
    else { return head }
    let counts = shared.counting != nil
    let start = head
    var (head, identifier): (Int, UInt32?) = (head, nil)
    var wantsMore = records.wantsMore
    while wantsMore {
      let time = provenance.time(at: offset)?.seconds
      guard let judged = shared.judge.frame(at: head, in: held, time: time), countsItems || !judged.omitsItems,
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
    if head > start { (context.excess, context.unknown) = (.none, nil) }
    if let identifier { context.identifier = Int(identifier) }
    return head
  }

  /// Reads the next frame, or bytes that belong to none. Where the lengths are doubtful, it searches for the bug that
  /// explains them, and otherwise for the next frame. Returns nil if more bytes are needed.
  private mutating func next(
    at head: Int, in held: Span<UInt8>, _ ending: RunEnding?, _ shared: inout Shared
  ) -> FrameRef? {
    guard head < held.count else { return nil }
    let isFinal = ending != nil
    if let loss = framer?.loss, loss == .unaligned || loss == .tail && shared.recovers {
      let search = FrameSearch(role ?? .provider, isFinal: isFinal, after: head)
      let end = head + Catalog.longestPiece
      let (found, place) = nextFrame(by: search, upTo: end, in: held, offset - head, shared.catalog)
      guard let found else { return nil }
      if found { framer?.resume(after: place - head) }
    }
    guard shared.recovers, framer?.isAligned == true else {
      let frame = framer?.next(at: head, in: held, isFinal: isFinal)
      if let frame { shared.read(frame, in: held) }
      return frame
    }
    let frame = shared.catalog.frame(at: head, in: held, of: role ?? .provider)
    let isPlausible = shared.catalog.isPlausible(frame, in: held)
    if unexplained.place != offset {
      if frame.condition == .truncated, isPlausible, !isFinal { return nil }
      shared.read(frame, in: held)
      switch decide(frame, isPlausible, in: held, ending, &shared) {
      case .needsMore: return nil
      case .decided(let decided): return decided
      case .unknown(let reach): unexplained = (offset, reach)
      }
    }
    // A frame that claims more is not waited for.
    let claim =
      frame.isFrame ? min(frame.end + frame.needed, head + Catalog.longestFrame + 1) : head + Catalog.longestPiece
    let needsProof = isPlausible && frame.condition == .complete
    let end = needsProof ? claim : max(claim, head + unexplained.reach)
    let search = FrameSearch(
      role ?? .provider, isFinal: isFinal, after: head + 1, within: claim, needsProof: needsProof)
    let (found, place) = nextFrame(by: search, upTo: end, in: held, offset - head, shared.catalog)
    guard let found else { return nil }
    if found { return resolve(frame, upTo: place, in: held, &shared) }
    if !frame.isFrame || frame.condition == .oversized { framer?.lose() }
    shared.read(frame, in: held)
    return frame.moved(by: 0, isBelieved: isPlausible)
  }

  /// Where the next frame begins, as an offset in `held`, whose first byte is at `start` in the stream; `found` is nil
  /// if more bytes are needed. What was searched once is not searched again.
  private mutating func nextFrame(
    by search: FrameSearch, upTo end: Int, in held: Span<UInt8>, _ start: Int, _ catalog: Catalog
  ) -> (found: Bool?, place: Int) {
    if searched.place < start + search.origin { searched = (start + search.origin, false) }
    if !searched.isFound {
      let (found, place) = search.next(from: searched.place - start, upTo: end, in: held, catalog)
      searched = (start + place, found == true)
      if found == nil || place < end && found == false && !search.isFinal { return (nil, place) }
    }
    let place = searched.place - start
    return (searched.isFound && place < end, place)
  }

  private mutating func resolve(
    _ frame: FrameRef, upTo end: Int, in held: Span<UInt8>, _ shared: inout Shared
  ) -> FrameRef {
    let resolved = framer?.resolve(frame, upTo: end) ?? frame
    shared.read(resolved, in: held)
    return resolved
  }

  /// The result of searching the cause of a doubtful frame.
  struct Doubt {
    var cause: Cause?
    /// The offset in the frame of the first byte that was meant to be another; nil if none is known.
    var change: Int?
    /// If no cause is certain, a sentence that names possible ones.
    var symptom: String?
  }

  private enum Decision {
    case needsMore
    /// Only its lengths say where the frame ends, or the next frame if one begins within this many bytes.
    case unknown(within: Int = 0)
    case decided(FrameRef)
  }

  /// Decides whether a frame that was read is doubtful, and if so, searches for its explanation.
  private mutating func decide(
    _ frame: FrameRef, _ isPlausible: Bool, in held: Span<UInt8>, _ ending: RunEnding?, _ shared: inout Shared
  ) -> Decision {
    let bytes = held.extracting(frame.range)
    let isImplausible = frame.isWanted && (!isPlausible || frame.condition == .truncated)
    guard let isSuspicious = isSuspicious(frame, in: held, isFinal: ending != nil, shared) else { return .needsMore }
    // A valid frame has no cause, however unusual its values are. Remembered verdicts rely on this.
    let isExpected = expectsDeviation && frame.condition != .tail
    if isImplausible && !shared.facts.isSound || isSuspicious || isExpected {
      return explain(frame, in: held, ending, &shared)
    }
    // A number that no sender means is a habit, so a few frames decide; as is damage that was explained.
    let mayBeOdd = position != .afterDamage || !known.all.isEmpty && context.excess != .any
    let isOdd = shared.facts.hasOddNumber(in: bytes, &expirySteps)
    if isOdd, mayBeOdd, oddNumbersLeft > 0 {
      let decision = explain(frame, in: held, ending, &shared)
      guard case .unknown = decision else { return decision }
      oddNumbersLeft -= 1
    } else if shared.facts.isSound {
      // A token of another size may be one that is written in another way.
      let isUsual =
        shared.facts.token.map { token in
          token.count == Evidence.tokenSize || Evidence.isLongToken([UInt8](copying: bytes.extracting(token.range)))
        } ?? false
      (context.excess, context.unknown) = (!isUsual ? .any : isOdd ? .few : .none, nil)
      if let identifier = shared.facts.sentIdentifier(in: bytes) { context.identifier = Int(identifier) }
    }
    return isImplausible ? .unknown() : .decided(frame)
  }

  /// Whether the contents of a frame speak against it, or what follows them; nil if more bytes are needed to know.
  private mutating func isSuspicious(
    _ frame: FrameRef, in held: Span<UInt8>, isFinal: Bool, _ shared: borrowing Shared
  ) -> Bool? {
    let hasNext = frame.end < held.count
    if shared.facts.holdsTuple, frame.condition == .complete {
      // If a tuple is where this one ends, too, chance has put the other into its token.
      let next = hasNext ? shared.catalog.frame(at: frame.end, in: held, of: role ?? .feedback) : nil
      if !isFinal, next.map({ $0.condition == .truncated }) ?? true { return nil }
      return next.map { $0.condition != .complete || !shared.catalog.isPlausible($0, in: held) } ?? false
    }
    if !countsItems, shared.facts.omitsItems {
      guard hasNext || isFinal else { return nil }
      if hasNext, shared.facts.mayGoOn(with: held[frame.end]) { return true }
      countsItems = hasNext
    }
    return shared.facts.isSuspicious
  }

  /// Searches for the shortest description of the bytes from a doubtful frame on, and resolves the frame according to
  /// it.
  private mutating func explain(
    _ frame: FrameRef, in held: Span<UInt8>, _ ending: RunEnding?, _ shared: inout Shared
  ) -> Decision {
    guard shared.explainer.knows(frame) else { return .unknown() }
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
    // A list of sound items is read whole. Of a part of a notification, the other parts follow.
    let least = !shared.facts.isList ? 0 : shared.facts.isPart ? Explainer.horizon : frame.range.count
    let outcome =
      onlyAgain && !mayRecognize
      ? .unknown(work: 0)
      : shared.explainer.explain(
        held.extracting(frame.start...), after: tail(before: frame.start, in: held),
        least: least, of: role ?? .provider, isFinal: ending != nil, isEnd: ending == .over, known, context,
        mostWork: onlyAgain ? .max : budget, onlyAgain: onlyAgain)
    switch outcome {
    case .needsMore(let count):
      bytesForSearch = count
      return .needsMore
    case .unknown(let units):
      // More bytes may complete the frame, or show what ends it.
      let horizon = shared.explainer.windows(of: role ?? .provider).last ?? 0
      guard ending != nil || held.count - frame.start >= horizon else {
        bytesForSearch = horizon
        return .needsMore
      }
      spend(units, onlyAgain, isVain: true, &shared)
      if onlyAgain { searchEnd = searchEnd ?? offset }
      expectsDeviation = false
      return .unknown()
    case .explained(let explanation, let units):
      spend(units, onlyAgain, isVain: false, &shared)
      if explanation.isCertain {
        known = explanation.known
        // What another writing explains is no evidence for the next one.
        expirySteps = ExpirySteps()
      }
      expectsDeviation = explanation.isCertain && explanation.next?.kind == .deviating
      self.context = explanation.context
      return resolve(frame, by: explanation, in: held, &shared)
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

  /// Resolves a frame according to its explanation, unless its lengths say the same, or nothing is known.
  private mutating func resolve(
    _ frame: FrameRef, by explanation: Explanation, in held: Span<UInt8>, _ shared: inout Shared
  ) -> Decision {
    let (root, sentence) = (explanation.cause, explanation.doubt)
    // If the stream ends within a frame, no other reading is needed.
    let endsInside =
      frame.condition == .truncated && explanation.next == nil && [.cut, .foreign].contains(explanation.piece.kind)
    if let sentence, root == nil, !endsInside { doubt.symptom = sentence }
    // One error response is hardly evidence that other bytes are foreign; with an unknown status it is none.
    if role == .gateway, number < 2, root == .foreignBytes || !followsFrame && explanation.piece.kind == .foreign {
      return .unknown()
    }
    if explanation.piece.kind == .documented { return .unknown() }
    // Where nothing is certain, only a frame that follows says where this one ends, at the latest.
    guard root != nil || explanation.isFollowed else { return .unknown(within: explanation.window.bytes.count) }
    let resolved = resolve(frame, upTo: frame.start + explanation.piece.range.count, in: held, &shared)
    if let root {
      doubt.change = explanation.change
      doubt.cause = Cause(
        root.id, evidence: sentence ?? explanation.evidence, fix: explanation.fix,
        range: offset..<(offset + explanation.piece.range.count),
        repaired: explanation.isCertain ? explanation.piece.meant : nil)
    }
    return .decided(resolved)
  }

  private mutating func decideRole(_ bytes: Span<UInt8>, isFinal: Bool, _ shared: borrowing Shared) {
    let isAll = bytes.count <= RoleDecision.window
    let (bytes, isFinal) = (bytes.extracting(first: RoleDecision.window), isFinal && isAll)
    var decision = RoleDecision.of(
      bytes, isAligned: isAligned, isFinal: isFinal, stream: stream, policy: shared.roles,
      catalog: shared.catalog)
    if case .guess(let role) = decision {
      let roles = shared.recovers ? shared.catalog.roles : []
      decision = .role(shared.explainer.roleOfRows(bytes, among: roles, isFinal: isFinal) ?? role)
    }
    switch decision {
    case .open, .guess: break
    case .role(let role):
      let inside = RoleDecision.beginsInside(bytes, isFinal: isFinal, of: stream, role, shared.catalog)
      guard let inside else { return }
      self.role = role
      if inside { isAligned = false }
      if isAligned {
        connection.noteRole(
          role, of: stream, shared.roles,
          holdsFrame: shared.catalog.plausibleFrame(at: 0, in: bytes, of: role) != nil)
      }
      framer = Framer(shared.catalog, role: role, isAligned: isAligned)
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

  func moved(by distance: Int, isBelieved: Bool = true) -> FrameRef {
    FrameRef(
      start: start + distance, end: end + distance, schema: schema, condition: condition, needed: needed,
      endIsKnown: endIsKnown && isBelieved)
  }
}
