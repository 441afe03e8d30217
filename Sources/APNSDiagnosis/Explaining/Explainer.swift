import APNSWire
import Octets

/// Finds what a faulty sender meant. A stream is cut into pieces, and the cut whose description takes the fewest bits
/// wins: contents come before lengths, and each deviation from the documents has a price, which is due once a stream.
struct Explainer: Sendable {
  private let forms: [StreamRole: [FrameForm]]
  private let layouts: [StreamRole: [Layout]]
  let bank: DecoderBank
  /// By index of the schema: whether it has a form.
  private let known: [Bool]

  init(_ catalog: Catalog, inflate: Inflate? = nil) {
    bank = DecoderBank(inflate: inflate)
    let all = catalog.schemas.map { ($0.role, FrameForm($0)) }
    forms = Dictionary(grouping: all, by: \.0).mapValues { $0.compactMap(\.1) }
    known = all.map { $0.1 != nil }
    layouts = forms.mapValues { Layout.all(of: $0) }
  }

  enum Outcome {
    /// This many bytes from the start are needed first, or the end of the stream.
    case needsMore(Int)
    /// Nothing explains the bytes. The work is in units of about a nanosecond.
    case unknown(work: Int)
    case explained(Explanation, work: Int)
  }

  /// The most bytes from the start of a frame that a search reads.
  static let horizon = 1 << 13

  /// The sizes of the windows in which a piece is searched, in bytes. An error response has six bytes, and a provider
  /// waits for each.
  func windows(of role: StreamRole) -> [Int] {
    forms[role]?.contains(where: \.hasContents) == true ? [1 << 10, 1 << 12, Self.horizon] : [24]
  }

  /// Whether the type of a frame can be written in other ways.
  func knows(_ frame: FrameRef) -> Bool { !frame.isFrame || known[Int(frame.schema)] }

  /// The first of these roles whose frames have no command, if a stream certainly begins with such frames in a faulty
  /// writing.
  func roleOfRows(_ bytes: Span<UInt8>, among roles: [StreamRole], isFinal: Bool) -> StreamRole? {
    let first = [UInt8](copying: bytes.extracting(first: 1 << 9))
    guard first.areRows, !first.holdsAps else { return nil }
    return roles.first { role in
      guard forms[role]?.allSatisfy({ $0.command == nil }) == true else { return false }
      let outcome = explain(
        first.span, after: [], least: 0, of: role, isFinal: true, isEnd: isFinal && first.count == bytes.count,
        KnownDeviations(), Description.Context(), mostWork: 1 << 23, onlyAgain: false)
      guard case .explained(let found, _) = outcome, found.isCertain else { return false }
      return found.recurs || found.next?.isPlain == true
    }
  }

  /// Explains the piece that begins with the first byte.
  ///
  /// - Parameters:
  ///   - bytes: the bytes of the stream from there on.
  ///   - before: the last ones before them.
  ///   - least: how many bytes the search reads at least.
  ///   - isEnd: whether the stream ends with them.
  ///   - onlyAgain: whether only the deviations that the stream has shown are tried.
  func explain(
    _ bytes: Span<UInt8>, after before: [UInt8], least: Int, of role: StreamRole, isFinal: Bool, isEnd: Bool,
    _ known: KnownDeviations, _ context: Description.Context, mostWork: Int, onlyAgain: Bool
  ) -> Outcome {
    guard let forms = forms[role], let layouts = layouts[role], !forms.isEmpty, least <= Self.horizon else {
      return .unknown(work: 0)
    }
    var work = 0
    let sizes = windows(of: role)
    for size in sizes where size >= least || size == sizes.last {
      let count = min(size, bytes.count)
      guard count == size || isFinal else { return .needsMore(size) }
      let isWhole = isFinal && count == bytes.count
      let window = Window(
        [UInt8](copying: bytes.extracting(0..<count)), after: before, forms, bank, isEnd: isEnd && isWhole,
        mostWork: mostWork - work)
      let reader = WritingReader(window, layouts)
      let search = PieceSearch(window, reader, known, context)
      if let again = Explanation(search.again(), window, known, context), again.isCertain {
        return .explained(again, work: work + window.work)
      }
      let descriptions = onlyAgain ? nil : search.run()
      work += window.work
      if let descriptions, let found = Explanation(descriptions, window, known, context) {
        return .explained(found, work: work)
      }
      if isWhole || onlyAgain || window.isSpent { break }
    }
    return .unknown(work: work)
  }
}

extension [UInt8] {
  /// Whether they are rows of one size, alike in some bytes and unlike in most of a token. Only of frames without a
  /// payload nearly all have one size. In each row a byte that is alike saves eight bits, and to say which it is takes
  /// four: 26 bits are saved by chance once in a million.
  fileprivate var areRows: Bool {
    (Evidence.tokenSize..<100).contains { size in
      let rows = Swift.min(4, count / size)
      let alike =
        rows < 2 ? 0 : (0..<size).count { place in (1..<rows).allSatisfy { self[place + $0 * size] == self[place] } }
      return alike * (8 * (rows - 1) - 4) > 26 && size - alike > 24
    }
  }
}
