import APNSWire
import Octets

/// A frame as it may have been meant, read from its contents.
struct WritingReading {
  let end: Int
  /// The bits that the contents take.
  let bits: Int
  let deviations: [Deviation]
  let values: MeantValues
  /// The lengths that are not the sizes of their values.
  let misfits: [LengthRule.Measured]
  /// Whether its values have their usual sizes.
  let isUsual: Bool
  /// The frame as documented; nil if the bytes do not say what was meant.
  let frame: [UInt8]?
  /// Whether the values are those of one frame as documented, once all are known.
  let isWritable: Bool

  /// The description's length in a stream that has shown no deviation.
  var price: Int {
    var known = KnownDeviations()
    return deviations.reduce(bits) { $0 + known.pay($1) }
  }
}

/// Reads one frame at an offset in every writing of at most two deviations. Contents decide where values end; lengths
/// then say how they deviate.
struct WritingReader {
  private let window: Window
  private let bytes: [UInt8]
  private let layouts: [Layout]
  private var contents: Contents
  /// The ways to read a number, by its offset and width in bytes.
  private var waysToRead: [Int: [NumberReading]] = [:]
  private var readings: [Query: [WritingReading]] = [:]

  // One call of `readings(at:)`:
  private var query = Query(start: 0, most: 0)
  /// The next intact frame, with which the frame may end, or before it.
  private var next = 0..<0
  /// The formats that numbers may have, one bit each.
  private var formats: UInt64 = 0
  private var form: FrameForm
  private var steps: [FrameForm.Step] = []
  private var stepsHere = 0
  private var draft = Draft()
  private var deviations: [Deviation] = []
  /// The items as they follow each other.
  private var order: [Int] = []
  /// What was read of the slots. Of those that the draft has not read, it is left from another attempt.
  private var values = [Slot](repeating: Slot(), count: FrameForm.mostSlots)
  private var lengths = [NumberReading?](repeating: nil, count: FrameForm.mostSlots)
  private var found: [WritingReading] = []
  /// The price of the cheapest deviations that were found.
  private var cheapest = 0
  /// Deviations that cost so much more than others are not pursued, in bits.
  private static let tooMuch = 30

  private struct Query: Hashable {
    let start: Int
    var most: Int
    var mayLackCommand = true
    var lengthsAreRight = false
    var only: [Deviation]?
  }

  /// The frame that is being read. It is trivial, since each attempt goes back to the one before.
  private struct Draft: BitwiseCopyable {
    var form = 0
    /// How many deviations it has, without those that repeat the habit of another.
    var habits = 0
    var price = 0
    var bits = 0
    /// The slots of which values and lengths were read, one bit each.
    var values: UInt64 = 0
    var lengths: UInt64 = 0
    var list: NumberReading?
    var listStart = 0
    /// How the items so far are numbered, one bit each; the lowest is the documented way.
    var numbering: UInt8 = 0
    /// The formats of the lengths so far, one bit each.
    var formats: UInt64 = 0
    var itemBytes = 0
    /// The bytes in the list that the documented frame has not, where a fault of the stream added or removed some.
    var grown = 0
  }

  private struct Slot: BitwiseCopyable {
    var value = Value.absent
    var place = 0
    /// The size of the value as written.
    var size = 0
  }

  private enum Value: BitwiseCopyable {
    case absent, lost
    /// Bytes of a number that do not say it alone.
    case part(NumberFormat, count: Int)
    case number(Int)
    /// An index in ``Contents/all``.
    case content(Int)
  }

  private static let mostStepsHere = 2000
  /// The most bytes from the start of a frame to its payload.
  static let reach = 400
  private static let mostReadings = 8
  static let longestLength = 70000
  private static let paddings = [1, 2, 3, 7]
  private static let stepWork = 512

  /// - Precondition: `window` has a form.
  init(_ window: Window, _ layouts: [Layout]) {
    (self.window, self.layouts, bytes, form) = (window, layouts, window.bytes, window.forms[0])
    contents = Contents(window)
  }

  /// The cheapest readings of a frame at `place` with at most `most` deviations.
  ///
  /// - Parameters:
  ///   - mayLackCommand: whether one deviation may be a missing command, which few bytes speak against.
  ///   - lengthsAreRight: whether only values may be written in another way.
  ///   - only: the deviations that are tried; nil for all.
  mutating func readings(
    at place: Int, most: Int, mayLackCommand: Bool = true, lengthsAreRight: Bool = false, only: [Deviation]? = nil
  ) -> [WritingReading] {
    let query = Query(
      start: place, most: most, mayLackCommand: mayLackCommand, lengthsAreRight: lengthsAreRight, only: only)
    if let known = readings[query] { return known }
    guard !window.isSpent, place < bytes.count else { return [] }
    self.query = query
    let beginnings = window.forms.map(commands)
    guard !beginnings.joined().isEmpty,
      only != nil || window.mayHoldPayload(after: place, within: Self.reach)
        || window.forms.contains(where: { !$0.hasPayload })
    else { return [] }
    next = window.limit(after: place)
    formats = only?.formats ?? .max
    (stepsHere, found, cheapest) = (0, [], .max / 2)
    var fewer = query
    fewer.most -= 1
    for reading in readings[fewer] ?? [] where reading.frame != nil {
      cheapest = min(cheapest, reading.price - reading.bits)
    }
    for layout in layouts {
      (form, steps) = (window.forms[layout.form], layout.steps)
      draft = Draft(form: layout.form)
      attempt(layout.deviation) { reader in
        for (end, deviation) in layout.steps.contains(.command) ? [(place, nil)] : beginnings[layout.form] {
          reader.attempt(deviation) { $0.read(0, end) }
        }
      }
    }
    window.spend(stepsHere * Self.stepWork)
    // If two cost the same, the longer one comes first.
    found.sort { ($0.price, -$0.end) < ($1.price, -$1.end) }
    let best = Array(found.prefix(Self.mostReadings))
    readings[query] = best
    return best
  }

  /// The ends of the command, as it may be written.
  private func commands(of form: FrameForm) -> [(end: Int, Deviation?)] {
    let (start, first) = (query.start, bytes[query.start])
    guard let command = form.command else {
      return [(start, nil)] + (query.mayLackCommand ? [(start + 1, .commandAdded)] : [])
    }
    var all: [(end: Int, Deviation?)] = []
    if first == command {
      all.append((start + 1, nil))
      if query.most > 1, start + 1 < bytes.count, bytes[start + 1] != 0 {
        let run = run(of: bytes[start + 1], at: start + 1)
        all += Self.paddings.filter { $0 <= run }.map { (start + 1 + $0, .paddingAfterCommand($0)) }
      }
    } else if command <= 9, first == 0x30 + command {
      all.append((start + 1, .command(Deviation.digit)))
    } else if query.most > 1, form.hasContents, first == 0 || !form.head.contains(first) {
      // A length that has lost its zeros is no command.
      all.append((start + 1, .command(Int(first))))
    }
    // A frame has the command with which it begins; a zero may also be of the length of a token.
    if query.mayLackCommand, form.hasContents, first == 0 || first != command {
      all.append((start, .commandMissing))
    }
    return all
  }

  /// How often a byte follows itself, at most seven times.
  private func run(of byte: UInt8, at place: Int) -> Int { bytes[place...].prefix(7).prefix { $0 == byte }.count }

  /// Changes the draft and goes on, then takes the change back. Does nothing if the deviation is one too many.
  private mutating func attempt(_ deviation: Deviation?, _ body: (inout WritingReader) -> Void) {
    guard let price = price(of: deviation) else { return }
    undo { reader in
      if let deviation, price > 0 {
        reader.draft.price += price
        if !reader.deviations.contains(where: deviation.isSameHabit) { reader.draft.habits += 1 }
        reader.deviations.append(deviation)
      }
      body(&reader)
    }
  }

  /// The same with several deviations.
  private mutating func attempt(_ deviations: ArraySlice<Deviation>, _ body: (inout WritingReader) -> Void) {
    guard let deviation = deviations.first else { return body(&self) }
    attempt(deviation) { $0.attempt(deviations.dropFirst(), body) }
  }

  /// Changes the draft, then takes the change back.
  private mutating func undo(_ body: (inout WritingReader) -> Void) {
    let (before, deviationCount, itemCount) = (draft, deviations.count, order.count)
    body(&self)
    draft = before
    while deviations.count > deviationCount { deviations.removeLast() }
    while order.count > itemCount { order.removeLast() }
  }

  private mutating func set(_ slot: Int, _ value: Value, _ range: Range<Int>) {
    values[slot] = Slot(value: value, place: range.lowerBound, size: range.count)
    draft.values |= 1 << UInt64(slot)
  }

  private mutating func set(_ slot: Int, length: NumberReading) {
    lengths[slot] = length
    draft.lengths |= 1 << UInt64(slot)
    draft.formats |= 1 << length.format.rawValue
  }

  private func value(of slot: Int) -> Slot { draft.values >> UInt64(slot) & 1 == 0 ? Slot() : values[slot] }

  private func length(of slot: Int) -> NumberReading? { draft.lengths >> UInt64(slot) & 1 == 0 ? nil : lengths[slot] }

  /// What a deviation costs in addition to those of the draft; nil if it is not tried.
  private func price(of deviation: Deviation?) -> Int? {
    guard let deviation, !deviations.contains(deviation) else { return 0 }
    let isHabit = deviations.contains(where: deviation.isSameHabit)
    guard draft.habits < query.most || isHabit, query.only?.contains(deviation) ?? true,
      !query.lengthsAreRight || !deviation.isAboutLengths
    else { return nil }
    let price = isHabit ? Price.anotherField : deviation.price + (draft.habits == 0 ? 0 : Price.second)
    return draft.price + price < cheapest + Self.tooMuch ? price : nil
  }

  /// Whether a deviation of one of these dimensions can be added, or repeated.
  private func mayDeviate(_ dimensions: Deviation.Dimension...) -> Bool {
    draft.habits < query.most && query.only?.contains { dimensions.contains($0.dimension) } ?? true
      || deviations.contains { dimensions.contains($0.dimension) }
  }
}

// MARK: - Steps
extension WritingReader {
  /// Reads the steps from `index` on.
  private mutating func read(_ index: Int, _ place: Int) {
    stepsHere += 1
    guard place <= next.upperBound, stepsHere < Self.mostStepsHere else { return }
    guard index < steps.count else { return finish(place) }
    if draft.habits < query.most, place < next.upperBound, bytes[place] == 0 {
      let zeros = run(of: 0, at: place)
      for size in Self.paddings where size <= zeros {
        attempt(.padding(size)) { $0.readStep(index, place + size) }
      }
    }
    readStep(index, place)
  }

  private mutating func readStep(_ index: Int, _ place: Int) {
    switch steps[index] {
    case .command:
      guard place < bytes.count, bytes[place] == form.command else { return }
      draft.listStart = place + 1
      read(index + 1, place + 1)
    case .length(let slot):
      eachLength(of: slot, at: place, form.slots[slot].lengthWidth) { reader, length in
        // A length after its value is too weak in another format.
        guard reader.draft.values >> UInt64(slot) & 1 == 0 || length.format == .documented else { return }
        reader.set(slot, length: length)
        reader.read(index + 1, length.end)
      }
    case .listLength:
      eachNumber(at: place, form.listWidth, .frameLength, isLength: true) { reader, number in
        guard number.number ?? 0 <= Self.longestLength << 16 else { return }
        reader.draft.list = number
        (reader.draft.listStart, reader.draft.grown) = (number.end, 0)
        reader.read(index + 1, number.end)
      }
    case .value(let slot):
      eachValue(of: slot, at: place) { reader, end in
        if reader.form.isList { reader.order.append(slot) }
        reader.read(index + 1, end)
      }
    case .items: readItems(place)
    }
  }

  private mutating func waysToRead(at place: Int, width: Int) -> [NumberReading] {
    let key = place << 4 | width
    if let known = waysToRead[key] { return known }
    let all = bytes.numbers(at: place, width: width)
    waysToRead[key] = all
    return all
  }

  /// Visits the ways to read a number, with the deviation added.
  private mutating func eachNumber(
    at place: Int, _ width: Int, _ subject: Deviation.Subject, isLength: Bool = false,
    _ visit: (inout WritingReader, NumberReading) -> Void
  ) {
    let formats = draft.habits < query.most ? formats : deviations.formats
    guard formats != 1 else {
      guard let number = bytes.number(place, width) else { return }
      return undo { visit(&$0, NumberReading(number: number, start: place, end: place + width)) }
    }
    for number in waysToRead(at: place, width: width) {
      // Without a payload nothing speaks against lost bytes.
      guard formats >> number.format.rawValue & 1 != 0, isLength || !number.format.isForLengthsOnly,
        form.hasPayload || !number.format.losesBytes, !query.lengthsAreRight || number.size == width
      else { continue }
      attempt(number.deviation(subject)) { reader in
        if number.format.losesBytes { reader.draft.grown += number.size - width }
        visit(&reader, number)
      }
    }
  }

  private mutating func eachLength(
    of slot: Int, at place: Int, _ width: Int, _ visit: (inout WritingReader, NumberReading) -> Void
  ) {
    eachNumber(at: place, width, .lengths, isLength: true) { reader, number in
      guard number.number ?? 0 <= Self.longestLength,
        number.format == .documented || reader.form.slots[slot].mayHaveLength(number.number)
      else { return }
      visit(&reader, number)
    }
  }

  /// Visits the ways to read a counted value, unless nothing says why its length is not its size.
  private mutating func eachContent(of slot: Int, at place: Int, _ visit: (inout WritingReader, _ end: Int) -> Void) {
    let isPlain = !mayDeviate(.coding, .value, .valuePadding)
    let declared = length(of: slot)
    for index in contents.values(of: slot, draft.form, at: place, declared?.number, isPlain: isPlain) {
      let value = contents.all[index]
      if query.lengthsAreRight, let size = declared?.number, value.end != place + size { continue }
      attempt(value.deviation) { reader in
        reader.set(slot, value.bytes == nil ? .lost : .content(index), place..<value.end)
        guard reader.followsRule(slot) else { return }
        reader.draft.bits += value.bits
        if value.deviation?.isReplacedAfterwards == true {
          reader.draft.grown += value.end - place - Evidence.tokenSize
        }
        visit(&reader, value.end)
      }
    }
  }

  /// Whether the length of a value follows a rule. In another format it must.
  private func followsRule(_ slot: Int) -> Bool {
    guard let declared = length(of: slot), declared.format != .documented, let measured = measure(slot)
    else { return true }
    return LengthRule.first(for: [measured]) != nil
  }

  /// Visits the ways to read a value; `length` is that of an item.
  private mutating func eachValue(
    of index: Int, at place: Int, length: NumberReading? = nil, _ visit: (inout WritingReader, _ end: Int) -> Void
  ) {
    let slot = form.slots[index]
    guard let size = slot.size else { return eachContent(of: index, at: place, visit) }
    eachNumber(at: place, size, slot.subject) { reader, number in
      // An item that is missing is no item. Of another width, the length says that, or the documented one.
      if let length {
        if number.format == .missing { return }
        if number.format != .documented, let declared = length.number, declared != size,
          number.format.losesBytes || declared != number.size
        {
          return
        }
      }
      if number.format.losesBytes {
        reader.set(index, .part(number.format, count: number.size), place..<(place + size))
        return visit(&reader, number.end)
      }
      var value = number.number.map { Value.number($0) } ?? .lost
      switch slot.role {
      case .expiry, .timestamp:
        for (seconds, meaning) in reader.dates(number) {
          reader.attempt(meaning) { reader in
            reader.set(index, seconds.map { .number($0) } ?? .lost, place..<number.end)
            visit(&reader, number.end)
          }
        }
        return
      case .priority, .status: guard let value = number.number, slot.isOrdinary(value) else { return }
      default:
        if let value = number.number, value >= 1 << min(62, 8 * size) { return }
        // A narrow number has lost its upper bytes.
        if [1, 3].contains(number.size), size != number.size { value = .part(number.format, count: number.size) }
      }
      reader.set(index, value, place..<number.end)
      visit(&reader, number.end)
    }
  }

  private func dates(_ number: NumberReading) -> [(Int?, Deviation?)] {
    guard let value = number.number else { return [(nil, nil)] }
    let isDocumented = number.format == .documented
    if Evidence.isOrdinary(value) { return value != 0 || isDocumented ? [(value, nil)] : [] }
    var all: [(Int?, Deviation?)] = isDocumented ? [(value, nil)] : []
    // No clock shows a round number, and digits are a text.
    let isRound = value < 1 << 32 && value.isMultiple(of: 1_000_000)
    guard !isRound, !Evidence.areDigits(value, atLeast: 3), mayDeviate(.meaning, .number) else { return all }
    for (row, meaning) in DateMeaning.all.enumerated() {
      let seconds = meaning.seconds(value)
      if seconds > 0, Evidence.isOrdinary(seconds) { all.append((seconds, .meaning(row: row))) }
    }
    return all
  }
}

// MARK: - Items
extension WritingReader {
  private mutating func readItems(_ place: Int) {
    stepsHere += 1
    guard place <= next.upperBound, stepsHere < Self.mostStepsHere else { return }
    if form.slots.indices.allSatisfy({ !form.slots[$0].isRequired || order.contains($0) }) { finish(place) }
    guard place < bytes.count else { return }
    // More zeros are no padding, and each is one more call.
    if bytes[place] == 0, run(of: 0, at: place) < 7, mayDeviate(.padding), !order.isEmpty {
      attempt(.padding(1)) { $0.readItems(place + 1) }
    }
    if query.most > 1, mayDeviate(.itemWithoutHeader) {
      // Strong contents may follow without a header, where none is.
      let hasHeader = form.slots.contains { $0.item == bytes[place] && $0.usual == bytes.number(place + 1, 2) }
      for slot in form.slots.indices where !hasHeader && form.slots[slot].size == nil && !order.contains(slot) {
        attempt(.itemWithoutHeader) { $0.readItem(slot, place, NumberReading(number: nil, start: place, end: place)) }
      }
    }
    if let number = bytes.number(place, 2), place + 2 < bytes.count, let slot = unread(Int(bytes[place + 2])) {
      let length = NumberReading(number: number, start: place, end: place + 2)
      attempt(.itemNumbers(.afterLength)) { $0.readItem(slot, place + 3, length) }
    }
    for (slot, end, deviation) in headers(place) {
      attempt(deviation) { reader in
        // A sender numbers all items in one way, apart from some that have another number.
        if deviation != .itemNumbers(.otherwise) { reader.draft.numbering |= deviation?.numberingBit ?? 1 }
        guard reader.draft.numbering.nonzeroBitCount < 2 else { return }
        reader.eachLength(of: slot, at: end, 2) { $0.readItem(slot, $1.end, $1) }
      }
    }
  }

  /// The slot of an item with this number; nil if there is none, or it was read.
  private func unread(_ item: Int?) -> Int? {
    let slot = form.slots.firstIndex { $0.item != nil && $0.item.map(Int.init) == item }
    return slot.flatMap { order.contains($0) ? nil : $0 }
  }

  /// The items that may begin here, and where their lengths are.
  private func headers(_ place: Int) -> [(slot: Int, end: Int, Deviation?)] {
    let first = Int(bytes[place])
    var all: [(slot: Int, end: Int, Deviation?)] = []
    func add(_ item: Int?, _ end: Int, _ deviation: Deviation?) {
      if let slot = unread(item) { all.append((slot, end, deviation)) }
    }
    add(first, place + 1, nil)
    let header = bytes[place...].prefix(Item.headerSize)
    if mayDeviate(.itemHeaderTwice), bytes[header.endIndex...].starts(with: header) {
      add(first, place + Item.headerSize + 1, .itemHeaderTwice)
    }
    guard mayDeviate(.itemNumbers) else { return all }
    add(first + 1, place + 1, .itemNumbers(.fromZero))
    add(first - 0x30, place + 1, .itemNumbers(.digits))
    add(first - 1, place + 1, .itemNumbers(.fromTwo))
    add(bytes.number(place, 2), place + 2, .itemNumbers(.twoBytes))
    add(bytes.number(place, 4), place + 4, .itemNumbers(.fourBytes))
    // A value of the usual size is that of its own item, unless that was read.
    let own = unread(first).map { form.slots[$0] }
    guard query.most > 1, own == nil || (own?.size ?? own?.usual) != bytes.number(place + 1, 2) else { return all }
    for slot in form.slots where slot.item.map(Int.init) != first {
      add(slot.item.map(Int.init), place + 1, .itemNumbers(.otherwise))
    }
    return all
  }

  private mutating func readItem(_ slot: Int, _ place: Int, _ length: NumberReading) {
    // Lengths are missing in all items or in none.
    let isNumber = form.slots[slot].size != nil
    if isNumber, length.format == .missing, draft.formats & ~(1 << NumberFormat.missing.rawValue) != 0 { return }
    set(slot, length: length)
    eachValue(of: slot, at: place, length: length) { reader, end in
      guard !isNumber || reader.followsRule(slot) else { return }
      reader.draft.itemBytes += end - place
      reader.order.append(slot)
      reader.readItems(end)
    }
  }
}

// MARK: - Lengths
extension WritingReader {
  /// A value whose length is not its size; nil if it is, or if nothing can be said about it.
  private func measure(_ index: Int) -> LengthRule.Measured? {
    let (own, slot) = (value(of: index), form.slots[index])
    guard let declared = length(of: index), let number = declared.number, number != own.size else { return nil }
    switch own.value {
    case .content, .number: break
    case .absent, .lost, .part: if slot.size == nil { return nil }
    }
    let value = bytes[own.place...].prefix(own.size)
    return LengthRule.Measured(
      subject: slot.lengthSubject, declared: number, size: value.count, width: declared.size,
      decoded: decodedSize(index), value: value)
  }

  /// The size of a value before it was encoded; of a number, the documented one.
  private func decodedSize(_ slot: Int) -> Int {
    let own = value(of: slot)
    return switch own.value {
    case .content(let content): contents.all[content].bytes?.count ?? own.size
    case .number: form.slots[slot].size ?? own.size
    case .absent, .lost, .part: own.size
    }
  }

  private mutating func finish(_ end: Int) {
    guard end <= next.lowerBound || end == next.upperBound else { return }
    var misfits = form.slots.indices.compactMap { measure($0) }
    let listSize = end - draft.listStart - draft.grown
    var sum: LengthRule.Measured?
    if let list = draft.list, let number = list.number, number != listSize {
      let added = form.slots.indices.reduce(0) { $0 + value(of: $1).size - decodedSize($1) }
      let measured = LengthRule.Measured(
        subject: .frameLength, declared: number, size: listSize, width: list.size, decoded: listSize - added)
      // A sender may add up the lengths that it has written: that is no deviation of its own. But so do lengths that
      // are right, if bytes of a value are lost.
      if number == misfits.reduce(listSize, { $0 + $1.declared - $1.size }), LengthRule.countContents(misfits) {
        sum = measured
      } else {
        misfits.append(measured)
      }
    }
    // Lengths that count values before they were encoded are no habit of their own.
    guard draft.habits < query.most || misfits.allSatisfy({ $0.declared == $0.decoded }) else { return }
    let tokenSize = form.slot(.token).map { value(of: $0).size }
    let payloadSize = form.slots.firstIndex { $0.isJSON }.map { value(of: $0).size }
    for index in misfits.indices {
      misfits[index].other = misfits[index].subject == .tokenLength ? payloadSize : tokenSize
      if form.isList { misfits[index].contents = draft.itemBytes }
    }
    let all = misfits + [sum].compactMap(\.self)
    // Each length that disagrees is one more deviation, unless one rule gives them all.
    let common = LengthRule.first(for: misfits)
    var (explanations, constants, isLost): ([Deviation], [Deviation], Bool) = ([], [], false)
    for measured in misfits {
      if let rule = common ?? LengthRule.first(for: [measured]) {
        explanations.append(.length(measured.subject, row: rule))
        continue
      }
      // The contents around lost bytes are too weak for a length that follows no rule.
      guard !deviations.losesToken else { return }
      if measured.subject == .frameLength {
        guard draft.list?.format == .documented else { return }
        if measured.declared > measured.size, order.count < form.slots.count { isLost = true }
      }
      explanations.append(.anyLength(measured.subject))
      constants.append(.constant(measured.subject, measured.declared, width: measured.width))
    }
    attempt(explanations[...]) { reader in
      reader.deviations += constants
      reader.keep(end, all, isLost: isLost)
    }
  }

  /// - Parameter isLost: whether items must be missing.
  private mutating func keep(_ end: Int, _ misfits: [LengthRule.Measured], isLost: Bool) {
    let values = meant
    var deviations = deviations
    if draft.formats.nonzeroBitCount > 1 || deviations.count(where: \.isFormatOfLengths) > 1 {
      let others = form.slots.indices.filter { length(of: $0).map { $0.format != .documented } ?? false }
      let some = Deviation.notAllLengths(others.count == 1 ? form.slots[others[0]].lengthSubject : .lengths)
      guard query.only?.contains(some) ?? true else { return }
      deviations.append(some)
    }
    let expiry = values.number(form.slot(.expiry) ?? form.slot(.timestamp)) ?? 0
    let isOrdinary = Evidence.isOrdinary(expiry)
    let isOther = form.hasPayload && values.payload(form)?.holdsAps != true
    let isArbitrary =
      (deviations.count > 2 || isOther || hasOtherCommand) && deviations.contains { $0.dimension == .constant }
    let bits = draft.bits + (isOrdinary ? 0 : 20) + (isOther ? 16 : 0)
    // What loses zeros loses those of all lengths.
    let losesSome = draft.formats.nonzeroBitCount > 1 && draft.formats & 1 << NumberFormat.withoutZeros.rawValue != 0
    // Without a deviation it is the frame as documented.
    guard !deviations.isEmpty, !losesSome, !isLengthElsewhere, !exchangesLifetime(values) else { return }
    // Line ends that a length does not count may be of another writer.
    let isWrapped = misfits.contains { $0.size > $0.declared && $0.size - $0.declared == $0.lineEnds }
    let isWritable = !isLost && !isArbitrary && !isBare && !isWrapped && isOrdinary && !takesLength(values)
    let frame = isWritable ? form.write(values) : nil
    // An intact frame is no part of another.
    if let frame, frame.count < end - query.start, bytes[(end - frame.count)..<end].elementsEqual(frame) { return }
    if frame != nil { cheapest = min(cheapest, draft.price) }
    let isUsual = form.slots.indices.allSatisfy { index in
      values.bytes(index).map(form.slots[index].isUsual) ?? true
    }
    let reading = WritingReading(
      end: end, bits: bits, deviations: deviations, values: values, misfits: misfits, isUsual: isUsual, frame: frame,
      isWritable: isWritable)
    if let index = found.firstIndex(where: { $0.end == end && ($0.frame == frame || $0.values == values) }) {
      if reading.price < found[index].price { found[index] = reading }
    } else {
      found.append(reading)
    }
  }

  private var hasOtherCommand: Bool {
    deviations.contains { $0.dimension == .command && $0.detail != Deviation.digit }
  }

  private var isLengthMissing: Bool { draft.formats >> NumberFormat.missing.rawValue & 1 != 0 }

  /// Whether there are no lengths, and what is in front of the contents is other bytes: they may be a length.
  private var isBare: Bool {
    isLengthMissing
      && (hasOtherCommand || deviations.contains { [.padding, .paddingAfterCommand].contains($0.dimension) })
  }

  /// Whether what was an expiry becomes an identifier, but is rather a lifetime: some senders count in seconds from
  /// now, and take the time for an identifier.
  private func exchangesLifetime(_ values: MeantValues) -> Bool {
    guard deviations.contains(.layout(.numbersExchanged)), let identifier = values.number(form.slot(.identifier))
    else { return false }
    return identifier.isMultiple(of: 300) && identifier < 1 << 22
  }

  /// Whether the length of the payload is left out, but its size is before it all the same.
  private var isLengthElsewhere: Bool {
    (deviations.contains(.itemWithoutHeader) || isLengthMissing)
      && deviations.contains(.coding(.payload, .sizeBefore))
  }

  /// Whether the token may have taken bytes of lengths that are written in another way or elsewhere: of its own, or a
  /// zero of the next one.
  private func takesLength(_ values: MeantValues) -> Bool {
    // The zeros of a missing length may be a command, and the first byte of a length.
    let zeros = [Deviation.commandMissing, .length(.tokenLength, .zero)]
    if zeros.allSatisfy(deviations.contains) { return true }
    guard let slot = form.slot(.token), let token = values.bytes(slot), let first = token.first else { return false }
    // The payload length may have been written over its end.
    if deviations.contains(.length(.payloadLength, .zero)),
      token.suffix(2).bigEndianNumber == UInt64(values.payload(form)?.count ?? 0)
    {
      return true
    }
    // A length of two bytes that are escaped.
    if isLengthMissing, 1...2 ~= value(of: slot).size - token.count { return true }
    let isElsewhere = deviations.contains { [.padding, .layout].contains($0.dimension) || $0.subject == .tokenLength }
    guard draft.formats & ~1 != 0 || isElsewhere else { return false }
    let isAnyLength = deviations.contains { $0.dimension == .constant && $0.subject == .tokenLength }
    return first == 0 || first == UInt8(Evidence.tokenSize)
      || token.suffix(isAnyLength || isLengthMissing ? 2 : 1).contains(0)
  }

  private var meant: MeantValues {
    let values = form.slots.indices.map { slot -> MeantValues.Value in
      let own = value(of: slot)
      return switch own.value {
      case .absent: .absent
      case .lost: .lost
      case .part(let format, let count): .part(Array(bytes[own.place...].prefix(count)), format)
      case .number(let number): .number(number)
      case .content(let index): contents.all[index].bytes.map { .bytes($0) } ?? .lost
      }
    }
    // Without headers, the values are no items yet.
    return MeantValues(form: draft.form, values: values, order: steps.contains(.items) ? order : order.sorted())
  }
}

extension Deviation {
  fileprivate var isReplacedAfterwards: Bool {
    dimension == .value && detail == ValueFault.replacedAfterwards.rawValue
  }

  /// The format that it names, as one bit; 0 if it names none.
  fileprivate var formatBit: UInt64 {
    if isReplacedAfterwards { return 1 << NumberFormat.replaced.rawValue }
    return NumberFormat(self).map { 1 << $0.rawValue } ?? 0
  }

  /// The way in which it numbers items, as one bit; the lowest is the documented way.
  fileprivate var numberingBit: UInt8 { dimension == .itemNumbers ? 2 << UInt8(detail) : 1 }
}

extension [Deviation] {
  /// The formats that they name, and the documented one; one bit each.
  fileprivate var formats: UInt64 { reduce(1) { $0 | $1.formatBit } }

  /// Whether bytes of the token are lost, or others are among them.
  var losesToken: Bool {
    contains { $0.dimension == .value && $0.detail >= ValueFault.byteLost.rawValue }
  }
}

extension FrameForm {
  var hasPayload: Bool { usualPayload > 0 }

  /// Whether contents say that the bytes are such a frame. Others need their command.
  var hasContents: Bool { hasPayload || slot(.token) != nil }
}

extension FrameForm.Slot {
  /// Whether this may be its length in a deviating format; nil if the length is missing.
  func mayHaveLength(_ length: Int?) -> Bool {
    guard let length, size != nil || usual != nil else { return true }
    return size == nil ? 16...300 ~= length : length < 20
  }

  var lengthSubject: Deviation.Subject {
    role == .token ? .tokenLength : isJSON ? .payloadLength : size != nil ? .itemLength : .lengths
  }

  var subject: Deviation.Subject {
    switch role {
    case .identifier: .identifier
    case .expiry, .timestamp: .expiry
    case .priority: .priority
    case .token: .token
    case .payload: .payload
    default: .otherNumber
    }
  }
}

extension MeantValues {
  func payload(_ form: FrameForm) -> [UInt8]? { bytes(form.slots.firstIndex { $0.isJSON }) }
}

extension [UInt8] {
  /// Whether the text has the member that each notification has.
  var holdsAps: Bool { holds(Array("\"aps\"".utf8)) }

  func holds(_ other: [UInt8]) -> Bool { span.first(other, in: indices) != nil }
}
