import Octets

/// One way to read a text: a format, how the text splits into lines, and a decoder for one of the format's layouts.
struct LineDecoder: Sendable {
  let format: TextFormat
  var lines: LineSplitter
  var decoder: any TextDecoder
  private var hasLines = false
  /// Whether lines below those with bytes may say that bytes were left out. Those of the head have been checked.
  var mayOmit = false
  private var hadBytes = false

  init(_ format: TextFormat, _ lines: LineSplitter, _ decoder: any TextDecoder) {
    (self.format, self.lines, self.decoder) = (format, lines, decoder)
  }

  /// Decodes the next line of a chunk from `index` on. Returns false if the chunk has no complete line.
  mutating func decode(_ chunk: Span<UInt8>, at index: inout Int) throws(ReadError) -> Bool {
    guard lines.fill(from: chunk, at: &index) else { return false }
    try decodeLine()
    return true
  }

  mutating func finish() throws(ReadError) {
    let end = lines.position
    if lines.count > 0 { try decodeLine() }
    try decoder.finish(at: end)
    if hasLines, !decoder.output.hasBytes, decoder.needsBytes {
      throw ReadError(.unknownText, "no line of this text can be read as \(format.title)", position: end)
    }
  }

  private mutating func decodeLine() throws(ReadError) {
    let start = lines.start
    guard lines.count <= decoder.longestLine else {
      let most = decoder.longestLine >> 10
      let reason = "this line is longer than \(most) KiB; break it into shorter lines, for example with fold -w 76"
      throw ReadError(.oversizedText, reason, position: start)
    }
    guard let line = lines.next(decoder.leads, into: &decoder.output) else { return }
    hasLines = true
    let extent = decoder.output.extent
    try decoder.decode(line)
    let hasBytes = decoder.output.extent != extent
    if mayOmit, hadBytes, !hasBytes, let omission = line.omission { throw omission }
    hadBytes = hasBytes
  }
}

extension TextLine {
  /// A short line of marks and words that say that bytes were left out.
  fileprivate var omission: ReadError? {
    let isInBrackets = "[(<".utf8.contains(text[first]) && "])>".utf8.contains(text[text.count - 1])
    guard text.count < 100, isInBrackets || text[first] == UInt8(ascii: ".") else { return nil }
    return ReadError.omission(in: text[...], at: position(first))
  }
}
