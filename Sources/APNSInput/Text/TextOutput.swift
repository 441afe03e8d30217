import Octets

/// Bytes decoded from a text, each with its position.
struct PlacedBytes: Sendable {
  private(set) var values: [UInt8] = []
  private(set) var positions: [TextPosition] = []

  var isEmpty: Bool { values.isEmpty }
  var count: Int { values.count }

  mutating func append(_ value: UInt8, at position: TextPosition) {
    values.append(value)
    positions.append(position)
  }

  mutating func append(_ more: PlacedBytes) {
    // A long line is not copied.
    if isEmpty {
      self = more
    } else {
      values += more.values
      positions += more.positions
    }
  }

  func prefix(_ count: Int) -> PlacedBytes { self[..<min(count, self.count)] }

  fileprivate subscript(range: some RangeExpression<Int>) -> PlacedBytes {
    PlacedBytes(values: Array(values[range]), positions: Array(positions[range]))
  }
}

/// Decoded bytes, with their positions and streams, until the reader passes them on.
struct TextOutput: Sendable {
  /// A unit of output.
  enum Piece {
    /// If a `*` repeats the bytes above it, `repetitions` says how often these bytes follow; otherwise it is nil.
    case bytes(ByteStream, PlacedBytes, repetitions: Int?)
    /// A packet of a dumped capture, and its link type.
    case packet([UInt8], LinkType)
  }

  /// The maximum length of a batch in bytes.
  private static let batchLimit = 64 << 10
  /// Once this many bytes are buffered, the reader should remove them.
  private static let flushThreshold = batchLimit / 2

  /// The stream of bytes that are appended without naming one.
  var stream = ByteStream(number: 0)
  private var bytes = PlacedBytes()
  /// The stream of `bytes`.
  private var current = ByteStream(number: 0)
  /// Output that precedes `bytes`.
  private var held: ArraySlice<Piece> = []

  /// Where the reading explains characters that are no bytes of the output: a line, and columns.
  private var explained: [(line: UInt32, columns: Range<Int>)] = []

  /// Whether there were bytes or packets.
  private(set) var hasBytes = false
  var needsFlush: Bool { bytes.count >= Self.flushThreshold || !held.isEmpty }

  /// Whether marks of sides do not matter, because the whole text has only one side.
  var mergesSides = false

  /// Assigns the following bytes to this side: 0 opened the connection, 1 is its peer.
  mutating func switchSide(to side: Int) {
    if !mergesSides { stream = ByteStream(number: side, isDirected: true) }
  }

  /// Assigns the following bytes to the side that the last mark in `text` names, if there is one.
  mutating func switchSide(named text: ArraySlice<UInt8>) {
    if let side = SideMarks.side(in: text) { switchSide(to: side) }
  }

  mutating func append(_ byte: UInt8, at position: TextPosition, to stream: ByteStream? = nil) {
    begin(stream ?? self.stream)
    bytes.append(byte, at: position)
  }

  mutating func append(_ new: PlacedBytes, to stream: ByteStream? = nil) {
    guard !new.isEmpty else { return }
    begin(stream ?? self.stream)
    bytes.append(new)
  }

  /// Seals the bytes of another stream.
  private mutating func begin(_ stream: ByteStream) {
    if current != stream { seal() }
    (current, hasBytes) = (stream, true)
  }

  /// Appends `run` (at most `flushThreshold` bytes) `times` times, without buffering all of it.
  mutating func `repeat`(_ run: [UInt8], times: Int, at position: TextPosition, to stream: ByteStream) {
    seal()
    let most = Self.batchLimit / run.count
    for (length, repetitions) in [(most, times / most), (times % most, 1)] where length * repetitions > 0 {
      let values = Array(repeatElement(run, count: length).joined())
      let batch = PlacedBytes(values: values, positions: Array(repeating: position, count: values.count))
      held.append(.bytes(stream, batch, repetitions: repetitions))
    }
  }

  mutating func packet(_ bytes: [UInt8], link: LinkType) {
    seal()
    hasBytes = true
    held.append(.packet(bytes, link))
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
    if held.isEmpty {
      held = []
      seal()
    }
    return held.popFirst()
  }

  /// Moves the bytes so far before the output that follows.
  private mutating func seal() {
    for start in stride(from: 0, to: bytes.count, by: Self.batchLimit) {
      let batch = bytes[start..<min(start + Self.batchLimit, bytes.count)]
      held.append(.bytes(current, batch, repetitions: nil))
    }
    bytes = PlacedBytes()
  }
}
