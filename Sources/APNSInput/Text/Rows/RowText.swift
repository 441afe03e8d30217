import Octets

/// Decodes the rows of every dump and trace: each has an offset, bytes, and perhaps the same bytes as characters.
///
///     00000000: 0808 dead beef 6265 6566 6361 6665 2031  ......beefcafe 1
///     00000010: 32                                       2
///
/// A row is held until the next one, because only the next offset shows how many bytes it has: its characters can look
/// like further bytes. Without a next offset, the bytes end where the rest of the row shows them as characters.
/// Characters that do not match the bytes are an error.
///
/// Offset 0 begins a new block, as tools print for each packet. The offsets of the two sides are independent. A `*`
/// repeats the row above up to the next offset; the position of the repeated bytes is that of the `*`. The rows below a
/// title have as many bytes as it says.
struct RowText: TextDecoder {
  let layout: RowLayout
  var output = TextOutput()
  private var indents: Indents
  private var blocks: PacketBlocks?
  private var connections = Numbering<[UInt8]>()
  /// The title above the current rows, and the number of bytes in these rows.
  private var title: RowTitle?
  private var done = 0
  private var hasTitle = false
  /// Whether the heading of Follow says that rows with offsets follow.
  private var isDump = false
  /// Whether a rule of hyphens has opened the rows below a title.
  private var isOpen = false
  /// The last line before the first row.
  private var above: TextLine?
  /// The row held until the next offset.
  private var held: DumpLine?
  /// The position of a `*` whose end is not known yet.
  private var star: TextPosition?
  /// For each side, the last row and its number of bytes.
  private var ends: [(line: DumpLine, count: Int)?] = [nil, nil]
  /// The bases that are consistent with all offsets so far; empty if there is no row yet.
  private var radices: [Int] = []
  /// No row so far had bytes without their characters.
  private var hasCharacters = true
  /// How many rows end where the next one begins, or have characters that match.
  private var proofs = 0
  /// All offsets so far were 0, in four digits or more.
  private var areStarts = true
  /// Whether characters or offsets contradict the bytes.
  private var isContradicted = false
  /// Whether characters show that pairs of bytes are not in order.
  private var isReversed = false
  /// The number of characters of the first cell.
  private var wordSize = 0
  /// How many bytes `*` lines may still repeat. The limit grows with the text, so that forty hostile characters do not
  /// produce 4 GiB.
  private var repeatsLeft = 256 << 10
  private static let repeatsPerCharacter = 64

  init(_ layout: RowLayout) {
    self.layout = layout
    indents = Indents(areSides: layout.isFollow)
    blocks = layout.packets.map { PacketBlocks($0) }
  }

  var interpretation: TextInterpretation? { blocks?.interpretation ?? layout.interpretation }

  var isPlausible: Bool {
    if layout.needsTitle { return hasTitle }
    if layout.isFollow, layout.column == nil { return hasTitle && !isDump }
    if layout.isFollow { return hasTitle || indents.haveBoth && proofs > 0 }
    if areMarkedPairs, !isReversed, !isContradicted { return false }
    // Blocks with titles are packets.
    guard !radices.isEmpty, !hasTitle || !layout.titles.isEmpty else { return false }
    return (hasOffsets || layout.column?.isSure == true || isGrid) && blocks?.isPlausible != false
  }

  /// Whether the numbers before the bytes are certainly offsets.
  var hasOffsets: Bool { proofs > 0 || areStarts }
  /// Whether a row is nothing but columns of characters.
  private var isGrid: Bool { layout.cells == .characters && layout.column == nil }
  var leads: LineLead.Kind { layout.needsTitle || isGrid ? .none : .all }
  /// A row of blank characters would be any offset.
  func mayFollow(_ lead: LineLead.Words) -> Bool { lead == .none || layout.cells != .characters }
  /// An empty dump has an offset of 0 alone.
  var needsBytes: Bool { layout.needsTitle ? !hasTitle : radices.isEmpty || !areStarts }
  /// Below a title, a line may have all bytes of a transfer.
  var longestLine: Int { layout.column == nil ? LineSplitter.limit : 64 << 10 }
  var isCertain: Bool { true }
  /// gdb prints words in either order; other tools have a flag for big-endian ones. Without offsets, blanks at the end
  /// of a line may be lost.
  var needsFrames: Bool {
    [.bigWords, .decimalWords].contains(layout.cells) && !layout.havePrefix || isGrid
  }
  var isSure: Bool { isPlausible && (proofs > 0 || isContradicted || layout.needsTitle) }

  /// Whether the cells may be pairs of bytes in order, which xxd prints without flags.
  private var areMarkedPairs: Bool { layout.areMarkedWords && ![8, 16].contains(wordSize) }

  mutating func decode(_ line: TextLine) throws(ReadError) {
    repeatsLeft += line.text.count * Self.repeatsPerCharacter
    if let next = RowTitle(line, among: layout.titles) { return try begin(next, line) }
    if layout.needsTitle {
      guard try isInTransfer(line) else { return }
    } else if line.text[line.first...].elementsEqual([UInt8(ascii: "*")]) {
      guard held != nil, star == nil else {
        throw line.notHex(at: line.first, "repeats the line above, but there is none")
      }
      star = line.position(line.first)
      return
    } else if held == nil, line.isRuler {
      return output.explain(line)
    } else if layout.isFollow, line.isFollowHeading {
      hasTitle = true
      isDump = isDump || line.text.holds(",hex")
      return output.explain(line)
    } else if layout.titles.isEmpty, !layout.isFollow, line.text.last == UInt8(ascii: ":") {
      hasTitle = hasTitle || RowTitle(line, among: .packets)?.isPacket == true
    }
    guard let column = layout.column else {
      // Each line has bytes.
      // The blanks before a text are left out.
      let body = isGrid ? 1 - Int(line.start.column) : line.first
      try accept(DumpLine(line: line, digits: line.first..<line.first, body: body))
      return try resolveHeld(before: nil)
    }
    if layout.needsTitle {
      guard let row = try? column.find(in: line) else { return try endTransfer() }
      try accept(row)
    } else if let row = try column.find(in: line) {
      try accept(row)
    } else if let side = line.transferSide ?? (layout.titles.isEmpty ? SideMarks.side(in: line.text[...]) : nil) {
      output.switchSide(to: side)
    }
    if radices.isEmpty { above = line }
  }

  private mutating func accept(_ found: DumpLine) throws(ReadError) {
    if let line = above {
      above = nil
      if let row = layout.row(atEndOf: line, before: found) { try accept(row) }
    }
    let next = try sided(found)
    if radices.isEmpty { wordSize = next.text[max(0, next.body)...].drop { $0.isWhite }.prefix { !$0.isWhite }.count }
    try resolveHeld(before: next)
    held = next
    areStarts = areStarts && next.isStart && next.digits.count > 3
  }

  mutating func finish(at position: TextPosition) throws(ReadError) {
    if layout.isRuled, isOpen { throw .cut("before the line of hyphens after a record", at: position) }
    try endTransfer(isEnd: true)
    try blocks?.finish(into: &output)
  }

  mutating func release() {
    if let line = held {
      held = nil
      try? put(bytes(of: line, count: nil), of: line)
    }
    blocks?.release(into: &output)
  }

  /// Determines the side of a row. Follow sets off the server's rows with a tab or blanks.
  private mutating func sided(_ found: DumpLine) throws(ReadError) -> DumpLine {
    var found = found
    if layout.titles.isEmpty, layout.column != nil || layout.isFollow, let side = try indents.side(of: found) {
      output.switchSide(to: side)
    }
    found.stream = output.stream
    return found
  }

  /// Appends the held row, and what a `*` after it repeats, now that the next offset is known.
  private mutating func resolveHeld(before next: DumpLine?) throws(ReadError) {
    if let next, radices.isEmpty { radices = layout.radices(digits: next.digits.count) }
    if let line = held {
      held = nil
      if let next, next.side == line.side, star != nil || !next.isStart {
        return try resolveHeld(line, before: next)
      }
      // No offset shows how many bytes the row has.
      let bytes = bytes(of: line, count: nil)
      try put(bytes, of: line)
      if let problem = bytes.problem { throw bytes.placed.isEmpty ? charactersOnly(problem) : problem }
      if let star {
        throw ReadError(
          .contradictingOffset, "no offset follows this *, so its length is unknown; paste all of the dump",
          position: star)
      }
      ends[line.side] = (line, bytes.count)
    }
    guard let next else { return }
    if next.isStart {
      ends[next.side] = nil
      if layout.column != nil, done > 0 { try endTitle() }
      try blocks?.restart(into: &output)
    } else if let (line, count) = ends[next.side] {
      // This side continues after rows of the other one.
      let fits = radices.contains { line.distance(to: next, radix: $0) == count }
      if !fits { throw contradiction(at: next, after: line, count: count) }
    }
  }

  private mutating func resolveHeld(_ line: DumpLine, before next: DumpLine) throws(ReadError) {
    let readings = radices.compactMap { radix in
      line.distance(to: next, radix: radix).map { distance in
        (radix: radix, distance: distance, bytes: bytes(of: line, count: star == nil ? distance : nil))
      }
    }
    let fitting = readings.filter { $0.bytes.problem == nil && isReached($0.distance, by: $0.bytes.count) }
    guard let taken = fitting.first ?? readings.first else { throw contradiction(at: next, after: line, count: 0) }
    // xxd rarely uses decimal offsets; without a `*`, the likelier base is chosen.
    if let star, layout.mark == nil, fitting.contains(where: { $0.distance != taken.distance }) {
      let reason = "this * may end at two offsets, because the base of the offsets is unknown; dump again with -v"
      throw ReadError(.ambiguousText, reason, position: star)
    }
    try put(taken.bytes, of: line)
    if let problem = taken.bytes.problem { throw problem }
    guard !fitting.isEmpty else {
      throw contradiction(at: next, after: line, count: taken.bytes.count * (star == nil ? 1 : 2))
    }
    radices = fitting.filter { $0.distance == taken.distance }.map(\.radix)
    proofs += 1
    hasCharacters = hasCharacters && (taken.bytes.isShown || taken.bytes.values.areShown(by: []))
    guard let star else { return }
    self.star = nil
    let rest = taken.distance - taken.bytes.count
    guard rest <= repeatsLeft else {
      let reason =
        "the * lines repeat far more bytes than the text shows; dump without them (xxd without -a, hexdump -v)"
      throw ReadError(.oversizedText, reason, position: star)
    }
    repeatsLeft -= rest
    done += rest
    let times = rest / taken.bytes.count
    if blocks != nil {
      for _ in 0..<times { try blocks?.append(taken.bytes.placed.moved(to: star)) }
    } else {
      output.repeat(taken.bytes.values, times: times, at: star, to: line.stream)
    }
  }

  /// Whether a row of `count` bytes, with its repetitions if a `*` follows, ends at the next offset.
  private func isReached(_ distance: Int, by count: Int) -> Bool {
    guard star != nil else { return distance == count }
    return count > 0 && distance > count && distance % count == 0
  }

  private func contradiction(at line: DumpLine, after above: DumpLine, count: Int) -> ReadError {
    let radix = radices.first ?? 16
    let found = String(decoding: line.text[line.digits], as: UTF8.self)
    let expected = String((above.offset(radix: radix) ?? 0) + count, radix: radix)
    let reason = "expected offset \(expected), found \(found): a line is missing or was edited"
    return line.line.error(.contradictingOffset, at: line.digits.lowerBound, reason)
  }

  private mutating func put(_ bytes: RowBytes, of line: DumpLine) throws(ReadError) {
    isContradicted = bytes.problem?.code == .contradictingCharacters
    if bytes.isShown { proofs += 1 }
    done += bytes.count
    if let title, let count = title.count, done > count {
      throw ReadError(.contradictingOffset, "there are more bytes here than the title says", position: title.position)
    }
    if blocks != nil {
      output.explain(line.line)
      try blocks?.append(bytes.placed)
      return
    }
    if areMarkedPairs, bytes.isShown, !isReversed, let end = bytes.ends.last(where: { $0.count == bytes.count }) {
      let inOrder = zip(bytes.placed.positions, bytes.values).sorted { $0.0.column < $1.0.column }.map(\.1)
      isReversed = !inOrder.areShown(by: line.text[end.index...])
    }
    output.append(bytes.placed, to: line.stream)
  }
}

// MARK: - Titles
extension RowText {
  private mutating func begin(_ next: RowTitle, _ line: TextLine) throws(ReadError) {
    try endTransfer()
    ends = [nil, nil]
    (title, done, hasTitle, isOpen) = (next, 0, true, false)
    guard case .side(let side) = next.contents else {
      try blocks?.begin(next, into: &output)
      return
    }
    let number = connections.number(of: next.connection) * 2 + side
    output.stream = ByteStream(number: number, isDirected: true)
    output.explain(line)
  }

  /// Whether a line below a title may be a row; other text is skipped.
  private mutating func isInTransfer(_ line: TextLine) throws(ReadError) -> Bool {
    guard let title else { return false }
    if layout.isRuled { return isBetweenRules(line) }
    if let count = title.count, held == nil, done >= count { return false }
    if line.text[line.first...].allSatisfy({ $0 == UInt8(ascii: "-") }) {
      try endTransfer()
      return false
    }
    if line.text.holds("<SPACES/NULS>") {
      let reason =
        "this old version of openssl omitted trailing blanks and zeros (<SPACES/NULS>), so these bytes are lost"
      throw line.error(.lossyText, at: line.first, reason)
    }
    return true
  }

  private mutating func isBetweenRules(_ line: TextLine) -> Bool {
    guard line.text.suffix(Self.rule.count).elementsEqual(Self.rule) else {
      // Without -d, or without the key, no rule follows.
      if !isOpen { title = nil }
      return isOpen
    }
    // A record of only printable characters is printed as text, directly followed by the rule.
    let start = (title?.position.column ?? 1) + 4
    for index in line.text.indices.dropLast(Self.rule.count) where isOpen && line.position(index).column >= start {
      output.append(line.text[index], at: line.position(index))
    }
    isOpen = !isOpen
    if !isOpen { title = nil }
    output.explain(line)
    return false
  }

  private mutating func endTransfer(isEnd: Bool = false) throws(ReadError) {
    try resolveHeld(before: nil)
    try endTitle(isEnd: isEnd)
  }

  /// Throws if there are fewer bytes than the title says.
  private mutating func endTitle(isEnd: Bool = false) throws(ReadError) {
    defer { title = nil }
    guard let title, let count = title.count, done < count else { return }
    let reason = "this title promises \(plural(count, "byte")), but only \(done) follow; paste all of them"
    throw ReadError(isEnd ? .cutText : .contradictingOffset, reason, position: title.position)
  }

  private func bytes(of line: DumpLine, count: Int?) -> RowBytes {
    layout.bytes(of: line, count: count, hasCharacters: hasCharacters, wordSize: wordSize)
  }

  /// Without offsets, a row that does not begin with bytes may have only their characters.
  private func charactersOnly(_ problem: ReadError) -> ReadError {
    guard layout.column == nil, let title, title.count != nil, problem.code == .notHex else { return problem }
    let reason = "this transfer has only its characters, not its other bytes; print its bytes in hex, as with socat -x"
    return ReadError(.lossyText, reason, position: title.position)
  }

  /// ssldump's rule.
  private static let rule = [UInt8](repeating: UInt8(ascii: "-"), count: 63)
}

/// The side of rows from the blanks before them, as Follow sets off the server's rows.
private struct Indents: Sendable {
  /// Whether blanks mark the server's side. Otherwise they do once a row without them has been read, if a block begins
  /// there.
  var areSides: Bool
  var first: Int?
  var hasIndented = false
  var hasOthers = false

  var haveBoth: Bool { hasIndented && hasOthers }

  /// The side of a row; nil if its blanks do not show it.
  mutating func side(of row: DumpLine) throws(ReadError) -> Int? {
    first = first ?? row.line.first
    let isIndented = row.text.first == UInt8(ascii: "\t") || row.line.first >= (first ?? 0) + 3
    guard isIndented || hasOthers || !hasIndented || areSides || !row.isStart else {
      let reason =
        "earlier lines begin with a tab, but this one does not; use --from follow if tabs mark the server's side"
      throw row.line.error(.ambiguousText, at: row.digits.lowerBound, reason)
    }
    areSides = areSides || isIndented && hasOthers && row.isStart
    (hasIndented, hasOthers) = (hasIndented || isIndented, hasOthers || !isIndented)
    return areSides ? isIndented ? 1 : 0 : nil
  }
}

extension TextLine {
  /// Whether the line is one that Follow prints around the bytes: a rule of equal signs, or the names of the stream and
  /// its endpoints.
  fileprivate var isFollowHeading: Bool {
    ["===", "Node ", "Follow:", "Filter:"].contains { text[first...].starts(with: $0.utf8) }
  }

  /// Whether the line is or begins with `I` or `O`, the direction in text2pcap's input. Inbound bytes are the peer's:
  /// the dump is assumed to be from the provider's machine.
  fileprivate var transferSide: Int? {
    let word = text[first...].prefix { !$0.isWhite }
    return word.isText("I") ? 1 : word.isText("O") ? 0 : nil
  }
}
