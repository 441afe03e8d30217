/// Decodes one format, line by line, into bytes.
///
/// Lines have no trailing white space, and what `leads` covers has been removed from their start. Blank lines are left
/// out. One call appends the bytes of one line at most, so batches stay bounded.
protocol TextDecoder: Sendable {
  /// What is to be removed before the data of the next line.
  var leads: LineLead.Kind { get }
  /// The maximum length of a line in bytes; nil if lines of any length are decoded in parts.
  var longestLine: Int? { get }
  /// How the text was interpreted, if that says more than the format's title.
  var interpretation: TextInterpretation? { get }
  /// Decodes a line, or the next part of one.
  mutating func decode(_ line: TextLine, into output: inout TextOutput) throws(ReadError)
  /// Notes that the text ends at `position`.
  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError)
  /// Appends the buffered bytes, because an error ends the text.
  mutating func release(into output: inout TextOutput)
}

extension TextDecoder {
  var leads: LineLead.Kind { .all }
  var longestLine: Int? { 64 << 10 }
  var interpretation: TextInterpretation? { nil }
  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {}
  mutating func release(into output: inout TextOutput) {}
}

/// How a text was interpreted.
struct TextInterpretation: Sendable {
  /// A noun phrase that follows "read as".
  let phrase: String
  /// Whether the interpretation is an assumption that may be wrong.
  var isAssumed = false
}
