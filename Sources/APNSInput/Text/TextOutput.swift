import Octets

/// Decoded bytes, with their positions and streams, until the reader passes them on.
struct TextOutput: Sendable {
  /// A unit of output.
  enum Piece {
    /// `isRepeated`: a `*` repeats the bytes above it.
    case bytes(ByteStream, [UInt8], [TextPosition], isRepeated: Bool = false)
    /// A packet of a dumped capture, and its link type.
    case packet([UInt8], LinkType)
  }

  private enum Held {
    case piece(Piece)
    case repeated(ByteStream, [UInt8], TextPosition, times: Int)
  }

  /// The maximum length of a batch in bytes.
  static let batchLimit = 64 << 10
  /// Once this many bytes are buffered, the reader should remove them.
  static let flushThreshold = batchLimit / 2

  /// The stream of bytes that are appended without naming one.
  private(set) var stream = ByteStream(number: 0)
  private var bytes: [UInt8] = []
  private var positions: [TextPosition] = []
  /// The stream of `bytes`.
  private var current = ByteStream(number: 0)
  /// Output that precedes `bytes`.
  private var held = Queue<Held>()

  /// Where the reading explains characters that are no bytes of the output: a line, and columns.
  private var explained: [(line: UInt32, columns: Range<Int>)] = []

  var isEmpty: Bool { bytes.isEmpty && held.isEmpty }
  var needsFlush: Bool { bytes.count >= Self.flushThreshold || !held.isEmpty }

  /// Whether all bytes that name no stream are of one side.
  var mergesSides = false

  /// Assigns the following bytes to this side: 0 opened the connection, 1 is its peer.
  mutating func switchSide(to side: Int) {
    if !mergesSides { stream = ByteStream(number: side, isDirected: true) }
  }

  /// Assigns the following bytes to the side that the last mark in `text` names, if there is one.
  mutating func switchSide(named text: ArraySlice<UInt8>) {
    if let side = SideMarks.side(in: text) { switchSide(to: side) }
  }

  mutating func switchStream(to stream: ByteStream) { self.stream = stream }

  mutating func append(_ byte: UInt8, at position: TextPosition) { append(byte, at: position, to: stream) }

  mutating func append(_ byte: UInt8, at position: TextPosition, to stream: ByteStream) {
    if current != stream { seal() }
    current = stream
    bytes.append(byte)
    positions.append(position)
  }

  /// Appends `run` (at most `flushThreshold` bytes) `times` times, without buffering all of it.
  mutating func `repeat`(_ run: [UInt8], times: Int, at position: TextPosition, to stream: ByteStream) {
    seal()
    held.append(.repeated(stream, run, position, times: times))
  }

  mutating func packet(_ bytes: [UInt8], link: LinkType) {
    seal()
    held.append(.piece(.packet(bytes, link)))
  }

  /// Notes that the reading explains all of this line.
  mutating func explain(_ line: TextLine) { explained.append((line.start.line, 0..<Int.max)) }

  /// Notes that the reading explains the characters between two positions of a line.
  mutating func explain(_ start: TextPosition, _ end: TextPosition) {
    if start.line == end.line { explained.append((start.line, Int(start.column)..<Int(max(start.column, end.column)))) }
  }

  mutating func takeExplained() -> [(line: UInt32, columns: Range<Int>)] {
    defer { explained = [] }
    return explained
  }

  /// Removes and returns the next unit of output.
  mutating func next() -> Piece? {
    if held.isEmpty { seal() }
    switch held.popFirst() {
    case .piece(let piece): return piece
    case .repeated(let stream, let run, let position, let left):
      let times = min(left, max(1, Self.batchLimit / run.count))
      if times < left { held.prepend(.repeated(stream, run, position, times: left - times)) }
      let batch = Array(repeatElement(run, count: times).joined())
      return .bytes(stream, batch, Array(repeating: position, count: batch.count), isRepeated: true)
    case nil: return nil
    }
  }

  /// Moves the bytes so far before the output that follows.
  private mutating func seal() {
    for start in stride(from: 0, to: bytes.count, by: Self.batchLimit) {
      let batch = start..<min(start + Self.batchLimit, bytes.count)
      held.append(.piece(.bytes(current, Array(bytes[batch]), Array(positions[batch]))))
    }
    bytes.removeAll(keepingCapacity: true)
    positions.removeAll(keepingCapacity: true)
  }
}
