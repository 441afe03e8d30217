import APNSWire
import Octets

/// Looks for the bug behind a frame that is doubted. It names one only where that explains the bytes exactly, the stream
/// parses behind it, and nothing else does as well: neither another bug nor the lengths as they are written.
struct CauseFinder: Sendable {
  private let catalog: Catalog
  private let shapes: [Shape]
  private let causes: [RootCause]

  /// Bytes behind a frame's start that are looked at.
  static let horizon = 1 << 13
  /// Frames behind it that are.
  private static let mostFollowers = 8

  init(_ definitions: Definitions) {
    catalog = definitions.catalog
    causes = definitions.causes
    shapes = Shape.all(of: catalog)
  }

  enum Answer {
    /// Bytes up to the horizon, or the stream's end, have to be there.
    case needsMore
    case unknown
    case found(RootCause, Explanation, followers: Int, endsStream: Bool)
  }

  /// - Parameters:
  ///   - frame: as its lengths have it.
  ///   - isFinal: nothing comes behind `bytes`.
  ///   - isOver: because the stream ends there.
  ///   - isPayloadBroken: its payload was read, and is no JSON.
  ///   - known: the cause that was found last in the stream: a sender does the same again.
  func answer(
    _ frame: FrameRef, of role: StreamRole, in bytes: Span<UInt8>, isFinal: Bool, isOver: Bool, followsFrame: Bool,
    isPayloadBroken: Bool, known: String?, at offset: Int, _ effort: inout CauseEffort
  ) -> Answer {
    guard role == .provider, !shapes.isEmpty, effort.isLeft else { return .unknown }
    let horizon = frame.start + reach(frame, in: bytes)
    guard isFinal || bytes.count >= horizon else { return .needsMore }
    let limit = min(bytes.count, horizon)
    // Every cause but a terminator at the end of all needs a payload to go by.
    let nearby = bytes.extracting(frame.start..<min(limit, frame.start + 2 * Place.longestToken))
    guard effort.seesPayload(in: nearby, at: offset) || followsFrame else { return .unknown }
    let work = SearchWork(limit: effort.left)
    let place = Place(
      catalog: catalog, shapes: shapes, role: role, start: frame.start, limit: limit,
      isEnd: isOver && limit == bytes.count, followsFrame: followsFrame, work: work)
    let answer = search(frame, place, isPayloadBroken: isPayloadBroken, known: known, bytes)
    if case .found = answer { effort.spend(work.done / Self.mostFollowers) } else { effort.spend(work.done) }
    return answer
  }

  private func search(
    _ frame: FrameRef, _ place: borrowing Place, isPayloadBroken: Bool, known: String?, _ bytes: Span<UInt8>
  ) -> Answer {
    place.work.add(512)
    let reading = ContentReading(place, bytes)
    let written =
      frame.condition == .complete && frame.end <= place.limit ? follow(from: frame.end, nil, place, bytes) : nil
    let fits = !isPayloadBroken && place.fittingFrame(at: frame.start, in: bytes, mayBeEmpty: false) == frame.end
    var best: Candidate?
    var isTie = false
    let isMixed = known == writersInterleaved.id
    // By index: a cause is many words to copy.
    for cause in causes.indices {
      if causes[cause].isLastResort {
        guard best.map({ $0.explanation.weight < .mixture || $0.follow.isBroken }) ?? true, !(written?.isGood ?? false),
          !place.work.isSpent
        else { continue }
      }
      guard let explanation = causes[cause].explain(place, reading, bytes), explanation.end > frame.start else {
        continue
      }
      var follow = follow(from: explanation.end, cause, place, bytes)
      let isKnown = known == causes[cause].id
      if isKnown { follow.own += 1 }
      // Two writers move whole fields about: what else is seen in their stream comes of that.
      if isMixed, !isKnown { continue }
      let candidate = Candidate(cause: cause, explanation: explanation, follow: follow)
      guard candidate.isSupported else { continue }
      // Lengths that fit are believed, and so are those that lead on at least as well.
      if explanation.end != frame.end,
        fits || (written.map { $0.rank >= follow.rank } ?? false) || place.framesReach(explanation.end, in: bytes)
      {
        continue
      }
      guard let current = best else {
        best = candidate
        continue
      }
      if candidate.isBetter(than: current) {
        best = candidate
        isTie = false
      } else if !current.isBetter(than: candidate) {
        isTie = true
      }
    }
    guard let best, !isTie else { return .unknown }
    return .found(
      causes[best.cause], best.explanation, followers: best.follow.count,
      endsStream: best.follow.count == 0 && best.follow.isEnd)
  }

  /// A frame length that is negative stands before a payload of 32 KiB and more.
  private func reach(_ frame: FrameRef, in bytes: Span<UInt8>) -> Int {
    guard frame.isFrame, let shape = shapes.first(where: { $0.index == frame.schema }),
      case .list(let list) = shape.body,
      list.width == 4, frame.start + shape.headerSize <= bytes.count,
      bytes.number(at: frame.start + 1, width: 2) == 0xffff
    else { return Self.horizon }
    return Self.horizon + 1 << 16
  }

  private struct Candidate {
    /// Index in all causes.
    let cause: Int
    let explanation: Explanation
    let follow: Follow

    /// Frames follow, or nothing at all does. A stream that goes on to be wrong takes more of them.
    var isSupported: Bool {
      if follow.isEnd { return true }
      if explanation.isLoose, follow.isBroken, follow.own == 0 { return false }
      switch explanation.weight {
      // Where two write at a time, the next frames are mixed up, too; this one is whole to the last bracket.
      case .mixture: return true
      case .lengths: return follow.count > 0 || follow.isCut
      case .terminator, .edit, .slight: return follow.count > (follow.isBroken ? 2 : 0)
      }
    }

    /// Whether the stream parses on; how often the sender did the same; how much speaks for it here.
    func isBetter(than other: Candidate) -> Bool {
      if follow.isBroken != other.follow.isBroken { return !follow.isBroken }
      let own = min(follow.own, 1)
      let others = min(other.follow.own, 1)
      if own != others { return own > others }
      if explanation.weight != other.explanation.weight { return explanation.weight > other.explanation.weight }
      return follow.count > other.follow.count + 1
    }
  }

  /// What comes behind an explanation.
  private struct Follow {
    /// Whole frames, those with the same bug included.
    var count = 0
    /// Those with the same bug.
    var own = 0
    /// The last of them ends where the stream does.
    var isEnd = false
    /// The bytes that are looked at end inside a frame that is right so far.
    var isCut = false
    /// No frame begins behind the last one.
    var isBroken = false

    var rank: Int { count + (isEnd ? CauseFinder.mostFollowers : 0) }
    var isGood: Bool { rank > 0 }
  }

  private func follow(
    from start: Int, _ cause: Int?, _ place: borrowing Place, _ bytes: Span<UInt8>
  ) -> Follow {
    var follow = Follow()
    var position = start
    var followsFrame = true
    while follow.count < Self.mostFollowers, position < place.limit {
      // As written, odd values are no fault of the lengths.
      let end =
        cause == nil
        ? place.fittingFrame(at: position, in: bytes, mayBeEmpty: true) : place.soundFrame(at: position, in: bytes)
      if let end {
        follow.count += 1
        position = end
        followsFrame = true
        continue
      }
      guard let cause, causes[cause].recurs else { break }
      let next = place.moved(to: position, followsFrame: followsFrame)
      guard let again = causes[cause].explain(next, ContentReading(next, bytes), bytes), again.end > position
      else { break }
      follow.own += 1
      if again.isFrame { follow.count += 1 }
      position = again.end
      followsFrame = again.isFrame
    }
    if position >= place.limit {
      follow.isEnd = place.isEnd && position == place.limit
      follow.isCut = !follow.isEnd
    } else if follow.count < Self.mostFollowers {
      follow.isCut = place.beginsFrame(at: position, in: bytes)
      follow.isBroken = !follow.isCut
    }
    return follow
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

  init(limit: Int) { self.limit = limit }

  var isSpent: Bool { done >= limit }

  func add(_ units: Int) { done += units }
}

extension RootCause {
  /// As a finding carries it.
  func cause(
    _ explanation: Explanation, followers: Int, endsStream: Bool, at base: Int, _ start: Int, _ bytes: Span<UInt8>
  ) -> Cause {
    var evidence = explanation.evidence()
    if followers > 0 {
      evidence +=
        followers == 1 ? "; the next frame is complete then" : "; the next \(followers) frames are complete then"
    } else if endsStream {
      evidence += "; the stream ends exactly there"
    }
    let correction = explanation.correction.flatMap { $0() }
    return Cause(
      id, evidence: evidence, fix: correction.map { $0 + " " + fix } ?? fix,
      range: base..<(base + explanation.end - start),
      repaired: explanation.repaired(bytes))
  }
}
