/// What the first piece of a window was meant to be, by the best description of the window.
struct Decision {
  private let window: Window
  private let known: KnownDeviations
  private let context: Description.Context
  private let best: Description
  /// The best description with another result.
  private let rival: Description?
  private let pieces: [Piece]
  private let piece: Piece

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
    (self.window, self.known, self.context, self.best, self.piece) = (window, known, context, best, piece)
    (self.rival, pieces) = (rival, best.pieces)
  }

  var explanation: Explainer.Explanation {
    let isCertain = isCertain
    let isFollowed =
      next.map { $0.kind == .documented && ($0.isCertain || $0.isDivided) } ?? false
      || piece.kind == .deviating && best.framesAfterFirst > 0 || isRun
    // Values that may be others predict nothing.
    var after = isAhead ? best.start.context : context
    if !isCertain, !piece.isPlain, !piece.isDivided { after.excess = .any }
    var shown = best.start.known
    shown.foresee(pieces.dropFirst(), in: window.bytes)
    return Explainer.Explanation(
      window: window, piece: piece, next: next, recurs: recurs, isCertain: isCertain, isFollowed: isFollowed,
      rival: isAhead ? nil : rival?.start.piece, before: context, known: shown, context: after)
  }

  /// Whether it is certain what was meant.
  private var isCertain: Bool {
    isAhead && piece.isCertain && hasFrames && isRead && !isRest && !isTaken && !isAstray && !areOtherNumbers && isPlain
      && !(isRun && next == nil && !window.isEnd)
  }

  private var next: Piece? { pieces.dropFirst().first }

  /// Whether one foreign byte is repeated so often that no frame is in it.
  private var isRun: Bool {
    let bytes = window.bytes[piece.range]
    return piece.kind == .foreign && bytes.count > 64 && bytes.allSatisfy { $0 == bytes.first }
  }

  /// Whether no other result takes hardly more bits.
  private var isAhead: Bool { rival.map { $0.cost - best.cost >= Price.margin } ?? true }

  private var hasFrames: Bool { !piece.meant.isEmpty || context.form != nil || best.framesAfterFirst > 0 }

  /// Whether nothing that was meant is left unread.
  private var isRead: Bool { isRead(pieces[...]) }

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
    if context.form == nil, piece.deviations.contains(.commandMissing), !recurs { return true }
    return pieces.prefix(2).contains(where: \.isIrregular) && best.known.all.contains { $0.dimension != .foreign }
  }

  /// Whether the frame may begin with the last bytes of the one before, which was cut short then.
  private var isTaken: Bool {
    let own = window.bytes[piece.range]
    return context.form != nil && own.startIndex == 0 && piece.kind == .deviating
      && (1...4).contains { window.isPlain(window.before.suffix($0) + own) }
  }

  /// Whether it follows what is not understood, and is not what the stream has shown before.
  private var isAstray: Bool {
    context.excess == .any && piece.kind == .deviating
      && (best.start.context.form != context.form || !piece.deviations.allSatisfy(known.contains))
  }

  /// Whether the identifiers are rather other numbers.
  private var areOtherNumbers: Bool { best.countsInDecimals }

  /// Whether nothing in the frames is doubtful. A token may have another size if only its length denied it.
  private var isPlain: Bool {
    let mayHaveAnySize = piece.deviations.contains { $0.subject == .tokenLength }
    return window.plainFrames(piece.meant, mayHaveAnySize: mayHaveAnySize) != nil
  }

  /// Whether the stream shows the deviations of the piece again.
  private var recurs: Bool {
    piece.deviations.allSatisfy { deviation in
      known.contains(deviation) || pieces.dropFirst().contains { $0.deviations.contains(deviation) }
    }
  }
}

extension Description {
  /// The number of frames as documented in which nothing is doubtful.
  fileprivate var plainFrames: Int { pieces.count { $0.kind == .documented && $0.isPlain } }
}
