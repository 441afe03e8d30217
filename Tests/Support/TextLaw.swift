import APNSInput
import APNSWire

extension Law {
  /// For any bytes as text in any format, the boundaries of chunks do not affect the result, each byte has a position,
  /// and streams are opened before their first byte and closed after their last.
  public static func text(
    _ bytes: [UInt8], as formats: [TextFormat?] = [nil] + TextFormat.allCases.map(Optional.some)
  ) -> String? {
    for format in formats {
      let whole = TextRun(bytes, as: format, pieces: [bytes.count])
      if let disorder = whole.disorder { return "\(format?.rawValue ?? "auto"): \(disorder)" }
      var generator = SeededGenerator(seed: UInt64(bytes.count))
      let pieces = (0..<64).map { _ in Int(generator.next() % 40) }
      let cut = TextRun(bytes, as: format, pieces: pieces)
      if cut.streams != whole.streams || cut.error != whole.error || cut.disorder != nil {
        return "\(format?.rawValue ?? "auto"): in pieces \(cut.streams) \(cut.error ?? ""), whole \(whole.streams)"
      }
    }
    return nil
  }
}

private struct TextRun: StreamSink {
  var streams: [Int: [UInt8]] = [:]
  var error: String?
  var disorder: String?
  private var open: Set<Int> = []

  init(_ text: [UInt8], as format: TextFormat?, pieces: [Int]) {
    var reader = TextReader(.standard, format: format)
    do throws(ReadError) {
      var start = 0
      for count in pieces + [text.count] {
        let end = min(start + count, text.count)
        try reader.read(text.span.extracting(start..<end), into: &self)
        start = end
      }
      try reader.finish(into: &self)
    } catch {
      self.error = "\(error)"
      if !error.description.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) { disorder = "controls in the error" }
    }
    if !open.isEmpty { disorder = "streams \(open) left open" }
  }

  var wantsMore: Bool { true }

  mutating func open(_ stream: ByteStream) {
    if !open.insert(stream.number).inserted { disorder = "stream \(stream.number) opened again" }
  }

  mutating func append(_ bytes: Span<UInt8>, from origin: Origin, to stream: Int) {
    if !open.contains(stream) { disorder = "bytes of stream \(stream), which is not open" }
    if case .text(let positions) = origin, positions.count != bytes.count { disorder = "bytes without their places" }
    for index in bytes.indices { streams[stream, default: []].append(bytes[index]) }
  }

  mutating func gap(of count: Int, in stream: Int) {}

  mutating func close(_ stream: Int, _ ending: StreamEnding) {
    if open.remove(stream) == nil { disorder = "stream \(stream) closed, which is not open" }
  }
}
