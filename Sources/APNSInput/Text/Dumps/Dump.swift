/// The differences between one tool's dump format and another's.
protocol DumpLayout: Sendable {
  /// The form of the offsets.
  var column: OffsetColumn { get }
  /// The bases that an offset with this many digits may be written in, the likeliest first.
  func radices(digits: Int) -> [Int]
  /// Decodes the bytes of a line.
  /// - Parameter count: The number of bytes in the line according to the next offset; nil if no offset follows.
  mutating func bytes(of line: DumpLine, count: Int?) -> DumpBytes
  /// How the dump was interpreted, if that says more than the format's title.
  var interpretation: TextInterpretation? { get }
}

extension DumpLayout {
  var column: OffsetColumn { OffsetColumn() }
  func radices(digits: Int) -> [Int] { [16] }
  var interpretation: TextInterpretation? { nil }
}

/// Decodes a dump. Each line is held until the next one, because only the next offset shows how many bytes the line
/// has: its characters can look like further bytes.
///
/// Offset 0 begins a new block, as tools print for each packet. The offsets of the two sides are independent. A `*`
/// repeats the line above up to the next offset; the position of the repeated bytes is that of the `*`. Lines that
/// begin with a word are skipped.
struct Dump<Layout: DumpLayout>: TextDecoder {
  private var layout: Layout
  /// When a tab before the offset marks the other side.
  private let tabs: TabMark
  private var blocks: PacketBlocks?
  /// The line held until the next offset.
  private var held: DumpLine?
  /// The position of a `*` whose end is not known yet.
  private var star: TextPosition?
  /// For each side, the last line and its number of bytes.
  private var ends: [(line: DumpLine, count: Int)?] = [nil, nil]
  /// The bases that are consistent with all offsets so far.
  private var radices: [Int] = []
  private var hasTabbed = false
  private var hasUntabbed = false
  private var usesTabs = false
  /// How many bytes `*` lines may still repeat. The limit grows with the text, so that forty hostile characters do not
  /// produce 4 GiB.
  private var repeatsLeft = 256 << 10
  private static var repeatsPerCharacter: Int { 64 }

  init(_ layout: Layout, tabs: TabMark = .afterUntabbed, blocks: PacketBlocks? = nil) {
    self.layout = layout
    self.tabs = tabs
    self.blocks = blocks
  }

  var interpretation: TextInterpretation? { blocks?.interpretation ?? layout.interpretation }

  mutating func decode(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    repeatsLeft += line.text.count * Self.repeatsPerCharacter
    if line.text[line.first...].elementsEqual([UInt8(ascii: "*")]) { return try acceptStar(line) }
    if held == nil, line.isRuler { return }
    if blocks != nil, let title = BlockTitle(line) {
      try resolveHeld(before: nil, into: &output)
      ends = [nil, nil]
      try blocks?.begin(title, into: &output)
      return
    }
    switch layout.column.find(in: line) {
    case .otherText:
      if line.isTransfer { output.switchSide(to: line.transferSide) }
    case .wrong(let index):
      let wrong = index < line.text.count ? line.text[index] : UInt8(ascii: "\n")
      throw .notHex(
        wrong, at: line.position(index), "is not allowed here; a line of this dump begins with an offset in hex")
    case .line(let found):
      let next = try sided(found, &output)
      try resolveHeld(before: next, into: &output)
      held = next
    }
  }

  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    try resolveHeld(before: nil, into: &output)
    try blocks?.finish(into: &output)
  }

  /// Appends the held line without a following offset.
  mutating func release(into output: inout TextOutput) {
    if let line = held {
      held = nil
      try? put(layout.bytes(of: line, count: nil), of: line, into: &output)
    }
    blocks?.release(into: &output)
  }

  private mutating func acceptStar(_ line: TextLine) throws(ReadError) {
    guard held != nil, star == nil else {
      throw .notHex(
        UInt8(ascii: "*"), at: line.position(line.first), "repeats the line above, but there is none")
    }
    star = line.position(line.first)
  }

  /// Determines the side of a line. Follow marks the server's lines with a tab; text2pcap's input has `I` or `O` before
  /// the offset.
  private mutating func sided(_ found: DumpLine, _ output: inout TextOutput) throws(ReadError) -> DumpLine {
    let line = found.line
    let isTabbed = line.text.first == UInt8(ascii: "\t")
    if line.isTransfer {
      output.switchSide(to: line.transferSide)
    } else if blocks != nil {
      return found
    } else if isTabbed {
      hasTabbed = true
      usesTabs = usesTabs || tabs == .always || (hasUntabbed && found.isStart)
      if usesTabs { output.switchSide(to: 1) }
    } else {
      if hasTabbed && !hasUntabbed && !usesTabs && found.isStart && tabs != .always {
        let reason =
          "earlier lines begin with a tab, but this one does not; use --from follow if tabs mark the server's side"
        throw ReadError(.ambiguousText, reason, position: found.position(found.digits.lowerBound))
      }
      hasUntabbed = true
      if usesTabs || tabs == .always { output.switchSide(to: 0) }
    }
    return DumpLine(line: line.moved(to: output.stream), digits: found.digits, body: found.body)
  }

  /// Appends the held line, and what a `*` after it repeats, now that the next offset is known.
  private mutating func resolveHeld(before next: DumpLine?, into output: inout TextOutput) throws(ReadError) {
    if let next, radices.isEmpty { radices = layout.radices(digits: next.digits.count) }
    if let line = held {
      held = nil
      if let next, next.side == line.side, star != nil || !next.isStart {
        return try resolveHeld(line, before: next, into: &output)
      }
      // No offset shows how many bytes the line has.
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
      // This side continues after lines of the other one.
      let fits = radices.contains { radix in
        guard let start = line.offset(radix: radix), let offset = next.offset(radix: radix) else { return false }
        return offset - start == count
      }
      if !fits { throw contradiction(at: next, after: line, count: count) }
    }
  }

  private mutating func resolveHeld(
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
        // xxd rarely uses decimal offsets; without a `*`, the likelier base is chosen.
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

  /// Whether a line of `count` bytes, with its repetitions if a `*` follows, ends at the next offset.
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
  /// Whether the line is or begins with `I` or `O`, the direction in text2pcap's input.
  fileprivate var isTransfer: Bool {
    let word = text[first...].prefix { !$0.isWhite }
    return word.isText("I") || word.isText("O")
  }

  /// Inbound bytes are the peer's: the dump is assumed to be from the provider's machine.
  fileprivate var transferSide: Int { text[first] == UInt8(ascii: "I") ? 1 : 0 }

  fileprivate func moved(to stream: ByteStream) -> TextLine {
    TextLine(text, at: start, of: stream)
  }
}
