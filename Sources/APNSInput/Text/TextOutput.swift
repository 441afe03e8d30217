import Octets

/// Decoded bytes, with their positions and streams, until the reader passes them on.
struct TextOutput: Sendable {
  /// A unit of output.
  enum Piece {
    case bytes(ByteStream, [UInt8], [TextPosition])
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

  var needsFlush: Bool { bytes.count >= Self.flushThreshold || !held.isEmpty }

  /// Assigns the following bytes to this side: 0 opened the connection, 1 is its peer.
  mutating func switchSide(to side: Int) { stream = ByteStream(number: side, isDirected: true) }

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

  /// Removes and returns the next unit of output.
  mutating func next() -> Piece? {
    switch held.popFirst() {
    case .piece(let piece): return piece
    case .repeated(let stream, let run, let position, let left):
      let times = min(left, max(1, Self.batchLimit / run.count))
      if times < left { held.prepend(.repeated(stream, run, position, times: left - times)) }
      let batch = Array(repeatElement(run, count: times).joined())
      return .bytes(stream, batch, Array(repeating: position, count: batch.count))
    case nil:
      guard !bytes.isEmpty else { return nil }
      defer {
        bytes.removeAll(keepingCapacity: true)
        positions.removeAll(keepingCapacity: true)
      }
      return .bytes(current, bytes, positions)
    }
  }

  private mutating func seal() {
    if !bytes.isEmpty { held.append(.piece(.bytes(current, bytes, positions))) }
    bytes = []
    positions = []
  }
}
