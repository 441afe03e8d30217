/// What tells one tool's dump from another's.
protocol DumpLayout: Sendable {
  var column: OffsetColumn { get }
  /// The bases that an offset of so many digits may be written in, the likeliest first.
  func radices(digits: Int) -> [Int]
  /// - Parameter count: How many bytes the line holds, going by the next line's offset; absent where none follows.
  mutating func bytes(of line: DumpLine, count: Int?) -> DumpBytes
  var account: TextAccount? { get }
}

extension DumpLayout {
  var column: OffsetColumn { OffsetColumn() }
  func radices(digits: Int) -> [Int] { [16] }
  var account: TextAccount? { nil }
}

/// Reads a dump. A line waits for the next one, whose offset tells how many bytes it holds: the characters beside the
/// bytes can look like more of them.
///
/// Offset 0 begins a new block, as tools print for each packet; each side counts for itself. A line of `*` repeats the
/// line above up to the next offset; the repeated bytes stand where the `*` stands. Lines that begin with a word are
/// passed over.
struct Dump<Layout: DumpLayout>: TextDecoder {
  private var layout: Layout
  private let strict: Bool
  /// A tab before the offset marks the other side: always, or once a line without it has come.
  private let tabs: TabMark
  private var blocks: PacketBlocks?
  /// The line that waits for the next offset.
  private var held: DumpLine?
  private var star: TextPosition?
  /// Of each side, the last line and how many bytes it held.
  private var ends: [(line: DumpLine, count: Int)?] = [nil, nil]
  /// The bases that fit all offsets so far.
  private var radices: [Int] = []
  private var hasTabbed = false
  private var hasUntabbed = false
  private var usesTabs = false
  /// The bytes that `*` lines may still stand for. Grows with the text: forty hostile characters must not make 4 GiB.
  private var repeatsLeft = 256 << 10
  private static var repeatsPerCharacter: Int { 64 }

  init(_ layout: Layout, strict: Bool, tabs: TabMark = .behindUntabbed, blocks: PacketBlocks? = nil) {
    self.layout = layout
    self.strict = strict
    self.tabs = tabs
    self.blocks = blocks
  }

  var account: TextAccount? { blocks?.account ?? layout.account }

  mutating func take(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    repeatsLeft += line.text.count * Self.repeatsPerCharacter
    if line.text[line.first...].elementsEqual([UInt8(ascii: "*")]) { return try takeStar(line) }
    if held == nil, line.isRuler { return }
    if blocks != nil, let title = BlockTitle(line) {
      try settle(before: nil, into: &output)
      ends = [nil, nil]
      try blocks?.begin(title, into: &output)
      return
    }
    switch layout.column.find(in: line, strict: strict) {
    case .talk:
      if line.isTransfer { output.turn(to: line.transferSide) }
    case .wrong(let index):
      let wrong = index < line.text.count ? line.text[index] : UInt8(ascii: "\n")
      throw .notHex(
        wrong, at: line.position(index), "is not allowed here; a line of this dump begins with an offset in hex")
    case .line(let found):
      let next = try sided(found, &output)
      try settle(before: next, into: &output)
      held = next
    }
  }

  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    try settle(before: nil, into: &output)
    try blocks?.finish(into: &output)
  }

  /// Puts out the waiting line where no offset follows.
  mutating func release(into output: inout TextOutput) {
    if let line = held {
      held = nil
      try? put(layout.bytes(of: line, count: nil), of: line, into: &output)
    }
    blocks?.release(into: &output)
  }

  private mutating func takeStar(_ line: TextLine) throws(ReadError) {
    guard held != nil, star == nil else {
      throw .notHex(
        UInt8(ascii: "*"), at: line.position(line.first), "repeats the line above, but there is none")
    }
    star = line.position(line.first)
  }

  /// Follow marks the side that answers with a tab; text2pcap's input has `I` and `O` before the offset.
  private mutating func sided(_ found: DumpLine, _ output: inout TextOutput) throws(ReadError) -> DumpLine {
    let line = found.line
    let isTabbed = line.text.first == UInt8(ascii: "\t")
    if line.isTransfer {
      output.turn(to: line.transferSide)
    } else if strict || blocks != nil {
      return found
    } else if isTabbed {
      hasTabbed = true
      usesTabs = usesTabs || tabs == .always || (hasUntabbed && found.isStart)
      if usesTabs { output.turn(to: 1) }
    } else {
      if hasTabbed && !hasUntabbed && !usesTabs && found.isStart && tabs != .always {
        let reason =
          "earlier lines begin with a tab, but this one does not; use --from follow if tabs mark the server's side"
        throw ReadError(.ambiguousText, reason, position: found.position(found.digits.lowerBound))
      }
      hasUntabbed = true
      if usesTabs || tabs == .always { output.turn(to: 0) }
    }
    return DumpLine(line: line.moved(to: output.stream), digits: found.digits, body: found.body)
  }

  /// Puts out the waiting line, and what a `*` after it stands for, now that the next offset is known.
  private mutating func settle(before next: DumpLine?, into output: inout TextOutput) throws(ReadError) {
    if let next, radices.isEmpty { radices = layout.radices(digits: next.digits.count) }
    if let line = held {
      held = nil
      if let next, next.side == line.side, star != nil || !next.isStart {
        return try settle(line, before: next, into: &output)
      }
      // Nothing tells how many bytes the line holds.
      let bytes = layout.bytes(of: line, count: nil)
      try put(bytes, of: line, into: &output)
      if let problem = bytes.problem { throw problem }
      if let star {
        throw ReadError(
          .contradictingOffset, "no offset follows this *, so its length is unknown; paste all of the dump",
          position: star)
      }
      ends[line.side] = (line, bytes.values.count)
    }
    guard let next else { return }
    if next.isStart {
      ends[next.side] = nil
      try blocks?.restart(into: &output)
    } else if let (line, count) = ends[next.side] {
      // This side goes on behind lines of the other one.
      let fits = radices.contains { radix in
        guard let start = line.offset(radix: radix), let offset = next.offset(radix: radix) else { return false }
        return offset - start == count
      }
      if !fits { throw contradiction(at: next, after: line, count: count) }
    }
  }

  private mutating func settle(
    _ line: DumpLine, before next: DumpLine, into output: inout TextOutput
  ) throws(ReadError) {
    var first: (bytes: DumpBytes, layout: Layout, distance: Int)?
    var choice: (bytes: DumpBytes, layout: Layout, distance: Int)?
    var fitting: [Int] = []
    for radix in radices {
      guard let start = line.offset(radix: radix), let end = next.offset(radix: radix) else { continue }
      var trial = layout
      let distance = end - start
      let bytes = trial.bytes(of: line, count: star == nil ? distance : nil)
      first = first ?? (bytes, trial, distance)
      guard bytes.problem == nil, isReached(distance, by: bytes.values.count) else { continue }
      if let choice, choice.distance != distance {
        // xxd seldom counts in tens, and without a * the likelier reading is the one.
        guard star != nil, layout.column.mark == nil else { continue }
        let reason = "this * may end at two offsets, because the base of the offsets is unknown; dump again with -v"
        throw ReadError(.ambiguousText, reason, position: star ?? next.position(next.digits.lowerBound))
      }
      choice = choice ?? (bytes, trial, distance)
      fitting.append(radix)
    }
    guard let taken = choice ?? first else { throw contradiction(at: next, after: line, count: 0) }
    layout = taken.layout
    try put(taken.bytes, of: line, into: &output)
    if let problem = taken.bytes.problem { throw problem }
    guard choice != nil else {
      throw contradiction(at: next, after: line, count: taken.bytes.values.count * (star == nil ? 1 : 2))
    }
    radices = fitting
    guard let star else { return }
    self.star = nil
    let rest = taken.distance - taken.bytes.values.count
    guard rest <= repeatsLeft else {
      let reason =
        "the * lines repeat far more bytes than the text shows; dump without them (xxd without -a, hexdump -v)"
      throw ReadError(.oversizedText, reason, position: star)
    }
    repeatsLeft -= rest
    let times = rest / taken.bytes.values.count
    if blocks != nil {
      for _ in 0..<times { try blocks?.append(taken.bytes.values, at: { _ in star }, into: &output) }
    } else {
      output.repeat(taken.bytes.values, times: times, at: star, to: line.line.stream)
    }
  }

  /// Whether a line of `count` bytes, and its repetitions if a `*` follows, end where the next offset says.
  private func isReached(_ distance: Int, by count: Int) -> Bool {
    guard star != nil else { return distance == count }
    return count > 0 && distance > count && distance % count == 0
  }

  private func contradiction(at line: DumpLine, after above: DumpLine, count: Int) -> ReadError {
    let radix = radices.first ?? 16
    let found = String(decoding: line.text[line.digits], as: UTF8.self)
    let expected = String((above.offset(radix: radix) ?? 0) + count, radix: radix)
    let reason =
      "expected offset \(expected), found \(found): a line is missing or was edited"
    return ReadError(.contradictingOffset, reason, position: line.position(line.digits.lowerBound))
  }

  private mutating func put(
    _ bytes: DumpBytes, of line: DumpLine, into output: inout TextOutput
  ) throws(ReadError) {
    if blocks != nil {
      try blocks?.append(bytes.values, at: { line.position(bytes.indices[$0]) }, into: &output)
      return
    }
    for (value, index) in zip(bytes.values, bytes.indices) {
      output.append(value, at: line.position(index), to: line.line.stream)
    }
  }
}

extension TextLine {
  /// `I` or `O` alone or before the offset: the direction in text2pcap's input.
  fileprivate var isTransfer: Bool {
    let word = text[first...].prefix { !$0.isWhite }
    return word.isText("I") || word.isText("O")
  }

  /// What comes in was sent by who answers: the dump is taken for one of the provider's machine.
  fileprivate var transferSide: Int { text[first] == UInt8(ascii: "I") ? 1 : 0 }

  fileprivate func moved(to stream: ByteStream) -> TextLine {
    TextLine(text, at: start, of: stream)
  }
}
