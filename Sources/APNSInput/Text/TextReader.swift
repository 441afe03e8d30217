import Octets

/// Reads bytes that people paste as text, in any `TextFormat`, and hands them on as streams.
///
/// Text of one side is stream 0; where it tells two sides apart, 0 is who opened the connection and 1 who answers.
/// Packets are put together like those of a capture. The text comes in chunks and leaves in batches: no input is ever
/// held whole, and where the chunks end changes nothing. Every byte carries the line and column of its first digit.
/// Whatever stands before a mistake has been appended, and the streams closed, when the mistake is thrown.
public struct TextReader: ~Copyable {
  /// What the text was taken for: as asked, or once enough of it has come to tell.
  public private(set) var format: TextFormat?
  private let strict: Bool
  private var decoder: (any TextDecoder)?
  /// The first bytes, held until they tell the format.
  private var head: [UInt8] = []
  private var isInComment = false
  private var characters = PlainCharacters()
  private var lines = LineCutter()
  private var output = TextOutput()
  private var packets = Reassembler()
  private var packetCount = 0
  private var open: [Int] = []
  private var opened: Set<Int> = []
  private var isEnded = false

  private static let headLimit = 4096

  /// - Parameters:
  ///   - format: What the text is; `nil` recognises it by its first 4096 bytes.
  ///   - strict: Refuses what is otherwise read for convenience: comments, log prefixes, collapsed spaces, separators.
  public init(format: TextFormat? = nil, strict: Bool = false) {
    self.format = format
    self.strict = strict
  }

  /// One phrase about what the text was taken for, assumptions included; nil before that is known.
  public var account: String? {
    guard let format, let decoder else { return nil }
    let read = "read as \(decoder.account?.phrase ?? format.title)"
    guard packetCount > 0 else { return read }
    let lost = packets.tally.description
    return "\(read): \(plural(packetCount, "packet"))" + (lost.isEmpty ? "" : ", \(lost)")
  }

  /// Something in `account` could be wrong, or was not read, so that it is worth knowing without being asked.
  public var isAssumed: Bool { decoder?.account?.isAssumed == true || !packets.tally.description.isEmpty }

  public mutating func read(
    _ chunk: Span<UInt8>, into sink: inout some StreamSink & ~Copyable
  ) throws(ReadError) {
    guard !isEnded else { return }
    if !strict, let plain = characters.take(chunk) { return try readPlain(plain.span, into: &sink) }
    try readPlain(chunk, into: &sink)
  }

  private mutating func readPlain(
    _ chunk: Span<UInt8>, into sink: inout some StreamSink & ~Copyable
  ) throws(ReadError) {
    do throws(ReadError) {
      var start = 0
      if decoder == nil {
        start = fillHead(from: chunk)
        guard head.count == Self.headLimit else { return }
        try begin(isWhole: false, into: &sink)
      }
      try decode(chunk, from: start, into: &sink)
    } catch {
      throw broken(by: error, &sink)
    }
  }

  /// The text may grow for long: what has come has to tell the format, once it is a line.
  public mutating func settle(into sink: inout some StreamSink & ~Copyable) throws(ReadError) {
    guard !isEnded, decoder == nil, head.contains(UInt8(ascii: "\n")) else { return }
    do throws(ReadError) {
      try begin(isWhole: false, into: &sink)
    } catch {
      throw broken(by: error, &sink)
    }
  }

  /// The text is over: reads what was still held and closes the streams.
  public mutating func finish(into sink: inout some StreamSink & ~Copyable) throws(ReadError) {
    let rest = characters.finish()
    if !isEnded { try readPlain(rest.span, into: &sink) }
    guard !isEnded else { return end(&sink) }
    do throws(ReadError) {
      if decoder == nil && !head.isEmpty { try begin(isWhole: true, into: &sink) }
      let end = lines.position
      if !isEnded, !lines.isEmpty {
        lines.end()
        try takeLine(into: &sink)
      }
      if !isEnded { try decoder?.finish(at: end, into: &output) }
    } catch {
      throw broken(by: error, &sink)
    }
    end(&sink)
  }

  /// Puts out what precedes a mistake.
  private mutating func broken(by error: ReadError, _ sink: inout some StreamSink & ~Copyable) -> ReadError {
    decoder?.release(into: &output)
    flush(into: &sink)
    sink.breakOff()
    end(&sink)
    return error
  }

  /// Takes bytes into the head until it is full, and tells how many it used. White space and comments before the first
  /// digit tell nothing, so any amount of them may come first.
  private mutating func fillHead(from chunk: Span<UInt8>) -> Int {
    var index = 0
    while index < chunk.count && head.count < Self.headLimit {
      let byte = chunk[index]
      let isLineEnd = byte == UInt8(ascii: "\n")
      index += 1
      // The tab before the first line's first word may say whose line it is.
      let isBlank = format == nil && head.isEmpty && byte.isWhite && byte != UInt8(ascii: "\t")
      if isInComment || isBlank {
        lines.skip(byte)
        isInComment = isInComment && !isLineEnd
        continue
      }
      head.append(byte)
      guard isLineEnd || head.count == Self.headLimit, isComment(head) else { continue }
      for byte in head { lines.skip(byte) }
      head = []
      isInComment = !isLineEnd
    }
    return index
  }

  private func isComment(_ text: [UInt8]) -> Bool {
    guard !strict, format == nil, text.first == UInt8(ascii: "#") else { return false }
    var lead = LineLead(isDirected: false)
    return lead.body(of: text[...], as: .all) == nil
  }

  private mutating func begin(isWhole: Bool, into sink: inout some StreamSink & ~Copyable) throws(ReadError) {
    let beginning = beginning(isWhole: isWhole)
    let text = head
    head = []
    if format == nil { format = try recognise(beginning) }
    lines.lead = LineLead(isDirected: beginning.isDirected, prefix: beginning.prefix)
    decoder = format?.decoder(beginning, strict)
    try decode(text.span, from: 0, into: &sink)
  }

  private mutating func beginning(isWhole: Bool) -> TextHead {
    if lines.isAtStart && head.starts(with: byteOrderMark) { head.removeFirst(byteOrderMark.count) }
    // A format that was named says itself what is data.
    let prefix = strict || format != nil ? nil : LinePrefix(head, from: Int(lines.position.column), isWhole: isWhole)
    return TextHead(head, isWhole: isWhole, strict: strict, prefix: prefix)
  }

  /// Every format that a whole text could be in, each one asked by itself; it is read in the first of them.
  package static func claims(on text: [UInt8]) -> [TextFormat] {
    var reader = TextReader()
    let plain = reader.characters.take(text.span) ?? text
    _ = reader.fillHead(from: plain.span)
    let beginning = reader.beginning(isWhole: plain.count <= headLimit)
    return TextFormat.allCases.filter { $0.recognises(beginning) }
  }

  private mutating func decode(
    _ text: Span<UInt8>, from start: Int, into sink: inout some StreamSink & ~Copyable
  ) throws(ReadError) {
    var index = start
    // A second reference to the decoder would copy what it holds with each line.
    let limit = decoder?.longestLine.map { $0 + 1 } ?? LineCutter.partCount
    while index < text.count, !isEnded {
      guard lines.fill(from: text, at: &index, limit: limit) else { break }
      try takeLine(into: &sink)
    }
    flush(into: &sink)
  }

  private mutating func takeLine(into sink: inout some StreamSink & ~Copyable) throws(ReadError) {
    let leads = strict ? .none : decoder?.leads ?? .none
    guard let line = lines.take(leads, into: &output) else { return }
    if let longest = decoder?.longestLine, !line.isEnd {
      let reason = "this line is longer than \(longest >> 10) KiB, so this is not a dump"
      throw ReadError(.oversizedText, reason, position: line.start)
    }
    try decoder?.take(line, into: &output)
    if output.isDue { flush(into: &sink) }
  }

  private mutating func flush(into sink: inout some StreamSink & ~Copyable) {
    while let piece = output.next() {
      guard sink.wantsMore else {
        isEnded = true
        return
      }
      switch piece {
      case .bytes(let stream, let bytes, let positions):
        if opened.insert(stream.number).inserted {
          sink.open(stream)
          open.append(stream.number)
        }
        sink.append(bytes.span, from: .text(positions), to: stream.number)
      case .packet(let bytes, let link):
        packetCount += 1
        let origin = Origin.Packet(number: packetCount, time: nil)
        packets.packet(bytes.span, link: link, origin: origin, into: &sink)
      }
    }
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

/// UTF-8's, which some editors write first. It is no part of the first line, so columns do not count it.
private let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]
/// The first character of what hexyl draws.
let boxCorner: [UInt8] = [0xe2, 0x94, 0x8c]
