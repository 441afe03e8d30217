import APNSInput
import APNSWire

/// What reading a text gave: everything a sink saw, and the error.
struct TextReading: Equatable {
  var bytes: [UInt8] = []
  var positions: [Origin.TextPosition] = []
  var format: TextFormat?
  var code: ReadError.Code?
  var errorPosition: Origin.TextPosition?
  var isOpen = false
  var wasOpened = false

  /// - Parameter pieces: How the text is cut; `nil` gives it whole.
  init(_ text: [UInt8], as format: TextFormat? = nil, pieces: [Int]? = nil) {
    var reader = TextReader(.standard, format: format)
    var sink = CollectingSink()
    do throws(ReadError) {
      var start = 0
      for length in pieces ?? [text.count] {
        let end = min(start + length, text.count)
        try reader.read(text.span.extracting(start..<end), into: &sink)
        start = end
      }
      try reader.read(text.span.extracting(start..<text.count), into: &sink)
      try reader.finish(into: &sink)
    } catch {
      code = error.code
      errorPosition = error.position
    }
    self.format = reader.format
    bytes = sink.bytes
    positions = sink.positions
    isOpen = sink.isOpen
    wasOpened = sink.opens > 0
  }

  init(_ text: String, as format: TextFormat? = nil) {
    self.init(Array(text.utf8), as: format)
  }

  var hex: String { bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
  /// "line:column" of each byte.
  var places: [String] { positions.map { "\($0.line):\($0.column)" } }
  var errorPlace: String? { errorPosition.map { "\($0.line):\($0.column)" } }
}

/// Keeps everything, and whether the calls came in order.
struct CollectingSink: StreamSink {
  var bytes: [UInt8] = []
  var positions: [Origin.TextPosition] = []
  var largestBatch = 0
  var opens = 0
  var isOpen = false
  var isOrderly = true
  var limit = Int.max

  var wantsMore: Bool { bytes.count < limit }

  mutating func open(_ stream: ByteStream) {
    isOrderly = isOrderly && opens == 0 && stream.number == 0 && stream.route == nil
    opens += 1
    isOpen = true
  }

  mutating func append(_ bytes: Span<UInt8>, from origin: Origin, to stream: Int) {
    guard case .text(let positions) = origin, isOpen, stream == 0, positions.count == bytes.count, wantsMore else {
      isOrderly = false
      return
    }
    largestBatch = max(largestBatch, bytes.count)
    for index in bytes.indices { self.bytes.append(bytes[index]) }
    self.positions += positions
  }

  mutating func gap(of count: Int, in stream: Int) { isOrderly = false }

  mutating func close(_ stream: Int, _ ending: StreamEnding) {
    isOrderly = isOrderly && isOpen
    isOpen = false
  }
}
