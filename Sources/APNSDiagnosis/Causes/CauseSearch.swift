import APNSPayload
import APNSWire
import Octets

/// The kind of bytes that follow those that an explanation accounts for.
enum Follow: Comparable {
  /// No frame begins there.
  case nothing
  /// The available bytes end inside a frame that is valid so far.
  case cut
  /// A frame with the same bug.
  case same
  /// A valid frame.
  case frame
  case end

  var words: String {
    switch self {
    case .nothing, .cut, .same: ""
    case .frame: "; the next frame is complete then"
    case .end: "; the stream ends exactly there"
    }
  }
}

extension CauseFinder {
  /// One search in one context.
  struct CauseSearch: ~Copyable {
    let finder: CauseFinder
    let context: CauseContext
    let frame: FrameRef
    let facts: FrameFacts

    private struct Candidate {
      var explanation: Explanation
      let follow: Follow
    }

    func outcome(in bytes: Span<UInt8>) -> Outcome {
      context.work.add(512)
      var candidates: [Candidate] = []
      let seen = context.frame(at: frame.start, in: bytes)
      // A frame of a fixed size has no lengths to check.
      let fits =
        facts.schema?.hasLengths == true && !facts.isPayloadBroken && seen.end == frame.end
        && context.fits(seen, in: bytes, mayBeEmpty: false)
      // An unusual size of a value is not a bug in writing the frame.
      if fits, !facts.isSuspicious { return .unknown([]) }
      let written = writtenFollow(bytes)
      let known = context.history.cause
      let isMixed = known != nil && finder.interleaving.map { finder.causes[$0].id } == known
      func consider(_ explanation: Explanation, standsAlone: Bool = false) {
        var explanation = explanation
        let follow = follow(&explanation, bytes)
        guard standsAlone || follow > (frame.isFrame && context.role != .provider ? .cut : .nothing) else { return }
        let cause = finder.causes[explanation.cause]
        // If the stream ends one byte early, no byte was lost inside the frame.
        if follow == .end, frame.condition == .truncated, frame.needed == 1, cause.id == RootCause.ID.byteLost.rawValue
        {
          return
        }
        // At the end of a cut stream, a few bytes look like the beginning of another frame by chance.
        if follow == .cut, context.isEnd, frame.condition == .truncated,
          context.limit - explanation.end < Self.leastBeginning
        {
          return
        }
        if cause.mustRecur || explanation.mustRecur, follow != .same, known != cause.id { return }
        // Lengths that match their values are trusted, and so are lengths that lead to the next frame at least as well.
        if explanation.isFrame, explanation.end != frame.end,
          fits || written >= .frame || context.framesReach(explanation.end, in: bytes)
        {
          return
        }
        // Only the beginning of the next frame is available, so nothing else may be unusual.
        if follow == .cut, !standsAlone, explanation.cost > Assessment.deviation { return }
        if known == cause.id { explanation.cost -= 6 }
        if follow == .cut { explanation.cost += 2 }
        candidates.append(Candidate(explanation: explanation, follow: follow))
      }
      if !isMixed {
        for explanation in finder.explanations(at: context, in: bytes) {
          consider(explanation)
        }
        if let payload = payload(ofHead: seen, bytes) {
          if written < .frame, let found = cut(seen, payload, bytes) { consider(found, standsAlone: true) }
        } else if context.position != .afterDamage {
          for found in foreign(bytes) { consider(found) }
        }
      }
      let least = candidates.map(\.explanation.cost).min() ?? .max
      if least > Interleaving.cost, written < .frame, let index = finder.interleaving,
        let found = Interleaving.solve(context, finder.writings, cause: index, bytes)
      {
        // The frames after it are interleaved too, but this one is complete including its last bracket.
        consider(found, standsAlone: true)
      }
      guard
        var best = candidates.min(by: {
          ($0.explanation.cost, $0.explanation.isFrame ? 1 : 0) < ($1.explanation.cost, $1.explanation.isFrame ? 1 : 0)
        })
      else {
        return .unknown(symptoms(of: frame, context.start..<context.limit, bytes))
      }
      for other in candidates
      where other.explanation.cost < best.explanation.cost + Self.margin
        && !other.explanation.agrees(with: best.explanation, bytes)
      {
        if other.follow < best.follow, other.explanation.end != best.explanation.end { continue }
        guard other.explanation.cause == best.explanation.cause else {
          return .unknown([best, other].map { "it may be that " + finder.causes[$0.explanation.cause].title })
        }
        best.explanation.repaired = nil
      }
      return .found(finder.causes[best.explanation.cause], best.explanation, best.follow)
    }

    /// An explanation must be better by this many bits than one that leads to a different repair.
    private static let margin = 5

    /// At the end of a stream, fewer bytes are no evidence that a frame begins.
    private static let leastBeginning = 8

    /// Checks the bytes after the frame, assuming that its lengths are correct.
    private func writtenFollow(_ bytes: Span<UInt8>) -> Follow {
      guard frame.condition == .complete, frame.end <= context.limit else { return .nothing }
      if frame.end == context.limit { return context.isEnd ? .end : .cut }
      return context.fits(context.frame(at: frame.end, in: bytes), in: bytes, mayBeEmpty: true) ? .frame : .nothing
    }

    /// Checks the bytes after the explained ones. If the next frame has the same bug, unusual values in it count
    /// against the explanation too.
    private func follow(_ explanation: inout Explanation, _ bytes: Span<UInt8>) -> Follow {
      let end = explanation.end
      guard end < context.limit else { return context.isEnd ? .end : .cut }
      if context.validFrame(at: end, in: bytes) != nil { return .frame }
      let same = finder.explanations(at: context.moved(to: end), in: bytes, only: explanation.cause)
      if let cost = same.map(\.cost).min() {
        explanation.cost = max(explanation.cost, cost)
        return .same
      }
      return context.beginsFrame(at: end, in: bytes) ? .cut : .nothing
    }

    /// Explains a frame that ends early, where another frame begins. Each frame after it is complete or ends early,
    /// too.
    private func cut(_ frame: FrameRef, _ payload: FieldRef, _ bytes: Span<UInt8>) -> Explanation? {
      guard let cause = finder.cutting, let (end, had) = breakOff(in: frame, payload, bytes) else { return nil }
      var position = end
      var count = 0
      while count < 16, position < context.limit {
        guard let next = context.validFrame(at: position, in: bytes) ?? breakOff(at: position, bytes) else { break }
        position = next
        count += 1
      }
      // If the rest of the frame follows later, two writers wrote at the same time.
      guard position == context.limit || count > 0 && context.beginsFrame(at: position, in: bytes) else { return nil }
      return Explanation(
        cause: cause, end: end, cost: 2 * Assessment.deviation, evidence: had + " where the next frame begins",
        repaired: nil)
    }

    private func breakOff(at start: Int, _ bytes: Span<UInt8>) -> Int? {
      let frame = context.frame(at: start, in: bytes)
      guard let payload = payload(ofHead: frame, bytes) else { return nil }
      return breakOff(in: frame, payload, bytes)?.end
    }

    /// The offset at which the head of another frame begins inside a frame that is valid so far, and how much of the
    /// frame precedes it.
    private func breakOff(
      in frame: FrameRef, _ payload: FieldRef, _ bytes: Span<UInt8>
    ) -> (end: Int, had: String)? {
      let furthest = min(context.limit, max(frame.end, payload.end), payload.start + Self.longestCut)
      var end = payload.start
      while end < furthest, !context.work.isSpent {
        context.work.add(2)
        if context.catalog.knows(bytes[end], from: context.role),
          self.payload(ofHead: context.frame(at: end, in: bytes), bytes) != nil
        {
          break
        }
        end += 1
      }
      let start = frame.start
      // A single missing byte is a different bug.
      guard end < furthest, !context.work.isSpent, frame.count + frame.needed - (end - start) > 1 else { return nil }
      let window = bytes.extracting(0..<end)
      let held = FrameRef(start: start, end: end, schema: frame.schema, condition: .truncated)
      var broken: FieldRef?
      context.catalog.forEachField(of: held, in: window) { if $0.state == .cut, broken == nil { broken = $0 } }
      guard let broken else { return nil }
      guard broken.start == payload.start else {
        return (end, "the frame has \(end - start) of its \(frame.count + frame.needed) bytes")
      }
      // A payload that seems to be cut could also be complete with an invalid length, or might not continue as JSON.
      guard JSONScanner.firstError(in: window, range: broken.range)?.code == .unexpectedEnd else { return nil }
      return (end, "the payload has \(broken.count) of its \(broken.declared) bytes")
    }

    /// The payload of a frame that is valid up to there.
    private func payload(ofHead frame: FrameRef, _ bytes: Span<UInt8>) -> FieldRef? {
      let window = bytes.extracting(0..<context.limit)
      guard frame.isFrame, frame.count + frame.needed <= CauseFinder.horizon else { return nil }
      var hasToken = false
      var found: FieldRef?
      context.catalog.walkFields(of: frame, in: window) { leaf in
        let role = context.catalog.field(of: leaf)?.role
        if leaf.kind == .value, role == .token { hasToken = leaf.count == context.catalog.field(of: leaf)?.usual }
        if leaf.kind == .value, role == .payload { found = leaf }
        return found == nil && (leaf.state == .whole || leaf.state == .cut)
      }
      guard hasToken, let payload = found, payload.count > 1, payload.declared <= CauseContext.longestPayload,
        window[payload.start] == UInt8(ascii: "{"), window[payload.start + 1] == UInt8(ascii: "\"")
      else { return nil }
      return payload
    }

    /// Explains bytes of another origin that precede the next frame.
    private func foreign(_ bytes: Span<UInt8>) -> [Explanation] {
      // Text after a frame that was cut could be the rest of that frame.
      let mayBeRest = context.history.isAfterCut && bytes[context.start] >= 0x20
      guard !mayBeRest, let (start, end) = nextFrame(bytes) else { return [] }
      let lead = start == end ? "the last frame is followed by " : "the next frame comes after "
      return finder.foreign.compactMap { cause, match in
        guard context.position == .afterFrame || !match.followsFrame,
          let what = match.match(context.start..<start, start..<end, bytes)
        else { return nil }
        return Explanation(
          cause: cause, end: start, cost: Assessment.deviation, isFrame: false, evidence: lead + what, repaired: [])
      }
    }

    /// The first frame after the start. After the last frame, the end of the stream.
    private func nextFrame(_ bytes: Span<UInt8>) -> (start: Int, end: Int)? {
      let furthest = min(context.limit, context.start + Self.longestForeign)
      var start = context.start + 1
      // Error responses are so short that noise contains some.
      while start < furthest, context.role != .gateway, !context.work.isSpent {
        context.work.add(2)
        if context.catalog.knows(bytes[start], from: context.role), let end = context.validFrame(at: start, in: bytes) {
          return (start, end)
        }
        start += 1
      }
      // A single byte at the end could also begin a frame. Without any frame there is too little evidence.
      guard context.isEnd, context.limit <= context.start + Self.longestForeign, context.position == .afterFrame,
        context.limit > context.start + 1 || bytes[context.start] == 0x0a
      else {
        return nil
      }
      return (context.limit, context.limit)
    }

    private static let longestForeign = 512
    private static let longestCut = 2048
  }
}
