import APNSWire
import Octets

/// The findings on a frame that a cause explains.
extension StreamState {
  /// The first of the worst findings keeps its rule, its severity and the service's answer. The cause says how to fix
  /// it, and if lengths are wrong, also what is wrong and where, since the rules read the frame as its lengths divide
  /// it. If it is known what was meant, all other findings are about that.
  ///
  /// - Parameter written: the bytes of the frame, and those after it that the cause explains.
  mutating func explain(
    _ findings: inout [Finding], on frame: FrameRef, _ written: Span<UInt8>, by cause: Cause, _ shared: inout Shared
  ) {
    let areLengthsRight = frame.isFrame && !shared.facts.isMalformed && frame.end == written.count
    let worst = max(.warning, findings.map(\.severity).max() ?? .note)
    let index =
      findings.firstIndex { $0.severity == worst && Self.lengthRules.contains($0.rule) }
      ?? findings.firstIndex { $0.severity == worst }
    // Notes are often muted, so the cause has a finding of its own then.
    let first =
      index.map { findings.remove(at: $0) }
      ?? shared.inspector.findings(at: offset) { $0.add(.senderFault, at: 0..<1, cause.evidence) }.first
    var place = first?.range
    if let meant = cause.repaired {
      if !areLengthsRight, let change = doubt.change {
        shared.catalog.forEachField(of: frame, in: written) { leaf in
          if leaf.range.contains(change) { place = (offset + leaf.start)..<(offset + leaf.end) }
        }
      }
      findings = judge(meant.span, Change(from: written, to: meant.span, at: doubt.change), frame.end, &shared)
    }
    if let first, let place {
      // Nothing else says what is wrong with a value if it is not known what was meant.
      let isSaid = areLengthsRight || cause.repaired == nil && !Self.lengthRules.contains(first.rule)
      let explained = Finding(
        first.rule, first.severity, place, isSaid ? first.message : cause.evidence, fix: cause.fix,
        answer: first.answer, cause: cause)
      findings.insert(explained, at: 0)
    }
    findings.sort { $0.range.lowerBound < $1.range.lowerBound }
  }

  /// The rules whose findings may follow from a wrong length alone.
  private static let lengthRules = Set(
    structureRules.rules.filter { $0 != .newerThanEdition }.map(\.id)
      + [Rule.jsonCut, .jsonTerminated, .tokenLength, .emptyToken, .emptyPayload].map(\.id))

  /// The findings on the frames that were meant, at the places of the first `count` bytes as written. The service
  /// answers what was written.
  private mutating func judge(
    _ meant: Span<UInt8>, _ change: Change, _ count: Int, _ shared: inout Shared
  ) -> [Finding] {
    var (findings, start): ([Finding], Int) = ([], 0)
    while start < meant.count {
      let found = shared.catalog.frame(at: start, in: meant, of: role ?? .provider)
      let (frame, bytes) = (found.moved(by: -start), meant.extracting(found.range))
      shared.facts.read(frame, bytes)
      compare(frame, bytes, nil, &shared)
      findings += shared.inspector.findings(on: shared.facts, bytes, at: start).map { finding in
        let range = change.range(finding.range, upTo: count)
        return Finding(
          finding.rule, finding.severity, (offset + range.lowerBound)..<(offset + range.upperBound), finding.message,
          fix: finding.fix)
      }
      start = found.end
    }
    return findings
  }
}

/// What differs between bytes as written and as they were meant: all but the bytes that are the same at the start and
/// at the end.
private struct Change {
  private let start: Int
  /// The bytes at the end that are the same.
  private let rest: Int
  private let (written, meant): (Int, Int)

  /// - Parameter change: where the first byte differs, apart from a frame length; nil if nothing is known.
  init(from written: Span<UInt8>, to meant: Span<UInt8>, at change: Int?) {
    let most = min(written.count, meant.count)
    let start = min(change ?? (0..<most).first { written[$0] != meant[$0] } ?? most, most)
    rest = (0..<(most - start)).first { written[written.count - 1 - $0] != meant[meant.count - 1 - $0] } ?? most - start
    (self.start, self.written, self.meant) = (start, written.count, meant.count)
  }

  /// Where a range of what was meant is in the first `count` bytes as written, as far as it is there.
  func range(_ range: Range<Int>, upTo count: Int) -> Range<Int> {
    func place(_ offset: Int, else other: Int) -> Int {
      min(offset <= start ? offset : meant - offset <= rest ? written - (meant - offset) : other, count)
    }
    let lower = place(range.lowerBound, else: start)
    return lower..<max(lower, place(range.upperBound, else: written - rest))
  }
}
