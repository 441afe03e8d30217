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
  /// Whether its values have their usual sizes, and no length is just another number.
  let isUsual: Bool
  /// The frame as documented; nil if the bytes do not say what was meant.
  let frame: [UInt8]?

  /// The description's length in a stream that has shown no deviation.
  var price: Int {
    var known = KnownDeviations()
    return deviations.reduce(bits) { $0 + known.pay($1) }
  }
}

/// Reads one frame at an offset in every writing of at most two deviations. Contents decide where values end; lengths
/// then say how they deviate.
final class WritingReader {
  private let window: Window
  private let layouts: [Layout]
  private var readings: [Key: [WritingReading]] = [:]
  /// The ways to read a number at each offset, of one, two or four bytes.
  private var numbers: [Int: [NumberReading]] = [:]
  private var values: [ValueKey: [ValueReading]] = [:]

  // One call of `readings(at:)`:
  private var start = 0
  private var most = 0
  private var only: [Deviation]?
  private var stepsHere = 0
  private var draft = Draft(0, 0)
  private var found: [WritingReading] = []
  /// The price of the cheapest deviations that were found.
  private var cheapest = 0
  /// Deviations that cost so much more than others are not pursued, in bits.
  private static let tooMuch = 30

  init(_ window: Window, _ layouts: [Layout]) {
    (self.window, self.layouts) = (window, layouts)
  }

  private struct Key: Hashable {
    let place: Int
    let most: Int
    let mayLackCommand: Bool
    let only: [Deviation]?
  }

  private struct ValueKey: Hashable {
    let place: Int
    let isJSON: Bool
    let isItem: Bool
    let declared: Int
    /// Whether the value has no deviation.
    let isPlain: Bool
  }

  /// A value at an offset.
  struct ValueReading {
    /// Nil if bytes of the value are lost.
    let bytes: [UInt8]?
    let end: Int
    let deviation: Deviation?
    let bits: Int
  }

  private static let mostStepsHere = 2000
  private static let reach = 400
  private static let mostReadings = 8

  /// The work of a step.
  private static let stepWork = 512

  /// The cheapest readings of a frame at `place` with at most `most` deviations.
  ///
  /// - Parameters:
  ///   - mayLackCommand: whether one deviation may be a missing command, which few bytes speak against.
  ///   - only: the deviations that are tried; nil for all.
  func readings(
    at place: Int, most: Int, mayLackCommand: Bool = true, only: [Deviation]? = nil
  ) -> [WritingReading] {
    let key = Key(place: place, most: most, mayLackCommand: mayLackCommand, only: only)
    if let known = readings[key] { return known }
    guard !window.isSpent, place < window.bytes.count,
      only != nil || window.mayHoldPayload(after: place, within: Self.reach)
        || window.forms.contains(where: { !$0.hasPayload })
    else { return [] }
    (start, self.most, self.only, stepsHere, found, cheapest) = (place, most, only, 0, [], .max / 2)
    for layout in layouts {
      let form = window.forms[layout.form]
      draft = Draft(layout.form, form.slots.count)
      with(layout.deviation) {
        for (end, deviation) in commands(form, mayLackCommand) {
          with(deviation) { read(layout.steps[...], end, form) }
        }
      }
    }
    window.spend(stepsHere * Self.stepWork)
    found.sort { $0.price < $1.price }
    let best = Array(found.prefix(Self.mostReadings))
    readings[key] = best
    return best
  }

  private var bytes: [UInt8] { window.bytes }

  /// The frame that is being read. Each step of the search changes it, and takes the change back.
  private struct Draft {
    let form: Int
    var deviations: [Deviation] = []
    /// The price of the deviations.
    var price = 0
    var bits = 0
    var slots: [SlotDraft]
    /// The items as they follow each other.
    var order: [Int] = []
    var list: Declared?
    var listStart = 0
    /// The formats of the lengths so far, one bit each.
    var formats: UInt64 = 0
    var itemBytes = 0
    /// The bytes in the list that the documented frame has not, where a fault of the stream added or removed some.
    var grown = 0

    init(_ form: Int, _ count: Int) {
      self.form = form
      slots = [SlotDraft](repeating: SlotDraft(), count: count)
    }
  }

  private struct SlotDraft {
    var value = MeantValues.Value.absent
    var place = 0
    /// The size of the value as written.
    var size = 0
    var declared: Declared?
  }

  private struct Declared {
    /// Nil if the length is missing.
    let number: Int?
    let width: Int
    let format: NumberFormat

    init(number: Int?, width: Int, format: NumberFormat) {
      (self.number, self.width, self.format) = (number, width, format)
    }

    init(_ number: NumberReading, at place: Int) {
      self.init(number: number.number, width: number.end - place, format: number.format)
    }
  }

  /// The ends of the command, as it may be written.
  private func commands(_ form: FrameForm, _ mayLackCommand: Bool) -> [(end: Int, Deviation?)] {
    let first = bytes[start]
    guard let command = form.command else {
      return [(start, nil)] + (mayLackCommand ? [(start + 1, .commandAdded)] : [])
    }
    var all: [(Int, Deviation?)] = []
    if first == command {
      all.append((start + 1, nil))
      if most > 1, start + 1 < bytes.count, bytes[start + 1] != 0 {
        for size in [1, 2, 3, 7] where start + 1 + size <= bytes.count {
          guard bytes[(start + 1)..<(start + 1 + size)].allSatisfy({ $0 == bytes[start + 1] }) else { break }
          all.append((start + 1 + size, .paddingAfterCommand(size)))
        }
      }
    } else if first == 0x30 + command {
      all.append((start + 1, .command(Deviation.digit)))
    } else if most > 1, form.hasContents, first == 0 || !form.head.contains(first) {
      // A length that has lost its zeros is no command.
      all.append((start + 1, .command(Int(first))))
    }
    if mayLackCommand, form.hasContents { all.append((start, .commandMissing)) }
    return all
  }

  /// Goes on with one more deviation, unless there are too many. The same one again is not one more.
  private func with(_ deviation: Deviation?, _ body: () -> Void) {
    guard let deviation, !draft.deviations.contains(deviation) else { return body() }
    if let only, !only.contains(deviation) { return }
    let (count, isHabit) = (draft.deviations.count, draft.deviations.contains(where: deviation.isSameHabit))
    guard count < most || isHabit else { return }
    let price = draft.price
    draft.price += isHabit ? Price.anotherField : deviation.price + (count == 0 ? 0 : Price.second)
    if draft.price < cheapest + Self.tooMuch {
      draft.deviations.append(deviation)
      body()
      draft.deviations.removeLast()
    }
    draft.price = price
  }

  /// Goes on with a value in its slot.
  private func with(_ slot: Int, _ value: MeantValues.Value, _ range: Range<Int>, _ body: () -> Void) {
    let before = draft.slots[slot]
    draft.slots[slot].value = value
    draft.slots[slot].place = range.lowerBound
    draft.slots[slot].size = range.count
    body()
    draft.slots[slot] = before
  }

  /// Goes on after an item of a list.
  private func withItem(_ slot: Int, _ body: () -> Void) {
    draft.order.append(slot)
    body()
    draft.order.removeLast()
  }

  private func numbers(at place: Int, width: Int) -> [NumberReading] {
    let index = place << 4 | width
    if let known = numbers[index] { return known }
    let all = bytes.numbers(at: place, width: width)
    numbers[index] = all
    return all
  }

  /// Whether a deviation of one of these dimensions can be added, or repeated.
  private func mayDeviate(_ dimensions: Deviation.Dimension...) -> Bool {
    draft.deviations.count < most || draft.deviations.contains { dimensions.contains($0.dimension) }
  }

  /// Visits the ways to read a number, with the deviation added.
  private func eachNumber(
    at place: Int, _ width: Int, _ subject: Deviation.Subject, isLength: Bool = false,
    _ visit: (NumberReading) -> Void
  ) {
    guard mayDeviate(.number, .value) else {
      if let number = bytes.number(place, width) {
        visit(NumberReading(number: number, end: place + width, format: .documented, width: 0))
      }
      return
    }
    // Without a payload nothing speaks against lost bytes.
    let mayLoseBytes = window.forms[draft.form].hasPayload
    for number in numbers(at: place, width: width)
    where (isLength || !number.format.isForLengthsOnly) && (mayLoseBytes || !number.format.losesBytes) {
      let grown = number.format.losesBytes ? number.end - place - width : 0
      with(number.deviation(subject)) {
        draft.grown += grown
        visit(number)
        draft.grown -= grown
      }
    }
  }

  private func read(_ steps: ArraySlice<FrameForm.Step>, _ place: Int, _ form: FrameForm) {
    stepsHere += 1
    guard place <= bytes.count, stepsHere < Self.mostStepsHere else { return }
    guard let step = steps.first else { return finish(place, form) }
    let rest = steps.dropFirst()
    if place < bytes.count, bytes[place] == 0, draft.deviations.count < most {
      for size in [1, 2, 3, 7] where place + size <= bytes.count {
        guard bytes[place..<(place + size)].allSatisfy({ $0 == 0 }) else { break }
        with(.padding(size)) { read(step, rest, place + size, form) }
      }
    }
    read(step, rest, place, form)
  }

  private func read(_ step: FrameForm.Step, _ rest: ArraySlice<FrameForm.Step>, _ place: Int, _ form: FrameForm) {
    switch step {
    case .length(let slot):
      eachNumber(at: place, form.slots[slot].lengthWidth, .lengths, isLength: true) { number in
        guard number.number ?? 0 <= Self.longestLength,
          number.format == .documented || form.slots[slot].mayHaveLength(number.number)
        else { return }
        if draft.slots[slot].value != .absent {
          // The value came first.
          guard number.format == .documented, number.number == draft.slots[slot].size else { return }
        }
        let formats = draft.formats
        draft.slots[slot].declared = Declared(number, at: place)
        draft.formats |= 1 << number.format.rawValue
        read(rest, number.end, form)
        draft.slots[slot].declared = nil
        draft.formats = formats
      }
    case .listLength:
      eachNumber(at: place, form.listWidth, .frameLength, isLength: true) { number in
        guard number.number ?? 0 <= Self.longestLength << 16 else { return }
        let grown = draft.grown
        draft.list = Declared(number, at: place)
        (draft.listStart, draft.grown) = (number.end, 0)
        read(rest, number.end, form)
        (draft.list, draft.grown) = (nil, grown)
      }
    case .value(let slot) where form.slots[slot].size == nil:
      for value in values(slot, form, at: place, draft.slots[slot].declared?.number) {
        with(value, slot, place, form) {
          if form.isList { withItem(slot) { read(rest, value.end, form) } } else { read(rest, value.end, form) }
        }
      }
    case .value(let slot):
      eachValue(slot, at: place, form) { end in
        if form.isList { withItem(slot) { read(rest, end, form) } } else { read(rest, end, form) }
      }
    case .items: readItems(place, form)
    }
  }

  private static let longestLength = 70000

  /// Goes on with a counted value, unless nothing says why its length is not its size.
  private func with(
    _ value: ValueReading, _ slot: Int, _ place: Int, _ form: FrameForm, _ body: () -> Void
  ) {
    with(value.deviation) {
      with(slot, value.bytes.map { .bytes($0) } ?? .lost, place..<value.end) {
        // In another format, the length must at least follow a rule.
        if let declared = draft.slots[slot].declared, declared.format != .documented,
          let measured = measure(slot, form), LengthRule.rules(for: measured).isEmpty
        {
          return
        }
        let grown = value.deviation?.isReplacedAfterwards == true ? value.end - place - Evidence.tokenSize : 0
        (draft.bits, draft.grown) = (draft.bits + value.bits, draft.grown + grown)
        body()
        (draft.bits, draft.grown) = (draft.bits - value.bits, draft.grown - grown)
      }
    }
  }

  /// A value whose length is not its size; nil if it is, or if nothing can be said about it.
  private func measure(_ index: Int, _ form: FrameForm) -> LengthRule.Measured? {
    let (own, slot) = (draft.slots[index], form.slots[index])
    guard let declared = own.declared, let number = declared.number, number != own.size else { return nil }
    var decoded = own.size
    switch own.value {
    case .bytes(let bytes): decoded = bytes.count
    case .number: break
    case .absent, .lost: if slot.size == nil { return nil }
    }
    let subject: Deviation.Subject =
      slot.role == .token ? .tokenLength : slot.isJSON ? .payloadLength : slot.size != nil ? .itemLength : .lengths
    return LengthRule.Measured(
      subject, declared: number, width: declared.width, of: bytes[own.place...].prefix(own.size), decoded: decoded)
  }

  /// Visits the ways to read a number that is a value.
  private func eachValue(
    _ index: Int, at place: Int, _ form: FrameForm, length: Declared? = nil, _ visit: (Int) -> Void
  ) {
    let slot = form.slots[index]
    let size = slot.size ?? 0
    eachNumber(at: place, size, slot.subject) { number in
      // An item that is missing is no item, and another width must at least be the length's.
      if let length {
        if number.format == .missing { return }
        if number.format != .documented, let declared = length.number,
          declared != (number.format.losesBytes ? size : number.end - place)
        {
          return
        }
      }
      if number.format.losesBytes {
        return with(index, .lost, place..<(place + size)) { visit(number.end) }
      }
      switch slot.role {
      case .expiry, .timestamp:
        for (seconds, meaning) in dates(number) {
          with(meaning) {
            with(index, seconds.map { .number($0) } ?? .lost, place..<number.end) { visit(number.end) }
          }
        }
      case .priority, .status:
        guard let value = number.number, slot.isOrdinary(value) else { return }
        with(index, .number(value), place..<number.end) { visit(number.end) }
      default:
        if let value = number.number, value >= 1 << min(62, 8 * size) { return }
        // A narrow number has lost its upper bytes.
        let isLost = [1, 3].contains(number.end - place) && size != number.end - place
        let value = isLost ? nil : number.number
        with(index, value.map { .number($0) } ?? .lost, place..<number.end) { visit(number.end) }
      }
    }
  }

  /// The times that a number may mean.
  private func dates(_ number: NumberReading) -> [(Int?, Deviation?)] {
    guard let value = number.number else { return [(nil, nil)] }
    let isDocumented = number.format == .documented
    if Evidence.isOrdinary(value) { return value != 0 || isDocumented ? [(value, nil)] : [] }
    var all: [(Int?, Deviation?)] = isDocumented ? [(value, nil)] : []
    for (row, meaning) in DateMeaning.all.enumerated() {
      let seconds = meaning.seconds(value)
      if seconds > 0, Evidence.isOrdinary(seconds) {
        all.append((seconds, .meaning(row: row)))
      }
    }
    return all
  }
}

// Items of a list
extension WritingReader {
  private func readItems(_ place: Int, _ form: FrameForm) {
    stepsHere += 1
    guard stepsHere < Self.mostStepsHere else { return }
    if form.slots.indices.allSatisfy({ !form.slots[$0].isRequired || draft.order.contains($0) }) { finish(place, form) }
    guard place < bytes.count else { return }
    if bytes[place] == 0, draft.deviations.count < most, !draft.order.isEmpty {
      with(.padding(1)) { readItems(place + 1, form) }
    }
    if most > 1, mayDeviate(.itemWithoutHeader) {
      // Strong contents may follow without a header, where none is.
      let hasHeader = form.slots.contains { $0.item == bytes[place] && $0.usual == bytes.number(place + 1, 2) }
      for slot in form.slots.indices where !hasHeader && form.slots[slot].size == nil && !draft.order.contains(slot) {
        with(.itemWithoutHeader) {
          readItem(slot, place, Declared(number: nil, width: 0, format: .documented), form)
        }
      }
    }
    if let number = bytes.number(place, 2), place + 2 < bytes.count,
      let slot = form.slots.firstIndex(where: { $0.item == bytes[place + 2] }), !draft.order.contains(slot)
    {
      with(.itemNumbers(.afterLength)) {
        readItem(slot, place + 3, Declared(number: number, width: 2, format: .documented), form)
      }
    }
    for (slot, end, deviation) in headers(place, form) where !draft.order.contains(slot) {
      with(deviation) {
        eachNumber(at: end, 2, .lengths, isLength: true) { number in
          guard number.number ?? 0 <= Self.longestLength,
            number.format == .documented || form.slots[slot].mayHaveLength(number.number)
          else { return }
          readItem(slot, number.end, Declared(number, at: end), form)
        }
      }
    }
  }

  private func headers(_ place: Int, _ form: FrameForm) -> [(slot: Int, end: Int, Deviation?)] {
    let first = Int(bytes[place])
    var all: [(Int, Int, Deviation?)] = []
    func add(_ item: Int?, _ end: Int, _ way: Deviation.ItemNumbers?) {
      guard let item, let slot = form.slots.firstIndex(where: { $0.item.map(Int.init) == item }) else { return }
      all.append((slot, end, way.map { .itemNumbers($0) }))
    }
    add(first, place + 1, nil)
    guard mayDeviate(.itemNumbers, .itemHeaderTwice) else { return all }
    add(first + 1, place + 1, .fromZero)
    add(first - 0x30, place + 1, .digits)
    add(first - 1, place + 1, .fromTwo)
    add(bytes.number(place, 2), place + 2, .twoBytes)
    add(bytes.number(place, 4), place + 4, .fourBytes)
    if most > 1 {
      for slot in form.slots where slot.item.map(Int.init) != first {
        add(slot.item.map(Int.init), place + 1, .otherwise)
      }
    }
    if place + 6 <= bytes.count, bytes[place..<(place + 3)].elementsEqual(bytes[(place + 3)..<(place + 6)]),
      let slot = form.slots.firstIndex(where: { $0.item == bytes[place] })
    {
      all.append((slot, place + 4, .itemHeaderTwice))
    }
    return all
  }

  private func readItem(_ slot: Int, _ place: Int, _ length: Declared, _ form: FrameForm) {
    let (formats, itemBytes) = (draft.formats, draft.itemBytes)
    // Lengths are missing in all items or in none.
    let isNumber = form.slots[slot].size != nil
    if isNumber, length.format == .missing, formats & 1 << NumberFormat.documented.rawValue != 0 { return }
    draft.slots[slot].declared = length
    draft.formats |= 1 << length.format.rawValue
    func goOn(_ end: Int) {
      draft.itemBytes += end - place
      withItem(slot) { readItems(end, form) }
      draft.itemBytes = itemBytes
    }
    if isNumber {
      eachValue(slot, at: place, form, length: length) { end in
        if length.format != .documented, let measured = measure(slot, form), LengthRule.rules(for: measured).isEmpty {
          return
        }
        goOn(end)
      }
    } else {
      for value in values(slot, form, at: place, length.number) {
        with(value, slot, place, form) { goOn(value.end) }
      }
    }
    draft.slots[slot].declared = nil
    draft.formats = formats
  }
}

// Contents
extension WritingReader {
  /// A counted value at `place`, as its contents tell.
  private func values(_ index: Int, _ form: FrameForm, at place: Int, _ declared: Int?) -> [ValueReading] {
    let slot = form.slots[index]
    let isToken = slot.role == .token
    guard isToken || slot.isJSON else {
      // Octets of no known content end where their length says.
      guard let declared, place + declared <= bytes.count else { return [] }
      return [
        ValueReading(
          bytes: Array(bytes[place..<(place + declared)]), end: place + declared, deviation: nil, bits: 8 * declared)
      ]
    }
    let key = ValueKey(
      place: place, isJSON: slot.isJSON, isItem: form.isList, declared: declared ?? -1,
      isPlain: !mayDeviate(.coding, .value, .valuePadding))
    if let known = values[key] { return known }
    let all =
      isToken
      ? tokens(at: place, form, declared, isPlain: key.isPlain) : payloads(at: place, declared, isPlain: key.isPlain)
    values[key] = all
    return all
  }

  private func tokens(at place: Int, _ form: FrameForm, _ declared: Int?, isPlain: Bool) -> [ValueReading] {
    let size = Evidence.tokenSize
    var all: [ValueReading] = []
    func add(_ range: Range<Int>?, _ end: Int, _ fault: Deviation.ValueFault?, _ bits: Int = 256) {
      all.append(
        ValueReading(
          bytes: range.map { Array(bytes[$0]) }, end: end,
          deviation: fault.map { .value(.token, $0) }, bits: bits))
    }
    let own = place..<(place + size)
    if own.upperBound <= bytes.count {
      let isToken = Evidence.isToken(bytes[own])
      if declared == size || isToken { add(own, own.upperBound, nil) }
      if let declared, 33...130 ~= declared, place + declared <= bytes.count {
        let end = place + declared
        // A token of another size has at least its length.
        if isToken, declared > size + 2, declared <= Self.longestToken {
          add(place..<end, end, nil, 8 * declared + 15)
        }
        if isToken {
          if bytes[own.upperBound..<end].allSatisfy({ $0 == 0 || Evidence.isSpace($0) }) {
            add(own, end, .paddingAfter)
          }
          if declared == 64, bytes[own].elementsEqual(bytes[own.upperBound..<end]) { add(own, end, .twice) }
        }
        if declared > 33, bytes[place..<(end - size)].allSatisfy({ $0 == 0 }),
          Evidence.isToken(bytes[(end - size)..<end])
        {
          add((end - size)..<end, end, .paddingBefore)
        }
      }
    }
    if isPlain { return declared == size ? all + longTokens(at: place, form) : all }
    if declared == size {
      // Bytes of the token are lost, or there are foreign ones among them.
      for count in [31, 30, 29, 33, 34] where place + count < bytes.count {
        add(nil, place + count, count < size ? .bytesLost : .bytesAdded, 8 * count)
      }
    }
    if let declared, let end = endOfReplaced(place, declared, form) {
      add(nil, end, end == place + declared ? .replaced : .replacedAfterwards, 8 * size)
    }
    // The service writes tokens to providers in one way only.
    for decoding in form.hasPayload ? window.decodings(at: place, for: .token) : [] {
      let (out, ends) = (decoding.decoded.bytes, decoding.decoded.ends)
      guard ends.count > size, ends[size] > 0, Evidence.isToken(out[..<size]) else { continue }
      var end = Int(ends[size])
      // A terminator or a line end may follow the text.
      if let declared, end < place + declared, place + declared <= min(end + 4, bytes.count),
        bytes[end..<(place + declared)].allSatisfy({ $0 == 0 || Evidence.isSpace($0) })
      {
        end = place + declared
      }
      all.append(
        ValueReading(bytes: Array(out[..<size]), end: end, deviation: deviation(decoding, .token), bits: 256))
    }
    if declared == size { all += longTokens(at: place, form) }
    return all
  }

  /// A token of another size, whose length says 32 all the same: it ends before the header of the payload.
  private func longTokens(at place: Int, _ form: FrameForm) -> [ValueReading] {
    guard let payload = form.slots.first(where: \.isJSON) else { return [] }
    let id = payload.item.map { [$0] } ?? []
    let header = id.count + payload.lengthWidth
    // Where the size is nearly right, bytes of the token are more likely lost or added.
    for end in place + 1...place + Self.longestToken where abs(end - place - Evidence.tokenSize) > 2 {
      guard let object = window.objectEnd(at: end + header), bytes[end...].starts(with: id),
        bytes.number(end + id.count, payload.lengthWidth) == object - end - header
      else { continue }
      guard window.replacements(in: place..<end) == 0 else { return [] }
      let token = Array(bytes[place..<end])
      return [ValueReading(bytes: token, end: end, deviation: nil, bits: 8 * token.count)]
    }
    return []
  }

  private static let longestToken = 128

  /// The end of a token of which bytes became U+FFFD; nil if there is none.
  private func endOfReplaced(_ place: Int, _ declared: Int, _ form: FrameForm) -> Int? {
    guard window.replacements(in: place..<(place + Self.longestToken)) > 2,
      let payload = form.slots.first(where: \.isJSON)
    else { return nil }
    let header = payload.lengthWidth + (payload.item == nil ? 0 : 1)
    let ends = [place + declared] + (place + Evidence.tokenSize...place + Self.longestToken)
    return ends.first { end in
      guard end > place, declared == Evidence.tokenSize || end == place + declared, end + header < bytes.count,
        bytes[end + header] == UInt8(ascii: "{")
      else { return false }
      return window.replacements(in: place..<end) > 2
    }
  }

  private func deviation(_ decoding: DecoderBank.Decoding, _ subject: Deviation.Subject) -> Deviation {
    .coding(subject, decoding.rows, price: decoding.price)
  }

  private func payloads(at place: Int, _ declared: Int?, isPlain: Bool) -> [ValueReading] {
    var all: [ValueReading] = []
    let object = window.objectEnd(at: place)
    let stated = declared.flatMap { place + $0 <= bytes.count ? place + $0 : nil }
    if let end = object {
      func add(_ valueEnd: Int, _ end: Int, _ padding: Deviation?, _ bits: Int = 0) {
        all.append(
          ValueReading(
            bytes: Array(bytes[place..<valueEnd]), end: end, deviation: padding, bits: 5 * (valueEnd - place) + bits))
      }
      add(end, end, nil)
      if let stated, stated > end {
        if bytes[end..<stated].allSatisfy(Evidence.isSpace) { add(stated, stated, nil) }
        if bytes[end..<stated].allSatisfy({ Evidence.isSpace($0) || $0 == 0 || $0 == 0xff }) {
          add(end, stated, .payloadPadding(isCounted: true))
        }
      }
      let padded = end + bytes[end...].prefix { Evidence.isSpace($0) || $0 == 0 }.count
      if padded > end, padded != stated { add(end, padded, .payloadPadding(isCounted: false), 4) }
      guard Evidence.isEncodedTwice(bytes[place..<end]) else { return all }
    }
    if isPlain { return all }
    for decoding in window.decodings(at: place, for: .payload) {
      if let reading = payload(decoding, stated) { all.append(reading) }
    }
    return all
  }

  /// The object in a decoded text.
  private func payload(_ decoding: DecoderBank.Decoding, _ stated: Int?) -> ValueReading? {
    let (out, ends) = (decoding.decoded.bytes, decoding.decoded.ends)
    var end = decoding.object.upperBound
    let object = Array(out[decoding.object])
    while end < ends.count - 1, ends[end] < 0, [0x20, 0, 0x0d, 0x0a].contains(out[end]) { end += 1 }
    guard ends[end] >= 0 else { return nil }
    var sourceEnd = Int(ends[end])
    if let stated, sourceEnd < stated, stated <= sourceEnd + 4,
      bytes[sourceEnd..<stated].allSatisfy({ Evidence.isSpace($0) || [0, 0x22, 0x27, 0x5d, 0x29].contains($0) })
    {
      sourceEnd = stated
    }
    return ValueReading(
      bytes: object, end: sourceEnd, deviation: deviation(decoding, .payload), bits: 5 * object.count)
  }
}

// The lengths at last
extension WritingReader {
  private func finish(_ end: Int, _ form: FrameForm) {
    var misfits = draft.slots.indices.compactMap { measure($0, form) }
    let listSize = end - draft.listStart - draft.grown
    if let list = draft.list, let number = list.number, number != listSize {
      misfits.append(
        LengthRule.Measured(subject: .frameLength, declared: number, size: listSize, width: list.width))
    }
    let tokenSize = form.slot(.token).map { draft.slots[$0].size }
    let payloadSize = form.slots.firstIndex { $0.isJSON }.map { draft.slots[$0].size }
    for index in misfits.indices {
      misfits[index].other = misfits[index].subject == .tokenLength ? payloadSize : tokenSize
      if form.isList { misfits[index].contents = draft.itemBytes }
    }
    explain(misfits[...], common: LengthRule.common(misfits), form, isLost: false) {
      keep(form, end, misfits, isLost: $0)
    }
  }

  /// Each length that disagrees is one more deviation, unless one rule gives them all. `found` gets whether items
  /// must be missing.
  private func explain(
    _ misfits: ArraySlice<LengthRule.Measured>, common: Int?, _ form: FrameForm, isLost: Bool, found: (Bool) -> Void
  ) {
    guard let measured = misfits.first else { return found(isLost) }
    let rest = misfits.dropFirst()
    if let rule = common ?? LengthRule.rules(for: measured).first {
      return with(.length(measured.subject, row: rule)) {
        explain(rest, common: common, form, isLost: isLost, found: found)
      }
    }
    // The contents around lost bytes are too weak for a length that follows no rule.
    guard !draft.deviations.losesToken else { return }
    var isLost = isLost
    if measured.subject == .frameLength {
      guard draft.list?.format == .documented else { return }
      if measured.declared > measured.size, draft.order.count < form.slots.count { isLost = true }
    }
    with(.anyLength(measured.subject)) {
      draft.deviations.append(.constant(measured.subject, measured.declared, width: measured.width))
      explain(rest, common: common, form, isLost: isLost, found: found)
      draft.deviations.removeLast()
    }
  }

  private func isUsual(_ values: MeantValues, _ form: FrameForm) -> Bool {
    !draft.deviations.contains { $0.dimension == .constant }
      && form.slots.indices.allSatisfy { index in
        form.slots[index].usual.map { $0 == values.bytes(index)?.count } ?? true
      }
  }

  private func keep(_ form: FrameForm, _ end: Int, _ misfits: [LengthRule.Measured], isLost: Bool) {
    var values = MeantValues(draft.form, 0)
    values.values = draft.slots.map(\.value)
    values.order = draft.order
    var deviations = draft.deviations
    if draft.formats.nonzeroBitCount > 1 { deviations.append(.notAllLengths) }
    let expiry = values.number(form.slot(.expiry) ?? form.slot(.timestamp)) ?? 0
    let isOrdinary = Evidence.isOrdinary(expiry)
    let isArbitrary = deviations.count > 2 && deviations.contains { $0.dimension == .constant }
    var bits = draft.bits + (isOrdinary ? 0 : 20)
    if form.hasPayload, values.payload(form)?.holdsAps != true { bits += 16 }
    // Without a deviation it is the frame as documented.
    // What loses zeros loses those of all lengths.
    let losesSome = draft.formats.nonzeroBitCount > 1 && draft.formats & 1 << NumberFormat.withoutZeros.rawValue != 0
    guard !deviations.isEmpty, !losesSome, !hidesFrame(end) else { return }
    let frame = isLost || isArbitrary || !isOrdinary ? nil : form.write(values)
    // An intact frame is no part of another.
    if let frame, frame.count < end - start, bytes[(end - frame.count)..<end].elementsEqual(frame) { return }
    if frame != nil { cheapest = min(cheapest, draft.price) }
    let reading = WritingReading(
      end: end, bits: bits, deviations: deviations, values: values, misfits: misfits, isUsual: isUsual(values, form),
      frame: frame)
    if let index = found.firstIndex(where: { $0.end == end && $0.frame == frame }) {
      if reading.price < found[index].price { found[index] = reading }
    } else {
      found.append(reading)
    }
  }

  /// Whether an intact frame ends where this one would. A frame of command 0 hides in one of command 1, so only
  /// stronger ones count.
  private func hidesFrame(_ end: Int) -> Bool {
    guard start + 1 < min(end - 40, start + 90) else { return false }
    return (start + 1..<min(end - 40, start + 90)).contains { place in
      guard let frame = window.documented(at: place), frame.end == end, frame.isPlain else { return false }
      let form = window.forms[frame.values.form]
      return form.isList || frame.values.number(form.slot(.expiry)) ?? 0 > 0
    }
  }
}

extension Deviation {
  fileprivate var isReplacedAfterwards: Bool {
    dimension == .value && detail == Deviation.ValueFault.replacedAfterwards.rawValue
  }
}

extension [Deviation] {
  fileprivate var losesToken: Bool {
    contains {
      $0.dimension == .value && $0.detail >= Deviation.ValueFault.bytesLost.rawValue
    }
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
  fileprivate var holdsAps: Bool { contains(Array("\"aps\"".utf8)) }

  func contains(_ other: [UInt8]) -> Bool {
    guard let first = other.first, count >= other.count else { return other.isEmpty }
    return (0...(count - other.count)).contains { self[$0] == first && self[$0...].starts(with: other) }
  }
}
