import APNSWire
import Octets

/// The search for the cheapest description of a window: from each offset that a description reaches, it goes on with
/// every piece that may begin there.
final class PieceSearch {
  private let window: Window
  private var reader: WritingReader
  private let known: KnownDeviations
  private let context: Description.Context
  private var runs: [Int: [Frames]] = [:]
  /// For each offset, whether a frame with one deviation begins there; nil before it was looked at.
  private var startsReading: [Bool?]

  init(_ window: Window, _ reader: WritingReader, _ known: KnownDeviations, _ context: Description.Context) {
    (self.window, self.reader, self.known, self.context) = (window, reader, known, context)
    startsReading = [Bool?](repeating: nil, count: window.bytes.count)
  }

  /// The most descriptions that go on from an offset.
  private static let beam = 6
  /// Descriptions that cost so much more than the best are given up.
  private static let farBehind = 60
  /// The most foreign bytes before the next frame, except those of a run.
  static let farthest = 700
  /// The most equal bytes with which a frame begins, and the most inside one.
  private static let (longestStart, longestRun) = (8, 64)

  /// Searches until the first piece is settled, which is so where two more frames follow it, or the stream ends.
  /// Returns the descriptions up to the same offset, the cheapest first; nil if the window ends before that.
  func run() -> [Description]? {
    let (count, start) = (window.bytes.count, Description(known, context))
    // What follows a long run of one byte may be cut by the end of the window. The longest one says what it can.
    let run = window.bytes.prefix { $0 == window.bytes[0] }.count
    if run >= Self.longestRun, count - run < Self.farthest, !window.isEnd {
      guard count == Explainer.horizon else { return nil }
      return [foreign(0..<(run - Self.longestStart))(start)].compactMap(\.self)
    }
    var reached: [Int: [Description]] = [0: [start]]
    while let place = reached.keys.min(), !window.isSpent {
      window.spend(1024)
      let all = (reached.removeValue(forKey: place) ?? []).sorted { $0.cost < $1.cost }
      var best = Array(all.prefix(Self.beam))
      // One that differs in the first piece is kept, since it may be the best rival.
      if let first = best.first, let rival = all.dropFirst(Self.beam).first(where: { !$0.agrees(onFirstOf: first) }),
        best.allSatisfy({ $0.agrees(onFirstOf: first) })
      {
        best.append(rival)
      }
      guard place < count else { return window.isEnd ? best : nil }
      if let first = best.first, first.framesAfterFirst >= 2, isAhead(first, reached, place) { return best }
      // No way is pursued that costs far more than another that has come further.
      let ahead = reached.map { $0.value.cost - 5 * ($0.key - place) / 2 }.min() ?? .max / 2
      best = best.filter { $0.cost < min(best[0].cost, ahead) + Self.farBehind }
      guard !best.isEmpty else { continue }
      let spare = ahead + Price.margin - best[0].cost
      for (end, extend) in pieces(at: place, after: best, spare) where end > place {
        for description in best {
          if let next = extend(description) { reached[end, default: []].keep(next) }
        }
      }
    }
    return nil
  }

  /// The descriptions of the first piece that are written as the stream has shown before, if what follows confirms
  /// them: the cheapest first.
  func again() -> [Description] {
    let start = Description(known, context)
    if let end = frameAfterForeign(at: 0) { return [foreign(0..<end)(start)].compactMap(\.self) }
    guard !known.all.isEmpty else { return [] }
    return reader.readings(at: 0, most: 3, only: known.all)
      .filter { $0.frame != nil && $0.isUsual && goesOn(at: $0.end) }
      .compactMap { extend(start, by: $0, 0) }
      .sorted { $0.cost < $1.cost }
  }

  /// Whether a frame begins here, or after foreign bytes as before.
  private func goesOn(at place: Int) -> Bool { beginsFrame(at: place) || frameAfterForeign(at: place) != nil }

  /// The start of a frame after foreign bytes that are those that came last; a byte that is repeated may be so more or
  /// less often. Nil if there are none.
  private func frameAfterForeign(at place: Int) -> Int? {
    let (foreign, rest) = (known.foreign, window.bytes[place...])
    guard let first = foreign.first else { return nil }
    func isBefore(_ end: Int) -> Bool { beginsFrame(at: end) && !window.mayBeOwn(foreign[...], ofFrameAt: end) }
    let end = place + foreign.count
    if rest.starts(with: foreign), isBefore(end) { return end }
    let run = rest.prefix { $0 == first }.endIndex
    return foreign.count > 1 && run > place && foreign.allSatisfy { $0 == first } && isBefore(run) ? run : nil
  }

  private func beginsFrame(at place: Int) -> Bool {
    guard place < window.bytes.count else { return window.isEnd }
    return window.endsAsStated(at: place)
      || reader.readings(at: place, most: 3, only: known.all).contains { $0.frame.map { window.isPlain($0) } ?? false }
  }

  /// Whether no description that passes over `place` can still be a rival.
  private func isAhead(_ best: Description, _ reached: [Int: [Description]], _ place: Int) -> Bool {
    reached.allSatisfy { end, descriptions in
      descriptions.allSatisfy {
        // What the best would take for the bytes up to there.
        $0.cost > best.cost + Price.margin + 7 * (end - place) || $0.agrees(onFirstOf: best)
      }
    }
  }

  private typealias Extend = (Description) -> Description?

  /// Every piece that may begin at `place`, with its end. Deviations that cost more than `spare` lead to no rival.
  private func pieces(at place: Int, after best: [Description], _ spare: Int) -> [(Int, Extend)] {
    var all: [(Int, Extend)] = []
    let bytes = window.bytes
    if let frame = window.documented(at: place) {
      let piece = Piece(
        range: place..<frame.end, kind: .documented, meant: Array(bytes[place..<frame.end]), isCertain: frame.isSound,
        isPlain: frame.isPlain, isDivided: window.isDivided(at: place), deviations: [])
      let unknown = piece.isDivided && !frame.isSound ? frame.unknown : nil
      let isCopy = unknown.map { window.recur($0, outside: piece.range) } ?? false
      let documented: Extend = { [self] in
        extend(
          $0, by: piece, frame.bits(after: $0.context.unknown, isCopy: isCopy), [frame.values], unknown: unknown)
      }
      all.append((frame.end, documented))
      // A frame that ends inside an intact one may be cut short.
      let isConfirmed =
        frame.end <= window.limit(after: place).upperBound && !frame.holdsTuple
        && !itemsGoOn(at: frame.end, frame.values.form)
      if frame.isPlain, isConfirmed { return all }
      if let division = division(at: place, after: best) { return all + [division] }
      // Lengths that divide a frame into sound items are right, even if items are repeated.
      let repeatsItems = window.forms.contains { $0.items(at: place, in: bytes).map(notifications)?.count ?? 0 > 1 }
      // A frame without a token may end anywhere by chance.
      let isEmpty = frame.values.bytes(window.forms[frame.values.form].slot(.token))?.isEmpty ?? false
      let next = window.documented(at: frame.end)
      let isFollowed =
        frame.end == bytes.count
        ? window.isEnd && !isEmpty
        : next.map { $0.isWhole || $0.isTiled && window.forms[$0.values.form].isList } ?? false
      if repeatsItems || (frame.isWhole || isFollowed) && isConfirmed {
        // The lengths are right, so only the values may be written in another way, or the whole frame. Items may have
        // other sizes, and other lengths where theirs do not agree.
        let lengthsAreRight = repeatsItems || !window.forms[frame.values.form].isList
        let readings = readings(at: place, after: best, lengthsAreRight: lengthsAreRight, mayBeTwo: !frame.isSound) {
          $0.end == frame.end && !(frame.isTiled && $0.misfits.contains { $0.subject == .itemLength })
        }
        all += readings.map { extend(by: $0, place) }
        return isFollowed || repeatsItems ? all : all + decoded(at: place).map { extend(by: $0) }
      }
    }
    let knownHere = best.flatMap(\.known.all).reduce(into: [Deviation]()) { if !$0.contains($1) { $0.append($1) } }
    if !knownHere.isEmpty {
      // The writings that the stream has shown come first.
      let readings = reader.readings(at: place, most: 3, only: knownHere)
      all += readings.map { extend(by: $0, place) }
      if readings.contains(where: { $0.frame != nil }) { return all + gaps(at: place, .known) }
    }
    // Foreign bytes and cut frames do not say where the next frame begins.
    let followsNoFrame = best.allSatisfy { $0.piece?.kind == .foreign || $0.piece?.kind == .cut }
    let runs = decoded(at: place)
    let readings = readings(
      at: place, after: best, mayLackCommand: !followsNoFrame,
      mayBeTwo: !followsNoFrame && spare > Price.two && runs.isEmpty)
    all += readings.map { extend(by: $0, place) } + runs.map { extend(by: $0) }
    return all + gaps(at: place, readings.isEmpty && runs.isEmpty ? .unexplained : .explained)
  }

  /// The readings with one deviation, and those with two, unless one of the first is what was to be expected: a second
  /// deviation costs more than the margin for rivals.
  private func readings(
    at place: Int, after best: [Description], mayLackCommand: Bool = true, lengthsAreRight: Bool = false,
    mayBeTwo: Bool, where fits: (WritingReading) -> Bool = { _ in true }
  ) -> [WritingReading] {
    var all: [WritingReading] = []
    for most in 1...(mayBeTwo ? 2 : 1) where !all.contains(where: { isExpected($0, after: best) }) {
      all += reader.readings(at: place, most: most, mayLackCommand: mayLackCommand, lengthsAreRight: lengthsAreRight)
        .filter(fits)
    }
    return all
  }

  /// Whether nothing suggests that a reading has one more deviation. Its last byte may rather begin the next frame.
  private func isExpected(_ reading: WritingReading, after descriptions: [Description]) -> Bool {
    (reading.frame != nil || reading.deviations.losesToken) && reading.isUsual
      && !window.mayBeginFrame(at: max(reading.end, 1) - 1)
      && !reading.deviations.contains { $0.dimension == .constant && $0.subject != .frameLength }
      && descriptions.contains { isExpected(reading.values, after: $0) }
  }

  /// Whether the numbers of a frame are near those before.
  private func isExpected(_ values: MeantValues, after description: Description) -> Bool {
    let (form, context) = (window.forms[values.form], description.context)
    let identifier = values.number(form.slot(.identifier))
    let expiry = values.number(form.slot(.expiry) ?? form.slot(.timestamp))
    return identifier.map { Evidence.expects(identifier: $0, after: context.identifier) } ?? true
      && expiry.map { Evidence.expects(expiry: $0, after: context.expiry) } ?? true
  }

  /// Whether items follow a frame of items, whose length is too small.
  private func itemsGoOn(at place: Int, _ form: Int) -> Bool {
    guard window.forms.indices.contains(form), window.forms[form].isList, place + 1 < window.bytes.count
    else { return false }
    let next = window.bytes[place]
    return window.bytes[place + 1] == 0 && next > 2 && window.forms[form].slots.contains { $0.item == next }
  }

  private func extend(by reading: WritingReading, _ place: Int) -> (Int, Extend) {
    (reading.end, { [self] in extend($0, by: reading, place) })
  }

  private func extend(_ description: Description, by reading: WritingReading, _ place: Int) -> Description? {
    let own = Array(window.bytes[place..<reading.end])
    let form = window.forms[reading.values.form]
    let values = reading.values.filled(form, after: description.context)
    // The sender of an identifier also reads it as it was written. So another format only explains an unusual one,
    // unless all numbers have it.
    func isOtherwise(_ subject: Deviation.Subject) -> Bool {
      reading.deviations.contains { $0.subject == subject && NumberFormat($0)?.isOfOtherValue == true }
    }
    if isOtherwise(.identifier), !isOtherwise(.lengths) || !isOtherwise(.expiry),
      let identifier = values.number(form.slot(.identifier)), identifier >= 1 << 24,
      !Evidence.expects(identifier: identifier, after: description.context.identifier)
    {
      return nil
    }
    let frame = reading.frame ?? (reading.isWritable ? form.write(values) : nil)
    let piece = Piece(
      range: place..<reading.end, kind: frame == own ? .documented : .deviating, meant: frame ?? own,
      isCertain: frame != nil, deviations: reading.deviations, misfits: reading.misfits)
    return extend(description, by: piece, reading.bits, [values])
  }

  private func extend(
    _ description: Description, by piece: Piece, _ bits: Int, _ frames: [MeantValues], unknown: [UInt8]? = nil
  ) -> Description? {
    var (known, context, bits, countsInDecimals) = (description.known, description.context, bits, false)
    context.unknown = unknown
    for deviation in piece.deviations { bits += known.pay(deviation) }
    for frame in frames {
      let form = window.forms[frame.form]
      bits += [form.slot(.identifier), form.slot(.expiry)].reduce(0) { $0 + ($1.map(frame.bitsOfLost) ?? 0) }
      if let value = frame.number(form.slot(.identifier)) {
        bits += Evidence.bits(identifier: value, after: context.identifier)
        if Evidence.countsInDecimals(value, after: context.identifier) { countsInDecimals = true }
        context.identifier = value
      }
      if let value = frame.number(form.slot(.expiry) ?? form.slot(.timestamp)) {
        bits += Evidence.bits(expiry: value, after: context.expiry)
        if value != 0 { context.expiry = value }
      }
      context.payloadSize = frame.payload(form)?.count ?? context.payloadSize
      bits += context.form == frame.form ? 2 : 4
      context.form = frame.form
    }
    let isRight = piece.kind == .documented ? piece.isPlain : piece.isCertain
    // A frame whose lengths are right, and whose contents are sound, holds a number that no sender means.
    context.excess = isRight ? .none : !piece.isDivided ? .any : piece.isCertain ? .few : .none
    return Description(description, piece, bits: bits, known, context, countsInDecimals: countsInDecimals)
  }
}

// Encoded frames
extension PieceSearch {
  /// A piece with complete frames, the bits that their contents take, and their values.
  private typealias Frames = (piece: Piece, bits: Int, values: [MeantValues])

  private func extend(by frames: Frames) -> (Int, Extend) {
    (frames.piece.range.upperBound, { [self] in extend($0, by: frames.piece, frames.bits, frames.values) })
  }

  /// The runs of frames that decoders find at `place`: the first frame alone, and as many as follow.
  private func decoded(at place: Int) -> [Frames] {
    if let known = runs[place] { return known }
    guard window.hasRoom(at: place) else { return [] }
    let all = window.decodings(at: place, for: .frames).flatMap { self.runs(of: $0, at: place) }
    runs[place] = all
    return all
  }

  private func runs(of decoding: DecoderBank.Decoding, at place: Int) -> [Frames] {
    let (out, ends) = (decoding.decoded.bytes, decoding.decoded.ends)
    let inner = Window(out, window.forms, window.bank, isEnd: true)
    let deviation = Deviation.coding(.frame, decoding.rows, price: decoding.price)
    var (all, values, bits, index): ([Frames], [MeantValues], Int, Int) = ([], [], 0, 0)
    while index < out.count, let frame = inner.documented(at: index), frame.isSound {
      // A frame that is the same without decoding is no evidence for the decoder.
      if ends[0] >= 0, ends[index] >= 0, ends[frame.end] >= 0,
        Array(window.bytes[Int(ends[index])..<Int(ends[frame.end])]).holds(Array(out[index..<frame.end]))
      {
        break
      }
      index = frame.end
      values.append(frame.values)
      bits += frame.bits
      // The rest of a block must be padding, or the next frame begins in it.
      guard let last = ends[index...].firstIndex(where: { $0 >= 0 }) else { break }
      if out[index..<last].contains(where: { $0 != 0 }) { continue }
      let end = Int(ends[last])
      if out[..<index].elementsEqual(window.bytes[place..<end]) { continue }
      let piece = Piece(
        range: place..<end, kind: .decoded, meant: Array(out[..<index]), isCertain: true, deviations: [deviation])
      all.append((piece, bits, values))
      if window.isPlain(at: end) { break }
    }
    return all
  }
}

// Frames that are not one notification
extension PieceSearch {
  private func division(at place: Int, after best: [Description]) -> (Int, Extend)? {
    guard let (run, isConfirmed) = divided(at: place) else { return nil }
    // After a part of a frame, items could be those of two notifications.
    func follows(_ last: Description) -> Bool {
      last.context.isWhole && (isConfirmed || run.piece.deviations.allSatisfy(last.known.contains))
    }
    let (end, extend) = extend(by: run)
    return best.contains(where: follows) ? (end, { follows($0) ? extend($0) : nil }) : nil
  }

  /// The items of several notifications in one frame, or of one in a frame each, as frames; and whether another
  /// notification confirms which are of one. All have the same items, as senders write them, and differ.
  private func divided(at place: Int) -> (Frames, isConfirmed: Bool)? {
    let bytes = window.bytes
    guard let form = window.forms.first(where: { $0.isList && $0.command == bytes[place] }),
      let items = form.items(at: place, in: bytes), form.slots[items[0].slot].role == .token
    else { return nil }
    let isOneEach = items.count == 1
    let groups = isOneEach ? [joined(at: place, form)] : notifications(items)
    let order = groups[0].map(\.slot)
    let lists = groups.map { $0.flatMap { bytes[$0.range] } }
    guard isOneEach ? order.count > 1 && order == order.sorted() : groups.count > 1,
      groups.allSatisfy({ $0.map(\.slot) == order }), Set(lists).count == lists.count,
      !(window.before + bytes[..<place]).holds(lists[0])
    else { return nil }
    let meant = lists.flatMap { list in
      [bytes[place]] + [UInt8](bigEndian: UInt64(list.count), width: form.listWidth) + list
    }
    guard let frames = window.plainFrames(meant), let end = groups.last?.last?.range.upperBound else { return nil }
    let piece = Piece(
      range: place..<end, kind: .decoded, meant: meant, isCertain: true,
      deviations: [.division(isOneEach ? order : [])])
    return ((piece, frames.bits, frames.map(\.values)), !isOneEach || joined(at: end, form).map(\.slot) == order)
  }

  /// The items of the frame at `place`, and if it has one, those of the frames that follow, up to one that repeats.
  private func joined(at place: Int, _ form: FrameForm) -> Items {
    var (all, end): (Items, Int) = ([], place)
    while let items = form.items(at: end, in: window.bytes), all.isEmpty || items.count == 1,
      !all.contains(where: { $0.slot == items[0].slot })
    {
      (all, end) = (all + items, items[items.count - 1].range.upperBound)
      if items.count > 1 { break }
    }
    return all
  }

  /// The items of each notification, of which the next begins with an item that the one before has already.
  private func notifications(_ items: Items) -> [Items] {
    items.reduce(into: [[]]) { all, item in
      let isNext = all[all.count - 1].contains { $0.slot == item.slot }
      if isNext { all.append([item]) } else { all[all.count - 1].append(item) }
    }
  }
}

// Bytes between frames
extension PieceSearch {
  /// What was found at the start of a gap.
  private enum Found {
    /// A writing that the stream has shown.
    case known
    case explained
    case unexplained
  }

  /// Foreign bytes up to each place where a frame can begin, frames that are cut short, and frames with bytes inside.
  private func gaps(at place: Int, _ found: Found) -> [(Int, Extend)] {
    let bytes = window.bytes
    var all: [(Int, Extend)] = []
    // A frame that ends where its lengths say is a frame, whatever it holds.
    let own = window.documented(at: place)?.end
    for end in nextFrames(after: place, found) where end != own {
      all.append((end, foreign(place..<end)))
      // A frame that is cut has fewer bytes than its lengths say.
      if own ?? .max > end, prefixBits(place..<end, after: nil) != nil { all.append((end, cut(place..<end))) }
    }
    guard found != .known, window.forms.contains(where: { $0.command == bytes[place] }),
      window.hasContents(at: place, within: WritingReader.reach)
    else { return all }
    if place == 0, let mixed = mixed() { all.append(mixed) }
    let last = min(bytes.count, place + Self.farthest)
    for end in stride(from: place + 41, through: last, by: 1)
    where end == bytes.count || window.mayBeginFrame(at: end) {
      for (piece, bits, values) in inserted(place..<end) {
        let insertion: Extend = { [self] description in
          var piece = piece
          if !piece.isCertain { piece.isCertain = isExpected(values, after: description) }
          return extend(description, by: piece, bits, [values])
        }
        all.append((end, insertion))
      }
    }
    return all
  }

  /// Frames whose pieces alternate from the start of the window on. Which piece is of which frame is never certain,
  /// since both have tokens.
  private func mixed() -> (Int, Extend)? {
    guard let (end, mixed) = Interleaving.solve(window), let frames = window.plainFrames(mixed) else { return nil }
    let piece = Piece(
      range: 0..<end, kind: .interleaved, meant: Array(window.bytes[..<end]), isCertain: false,
      deviations: [Deviation(.interleaved, price: Price.interleaved)])
    return extend(by: (piece, frames.bits, frames.map(\.values)))
  }

  /// Whether a frame with one deviation begins here.
  private func isReading(at place: Int) -> Bool {
    if let known = startsReading[place] { return known }
    let isReading = !reader.readings(at: place, most: 1, mayLackCommand: false).isEmpty
    startsReading[place] = isReading
    return isReading
  }

  /// Where frames may begin after a place, up to the second strong one.
  private func nextFrames(after place: Int, _ found: Found) -> [Int] {
    let count = window.bytes.count
    // Of a run of one byte, the last ones may begin a frame.
    let run = window.bytes[place...].prefix { $0 == window.bytes[place] }.count
    let first = place + max(1, run - Self.longestStart)
    let last = min(count, first + Self.farthest)
    var (places, strong): ([Int], Int) = ([], 0)
    for end in first...last {
      if end == count { return places + [end] }
      if window.isEndOfLonger(at: end, from: place) { continue }
      if window.looksLikeFrame(at: end) || window.endsAsStated(at: end) {
        places.append(end)
        strong += 1
        if strong == 2 { return places }
      } else if strong == 0, found == .unexplained || found == .explained && end - place <= 16,
        isReading(at: end) || found == .unexplained && end - place <= 64 && !decoded(at: end).isEmpty
      {
        places.append(end)
      }
    }
    return places.isEmpty ? [last] : places
  }

  /// The bits of `range` as the beginning of a frame that is cut short; nil if no frame begins like this.
  private func prefixBits(_ range: Range<Int>, after last: Int?) -> Int? {
    let bytes = window.bytes[range]
    guard
      let index = window.forms.firstIndex(where: { $0.command ?? bytes.first == bytes.first && $0.mayBegin(bytes) })
    else { return nil }
    let form = window.forms[index]
    if let expiry = form.slot(.expiry), !form.isList, bytes.count > 8,
      let date = window.bytes.number(
        range.lowerBound + 1 + (0..<expiry).reduce(0) { $0 + (form.slots[$1].size ?? 0) }, 4),
      !Evidence.isOrdinary(date)
    {
      return nil
    }
    let head = form.head.count
    let isShort = bytes.count < head && form.head[bytes.count] == 0
    let contents = bytes.dropFirst(head)
    let payload = Array(contents.drop { $0 != UInt8(ascii: "{") })
    // A frame is hardly cut where its text happens to close.
    let isClosed = !form.isList && Evidence.isObject(payload)
    let bits = 10 + (isClosed ? 15 : 0) + (index == last ? 0 : 7) + (isShort ? 7 : 0)
    let values = 8 * (contents.count - payload.count) + Evidence.bits(payload: payload)
    // Where the payload has begun as usual, only the values say anything.
    if !isClosed, contents.count > payload.count, window.looksLikeFrame(at: range.lowerBound) {
      return bits + values - (form.isList ? 24 : 0)
    }
    return bits + values + 4 * min(bytes.count, head)
  }

  private func cut(_ range: Range<Int>) -> Extend {
    let piece = Piece(
      range: range, kind: .cut, meant: Array(window.bytes[range]), isCertain: false,
      deviations: [Deviation(.cut, price: 7)])
    return { [self] description in
      guard description.piece?.kind != .foreign, let bits = prefixBits(range, after: description.context.form) else {
        return nil
      }
      return extend(description, by: piece, bits - 4, [])
    }
  }

  private func foreign(_ range: Range<Int>) -> Extend {
    window.spend(8 * window.bytes.count)
    let foreign = ForeignBytes(range, window)
    return { [self] description in
      var (bits, words, deviation) = (foreign.bits, foreign.words, foreign.deviation)
      if let previous = description.piece, previous.kind == .foreign, previous.range.count < Self.farthest {
        bits += 30
      }
      // Zeros up to a round size. A single NUL is rather the end of a string, unless the stream has been padded before.
      let full = (description.piece?.range.count ?? 0) + range.count
      let size = [4, 8, 16, 256, 512].first {
        range.count < $0 && full % $0 == 0
          && (range.count > 1 || description.known.contains(.foreign(ForeignBytes.padding + $0)))
      }
      if foreign.isZeros, let size {
        (bits, words) = (0, "zeros up to a multiple of \(size) bytes")
        deviation = .foreign(ForeignBytes.padding + size)
      }
      let own = Array(window.bytes[range])
      let last = description.known.foreign
      let differing = zip(own, last).count { $0 != $1 }
      // Two frames are alike in few of their bytes.
      if last.count == own.count, own.count < Evidence.tokenSize || 4 * differing <= own.count {
        bits = min(bits, 1 + 8 * differing)
      } else {
        bits = min(bits, 6 + 8 * (own.count - zip(own, last).prefix { $0 == $1 }.count))
      }
      // Bytes that begin an item are rather of the frame before them.
      if let previous = description.piece, previous.kind != .foreign, let form = description.context.form,
        itemsGoOn(at: range.lowerBound, form)
      {
        bits += 20
      }
      // The rest of a frame that is not understood is no foreign byte. The last bytes may be the first of those that
      // came before.
      let isPadding = foreign.isZeros && description.known.contains(.padding(own.count))
      let isAgain = deviation.detail == ForeignBytes.again && description.known.contains(deviation)
      let isRepeated = range.upperBound == window.bytes.count && (last.starts(with: own) || isPadding || isAgain)
      // Text that closes an object may be the rest of a faulty frame, or of one that began before the stream. Where the
      // payload of such a frame does not end, so may any text.
      let (form, unknown) = (description.context.form, description.context.unknown)
      let hasBegun = (description.piece?.meant ?? window.before).holds(Array("{\"".utf8))
      let mayBeRest = foreign.isText && own.count > 2 && hasBegun || own.count > 32
      let isRest = foreign.closesObject && (form == nil || unknown != nil) || mayBeRest && unknown?.isEmpty == true
      let excess = description.context.excess
      let isCertain =
        (foreign.isDeletable || isRepeated) && !isRest && (excess == .none || excess == .few && own.count > 4)
      let piece = Piece(
        range: range, kind: .foreign, meant: isCertain ? [] : own, isCertain: isCertain, deviations: [deviation],
        words: words, isIrregular: foreign.isIrregular)
      var (known, context) = (description.known, description.context)
      context.excess = isCertain ? .none : .any
      bits += known.pay(deviation)
      known.foreign = own
      return Description(description, piece, bits: bits, known, context)
    }
  }

  /// A frame as documented with foreign bytes inside: the lengths on both sides of them must agree.
  private func inserted(_ range: Range<Int>) -> [(Piece, bits: Int, MeantValues)] {
    window.spend(2048)
    let bytes = window.bytes
    guard let index = window.forms.firstIndex(where: { $0.command == bytes[range.lowerBound] }) else { return [] }
    let form = window.forms[index]
    let start = range.lowerBound
    // A length that counts all bytes after it.
    let (header, width) = (form.lastLength.lowerBound, form.lastLength.count)
    guard width > 0 else { return [] }
    var found: [(Piece, bits: Int, MeantValues)] = []
    let declared = bytes.number(start + header, width)
    for count in 1...80 where range.count - count > header + width {
      let rest = range.count - count - header - width
      var places: [Range<Int>] = []
      if declared == rest { places.append((header + width)..<(range.count - count)) }
      if bytes.number(start + header + count, width) == rest { places.append(1..<(header + width)) }
      for place in places.joined() {
        let meant = Array(bytes[start..<(start + place)] + bytes[(start + place + count)..<range.upperBound])
        // An intact frame is no part of another.
        guard !bytes[(start + count)..<range.upperBound].elementsEqual(meant),
          let frame = form.documented(index, at: 0, in: meant), frame.end == meant.count, frame.isPlain
        else { continue }
        let inside = (start + place)..<(start + place + count)
        // Where they are takes a byte.
        let bits = Price.second + frame.bits + 8 + insertedBits(inside)
        // Among the numbers before the lengths, only numbers that were to be expected say where.
        let piece = Piece(
          range: range, kind: .inserted, meant: meant, isCertain: place >= header,
          deviations: [Deviation(.inserted, price: Price.foreign)], inside: inside)
        if let known = found.firstIndex(where: { $0.0.meant == meant }) {
          if bits < found[known].bits { found[known] = (piece, bits, frame.values) }
        } else {
          found.append((piece, bits, frame.values))
        }
      }
    }
    return found
  }

  private func insertedBits(_ range: Range<Int>) -> Int {
    let own = window.bytes[range]
    let isCopy = window.isAgain(range) || window.bytes[range.upperBound...].starts(with: own)
    if isCopy, range.lowerBound >= range.count { return 2 }
    return own.allSatisfy { $0 == own.first } ? 10 : 8 * range.count
  }
}

extension [DocumentedFrame] {
  /// The bits that their contents take.
  fileprivate var bits: Int { reduce(0) { $0 + $1.bits } }
}

extension [Description] {
  fileprivate var cost: Int { self.min { $0.cost < $1.cost }?.cost ?? .max / 2 }

  /// Keeps the cheapest description of each result.
  fileprivate mutating func keep(_ description: Description) {
    let index = firstIndex { $0.hash == description.hash && $0.isUncertain == description.isUncertain }
    if let index {
      if description.cost < self[index].cost { self[index] = description }
    } else {
      append(description)
    }
  }
}

/// Items, each with its header.
private typealias Items = [(slot: Int, range: Range<Int>)]

extension FrameForm {
  /// The items of the frame at `place`; nil unless they are documented, and their lengths agree.
  fileprivate func items(at place: Int, in bytes: [UInt8]) -> Items? {
    var (items, isTiled): (Items, Bool) = ([], true)
    guard isList, place < bytes.count else { return nil }
    let frame = walk(bytes, from: place) { leaf in
      if leaf.kind == .value, leaf.state == .whole, let slot = slot(of: leaf) {
        items.append((slot, leaf.start - Item.headerSize..<leaf.end))
      } else if leaf.kind == .value || leaf.kind == .gap {
        isTiled = false
      }
      return isTiled
    }
    return isTiled && frame.condition == .complete && !items.isEmpty ? items : nil
  }
}
