/// Removes what chats, shells and logs put before the data of a line, and lines that contain no data. Direction marks
/// set the side.
///
///     # a comment          > a quote           --> 0808   first side      $ xxd frame.bin
///     ``` (a fence)        | a quote           <-- 0808   second side     >>> frame.hex()
///
/// If the text also has `<` marks, `>` marks the first side. A side applies until the next mark.
struct LineLead: Sendable {
  /// What a decoder wants to have removed.
  enum Kind {
    case none
    /// Fences, quote marks and direction marks, for formats that skip other text themselves.
    case marks
    /// Also comments and prompts.
    case all
  }

  /// Whether `>` marks the first side instead of a quote.
  var isDirected = false
  /// What a log or a tool prints before the data of each line.
  enum Words: Equatable {
    case none
    /// This number of words of a log.
    case log(Int)
    /// The number of the line, before a colon or a blank.
    case number
  }

  var words = Words.none
  /// The marks of the latest line whose marks were removed.
  private var marks: [UInt8] = []
  /// The side from the latest mark.
  private(set) var side: Int?

  init(isDirected: Bool = false) { self.isDirected = isDirected }

  /// Index of the data of a line; nil if it has none.
  mutating func body(of line: ArraySlice<UInt8>, as kind: Kind) -> Int? {
    // A mark before the beginning of a string is one before each of its lines.
    guard kind != .none else { return afterWords(of: line.dropFirst(line.starts(with: marks) ? marks.count : 0)) }
    var rest = line
    while true {
      let text = rest.drop { $0.isWhite }
      guard let mark = leadingMark(of: text, kind) else { return nil }
      guard mark.count > 0 else {
        marks = Array(line[..<rest.startIndex])
        return afterWords(of: rest)
      }
      side = mark.side ?? side
      rest = text.dropFirst(mark.count)
      if rest.first?.isWhite == true { rest.removeFirst() }
    }
  }

  /// Removes the words and the blank after them from lines that have them. They may name the side.
  private mutating func afterWords(of line: ArraySlice<UInt8>) -> Int {
    switch words {
    case .none: return line.startIndex
    case .number:
      let rest = line.drop { $0.isWhite }.drop(while: \.isDecimalDigit)
      let isNumber =
        rest.startIndex > line.startIndex && rest.first.map { $0.isWhite || $0 == UInt8(ascii: ":") } == true
      return isNumber ? rest.startIndex + 1 : line.startIndex
    case .log(let count):
      var rest = line
      for _ in 0..<count { rest = rest.drop { $0.isWhite }.drop { !$0.isWhite } }
      guard !rest.isEmpty else { return line.startIndex }
      if let side = SideMarks.side(in: line[..<rest.startIndex]) { self.side = side }
      return rest.startIndex + 1
    }
  }

  private typealias Mark = (count: Int, side: Int?)

  /// The mark at the beginning of a line, without characters if data begins there; nil if the line has no data.
  private func leadingMark(of text: ArraySlice<UInt8>, _ kind: Kind) -> Mark? {
    let data: Mark = (0, nil)
    guard let first = text.first else { return data }
    let run = text.prefix(Self.longestMark + 1).prefix { $0 == first }.count
    // A longer run is not a mark.
    guard run <= Self.longestMark else { return data }
    let rest = text.dropFirst(run)
    let isWord = rest.first.map { !$0.isWhite } ?? false
    switch first {
    case UInt8(ascii: "`"), UInt8(ascii: "~"): return run >= 3 ? nil : data
    case UInt8(ascii: "|"): return isWord ? data : (run, nil)
    case UInt8(ascii: "-"): return rest.first == UInt8(ascii: ">") && run <= 3 ? (run + 1, 0) : data
    case UInt8(ascii: ">"):
      // `>>>` is Python's prompt, unless hex digits follow.
      let word = rest.drop { $0.isWhite }.prefix { !$0.isWhite }
      let isPrompt = run == 3 && !isWord && !word.isEmpty && !(word.isHex && word.count % 2 == 0)
      return isPrompt ? nil : (run, isDirected ? 0 : nil)
    case UInt8(ascii: "<"):
      if !isWord { return (run, 1) }
      let dashes = rest.prefix { $0 == UInt8(ascii: "-") }.count
      return run == 1 && 1...3 ~= dashes ? (1 + dashes, 1) : data
    case _ where kind == .marks: return data
    case UInt8(ascii: "#"):
      return ["(", "[", "\"", "u8(", "vu8(", "define "].contains { rest.starts(with: $0.utf8) } ? data : nil
    case UInt8(ascii: "$"), UInt8(ascii: "%"): return rest.isEmpty || (run == 1 && !isWord) ? nil : data
    default: return Self.isPrompt(text) ? nil : data
    }
  }

  /// Chats nest quotes, but not this deeply.
  private static let longestMark = 255

  /// A prompt: `me@host:~$ xxd frame.bin`, `PS C:\> $bytes`, `0:000> db 7ffe0000`
  private static func isPrompt(_ line: ArraySlice<UInt8>) -> Bool {
    let first = line.prefix { !$0.isWhite }
    if first.last == UInt8(ascii: ">"), first.dropLast().contains(UInt8(ascii: ":")) {
      return first.dropLast().allSatisfy { $0.isDecimalDigit || $0 == UInt8(ascii: ":") }
    }
    if line.starts(with: "PS ".utf8), line.prefix(promptLimit * 4).contains(UInt8(ascii: ">")) { return true }
    guard line.first?.isLetter == true else { return false }
    let text = line.prefix(promptLimit * 4)
    let user = text.prefix { $0.isWordPart || $0 == UInt8(ascii: "-") }
    guard user.count < promptLimit, text[user.endIndex...].first == UInt8(ascii: "@") else { return false }
    return text.indices.contains { index in
      "$#%".utf8.contains(text[index]) && (index + 1 == line.endIndex || line[index + 1].isWhite)
    }
  }

  private static let promptLimit = 32
}
