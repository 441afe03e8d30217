/// Reads bytes that people paste as text, in any `TextFormat`, and hands them on as stream 0.
///
/// The text comes in chunks and leaves in batches: no input is ever held whole, and where the chunks end changes
/// nothing. Every byte carries the line and column of its first digit. Whatever stands before a mistake has been
/// appended, and the stream closed, when the mistake is thrown.
public struct TextReader: Sendable {
  /// What the text was taken for: as asked, or once enough of it has come to tell.
  public private(set) var format: TextFormat?
  private let strict: Bool
  private var decoder: (any TextDecoder)?
  /// The first bytes, held until they tell the format.
  private var head: [UInt8] = []
  private let headLimit: Int
  private var cursor = TextCursor()
  private var output = TextOutput()
  private var isOpen = false
  private var isEnded = false

  /// - Parameters:
  ///   - format: What the text is; `nil` recognises it by its first 4096 bytes.
  ///   - strict: Refuses what is otherwise read for convenience: comments, log prefixes, collapsed spaces, separators.
  public init(format: TextFormat? = nil, strict: Bool = false) {
    self.format = format
    self.strict = strict
    headLimit = format == nil ? 4096 : byteOrderMark.count
  }

  public mutating func read(
    _ chunk: Span<UInt8>, into sink: inout some StreamSink & ~Copyable
  ) throws(ReadError) {
    guard !isEnded else { return }
    do throws(ReadError) {
      var start = 0
      if decoder == nil {
        start = fillHead(from: chunk)
        guard head.count == headLimit else { return }
        try begin(into: &sink)
      }
      try decode(chunk, from: start, into: &sink)
    } catch {
      sink.breakOff()
      end(&sink)
      throw error
    }
  }

  /// The text is over: reads what was still held and closes the stream.
  public mutating func finish(into sink: inout some StreamSink & ~Copyable) throws(ReadError) {
    defer { end(&sink) }
    guard !isEnded else { return }
    do throws(ReadError) {
      if decoder == nil && !head.isEmpty { try begin(into: &sink) }
      guard !isEnded else { return }
      try decoder?.finish(at: cursor.position, into: &output)
    } catch {
      sink.breakOff()
      throw error
    }
  }

  /// Takes bytes into the head until it is full, and tells how many it used.
  private mutating func fillHead(from chunk: Span<UInt8>) -> Int {
    var index = 0
    while index < chunk.count && head.count < headLimit {
      // White space and comments before the first digit tell nothing, so any amount of them may come first.
      let isLead = format == nil && head.isEmpty && cursor.skipsLead(chunk[index], comments: !strict)
      if !isLead { head.append(chunk[index]) }
      index += 1
    }
    return index
  }

  private mutating func begin(into sink: inout some StreamSink & ~Copyable) throws(ReadError) {
    if cursor.isAtStart && head.starts(with: byteOrderMark) { head.removeFirst(byteOrderMark.count) }
    let text = head
    head = []
    if format == nil { format = try recognise(text) }
    decoder = format?.decoder(strict: strict)
    try decode(text.span, from: 0, into: &sink)
  }

  private mutating func decode(
    _ text: Span<UInt8>, from start: Int, into sink: inout some StreamSink & ~Copyable
  ) throws(ReadError) {
    let skippingComments = !strict
    var index = start
    while index < text.count && !isEnded {
      try decoder?.read(text, from: &index, &cursor, skippingComments: skippingComments, into: &output)
      flush(into: &sink)
    }
  }

  private mutating func flush(into sink: inout some StreamSink & ~Copyable) {
    while let batch = output.next() {
      guard sink.wantsMore else {
        isEnded = true
        return
      }
      if !isOpen { sink.open(ByteStream(number: 0)) }
      isOpen = true
      sink.append(batch.bytes.span, from: .text(batch.positions), to: 0)
    }
    if !sink.wantsMore { isEnded = true }
  }

  private mutating func end(_ sink: inout some StreamSink & ~Copyable) {
    flush(into: &sink)
    if isOpen { sink.close(0) }
    isOpen = false
    isEnded = true
  }
}

extension TextReader {
  /// Whether input that begins like this is text: printable ASCII and white space, perhaps after a byte order mark.
  public static func isText(_ head: Span<UInt8>) -> Bool {
    var start = 0
    if head.count >= byteOrderMark.count && byteOrderMark.indices.allSatisfy({ head[$0] == byteOrderMark[$0] }) {
      start = byteOrderMark.count
    }
    for index in start..<head.count where !head[index].isPrintable && !head[index].isWhite { return false }
    return true
  }
}

/// UTF-8's, which some editors write first. It is no part of the first line, so columns do not count it.
private let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]
