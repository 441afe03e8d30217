/// A line of a dump: an offset, the bytes that stand there, then perhaps the same bytes as characters.
struct DumpLine: Sendable {
  let text: [UInt8]
  /// Where the line begins.
  let start: TextPosition
  let offset: Int
  let offsetIndex: Int
  /// Index of what follows the offset and its mark.
  let body: Int

  func position(_ index: Int) -> TextPosition {
    TextPosition(line: Int(start.line), column: Int(start.column) + index)
  }
}

/// What tells one tool's dump from another's.
protocol DumpLayout: Sendable {
  /// Ends an offset; white space or the line's end if absent.
  static var mark: UInt8? { get }
  /// - Parameter count: How many bytes the line holds, going by the next line's offset; absent where none follows.
  mutating func bytes(of line: DumpLine, count: Int?) -> DumpBytes
}

/// Reads a dump line by line. A line waits for the next one, whose offset tells how many bytes it holds: the
/// characters beside the bytes can look like more of them.
///
/// Offset 0 begins a new block, as tools print for each packet. A line of `*` repeats the line above up to the next
/// offset; the repeated bytes stand where the `*` stands.
struct Dump<Layout: DumpLayout>: TextDecoder {
  private var layout: Layout
  private var text: [UInt8] = []
  private var start = TextPosition(line: 1, column: 1)
  /// The line that waits for the next offset.
  private var held: DumpLine?
  private var star: TextPosition?
  /// What all `*` lines of a text may stand for together: forty hostile characters must not make 4 GiB.
  private var repeatsLeft = 16 << 20

  init(layout: Layout) { self.layout = layout }

  var allowsCommentLines: Bool { true }

  mutating func take(_ byte: UInt8, at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    if text.isEmpty { start = position }
    guard byte == UInt8(ascii: "\n") else {
      text.append(byte)
      guard text.count <= lineLimit else {
        release(into: &output)
        throw ReadError(.oversizedText, "this line is longer than 64 KiB, so this is no dump", position: start)
      }
      return
    }
    try endLine(into: &output)
  }

  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    try endLine(into: &output)
    let problem = release(into: &output)
    if let problem { throw problem }
    if let star {
      throw ReadError(.contradictingOffset, "no offset follows this *, so how far it goes is lost", position: star)
    }
  }

  private mutating func endLine(into output: inout TextOutput) throws(ReadError) {
    while text.last?.isWhite == true { text.removeLast() }
    defer { text.removeAll(keepingCapacity: true) }
    guard let first = text.firstIndex(where: { !$0.isWhite }) else { return }
    do throws(ReadError) {
      if text[first...].elementsEqual([UInt8(ascii: "*")]) {
        try takeStar(at: first)
      } else {
        let line = try parse(from: first)
        try settle(before: line, into: &output)
        held = line
      }
    } catch {
      release(into: &output)
      throw error
    }
  }

  private mutating func takeStar(at index: Int) throws(ReadError) {
    let position = TextPosition(line: Int(start.line), column: Int(start.column) + index)
    guard held != nil, star == nil else {
      throw .notHex(UInt8(ascii: "*"), at: position, "repeats the line above, but no line of bytes stands there")
    }
    star = position
  }

  /// Finds a line's offset.
  private func parse(from first: Int) throws(ReadError) -> DumpLine {
    var index = first
    var offset = 0
    while index < text.count, let digit = text[index].hexDigit, index - first < offsetDigits {
      offset = offset << 4 | Int(digit)
      index += 1
    }
    let isMarked =
      Layout.mark.map { index < text.count && text[index] == $0 } ?? (index == text.count || text[index].isWhite)
    guard index > first, isMarked else {
      let position = TextPosition(line: Int(start.line), column: Int(start.column) + index)
      let wrong = index < text.count ? text[index] : UInt8(ascii: "\n")
      throw .notHex(wrong, at: position, "cannot stand here; a line of this dump begins with an offset in hex")
    }
    let body = Layout.mark == nil ? index : index + 1
    return DumpLine(text: text, start: start, offset: offset, offsetIndex: first, body: body)
  }

  /// Puts out the waiting line, and what a `*` after it stands for, now that the next offset is known.
  private mutating func settle(before next: DumpLine, into output: inout TextOutput) throws(ReadError) {
    guard let line = held else { return }
    let isNewBlock = next.offset == 0 && star == nil
    let count = next.offset - line.offset
    let bytes = layout.bytes(of: line, count: isNewBlock || star != nil ? nil : count)
    held = nil
    put(bytes, of: line, into: &output)
    if let problem = bytes.problem { throw problem }
    if isNewBlock { return }
    let rest = count - bytes.values.count
    guard let star else {
      if rest != 0 { throw contradiction(at: next, expected: line.offset + bytes.values.count) }
      return
    }
    guard rest > 0, !bytes.values.isEmpty, rest % bytes.values.count == 0 else {
      throw contradiction(at: next, expected: line.offset + 2 * bytes.values.count)
    }
    guard rest <= repeatsLeft else {
      let reason = "the * lines stand for more than 16 MiB; dump without them (xxd without -a, hexdump -v)"
      throw ReadError(.oversizedText, reason, position: star)
    }
    repeatsLeft -= rest
    self.star = nil
    output.repeat(bytes.values, times: rest / bytes.values.count, at: star)
  }

  private func contradiction(at line: DumpLine, expected: Int) -> ReadError {
    let found = String(line.offset, radix: 16)
    let reason =
      "offset \(found) stands where \(String(expected, radix: 16)) follows from the bytes above; "
      + "a line is missing, cut or changed"
    return ReadError(.contradictingOffset, reason, position: line.position(line.offsetIndex))
  }

  /// Puts out the waiting line where no offset follows, and tells what is wrong in it.
  @discardableResult
  private mutating func release(into output: inout TextOutput) -> ReadError? {
    guard let line = held else { return nil }
    held = nil
    let bytes = layout.bytes(of: line, count: nil)
    put(bytes, of: line, into: &output)
    return bytes.problem
  }

  private func put(_ bytes: DumpBytes, of line: DumpLine, into output: inout TextOutput) {
    for (value, index) in zip(bytes.values, bytes.indices) { output.append(value, at: line.position(index)) }
  }
}

private let lineLimit = 64 << 10
/// As many as a whole `Int` surely holds.
private let offsetDigits = 15
