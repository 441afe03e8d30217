/// What a decoder put out and nobody took yet.
struct TextOutput: Sendable {
  /// What leaves it.
  enum Piece {
    case bytes(ByteStream, [UInt8], [TextPosition])
    /// A packet of a dumped capture, and what stands before its IP header.
    case packet([UInt8], LinkType)
  }

  private enum Held {
    case piece(Piece)
    case repeated(ByteStream, [UInt8], TextPosition, times: Int)
  }

  /// No batch is longer.
  static let batchLimit = 64 << 10
  /// From here on the bytes should be taken away before more come.
  static let dueCount = batchLimit / 2

  /// Where bytes go that are not said to go elsewhere.
  private(set) var stream = ByteStream(number: 0)
  private var bytes: [UInt8] = []
  private var positions: [TextPosition] = []
  /// Whose the last bytes are.
  private var current = ByteStream(number: 0)
  /// What came before them.
  private var held: [Held] = []

  var isDue: Bool { bytes.count >= Self.dueCount || !held.isEmpty }

  /// From here on bytes belong to this side: 0 opened the connection, 1 answers.
  mutating func turn(to side: Int) { stream = ByteStream(number: side, isDirected: true) }

  mutating func append(_ byte: UInt8, at position: TextPosition) { append(byte, at: position, to: stream) }

  mutating func append(_ byte: UInt8, at position: TextPosition, to stream: ByteStream) {
    if current != stream { seal() }
    current = stream
    bytes.append(byte)
    positions.append(position)
  }

  /// Puts out `run` (at most `dueCount` bytes) many times over without holding that much.
  mutating func `repeat`(_ run: [UInt8], times: Int, at position: TextPosition, to stream: ByteStream) {
    seal()
    held.append(.repeated(stream, run, position, times: times))
  }

  mutating func packet(_ bytes: [UInt8], link: LinkType) {
    seal()
    held.append(.piece(.packet(bytes, link)))
  }

  /// Takes the next piece away.
  mutating func next() -> Piece? {
    guard let first = held.first else {
      guard !bytes.isEmpty else { return nil }
      defer {
        bytes.removeAll(keepingCapacity: true)
        positions.removeAll(keepingCapacity: true)
      }
      return .bytes(current, bytes, positions)
    }
    switch first {
    case .piece(let piece):
      held.removeFirst()
      return piece
    case .repeated(let stream, let run, let position, let left):
      let times = min(left, max(1, Self.batchLimit / run.count))
      if times == left {
        held.removeFirst()
      } else {
        held[0] = .repeated(stream, run, position, times: left - times)
      }
      let batch = Array(repeatElement(run, count: times).joined())
      return .bytes(stream, batch, Array(repeating: position, count: batch.count))
    }
  }

  private mutating func seal() {
    if !bytes.isEmpty { held.append(.piece(.bytes(current, bytes, positions))) }
    bytes = []
    positions = []
  }
}
