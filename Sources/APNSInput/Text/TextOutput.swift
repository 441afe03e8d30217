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

  mutating func reverse(from start: Int) {
    values[start...].reverse()
    positions[start...].reverse()
  }

  func moved(to position: TextPosition) -> PlacedBytes {
    PlacedBytes(values: values, positions: Array(repeating: position, count: count))
  }

  func prefix(_ count: Int) -> PlacedBytes {
    PlacedBytes(values: Array(values.prefix(count)), positions: Array(positions.prefix(count)))
  }
}

/// Decoded bytes, with their positions and streams, until the reader passes them on.
struct TextOutput: Sendable {
  /// Bytes of one stream, or a packet of a dumped capture.
  struct Piece: Sendable {
    let stream: ByteStream
    var bytes = PlacedBytes()
    /// If a `*` repeats the bytes above it, how often these bytes follow; otherwise nil.
    var repetitions: Int?
    /// The link type of a packet; nil for the bytes of a stream.
    var link: LinkType?
  }

  /// The maximum length of a batch in bytes, unless a single line has more.
  private static let batchLimit = 64 << 10
  /// Once this many bytes are buffered, the reader should remove them.
  private static let flushThreshold = batchLimit / 2

  /// The stream of bytes that are appended without naming one.
  var stream = ByteStream(number: 0)
  private var pieces: ArraySlice<Piece> = []

  /// Where the reading explains characters that are no bytes of the output: a line, and columns.
  private var explained: [(line: UInt32, columns: Range<Int>)] = []

  private(set) var hasBytes = false
  var needsFlush: Bool { pieces.count > 1 || pieces.last?.bytes.count ?? 0 >= Self.flushThreshold }

  /// How much is buffered; it changes with every byte.
  var extent: (Int, Int) { (pieces.endIndex, pieces.last?.bytes.count ?? 0) }

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
    pieces[index(of: stream ?? self.stream)].bytes.append(byte, at: position)
  }

  mutating func append(_ new: PlacedBytes, to stream: ByteStream? = nil) {
    if !new.isEmpty { pieces[index(of: stream ?? self.stream)].bytes.append(new) }
  }

  /// The index of the piece to which bytes of a stream are appended.
  private mutating func index(of stream: ByteStream) -> Int {
    let last = pieces.endIndex - 1
    // Copying a piece for each byte would be slow.
    if !pieces.isEmpty, pieces[last].link == nil, pieces[last].repetitions == nil, pieces[last].stream == stream {
      return last
    }
    add(Piece(stream: stream))
    return pieces.endIndex - 1
  }

  private mutating func add(_ piece: Piece) {
    pieces.append(piece)
    hasBytes = true
  }

  /// Appends `run` (at most `flushThreshold` bytes) `times` times, without buffering all of it.
  mutating func `repeat`(_ run: [UInt8], times: Int, at position: TextPosition, to stream: ByteStream) {
    let most = Self.batchLimit / run.count
    for (length, repetitions) in [(most, times / most), (times % most, 1)] where length * repetitions > 0 {
      let batch = PlacedBytes(values: Array(repeatElement(run, count: length).joined()), positions: [])
      add(Piece(stream: stream, bytes: batch.moved(to: position), repetitions: repetitions))
    }
  }

  mutating func packet(_ bytes: [UInt8], link: LinkType) {
    add(Piece(stream: stream, bytes: PlacedBytes(values: bytes), link: link))
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

  mutating func next() -> Piece? {
    if pieces.isEmpty { pieces = [] }
    return pieces.popFirst()
  }
}
