import Octets

/// Splits a text into lines and has a decoder read them.
struct LineDecoder: Sendable {
  var lines: LineSplitter
  private(set) var decoder: any TextDecoder
  var output = TextOutput()
  private var hasLines = false
  private var hasBytes = false

  init(_ lines: LineSplitter, _ candidate: Candidate) {
    self.lines = lines
    decoder = candidate.decoder
    output.mergesSides = candidate.mergesSides
  }

  /// Decodes the next line of a chunk from `index` on. Returns false if the chunk has no complete line.
  mutating func decode(_ chunk: Span<UInt8>, at index: inout Int) throws(ReadError) -> Bool {
    guard lines.fill(from: chunk, at: &index) else { return false }
    try decodeLine()
    return true
  }

  /// Notes the end of the text.
  mutating func finish() throws(ReadError) {
    let end = lines.position
    if !lines.isEmpty { try decodeLine() }
    try decoder.finish(at: end, into: &output)
    if hasLines, !hasBytes, output.isEmpty, let reason = decoder.nothing {
      throw ReadError(.unknownText, reason, position: end)
    }
  }

  /// Passes on the bytes that the decoder holds, because an error ends the text.
  mutating func release() { decoder.release(into: &output) }

  private mutating func decodeLine() throws(ReadError) {
    let start = lines.start
    let limit = decoder.longestLine
    guard lines.count <= limit else {
      let reason =
        limit < LineSplitter.limit
        ? "this line is longer than \(limit >> 10) KiB, so this is not a dump"
        : "this line is longer than \(limit >> 20) MiB; break it into shorter lines, for example with fold -w 76"
      throw ReadError(.oversizedText, reason, position: start)
    }
    guard let line = lines.next(decoder.leads, into: &output) else { return }
    hasLines = true
    try decoder.decode(line, into: &output)
    hasBytes = hasBytes || !output.isEmpty
  }
}
