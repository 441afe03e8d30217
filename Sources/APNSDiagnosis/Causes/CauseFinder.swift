import APNSPayload
import APNSWire
import Octets

/// Searches for the bug that caused a doubtful frame. It names a bug only if the bug explains the bytes exactly, if the
/// stream parses after it, and if no other explanation is as good: neither another bug nor the lengths as written.
struct CauseFinder: Sendable {
  private let catalog: Catalog
  let causes: [RootCause]
  /// The correct writing of each frame type.
  let writings: [Writing]
  /// The frame types of each role, as the format defines them and as bugs distort them.
  private let variants: [StreamRole: [FrameVariant]]
  private let rules: [(cause: Int, rule: RootCause.LengthRule)]
  let foreign: [(cause: Int, match: RootCause.Foreign)]
  private let codings: [(cause: Int, coding: Coding)]
  let interleaving: Int?
  let cutting: Int?

  /// The number of bytes after a frame's start that a search reads.
  static let horizon = 1 << 13

  /// An error response has 6 bytes. A bug may add a few more, and a second response may follow.
  private static let gatewayHorizon = 24

  init(_ catalog: Catalog, _ causes: [RootCause]) {
    self.catalog = catalog
    self.causes = causes
    var rules: [(Int, RootCause.LengthRule)] = []
    var foreign: [(Int, RootCause.Foreign)] = []
    var codings: [(Int, Coding)] = []
    var interleaving: Int?
    var cutting: Int?
    var variants: [StreamRole: [FrameVariant]] = [:]
    writings = catalog.writings
    for writing in writings { variants[writing.schema.role, default: []].append(FrameVariant(writing, cause: nil)) }
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
          for writing in writings where writing.schema.hasLengths {
            variants[writing.schema.role, default: []].append(
              FrameVariant(writing, cause: index, slip: isLost ? .lost : .added))
          }
        case .writing(let changes):
          for change in changes {
            for var writing in writings where change.apply(&writing) {
              variants[writing.schema.role, default: []].append(FrameVariant(writing, cause: index, change.words))
            }
          }
        }
      }
    }
    (self.rules, self.foreign, self.codings) = (rules, foreign, codings)
    (self.interleaving, self.cutting, self.variants) = (interleaving, cutting, variants)
  }

  enum Outcome {
    /// The bytes up to the horizon or to the stream's end are needed first.
    case needsMore
    /// No cause is certain. Each sentence names a possible one.
    case unknown([String])
    case found(RootCause, Explanation, Follow)
  }

  /// - Parameters:
  ///   - frame: the frame according to its lengths.
  ///   - facts: the values that were read from it.
  ///   - offset: the offset of the frame in its stream.
  ///   - ending: why no bytes follow `bytes`; nil if some do.
  func search(
    _ frame: FrameRef, _ facts: borrowing FrameFacts, of role: StreamRole, _ position: FrameFacts.Position,
    at offset: Int, in bytes: Span<UInt8>, _ ending: RunEnding?, _ history: CauseHistory, _ effort: inout CauseEffort
  ) -> Outcome {
    guard variants[role] != nil, effort.isLeft else { return .unknown([]) }
    let horizon = frame.start + (role == .gateway ? Self.gatewayHorizon : reach(frame, in: bytes))
    guard ending != nil || bytes.count >= horizon else { return .needsMore }
    let limit = min(bytes.count, horizon)
    // Without a payload, only foreign bytes between frames can be recognized.
    let nearby = bytes.extracting(frame.start..<min(limit, frame.start + 2 * CauseContext.longestToken))
    guard role != .provider || effort.seesPayload(in: nearby, at: offset) || position != .afterDamage else {
      return .unknown([])
    }
    let work = SearchWork(limit: effort.left)
    let context = CauseContext(
      catalog: catalog, role: role, start: frame.start, limit: limit, isEnd: ending == .over && limit == bytes.count,
      position: position, history: history, work: work)
    let search = CauseSearch(
      finder: self, context: context, frame: frame, facts: copy facts)
    // Bytes after the limit are hidden from the search, because the outcome must not depend on how the bytes arrive.
    let outcome = search.outcome(in: bytes.extracting(0..<limit))
    if case .found = outcome { effort.spend(work.done / Self.discount) } else { effort.spend(work.done) }
    return outcome
  }

  /// Divides the cost of a successful search, because a stream with one bug has it in every frame.
  private static let discount = 8

  /// A negative frame length occurs with payloads of 32 KiB and more.
  private func reach(_ frame: FrameRef, in bytes: Span<UInt8>) -> Int {
    guard frame.isFrame, frame.start + 5 <= bytes.count, catalog.schema(of: frame)?.hasList == true,
      bytes.number(at: frame.start + 1, width: 2) == 0xffff
    else { return Self.horizon }
    return Self.horizon + 1 << 16
  }
}

extension Catalog {
  /// The correct writing of each frame type, without types for which no bug is known.
  package var writings: [Writing] {
    schemas.compactMap { Writing($0) }
  }
}

extension CauseFinder {
  /// Every bug that accounts for the bytes at the context's start.
  ///
  /// - Parameter only: if not nil, only this cause is considered.
  func explanations(
    at context: CauseContext, in bytes: Span<UInt8>, only: Int? = nil
  ) -> [Explanation] {
    guard context.start < context.limit else { return [] }
    var found: [Explanation] = []
    let first = bytes[context.start]
    for variant in variants[context.role] ?? [] where variant.mayBegin(with: first) {
      if let only, let cause = variant.cause, cause != only { continue }
      // After damage, one changed byte would make a frame of too many byte sequences.
      if variant.slip != .none, only != nil || context.position == .afterDamage { continue }
      var reader = FrameReader(variant, context)
      reader.read(bytes)
      for reading in reader.found {
        guard let assessment = Assessment(reading, variant, context, bytes) else { continue }
        found += explanations(by: assessment, only, bytes)
      }
    }
    for (cause, coding) in codings where only == nil || only == cause {
      if let explanation = explanation(coding, cause, context, bytes) { found.append(explanation) }
    }
    return found
  }

  /// The bugs that account for one reading.
  private func explanations(by assessment: Assessment, _ only: Int?, _ bytes: Span<UInt8>) -> [Explanation] {
    let (variant, reading) = (assessment.variant, assessment.reading)
    if let slip = reading.slip {
      guard assessment.misfits.isEmpty, assessment.penalty <= Assessment.unusualSize else { return [] }
      return [explanation(assessment, slip, bytes)]
    }
    guard let cause = variant.cause else {
      return assessment.misfits.isEmpty ? [] : lengthExplanations(assessment, only, bytes)
    }
    guard variant.slip == .none, isGiven(assessment.misfits, by: cause, bytes) else { return [] }
    let repaired = assessment.repaired(bytes)
    guard repaired != [UInt8](copying: bytes.extracting(reading.start..<reading.end)) else { return [] }
    return [
      Explanation(
        cause: cause, end: reading.end, cost: Assessment.deviation + assessment.penalty,
        mustRecur: assessment.hasLittleEvidence, evidence: assessment.layoutEvidence,
        correction: assessment.correction(bytes), repaired: repaired)
    ]
  }

  private func explanation(
    _ assessment: Assessment, _ slip: FrameReading.Slip, _ bytes: Span<UInt8>
  ) -> Explanation {
    let (cause, start) = (assessment.variant.cause ?? 0, assessment.reading.start)
    let cost = 2 * Assessment.deviation + assessment.penalty
    if !slip.isLost, slip.part == .command {
      // The byte precedes the frame, which stays unchanged. A command byte could also be the remains of a frame.
      let first = bytes[start]
      return Explanation(
        cause: cause, end: start + 1, cost: cost, isFrame: false,
        evidence: "there is one extra byte, \(hex(first)), before this frame",
        repaired: first != 0 && catalog.knows(first, from: assessment.context.role) ? nil : [])
    }
    let (evidence, correction) = assessment.slipEvidence(slip)
    return Explanation(
      cause: cause, end: assessment.reading.end, cost: slip.part == .command ? cost : cost + 2, evidence: evidence,
      correction: correction, repaired: assessment.repaired(bytes))
  }

  /// The explanations by rules that produce every incorrect length.
  private func lengthExplanations(_ assessment: Assessment, _ only: Int?, _ bytes: Span<UInt8>) -> [Explanation] {
    rules.compactMap { cause, rule in
      if let only, only != cause { return nil }
      if rule.isAny {
        guard assessment.misfits.count == 1, let misfit = assessment.misfits.first, assessment.hasPayload,
          misfit.measured.kind != .items, misfit.measured.kind != .token || misfit.measured.size == 32,
          // If the length differs by one, a byte could also be missing or extra.
          abs(misfit.declared - misfit.measured.size) > 1
        else { return nil }
      } else {
        guard isGiven(assessment.misfits, by: rule, bytes) else { return nil }
      }
      return Explanation(
        cause: cause, end: assessment.reading.end,
        cost: Assessment.deviation * (rule.isAny ? 3 : 1) + assessment.penalty,
        evidence: assessment.evidence(rule, bytes), correction: assessment.correction(bytes),
        repaired: assessment.repaired(bytes))
    }
  }

  /// Whether the rule produces every one of these lengths.
  private func isGiven(_ misfits: [Assessment.Misfit], by rule: RootCause.LengthRule, _ bytes: Span<UInt8>) -> Bool {
    misfits.allSatisfy { rule.lengths($0.measured, bytes).contains($0.declared) }
  }

  /// If a bug also changes lengths, it has to show in both.
  private func isGiven(_ misfits: [Assessment.Misfit], by cause: Int, _ bytes: Span<UInt8>) -> Bool {
    guard let rule = rules.first(where: { $0.cause == cause })?.rule else { return misfits.isEmpty }
    return !misfits.isEmpty && isGiven(misfits, by: rule, bytes)
  }

  /// Explains a complete frame that was written in another encoding.
  private func explanation(
    _ coding: Coding, _ cause: Int, _ context: CauseContext, _ bytes: Span<UInt8>
  ) -> Explanation? {
    // The first byte excludes most frames.
    guard let unit = coding.unit, let first = unit(context.start, context.start, bytes),
      catalog.knows(first.byte, from: context.role)
    else { return nil }
    var decoded: [UInt8] = []
    var ends: [Int] = []
    var position = context.start
    let furthest = min(context.limit, context.start + Self.horizon)
    while position < furthest, let next = unit(context.start, position, bytes) {
      decoded.append(next.byte)
      position = next.end
      ends.append(position)
      // Stop if the first bytes cannot begin a frame.
      if decoded.count == 64,
        !catalog.isPlausible(catalog.frame(at: 0, in: decoded.span, of: context.role), in: decoded.span)
      {
        break
      }
      // Stop if decoding has changed nothing so far.
      if decoded.count == 256, coding.block == 1, position - context.start == decoded.count { break }
    }
    context.work.add(decoded.count * 2)
    guard let (count, end) = frames(decoded, ends, coding, context, bytes) else { return nil }
    let repaired = Array(decoded[..<count])
    guard repaired != [UInt8](copying: bytes.extracting(context.start..<end)) else { return nil }
    return Explanation(
      cause: cause, end: end, cost: Assessment.deviation,
      evidence: "read as \(coding.name), the \(end - context.start) bytes are complete, in \(count) bytes",
      repaired: coding.isLossy ? nil : repaired)
  }

  /// Decodes complete frames up to an offset where the encoding can end. Returns their decoded size and their end in
  /// the stream.
  private func frames(
    _ decoded: [UInt8], _ ends: [Int], _ coding: Coding, _ context: CauseContext, _ bytes: Span<UInt8>
  ) -> (count: Int, end: Int)? {
    var position = 0
    while position < decoded.count {
      guard let frame = catalog.plausibleFrame(at: position, in: decoded.span, of: context.role),
        let payload = catalog.leaf(.payload, of: frame, in: decoded.span),
        JSONScanner.firstError(in: decoded.span, range: payload.range) == nil
      else { return nil }
      position = frame.end
      let end = ends[position - 1]
      let rest = (coding.block - (end - context.start) % coding.block) % coding.block
      if rest == 0 || end == context.limit { return (position, end) }
      // The last block is padded.
      if end + rest == context.limit
        || catalog.plausibleFrame(at: position + rest, in: decoded.span, of: context.role) != nil
        || context.validFrame(at: end + rest, in: bytes) != nil
      {
        return (position, end + rest)
      }
    }
    return nil
  }
}

extension RootCause {
  /// The cause as a finding contains it.
  func cause(_ explanation: Explanation, _ follow: Follow, at base: Int, _ start: Int) -> Cause {
    Cause(
      id, evidence: explanation.evidence + follow.words,
      fix: explanation.correction.map { $0 + " " + fix } ?? fix, range: base..<(base + explanation.end - start),
      repaired: explanation.repaired)
  }
}
