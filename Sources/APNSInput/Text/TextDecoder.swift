/// Reads one format, line by line, and puts out bytes.
///
/// A line has no white space at its end and nothing before its bytes that is no part of the format. Blank lines don't
/// come. Nothing is put out in return for one call but the bytes of one line, so that batches stay bounded.
protocol TextDecoder: Sendable {
  /// What may precede the bytes of the next line.
  var leads: LineLead.Kind { get }
  /// Bytes of the longest line; nil where lines of any length are read in parts.
  var longestLine: Int? { get }
  /// What it took the text for, if that is more than the format's title.
  var account: TextAccount? { get }
  mutating func take(_ line: TextLine, into output: inout TextOutput) throws(ReadError)
  /// The text ends at `position`.
  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError)
  /// Puts out what is held, as nothing more can be read.
  mutating func release(into output: inout TextOutput)
}

extension TextDecoder {
  var leads: LineLead.Kind { .all }
  var longestLine: Int? { 64 << 10 }
  var account: TextAccount? { nil }
  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {}
  mutating func release(into output: inout TextOutput) {}
}

/// What a text was taken for, in a phrase.
struct TextAccount: Sendable {
  let phrase: String
  /// Something in it could be wrong.
  var isAssumed = false
}
