import APNSWire
import Octets

/// Decodes bytes written as text in any `TextFormat`, and passes them to a sink as streams.
///
/// Text of one side is stream 0. If the text distinguishes two sides, stream 0 is the side that opened the connection
/// and stream 1 its peer. Packets are reassembled like those of a capture.
///
/// Text is read in chunks and passed on in batches, so memory is bounded. The boundaries of chunks do not affect the
/// result. Each byte has the line and column of its first digit. If the text has an error, the bytes before it are
/// appended and the streams closed before the error is thrown.
public struct TextReader: ~Copyable {
  /// The format: the requested one, or the recognised one once enough text has been read.
  public private(set) var format: TextFormat?
  private let formats: [TextFormat]
  private let catalog: Catalog
  /// Reads the text once its format is known.
  private var run: LineDecoder?
  /// The beginning of the text, buffered until the format is recognised.
  private var head: [UInt8] = []
  private var characters = ASCIINormalizer()
  private var lines = LineSplitter()
  private var packets = Reassembler()
  private var packetCount = 0
  private var open: [Int] = []
  private var opened: Set<Int> = []
  private var isEnded = false

  private static let headLimit = 4096

  /// - Parameters:
  ///   - catalog: The frame types, which tell the bytes of a frame from other digits in a text.
  ///   - format: The format of the text; nil recognises it from the first 4096 bytes.
  ///   - formats: The formats to recognise, in the order in which they are tried.
  public init(_ catalog: Catalog, format: TextFormat? = nil, among formats: [TextFormat] = TextFormat.allCases) {
    self.catalog = catalog
    self.format = format
    self.formats = formats
  }

  package var hasFoundBytes: Bool { run?.decoder.output.hasBytes == true }

  /// How the text was interpreted, including assumptions and losses; nil if it is not known yet.
  package var interpretation: String? {
    guard let format, let run else { return nil }
    let read = "read as \(run.decoder.interpretation?.phrase ?? format.title)"
    guard packetCount > 0 else { return read }
    let lost = packets.tally.description
    return "\(read): \(plural(packetCount, "packet"))" + (lost.isEmpty ? "" : ", \(lost)")
  }

  /// Whether the interpretation is an assumption or incomplete, so that the user should see it.
  package var isAssumed: Bool { run?.decoder.interpretation?.isAssumed == true || !packets.tally.description.isEmpty }

  /// Decodes the next chunk of the text.
  /// - Throws: ``ReadError`` with line and column, if the text cannot be decoded; what precedes it has been delivered.
  public mutating func read(
    _ chunk: Span<UInt8>, into sink: inout some StreamSink & ~Copyable
  ) throws(ReadError) {
    guard !isEnded else { return }
    if let plain = characters.normalize(chunk) { return try readPlain(plain.span, into: &sink) }
    try readPlain(chunk, into: &sink)
  }

  private mutating func readPlain(
    _ chunk: Span<UInt8>, into sink: inout some StreamSink & ~Copyable
  ) throws(ReadError) {
    do throws(ReadError) {
      var start = 0
      if run == nil {
        start = fillHead(from: chunk)
        guard head.count == Self.headLimit else { return }
        try begin(isWhole: false, into: &sink)
      }
      try decode(chunk, from: start, into: &sink)
    } catch {
      throw broken(by: error, &sink)
    }
  }

  /// Notes the end of the text: decodes what is buffered and closes the streams.
  /// - Throws: ``ReadError`` as ``read(_:into:)`` does, or if the text ends too early.
  public mutating func finish(into sink: inout some StreamSink & ~Copyable) throws(ReadError) {
    let rest = characters.finish()
    if !isEnded { try readPlain(rest.span, into: &sink) }
    guard !isEnded else { return end(&sink) }
    do throws(ReadError) {
      if run == nil, !head.isEmpty, format != nil || !head.isBlank { try begin(isWhole: true, into: &sink) }
      if !isEnded { try run?.finish() }
    } catch {
      throw broken(by: error, &sink)
    }
    end(&sink)
  }

  /// Passes on the bytes before an error.
  private mutating func broken(by error: ReadError, _ sink: inout some StreamSink & ~Copyable) -> ReadError {
    run?.decoder.release()
    flush(into: &sink)
    sink.breakOff()
    end(&sink)
    return error
  }

  /// Moves bytes into the head until it is full. Returns the number of bytes used. Blank lines and comments before
  /// the first data do not help to recognise a format, so they are skipped.
  private mutating func fillHead(from chunk: Span<UInt8>) -> Int {
    var index = 0
    while index < chunk.count && head.count < Self.headLimit {
      let byte = chunk[index]
      index += 1
      head.append(byte)
      guard byte == UInt8(ascii: "\n"), format == nil else { continue }
      var lead = LineLead()
      let isComment = head[0] == UInt8(ascii: "#") && lead.body(of: head[...], as: .all) == nil
      guard isComment || head.isBlank else { continue }
      lines.line += 1
      head = []
    }
    return index
  }

  private mutating func begin(isWhole: Bool, into sink: inout some StreamSink & ~Copyable) throws(ReadError) {
    let text = head
    head = []
    let beginning = TextHead(text, catalog, from: lines, isWhole: isWhole, isNamed: format != nil)
    let choice = if let format { layout(of: format, beginning) } else { try recognise(beginning, among: formats) }
    format = choice.format
    run = choice
    try decode(text.span, from: 0, into: &sink)
    run?.mayOmit = !beginning.isNamed
  }

  private mutating func decode(
    _ text: Span<UInt8>, from start: Int, into sink: inout some StreamSink & ~Copyable
  ) throws(ReadError) {
    var index = start
    while index < text.count, !isEnded {
      guard try run?.decode(text, at: &index) == true else { break }
      if run?.decoder.output.needsFlush == true { flush(into: &sink) }
    }
    flush(into: &sink)
  }

  private mutating func flush(into sink: inout some StreamSink & ~Copyable) {
    while let piece = run?.decoder.output.next() {
      guard sink.wantsMore else {
        isEnded = true
        return
      }
      if let link = piece.link {
        packetCount += 1
        let origin = Origin.Packet(number: packetCount, time: nil)
        packets.packet(piece.bytes.values.span, link: link, origin: origin, into: &sink)
        continue
      }
      let stream = piece.stream
      if opened.insert(stream.number).inserted {
        sink.open(stream)
        open.append(stream.number)
      }
      for _ in 0..<(piece.repetitions ?? 1) where sink.wantsMore {
        sink.append(piece.bytes.values.span, from: .text(piece.bytes.positions), to: stream.number)
      }
    }
    _ = run?.decoder.output.takeExplained()
    if !sink.wantsMore { isEnded = true }
  }

  private mutating func end(_ sink: inout some StreamSink & ~Copyable) {
    flush(into: &sink)
    if packetCount > 0 { packets.finish(into: &sink) }
    for stream in open { sink.close(stream, .open) }
    open = []
    isEnded = true
  }
}
