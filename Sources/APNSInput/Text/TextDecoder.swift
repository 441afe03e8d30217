/// Decodes one format, line by line, into bytes.
///
/// Lines have no trailing white space, and what `leads` covers has been removed from their start. Blank lines are left
/// out. One call appends the bytes of one line at most, so batches stay bounded.
protocol TextDecoder: Sendable {
  /// What was decoded, until the reader passes it on.
  var output: TextOutput { get set }
  /// What is to be removed before the data of the next line.
  var leads: LineLead.Kind { get }
  /// Whether words of a log, or only numbers of lines, may precede the data of each line.
  func mayFollow(_ lead: LineLead.Words) -> Bool
  /// The maximum length of a line in bytes.
  var longestLine: Int { get }
  /// Whether a line with bytes is explained completely; otherwise only from its first byte to its last.
  var explainsLines: Bool { get }
  /// How the text was interpreted, if that says more than the format's title.
  var interpretation: TextInterpretation? { get }
  /// Whether the text read so far is evidence for the layout.
  var isPlausible: Bool { get }
  /// Whether the layout is so rare that it is only believed if frames result.
  var needsFrames: Bool { get }
  /// Whether the text is certainly in this layout, so that an error in it is reported although nothing was read.
  var isSure: Bool { get }
  /// Whether other text around the bytes says nothing about them.
  var isCertain: Bool { get }
  /// Whether lines without any bytes are an error.
  var needsBytes: Bool { get }
  /// An error message if the text may have been meant in another way; it names the flag to choose with.
  var doubt: String? { get }
  mutating func decode(_ line: TextLine) throws(ReadError)
  mutating func finish(at position: TextPosition) throws(ReadError)
  /// Appends the buffered bytes, because an error ends the text.
  mutating func release()
}

extension TextDecoder {
  var leads: LineLead.Kind { .all }
  func mayFollow(_ lead: LineLead.Words) -> Bool { lead == .none || lead == .number }
  var longestLine: Int { LineSplitter.limit }
  var explainsLines: Bool { true }
  var isPlausible: Bool { true }
  var needsFrames: Bool { false }
  var isSure: Bool { false }
  var isCertain: Bool { false }
  var needsBytes: Bool { false }
  var doubt: String? { nil }
  var interpretation: TextInterpretation? { nil }
  mutating func finish(at position: TextPosition) throws(ReadError) {}
  mutating func release() {}
}

/// How a text was interpreted.
struct TextInterpretation: Sendable {
  /// A noun phrase that follows "read as".
  let phrase: String
  /// Whether the interpretation is an assumption that may be wrong.
  var isAssumed = false
}
