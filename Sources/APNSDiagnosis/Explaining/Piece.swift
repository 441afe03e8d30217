import APNSWire
import Octets

/// A piece of a stream: the stream is cut into pieces, and the cheapest cut is its explanation.
struct Piece: Sendable {
  enum Kind: Sendable, Equatable {
    /// A frame as documented, whose contents may still be unsound.
    case documented
    /// A frame in a deviating writing.
    case deviating
    /// Complete frames in an encoding.
    case decoded
    case foreign
    /// The beginning of a frame.
    case cut
    /// A frame with foreign bytes inside.
    case inserted
    /// Frames whose pieces alternate.
    case interleaved
  }

  let range: Range<Int>
  let kind: Kind
  /// The bytes that were meant; those of `range` where that is not known.
  let meant: [UInt8]
  /// Whether `meant` is what was meant.
  var isCertain: Bool
  /// Whether it is a frame as documented in which nothing is doubtful.
  var isPlain = false
  /// Whether it is a frame as documented whose lengths are right, whatever its contents are.
  var isDivided = false
  let deviations: [Deviation]
  /// What foreign bytes are, in words; empty for frames.
  var words = ""
  /// Whether nothing is known of foreign bytes, so that they may be the rest of a frame.
  var isIrregular = false
  /// The lengths that are not the sizes of their values.
  var misfits: [LengthRule.Measured] = []
  /// The bytes inside a frame that belong to no frame.
  var inside: Range<Int>?
}

/// The cheapest description of a stream up to an offset.
final class Description {
  let cost: Int
  let known: KnownDeviations
  let context: Context
  /// A hash of the bytes that were meant, independent of the pieces.
  let hash: FNV1a
  /// Whether bytes remain of which nothing is known.
  let isUncertain: Bool
  /// Whether identifiers count on if one is read as decimal digits, and not otherwise.
  let countsInDecimals: Bool
  let previous: Description?
  let piece: Piece?
  /// The description up to the end of the first piece; nil where that is this one.
  private let first: Description?
  /// The pieces with frames after the first piece.
  let framesAfterFirst: Int

  /// The last values, which make similar ones cheap.
  struct Context: Sendable, Equatable {
    var identifier: Int?
    var expiry: Int?
    var form: Int?
    /// The size of the last payload in bytes.
    var payloadSize: Int?
    /// How much more the last piece may have been than what its description says.
    var excess = Excess.none
    /// The unknown bytes of the last frame, if it was unsound and its lengths were right all the same.
    var unknown: [UInt8]?

    enum Excess {
      case none
      /// Up to four bytes: the last ones of a number that no sender means.
      case few
      case any
    }

    /// Whether nothing shows that the last piece was a part of a frame.
    var isWhole: Bool { excess != .any && unknown == nil }

    /// The number that most senders write next; nil if nothing is known of it.
    func expected(_ role: Field.Role) -> Int? {
      switch role {
      case .identifier: identifier.map { $0 + 1 }
      case .expiry, .timestamp: expiry
      default: nil
      }
    }

    /// In place of a form: frames came before, but of which type is not known.
    static let unknownForm = -1
  }

  /// The empty description.
  init(_ known: KnownDeviations, _ context: Context) {
    (cost, self.known, self.context, hash) = (0, known, context, FNV1a())
    (previous, piece, first, framesAfterFirst, isUncertain, countsInDecimals) = (nil, nil, nil, 0, false, false)
  }

  /// `previous` and one more piece.
  init(
    _ previous: Description, _ piece: Piece, bits: Int, _ known: KnownDeviations, _ context: Context,
    countsInDecimals: Bool = false
  ) {
    cost = previous.cost + bits
    (self.previous, self.piece, self.known, self.context) = (previous, piece, known, context)
    hash = piece.meant.reduce(into: previous.hash) { $0.add($1) }
    isUncertain = previous.isUncertain || !piece.isCertain
    self.countsInDecimals = countsInDecimals || previous.countsInDecimals
    let isFrame =
      piece.kind == .documented ? piece.isCertain || piece.isDivided : piece.kind != .foreign && piece.kind != .cut
    framesAfterFirst = previous.piece == nil ? 0 : previous.framesAfterFirst + (isFrame ? 1 : 0)
    first = previous.piece == nil ? nil : previous.first ?? previous
  }

  private var end: Int { piece?.range.upperBound ?? 0 }

  /// The pieces, in order.
  var pieces: [Piece] {
    var (pieces, node): ([Piece], Description?) = ([], self)
    while let description = node {
      if let piece = description.piece { pieces.append(piece) }
      node = description.previous
    }
    return pieces.reversed()
  }

  /// The description up to the end of the first piece.
  var start: Description { first ?? self }

  /// The description up to the first frame, which foreign bytes may precede.
  var upToFrame: Description {
    guard start.piece?.kind == .foreign, start !== self else { return start }
    var node = self
    while let previous = node.previous, previous !== start { node = previous }
    return node
  }

  /// Whether both mean the same bytes in the piece that `other` begins with, or as a whole.
  func agrees(onFirstOf other: Description) -> Bool { agrees(on: other.start, of: other) }

  /// Whether both mean the same bytes up to the end of a part of `other`, or as a whole.
  func agrees(on end: Description, of other: Description) -> Bool {
    if self.end == other.end, hash == other.hash, !isUncertain, !other.isUncertain { return true }
    var node = self
    while let piece = node.piece, let endPiece = end.piece, piece.range.upperBound > endPiece.range.upperBound {
      guard let previous = node.previous else { return false }
      node = previous
    }
    return node.piece?.range.upperBound == end.piece?.range.upperBound && node.hash == end.hash
      && node.isUncertain == end.isUncertain
  }
}
