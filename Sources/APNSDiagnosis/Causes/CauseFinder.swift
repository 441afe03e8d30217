import APNSPayload
import APNSWire
import Octets

/// Looks for the bug behind a frame that is doubted. It names one only where that explains the bytes exactly, the stream
/// parses behind it, and nothing else does as well: neither another bug nor the lengths as they are written.
struct CauseFinder: Sendable {
  private let catalog: Catalog
  private let causes: [RootCause]
  /// The types of each role, as the format has them and as bugs write them.
  private let forms: [StreamRole: [Form]]
  private let rules: [(cause: Int, rule: RootCause.LengthRule)]
  private let foreign: [(cause: Int, match: RootCause.Foreign)]
  private let codings: [(cause: Int, coding: Coding)]
  private let interleaving: Int?
  private let cutting: Int?

  /// Bytes behind a frame's start that are looked at.
  static let horizon = 1 << 13

  init(_ catalog: Catalog, _ causes: [RootCause]) {
    self.catalog = catalog
    self.causes = causes
    var rules: [(Int, RootCause.LengthRule)] = []
    var foreign: [(Int, RootCause.Foreign)] = []
    var codings: [(Int, Coding)] = []
    var interleaving: Int?
    var cutting: Int?
    var forms: [StreamRole: [Form]] = [:]
    let types = catalog.writings
    for writing in types { forms[writing.schema.role, default: []].append(Form(writing, cause: nil)) }
    for (index, cause) in causes.enumerated() {
      for effect in cause.effects {
        switch effect {
        case .length(let rule): rules.append((index, rule))
        case .between(let match): foreign.append((index, match))
        case .coding(let coding): codings.append((index, coding))
        case .interleaving: interleaving = index
        case .cut: cutting = index
        case .repetition: break
        case .byte(let isLost):
          for writing in types {
            forms[writing.schema.role, default: []].append(Form(writing, cause: index, slip: isLost ? .lost : .added))
          }
        case .writing(let changes):
          for change in changes {
            for var writing in types where change.apply(&writing) {
              forms[writing.schema.role, default: []].append(Form(writing, cause: index, change.words))
            }
          }
        }
      }
    }
    (self.rules, self.foreign, self.codings) = (rules, foreign, codings)
    (self.interleaving, self.cutting, self.forms) = (interleaving, cutting, forms)
  }

  enum Answer {
    /// Bytes up to the horizon, or the stream's end, have to be there.
    case needsMore
    /// What may be behind it, each a sentence; nothing is certain.
    case unknown([String])
    case found(RootCause, Explanation, Follow)
  }

  /// - Parameters:
  ///   - frame: as its lengths have it.
  ///   - isFinal: nothing comes behind `bytes`.
  ///   - isOver: because the stream ends there.
  ///   - isPayloadBroken: its payload was read, and is no JSON.
  ///   - isSuspicious: or its token may be in another form.
  ///   - known: the cause that was found last in the stream: a sender does the same again.
  func answer(
    _ frame: FrameRef, of role: StreamRole, in bytes: Span<UInt8>, isFinal: Bool, isOver: Bool, followsFrame: Bool,
    isPayloadBroken: Bool, isSuspicious: Bool, known: String?, previousFrame: Int?, isAfterCut: Bool, at offset: Int,
    _ effort: inout CauseEffort
  ) -> Answer {
    guard forms[role] != nil, effort.isLeft else { return .unknown([]) }
    let horizon = frame.start + reach(frame, in: bytes)
    guard isFinal || bytes.count >= horizon else { return .needsMore }
    let limit = min(bytes.count, horizon)
    // Every cause but bytes between frames needs a payload to go by.
    let nearby = bytes.extracting(frame.start..<min(limit, frame.start + 2 * Place.longestToken))
    guard role != .provider || effort.seesPayload(in: nearby, at: offset) || followsFrame || offset == 0 else {
      return .unknown([])
    }
    let work = SearchWork(limit: effort.left)
    let place = Place(
      catalog: catalog, role: role, start: frame.start, limit: limit, isEnd: isOver && limit == bytes.count,
      followsFrame: followsFrame || offset == 0, previousFrame: previousFrame, isAfterCut: isAfterCut, known: known,
      work: work)
    let search = CauseSearch(
      self, place, frame, isPayloadBroken: isPayloadBroken, isSuspicious: isSuspicious,
      isBehindFrame: followsFrame)
    // Nothing behind the limit is seen: the answer must not hang on how the bytes arrive.
    let answer = search.answer(in: bytes.extracting(0..<limit))
    if case .found = answer { effort.spend(work.done / Self.mostFollowers) } else { effort.spend(work.done) }
    return answer
  }

  private static let mostFollowers = 8

  /// A frame length that is negative stands before a payload of 32 KiB and more.
  private func reach(_ frame: FrameRef, in bytes: Span<UInt8>) -> Int {
    guard frame.isFrame, frame.start + 5 <= bytes.count, catalog.schema(of: frame)?.hasList == true,
      bytes.number(at: frame.start + 1, width: 2) == 0xffff
    else { return Self.horizon }
    return Self.horizon + 1 << 16
  }
}

extension Catalog {
  /// How the frames of each type are written; types that no bug is known of are left out.
  package var writings: [Writing] {
    schemas.enumerated().compactMap { Writing($1, index: UInt8($0)) }
  }
}

/// What comes behind an explanation.
enum Follow: Int, Comparable {
  /// No frame begins there.
  case nothing
  /// The bytes that are looked at end inside a frame that is right so far.
  case cut
  /// A frame with the same bug.
  case same
  /// A frame that is right.
  case frame
  case end

  static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

  var words: String {
    switch self {
    case .nothing, .cut, .same: ""
    case .frame: "; the next frame is complete then"
    case .end: "; the stream ends exactly there"
    }
  }
}

extension CauseFinder {
  /// One search at one place.
  private struct CauseSearch: ~Copyable {
    let finder: CauseFinder
    let place: Place
    let frame: FrameRef
    let isPayloadBroken: Bool
    let isSuspicious: Bool
    /// And not at the beginning of the stream.
    let isBehindFrame: Bool

    init(
      _ finder: CauseFinder, _ place: consuming Place, _ frame: FrameRef, isPayloadBroken: Bool, isSuspicious: Bool,
      isBehindFrame: Bool
    ) {
      self.isBehindFrame = isBehindFrame
      self.finder = finder
      self.place = place
      self.frame = frame
      self.isPayloadBroken = isPayloadBroken
      self.isSuspicious = isSuspicious
    }

    private struct Candidate {
      var explanation: Explanation
      let follow: Follow
    }

    func answer(in bytes: Span<UInt8>) -> Answer {
      place.work.add(512)
      var candidates: [Candidate] = []
      let fits = !isPayloadBroken && place.fittingFrame(at: frame.start, in: bytes, mayBeEmpty: false) == frame.end
      // Values of unusual sizes are no bug of how the frame is written.
      if fits, !isSuspicious { return .unknown([]) }
      let written = writtenFollow(bytes)
      let isMixed = place.known != nil && finder.interleaving.map { finder.causes[$0].id } == place.known
      func consider(_ explanation: Explanation, standsAlone: Bool = false) {
        var explanation = explanation
        let follow = follow(&explanation, bytes)
        guard standsAlone || follow > (frame.isFrame && place.role != .provider ? .cut : .nothing) else { return }
        let cause = finder.causes[explanation.cause]
        // A stream that ends one byte early is no byte lost within.
        if follow == .end, frame.condition == .truncated, frame.needed == 1, cause.id == RootCause.ID.byteLost.rawValue
        {
          return
        }
        if cause.mustRecur, follow != .same, place.known != cause.id { return }
        // Lengths that fit are believed, and so are those that lead on at least as well.
        if explanation.isFrame, explanation.end != frame.end,
          fits || written >= .frame || place.framesReach(explanation.end, in: bytes)
        {
          return
        }
        // Nothing but its beginning speaks for what follows: so nothing else may be odd.
        if follow == .cut, !standsAlone, explanation.cost > Weighing.deviation { return }
        if place.known == cause.id { explanation.cost -= 6 }
        if follow == .cut { explanation.cost += 2 }
        candidates.append(Candidate(explanation: explanation, follow: follow))
      }
      if !isMixed {
        for explanation in finder.explanations(at: place, in: bytes) {
          consider(explanation)
        }
        if head(at: frame.start, bytes) != nil {
          if written < .frame, let found = cut(bytes) { consider(found, standsAlone: true) }
        } else if place.followsFrame {
          for found in foreign(bytes) { consider(found) }
        }
      }
      let least = candidates.map(\.explanation.cost).min() ?? .max
      if least > Interleaving.cost, written < .frame, let index = finder.interleaving,
        let found = Interleaving.solve(place, cause: index, bytes)
      {
        // The frames behind it are mixed up, too; this one is whole to the last bracket.
        consider(found, standsAlone: true)
      }
      guard
        var best = candidates.min(by: {
          ($0.explanation.cost, $0.explanation.isFrame ? 1 : 0) < ($1.explanation.cost, $1.explanation.isFrame ? 1 : 0)
        })
      else {
        return .unknown(symptoms(of: frame, place.start..<place.limit, bytes))
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

    /// By how many bits an explanation has to be better than another one that leads to other bytes.
    private static let margin = 5

    /// What comes behind the frame as its lengths have it.
    private func writtenFollow(_ bytes: Span<UInt8>) -> Follow {
      guard frame.condition == .complete, frame.end <= place.limit else { return .nothing }
      if frame.end == place.limit { return place.isEnd ? .end : .cut }
      return place.fittingFrame(at: frame.end, in: bytes, mayBeEmpty: true) != nil ? .frame : .nothing
    }

    /// A frame with the same bug counts for as much as it looks like one.
    private func follow(_ explanation: inout Explanation, _ bytes: Span<UInt8>) -> Follow {
      let end = explanation.end
      guard end < place.limit else { return place.isEnd ? .end : .cut }
      if place.soundFrame(at: end, in: bytes) != nil { return .frame }
      let same = finder.explanations(
        at: place.moved(to: end, followsFrame: true), in: bytes, only: explanation.cause)
      if let cost = same.map(\.cost).min() {
        explanation.cost = max(explanation.cost, cost)
        return .same
      }
      return place.beginsFrame(at: end, in: bytes) ? .cut : .nothing
    }

    /// The frame's contents break off where the head of another one begins, and so does each frame behind it, or it is whole.
    private func cut(_ bytes: Span<UInt8>) -> Explanation? {
      guard let cause = finder.cutting, let (end, had) = breakOff(at: frame.start, bytes) else { return nil }
      var position = end
      var count = 0
      while count < 16, position < place.limit {
        guard let next = place.soundFrame(at: position, in: bytes) ?? breakOff(at: position, bytes)?.end else { break }
        position = next
        count += 1
      }
      // The rest of the frame may stand there: then two writers wrote at a time.
      guard position == place.limit || count > 0 && place.beginsFrame(at: position, in: bytes) else { return nil }
      return Explanation(
        cause: cause, end: end, cost: 2 * Weighing.deviation, evidence: had + " where the next frame begins",
        repaired: nil)
    }

    /// Where the head of another frame begins inside one whose bytes are right so far.
    private func breakOff(at start: Int, _ bytes: Span<UInt8>) -> (end: Int, had: String)? {
      guard let own = head(at: start, bytes) else { return nil }
      let whole = place.catalog.frame(at: start, in: bytes.extracting(0..<place.limit), of: place.role)
      let furthest = min(place.limit, max(whole.end, own.end), own.start + Self.longestPayload)
      var end = own.start
      while end < furthest, !place.work.isSpent {
        place.work.add(2)
        if place.catalog.knows(bytes[end], from: place.role), head(at: end, bytes) != nil { break }
        end += 1
      }
      // One byte less is another bug.
      guard end < furthest, !place.work.isSpent, whole.count + whole.needed - (end - start) > 1 else { return nil }
      let window = bytes.extracting(0..<end)
      let held = FrameRef(start: start, end: end, schema: whole.schema, condition: .truncated)
      var broken: FieldRef?
      place.catalog.forEachField(of: held, in: window) { if $0.state == .cut, broken == nil { broken = $0 } }
      guard let broken else { return nil }
      guard broken.start == own.start else {
        return (end, "the frame has \(end - start) of its \(whole.count + whole.needed) bytes")
      }
      // What seems to be cut may be whole, with a wrong length; or it goes on in another way than it began.
      guard JSONScanner.firstError(in: window, range: broken.range)?.code == .unexpectedEnd else { return nil }
      return (end, "the payload has \(broken.count) of its \(broken.declared) bytes")
    }

    /// The payload of a frame whose bytes are right up to there.
    private func head(at start: Int, _ bytes: Span<UInt8>) -> FieldRef? {
      let window = bytes.extracting(0..<place.limit)
      let frame = place.catalog.frame(at: start, in: window, of: place.role)
      guard frame.isFrame, frame.count + frame.needed <= CauseFinder.horizon else { return nil }
      var hasToken = false
      var found: FieldRef?
      place.catalog.walkFields(of: frame, in: window) { leaf in
        let role = place.catalog.field(of: leaf)?.role
        if leaf.kind == .value, role == .token { hasToken = leaf.count == place.catalog.field(of: leaf)?.usual }
        if leaf.kind == .value, role == .payload { found = leaf }
        return found == nil && (leaf.state == .whole || leaf.state == .cut)
      }
      guard hasToken, let payload = found, payload.count > 1, payload.declared <= 4096,
        window[payload.start] == UInt8(ascii: "{"), window[payload.start + 1] == UInt8(ascii: "\"")
      else { return nil }
      return payload
    }

    /// Bytes of another origin, up to the next frame.
    private func foreign(_ bytes: Span<UInt8>) -> [Explanation] {
      guard let (start, end) = nextFrame(bytes) else { return [] }
      var found: [Explanation] = []
      for (cause, match) in finder.foreign {
        // Text behind a frame that was cut may be the rest of it.
        if place.isAfterCut, bytes[place.start] >= 0x20 { continue }
        guard isBehindFrame || !match.isBehindFrame, let what = match.match(place.start..<start, start..<end, bytes)
        else { continue }
        found.append(
          Explanation(
            cause: cause, end: start, cost: Weighing.deviation, isFrame: false,
            evidence: (start == end ? "the last frame is followed by " : "the next frame comes after ") + what,
            repaired: []))
      }
      return found
    }

    /// The first one behind the place; behind the last frame, the end of the stream.
    private func nextFrame(_ bytes: Span<UInt8>) -> (start: Int, end: Int)? {
      let furthest = min(place.limit, place.start + Self.longestForeign)
      var start = place.start + 1
      // Few bytes make an error response: one is found in any noise.
      while start < furthest, place.role != .gateway, !place.work.isSpent {
        place.work.add(2)
        if place.catalog.knows(bytes[start], from: place.role), let end = place.soundFrame(at: start, in: bytes) {
          return (start, end)
        }
        start += 1
      }
      // A single byte at the end could also be the beginning of a frame. Where no frame is at all, all is possible.
      guard place.isEnd, place.limit <= place.start + Self.longestForeign, isBehindFrame,
        place.limit > place.start + 1 || bytes[place.start] == 0x0a
      else {
        return nil
      }
      return (place.limit, place.limit)
    }

    private static let longestForeign = 512
    private static let longestPayload = 2048
  }

  /// Every bug that accounts for the bytes at a place.
  /// - Parameter only: of this cause alone.
  fileprivate func explanations(
    at place: borrowing Place, in bytes: Span<UInt8>, only: Int? = nil
  ) -> [Explanation] {
    guard place.start < place.limit else { return [] }
    var found: [Explanation] = []
    let first = bytes[place.start]
    for form in forms[place.role] ?? [] where form.mayBegin(with: first) {
      if let only, let cause = form.cause, cause != only { continue }
      // Behind damage, an edit of a byte makes a frame of too much.
      if form.slip != .none, only != nil || !place.followsFrame { continue }
      var reader = FrameReader(form.writing, place, slip: form.slip, hunts: form.isOwn && hasPayload(form))
      reader.read(bytes)
      for reading in reader.found {
        guard let weighing = Weighing(reading, form, place, bytes) else { continue }
        if let slip = reading.slip {
          guard weighing.misfits.isEmpty, weighing.oddity <= Weighing.unusualSize else { continue }
          found.append(explanation(weighing, slip, place, first))
        } else if let cause = form.cause {
          guard form.slip == .none, isGiven(weighing.misfits, by: cause, bytes),
            weighing.repaired != [UInt8](copying: bytes.extracting(place.start..<reading.end))
          else { continue }
          found.append(
            Explanation(
              cause: cause, end: reading.end, cost: Weighing.deviation + weighing.oddity,
              evidence: weighing.layoutEvidence, correction: weighing.correction, repaired: weighing.repaired))
        } else if !weighing.misfits.isEmpty {
          found += lengthExplanations(weighing, only, bytes)
        }
      }
    }
    for (cause, coding) in codings where only == nil || only == cause {
      if let explanation = explanation(coding, cause, place, bytes) { found.append(explanation) }
    }
    return found
  }

  /// Its contents show where it ends.
  private func hasPayload(_ form: Form) -> Bool { form.writing.index(of: .payload) != nil }

  private func explanation(
    _ weighing: Weighing, _ slip: Reading.Slip, _ place: borrowing Place, _ first: UInt8
  ) -> Explanation {
    let cause = weighing.form.cause ?? 0
    let cost = 2 * Weighing.deviation + weighing.oddity
    if !slip.isLost, slip.part == .command {
      // It precedes the frame, which is shown unchanged. A command may as well be all that is left of a frame.
      return Explanation(
        cause: cause, end: place.start + 1, cost: cost, isFrame: false,
        evidence: "there is one extra byte, \(hex(first)), before this frame",
        repaired: first != 0 && catalog.knows(first, from: place.role) ? nil : [])
    }
    let (evidence, correction) = weighing.slipEvidence(slip)
    return Explanation(
      cause: cause, end: weighing.reading.end, cost: slip.part == .command ? cost : cost + 2, evidence: evidence,
      correction: correction, repaired: weighing.repaired)
  }

  /// The rules that give every wrong length.
  private func lengthExplanations(_ weighing: Weighing, _ only: Int?, _ bytes: Span<UInt8>) -> [Explanation] {
    rules.compactMap { cause, rule in
      if let only, only != cause { return nil }
      if rule.isAny {
        guard weighing.misfits.count == 1, let only = weighing.misfits.first?.measured, only.kind != .items,
          only.kind != .token || only.size == 32, hasPayload(weighing.form),
          // By one, it may as well be a byte that was lost or added.
          abs((weighing.misfits.first?.declared ?? 0) - only.size) > 1
        else { return nil }
      } else {
        guard isGiven(weighing.misfits, by: rule, bytes) else { return nil }
      }
      return Explanation(
        cause: cause, end: weighing.reading.end,
        cost: Weighing.deviation * (rule.isAny ? 3 : 1) + weighing.oddity,
        evidence: weighing.evidence(rule, bytes), correction: weighing.correction, repaired: weighing.repaired)
    }
  }

  private func isGiven(_ misfits: [Weighing.Misfit], by rule: RootCause.LengthRule, _ bytes: Span<UInt8>) -> Bool {
    misfits.allSatisfy { rule.lengths($0.measured, bytes).contains($0.declared) }
  }

  /// A bug that changes lengths, and more than these, has to show in both.
  private func isGiven(_ misfits: [Weighing.Misfit], by cause: Int, _ bytes: Span<UInt8>) -> Bool {
    guard let rule = rules.first(where: { $0.cause == cause })?.rule else { return misfits.isEmpty }
    return !misfits.isEmpty && isGiven(misfits, by: rule, bytes)
  }

  /// A whole frame in another form.
  private func explanation(
    _ coding: Coding, _ cause: Int, _ place: borrowing Place, _ bytes: Span<UInt8>
  ) -> Explanation? {
    guard let unit = coding.unit else { return nil }
    var decoded: [UInt8] = []
    var ends: [Int] = []
    var position = place.start
    let furthest = min(place.limit, place.start + Self.horizon)
    while position < furthest, let next = unit(place.start, position, bytes) {
      decoded.append(next.byte)
      position = next.end
      ends.append(position)
      // The beginning of a frame tells whether it can be one.
      if decoded.count == 64,
        !catalog.isPlausible(catalog.frame(at: 0, in: decoded.span, of: place.role), in: decoded.span)
      {
        break
      }
      // Nothing is changed so far.
      if decoded.count == 256, coding.block == 1, position - place.start == decoded.count { break }
      // Most bytes are no frame in that form, which shows in the first few.
      if decoded.count == 3, !catalog.knows(decoded[0], from: place.role) { return nil }
    }
    place.work.add(decoded.count * 2)
    guard let (count, end) = frames(decoded, ends, coding, place, bytes) else { return nil }
    let repaired = Array(decoded[..<count])
    guard repaired != [UInt8](copying: bytes.extracting(place.start..<end)) else { return nil }
    return Explanation(
      cause: cause, end: end, cost: Weighing.deviation,
      evidence: "read as \(coding.name), the \(end - place.start) bytes are complete, in \(count) bytes",
      repaired: coding.isLossy ? nil : repaired)
  }

  /// Whole frames, up to where the coding may end: how many bytes they have, and where they end as they are written.
  private func frames(
    _ decoded: [UInt8], _ ends: [Int], _ coding: Coding, _ place: borrowing Place, _ bytes: Span<UInt8>
  ) -> (count: Int, end: Int)? {
    var position = 0
    while position < decoded.count {
      let frame = catalog.frame(at: position, in: decoded.span, of: place.role)
      guard frame.condition == .complete, catalog.isPlausible(frame, in: decoded.span),
        let payload = catalog.leaf(.payload, of: frame, in: decoded.span),
        JSONScanner.firstError(in: decoded.span, range: payload.range) == nil
      else { return nil }
      position = frame.end
      let end = ends[position - 1]
      let rest = (coding.block - (end - place.start) % coding.block) % coding.block
      if rest == 0 || end == place.limit { return (position, end) }
      // The last block is filled up.
      let filled = catalog.frame(at: position + rest, in: decoded.span, of: place.role)
      if end + rest == place.limit || filled.condition == .complete && catalog.isPlausible(filled, in: decoded.span)
        || place.soundFrame(at: end + rest, in: bytes) != nil
      {
        return (position, end + rest)
      }
    }
    return nil
  }
}

/// What a stream may spend on searches: a fixed amount for each of its bytes, and a loan from what all streams share. So a
/// stream of nothing but invalid frames, and many thousand short ones, cost no more than their length.
struct CauseEffort: Sendable {
  /// In the units of ``SearchWork``. The last search may overdraw it.
  private(set) var left = 0
  /// What it has spent of the loan.
  private var debt = 0
  /// No brace is before this offset, counted from where the last search ended.
  private var braceFreeEnd = 0

  private static let most = 1 << 20
  private static let perByte = 24
  /// What all streams share: enough for a thousand that spend all that they may.
  static let shared = 1 << 27
  private static let highestDebt = 1 << 17

  var isLeft: Bool { left > 0 }

  /// More of the stream is framed.
  mutating func earn(_ bytes: Int) { left = min(left + bytes * Self.perByte, Self.most) }

  mutating func spend(_ work: Int) { left -= work }

  /// For one search, since a stream may not have earned enough yet. Returns the loan.
  mutating func borrow(from shared: inout Int) -> Int {
    let loan = min(shared, Self.highestDebt - debt)
    left += loan
    shared -= loan
    return loan
  }

  /// Gives back what the search has left of the loan.
  mutating func giveBack(_ loan: Int, to shared: inout Int) {
    let rest = max(0, min(left, loan))
    left -= rest
    shared += rest
    debt += loan - rest
  }

  /// Whether a payload may begin in these bytes, the first of which is at `offset` in the stream. They overlap from frame
  /// to frame, but each is inspected once.
  mutating func seesPayload(in bytes: Span<UInt8>, at offset: Int) -> Bool {
    var index = max(0, braceFreeEnd - offset)
    while index < bytes.count, bytes[index] != UInt8(ascii: "{") { index += 1 }
    braceFreeEnd = max(braceFreeEnd, offset + index)
    return index < bytes.count
  }
}

/// Counts what a search costs; a unit is about a nanosecond. Independent of the clock, so that results are repeatable.
final class SearchWork {
  private(set) var done = 0
  private let limit: Int
  /// Where objects end, by where they may begin: many bugs ask for the same. Negative where none does.
  private var objects: [(start: Int, end: Int)] = []

  init(limit: Int) { self.limit = limit }

  func object(at start: Int) -> Int? { objects.first { $0.start == start }?.end }

  func note(object start: Int, end: Int) {
    if objects.count < 64 { objects.append((start, end)) }
  }

  var isSpent: Bool { done >= limit }

  func add(_ units: Int) { done += units }
}

extension Explanation {
  /// Both leave the same stream when they are repaired.
  fileprivate func agrees(with other: Explanation, _ bytes: Span<UInt8>) -> Bool {
    if end == other.end { return repaired == other.repaired }
    guard end < other.end else { return other.agrees(with: self, bytes) }
    guard let repaired else { return false }
    return repaired + [UInt8](copying: bytes.extracting(end..<other.end)) == other.repaired
  }
}

extension RootCause {
  /// As a finding carries it.
  func cause(_ explanation: Explanation, _ follow: Follow, at base: Int, _ start: Int) -> Cause {
    Cause(
      id, evidence: explanation.evidence + follow.words,
      fix: explanation.correction.map { $0 + " " + fix } ?? fix, range: base..<(base + explanation.end - start),
      repaired: explanation.repaired)
  }
}
