extension LineDecoder {
  /// Whether neither the lines nor the layout are rare ones.
  fileprivate var isUsual: Bool { lines.width == nil && lines.lead.words == .none && !decoder.needsFrames }
  /// Of equal readings, the one with the lowest rank is shown.
  fileprivate var rank: Int { (isUsual ? 0 : 1) << 8 | format.rank }
}

/// What a candidate makes of the beginning of a text, and its price in bits.
///
/// The price is what it takes to write the text down once the reading is known: each character that it leaves
/// unexplained, the bytes, and an omission or an error if there is one.
struct Trial: Sendable {
  let candidate: LineDecoder
  /// The decoder after the beginning of the text.
  private(set) var decoder: any TextDecoder
  /// The bytes of each stream without those that a `*` repeats, which cost nothing.
  private(set) var streams: [Int: [UInt8]] = [:]
  /// The bytes of each line.
  private(set) var pieces: [(line: UInt32, bytes: [UInt8])] = []
  private(set) var error: ReadError?
  private(set) var total = 0
  private(set) var known = 0
  fileprivate(set) var bits = 0
  /// The lines of the text, with blanks for the characters that the reading explains.
  private(set) var left: [ArraySlice<UInt8>] = []
  /// The columns that the reading explains, by line, in the order of the bytes.
  private var covered: [UInt32: [Range<Int>]] = [:]

  init(_ candidate: LineDecoder, _ head: TextHead) {
    self.candidate = candidate
    var run = candidate
    // Where the text ends, once its complete lines are read.
    var end: TextPosition?
    do throws(ReadError) {
      var index = 0
      while try run.decode(head.text.span, at: &index) {}
      end = run.lines.position
      try run.finish()
    } catch {
      run.decoder.release()
      // More text may follow the head, and near the end of a part of a line, that may be why there is an error.
      let isInLine = error.code == .notHex && error.position?.line == end?.line
      let isNearEnd = Int(error.position?.column ?? 0) + 8 > Int(end?.column ?? 0)
      if end == nil || head.isWhole || isInLine && !isNearEnd { self.error = error }
    }
    decoder = run.decoder
    collect()
    price(head)
  }

  private mutating func collect() {
    while let piece = decoder.output.next() {
      let bytes = piece.bytes
      total += bytes.count * (piece.repetitions ?? 1)
      guard piece.link == nil else {
        bits += bytes.count * FramePrice.expectedByte
        streams[Self.packets, default: []] += bytes.values
        continue
      }
      if piece.repetitions != nil, let star = bytes.positions.first {
        cover(star.line, 0..<Int.max)
        continue
      }
      for (byte, position) in zip(bytes.values, bytes.positions) {
        cover(position.line, Int(position.column)..<Int(position.column) + 2)
        if pieces.last?.line != position.line { pieces.append((position.line, [])) }
        pieces[pieces.count - 1].bytes.append(byte)
        streams[piece.stream.number, default: []].append(byte)
      }
    }
    for (line, columns) in decoder.output.takeExplained() { cover(line, columns) }
  }

  /// A reading explains what is between two bytes if that is short: marks, casts and the like.
  private mutating func cover(_ line: UInt32, _ columns: Range<Int>) {
    let last = covered[line]?.popLast() ?? columns
    let all = min(last.lowerBound, columns.lowerBound)..<max(last.upperBound, columns.upperBound)
    let gap = all.count - last.count - columns.count
    covered[line, default: []] += gap <= Self.longestGap ? [all] : [last, columns]
  }

  private mutating func price(_ head: TextHead) {
    for (number, bytes) in streams where number != Self.packets {
      let price = FramePrice(bytes, head.catalog)
      known += price.known
      bits += price.bits
    }
    left = head.text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    // Whether the text ends in the middle of a byte or of an offset, its last word.
    var isByteCut = false
    if let error, error.code == .oddDigits || error.code == .contradictingOffset, let place = error.position,
      line(of: place.line) == left.count - 1, let text = left.last
    {
      let word = text.dropFirst(Int(place.column) - 1)
      isByteCut = word.isHex && word.count <= 16
    }
    if let place = error?.position, let end = end(of: place.line) {
      let last = isByteCut ? Int.max : max(Int(place.column), end)
      covered[place.line]?.append((decoder.explainsLines ? 0 : end)..<last)
    }
    var lead = candidate.lines.lead
    let hasWords = lead.words != .none
    for index in left.indices {
      let number = UInt32(firstLine + index)
      let body = lead.body(of: left[index], as: decoder.leads) ?? left[index].endIndex
      guard var ranges = covered[number] else { continue }
      let count = body - left[index].startIndex
      if decoder.explainsLines, number != error?.position?.line {
        ranges.append((hasWords ? 1 + count : 0)..<Int.max)
      }
      if lead.words == .number { ranges.append(1..<(1 + count)) }
      for range in ranges.map({ $0.clamped(to: 1..<(1 + left[index].count)) }) {
        for column in range { left[index][left[index].startIndex + column - 1] = UInt8(ascii: " ") }
      }
    }
    bits += leftCounts.reduce(0, +) * FramePrice.unexplainedCharacter
    if let error { bits += error.code == .cutText || isByteCut ? Self.cut : Self.omission }
  }

  /// For each line, how many characters it leaves unexplained.
  private var leftCounts: [Int] { left.map { $0.count { !$0.isWhite } } }

  /// Whether it is a dump, all of whose lines are explained up to one with another offset.
  fileprivate var isContradictedDump: Bool {
    guard let error, error.code == .contradictingOffset, let place = error.position else { return false }
    return (decoder as? RowText)?.hasOffsets == true
      && leftCounts.prefix(line(of: place.line)).allSatisfy { $0 == 0 }
  }

  /// The column after the last byte of a line.
  private func end(of line: UInt32) -> Int? { covered[line]?.map(\.upperBound).max() }

  private var firstLine: Int { candidate.lines.line }

  /// The index of a line in `left`.
  private func line(of number: UInt32) -> Int { Int(number) - firstLine }

  /// The price if the text is certainly in this layout: then what follows an error is likely to be, too, except what
  /// another reading does not explain either.
  fileprivate func bitsAfterError(beside other: Trial?) -> Int {
    guard decoder.isSure, let place = error?.position else { return bits }
    let first = line(of: place.line)
    let others = other?.leftCounts ?? leftCounts.map { _ in 0 }
    let explained = zip(leftCounts, others).dropFirst(first).reduce(0) { $0 + max(0, $1.0 - $1.1) }
    return bits - explained * (FramePrice.unexplainedCharacter - Self.characterAfterError)
  }

  /// Whether all bytes are inside documented frames.
  var isFrames: Bool { known > 0 && known == streams.values.reduce(0) { $0 + $1.count } && error == nil }

  /// That lines continue each other is only believed if frames result, as are rare layouts.
  fileprivate var isBelieved: Bool { candidate.lines.width == nil && !decoder.needsFrames || isFrames }

  /// Whether the bytes of `other` are the same as these or a part of them.
  func includes(_ other: Trial) -> Bool {
    other.streams == streams
      || other.pieces.allSatisfy { piece in streams.values.contains { $0.index(of: piece.bytes) != nil } }
  }

  /// The key of the bytes of packets.
  private static let packets = -1
  /// As long as `.toByte(), 0x` and a line number.
  private static let longestGap = 20
  /// The price of an error or of bytes that the text omits.
  static let omission = 64
  /// The price of a text that ends too early: pasted text often does, and an error is better than other bytes.
  private static let cut = 4
  /// Less than a third of a byte, so that no error costs less than the bytes of a row.
  private static let characterAfterError = 3
}

/// Chooses the reading that explains a text with the fewest bits. Nil if none explains it.
/// - Throws: ``ReadError`` if the text omits bytes, or if two readings with different bytes explain it equally well.
func decide(_ candidates: [LineDecoder], _ head: TextHead) throws(ReadError) -> LineDecoder? {
  var trials = candidates.map { Trial($0, head) }.filter {
    $0.isBelieved && $0.decoder.isPlausible && ($0.total > 0 || $0.error != nil)
  }
  // Among words, the digits of a dump are read as if its offsets said nothing.
  if trials.contains(where: \.isContradictedDump) { trials.removeAll { $0.candidate.format == .log } }
  let complete = trials.filter { $0.error == nil && $0.isEnough(for: head) }.min { $0.bits < $1.bits }
  for index in trials.indices { trials[index].bits = trials[index].bitsAfterError(beside: complete) }
  trials.sort { ($0.bits, $0.candidate.rank) < ($1.bits, $1.candidate.rank) }
  guard let cheapest = trials.first else { return nil }
  let near = trials.filter { $0.bits - cheapest.bits < margin }
  let best = near.first(where: \.isFrames) ?? cheapest
  guard best.isEnough(for: head) else { return nil }
  guard best.error == nil else { return best.choice(head) }
  if let selected = try best.withoutTokens(head) { return selected }
  if let omission = best.omission { throw omission }
  let rival = near.first { rival in
    rival.error == nil && !best.includes(rival) && (rival.isFrames || !best.isFrames)
      && !(rival.decoder.needsFrames && rival.bits == best.bits)
  }
  if let rival {
    let names = [best, rival].map(\.candidate.format).sorted { $0.rank < $1.rank }
    let flags = names.map { "--from \($0.rawValue)" }.joined(separator: " or ")
    let way = names[0] == names[1] ? "another format, such as plain hex" : flags
    throw ReadError(
      .ambiguousText,
      "this text can be read in two ways with different bytes, as \(best.title(beside: rival)) or as "
        + "\(rival.title(beside: best)); use \(way)")
  }
  if let other = trials.first(where: { $0.isFrames && !best.includes($0) && $0.isBeside(best) }) {
    throw ReadError(
      .ambiguousText,
      "these bytes are in another form than those of the other lines; paste both one after the other",
      position: other.pieces.first.map { TextPosition(line: Int($0.line), column: 1) })
  }
  if let doubt = best.decoder.doubt { throw ReadError(.ambiguousText, doubt) }
  return best.choice(head)
}

/// Chooses the layout of a format that explains a text with the fewest bits.
func layout(of format: TextFormat, _ head: TextHead) -> LineDecoder {
  let candidates = format.candidates(head)
  guard candidates.count > 1, !head.text.isEmpty else { return candidates[0] }
  let all = candidates.map { Trial($0, head) }.filter(\.isBelieved)
  let plain = all.filter(\.candidate.isUsual)
  let trials = plain.contains { $0.error == nil } ? plain : all
  let best = trials.min {
    ($0.decoder.isPlausible ? 0 : 1, $0.bits) < ($1.decoder.isPlausible ? 0 : 1, $1.bits)
  }
  return best?.choice(head) ?? candidates[0]
}

// MARK: - What a reading leaves
extension Trial {
  fileprivate func choice(_ head: TextHead) -> LineDecoder {
    var choice = candidate
    choice.decoder.output.mergesSides = head.isWhole && streams.count == 1
    return choice
  }

  /// What the reading takes the text for, if it must be distinguished from another one.
  fileprivate func title(beside other: Trial) -> String {
    let phrase = candidate.format == other.candidate.format ? candidate.decoder.interpretation?.phrase : nil
    return phrase ?? candidate.format.title
  }

  /// Whether the reading explains enough of the text: a quarter of it, or half up to an error, and the long words.
  fileprivate func isEnough(for head: TextHead) -> Bool {
    guard !isFrames, !decoder.isSure || error == nil, !decoder.isCertain else { return true }
    guard total > 0 else { return false }
    let (all, leftCount) = (head.text.count { !$0.isWhite }, leftCounts.reduce(0, +))
    let words = left.joined(separator: [UInt8(ascii: " ")]).split { !$0.isWordPart && !"+/".utf8.contains($0) }
    let runs = words.reduce(0) { $0 + ($1.count >= 16 ? $1.count : 0) }
    return error == nil ? leftCount * 4 <= all * 3 && runs <= 2 * total : leftCount * 2 <= all
  }

  /// Whether the bytes are in lines in which `other` has none.
  fileprivate func isBeside(_ other: Trial) -> Bool {
    Set(pieces.map(\.line)).isDisjoint(with: other.pieces.map(\.line))
  }

  /// Words beside the bytes, or in the line below them, that say that bytes were left out.
  fileprivate var omission: ReadError? {
    let lines = pieces.map { line(of: $0.line) }
    guard let first = lines.min(), let last = lines.max() else { return nil }
    for index in first...min(last + 1, left.count - 1) {
      // The comments of `-T hex` are about frames that were cut, not about the text.
      guard !left[index].starts(with: Array("# #".utf8)), !isPicture(index) else { continue }
      let place = TextPosition(line: firstLine + index, column: 1)
      if let omission = ReadError.omission(in: left[index], at: place) { return omission }
    }
    return nil
  }

  /// Whether what follows the bytes of a line shows them as characters, of which several may be dots.
  private func isPicture(_ index: Int) -> Bool {
    let number = UInt32(firstLine + index)
    guard let piece = pieces.first(where: { $0.line == number }), let end = end(of: number) else {
      return false
    }
    let rest = left[index].dropFirst(end - 1)
    return rest.indices.contains { piece.bytes.areShown(by: rest[$0...].prefix(piece.bytes.count)) }
  }

  /// A token may be beside the frame in a log: a choice without the lines of tokens, if the rest are frames.
  /// - Throws: ``ReadError`` if bytes beside frames may belong to them or not.
  fileprivate func withoutTokens(_ head: TextHead) throws(ReadError) -> LineDecoder? {
    guard var decoder = candidate.decoder as? DigitText, [.words, .description].contains(decoder.form),
      head.isWhole, !isFrames, known > 0, streams.count == 1
    else { return nil }
    var frames: [UInt8] = []
    var kept: Set<UInt32> = []
    var others: [(line: UInt32, bytes: [UInt8])] = []
    for piece in pieces {
      let isInside = FramePrice(frames + [0xff], head.catalog).known > frames.count
      if isInside || FramePrice.beginsFrame(piece.bytes, head.catalog) {
        frames += piece.bytes
        kept.insert(piece.line)
      } else {
        others.append(piece)
      }
    }
    guard !others.isEmpty, FramePrice(frames, head.catalog).known == frames.count else { return nil }
    if let other = others.first(where: { $0.bytes.count != 32 }) {
      throw ReadError(
        .ambiguousText,
        "these bytes may belong to the frames of the other lines or not; paste only those of the frames",
        position: TextPosition(line: Int(other.line), column: 1))
    }
    decoder.selected = kept
    var selected = candidate
    selected.decoder = decoder
    return Trial(selected, head).omission == nil ? selected : nil
  }
}

/// Readings with different bytes must differ by this many bits, or the text is ambiguous.
private let margin = 24

extension TextFormat {
  /// The place of the format in the list; it only resolves which name is shown for equal readings.
  var rank: Int { Self.allCases.firstIndex(of: self) ?? -1 }
}
