/// What the first piece of a window was meant to be, by the best description of the window.
struct Explanation {
  let window: Window
  private(set) var piece: Piece
  /// The next piece; nil at the end.
  private(set) var next: Piece?
  /// Whether the stream shows the deviations of the piece again.
  let recurs: Bool
  /// Whether it is certain what was meant: no other result takes fewer than ``Price/margin`` bits more.
  private(set) var isCertain = false
  /// The first piece of the best description with another result, if it takes hardly more bits.
  private(set) var rival: Piece?
  /// The last values before the piece.
  let before: Description.Context
  /// What the stream has shown up to the end of the piece, and shows twice after it.
  private(set) var known: KnownDeviations
  private(set) var context: Description.Context
  private let knownBefore: KnownDeviations
  private let best: Description
  /// The pieces of the best description.
  private let pieces: [Piece]

  /// - Parameters:
  ///   - descriptions: the descriptions up to the same offset, the cheapest first.
  ///   - known: what the stream has shown before.
  ///   - context: the last values before the window.
  /// - Returns: nil if nothing is described.
  init?(
    _ descriptions: [Description], _ window: Window, _ known: KnownDeviations, _ context: Description.Context
  ) {
    guard var best = descriptions.first else { return nil }
    // Foreign bytes are known once the frame after them is.
    let decided = best.upToFrame
    var rival = descriptions.first { !$0.agrees(on: decided, of: best) }
    // Of two that are near, the one that leaves more frames as documented is shown.
    if let other = rival, other.cost - best.cost < Price.margin, other.plainFrames > best.plainFrames {
      (best, rival) = (other, best)
    }
    guard let piece = best.start.piece else { return nil }
    let pieces = best.pieces
    (self.window, self.best, self.pieces, self.piece) = (window, best, pieces, piece)
    (next, knownBefore, before) = (pieces.dropFirst().first, known, context)
    recurs = piece.deviations.allSatisfy { deviation in
      known.contains(deviation) || pieces.dropFirst().contains { $0.deviations.contains(deviation) }
    }
    if let rival, rival.cost - best.cost < Price.margin { self.rival = rival.start.piece }
    (self.known, self.context) = (best.start.known, self.rival == nil ? best.start.context : context)
    self.known.foresee(pieces.dropFirst(), in: window.bytes)
    isCertain =
      self.rival == nil && piece.isCertain && hasFrames && isRead(pieces[...]) && !isRest && !isTaken && !isAstray
      && !best.countsInDecimals && isPlain && !(isRun && next == nil && !window.isEnd)
    // Values that may be others predict nothing.
    if !isCertain, !piece.isPlain, !piece.isDivided { self.context.excess = .any }
  }

  /// The explanation by the first piece of the other description.
  func replacing(_ piece: Piece) -> Explanation {
    var other = self
    (other.piece, other.next, other.isCertain, other.rival) = (piece, nil, false, nil)
    return other
  }

  /// Whether what follows shows where the piece ends.
  var isFollowed: Bool {
    next.map { $0.kind == .documented && ($0.isCertain || $0.isDivided) } ?? false
      || piece.kind == .deviating && best.framesAfterFirst > 0 || isRun
  }

  /// Whether one foreign byte is repeated so often that no frame is in it.
  private var isRun: Bool {
    let bytes = window.bytes[piece.range]
    return piece.kind == .foreign && bytes.count > 64 && bytes.allSatisfy { $0 == bytes.first }
  }

  private var hasFrames: Bool { !piece.meant.isEmpty || before.form != nil || best.framesAfterFirst > 0 }

  /// Whether nothing that was meant is left unread.
  private func isRead(_ pieces: ArraySlice<Piece>) -> Bool {
    guard let first = pieces.first, let next = pieces.dropFirst().first else { return true }
    return switch (first.kind, next.kind) {
    case (.foreign, .documented):
      next.isPlain
        || recurs && !first.isIrregular && (next.isCertain || next.isDivided)
          && !window.mayBeOwn(window.bytes[first.range], ofFrameAt: next.range.lowerBound)
    // What is before an encoding may be in it.
    case (.foreign, .decoded): false
    case (.foreign, _): next.isCertain
    case (_, .foreign): next.isCertain && isRead(pieces.dropFirst())
    default: true
    }
  }

  /// Whether this piece or the next may be the rest of a frame: irregular bytes, in a stream that is written in another
  /// way.
  private var isRest: Bool {
    // At the start of a stream, a frame without a command may have had more in front.
    if before.form == nil, piece.deviations.contains(.commandMissing), !recurs { return true }
    return pieces.prefix(2).contains(where: \.isIrregular) && best.known.all.contains { $0.dimension != .foreign }
  }

  /// Whether the frame may begin with the last bytes of the one before, which was cut short then.
  private var isTaken: Bool {
    let own = window.bytes[piece.range]
    return before.form != nil && own.startIndex == 0 && piece.kind == .deviating
      && (1...4).contains { window.isPlain(window.before.suffix($0) + own) }
  }

  /// Whether it follows what is not understood, and is not what the stream has shown before.
  private var isAstray: Bool {
    before.excess == .any && piece.kind == .deviating
      && (best.start.context.form != before.form || !piece.deviations.allSatisfy(knownBefore.contains))
  }

  /// Whether nothing in the frames is doubtful. A token may have another size if only its length denied it.
  private var isPlain: Bool {
    let mayHaveAnySize = piece.deviations.contains { $0.subject == .tokenLength }
    return window.plainFrames(piece.meant, mayHaveAnySize: mayHaveAnySize) != nil
  }
}

extension Description {
  /// The number of frames as documented in which nothing is doubtful.
  fileprivate var plainFrames: Int { pieces.count { $0.kind == .documented && $0.isPlain } }
}
