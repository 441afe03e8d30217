import APNSWire
import Octets

/// Reads frames by a writing: finds each way to account for all bytes of one.
struct FrameReader {
  let writing: Writing
  let place: Place
  /// Of one byte, if any.
  let slip: Slipping
  /// Tries every token size, since the token's length may be wrong.
  let hunts: Bool
  private(set) var found: [Reading] = []

  enum Slipping { case none, lost, added }

  private static let mostFound = 8

  init(_ writing: Writing, _ place: borrowing Place, slip: Slipping = .none, hunts: Bool = false) {
    self.writing = writing
    self.place = copy place
    self.slip = slip
    self.hunts = hunts
  }

  mutating func read(_ bytes: Span<UInt8>) {
    read(0, place.start, Reading(at: place.start), bytes)
  }

  private mutating func read(_ step: Int, _ at: Int, _ reading: Reading, _ bytes: Span<UInt8>) {
    guard found.count < Self.mostFound, !place.work.isSpent, at <= place.limit else { return }
    place.work.add(4)
    guard step < writing.steps.count else { return finish(reading, at) }
    var reading = reading
    switch writing.steps[step] {
    case .command:
      readCommand(step, at, reading, bytes)
    case .bytes(let expected):
      guard bytes.holds(expected, at: at, limit: place.limit) else { return }
      read(step + 1, at + expected.count, reading, bytes)
    case .length(let field):
      let width = writing.fields[field].lengthWidth
      if let declared = number(at, width, bytes) {
        reading.values[field].declared = width > 0 ? declared : nil
        read(step + 1, at + width, reading, bytes)
      }
      reading.values[field].declared = nil
      slip(.length(field), step, at, width, reading, bytes)
    case .value(let field):
      readValue(field, at, reading, bytes) { $0.read(step + 1, $2, $1, $3) }
    case .frameLength:
      let width = writing.frameLengthWidth
      if let declared = number(at, width, bytes) {
        reading.frameLength = width > 0 ? declared : nil
        reading.itemsStart = at + width
        read(step + 1, at + width, reading, bytes)
      }
      reading.frameLength = nil
      reading.itemsStart = at + width + change
      slip(.frameLength, step, at, width, reading, bytes)
    case .items:
      readItems(step, at, reading, bytes)
    }
  }

  /// The difference in size of the part that lost or gained a byte.
  private var change: Int { slip == .lost ? -1 : 1 }

  /// Continues after a part of `width` bytes that lost or gained one byte.
  private mutating func slip(
    _ part: Reading.Slip.Part, _ step: Int, _ at: Int, _ width: Int, _ reading: Reading, _ bytes: Span<UInt8>
  ) {
    guard slip != .none, reading.slip == nil, width > 0 else { return }
    var reading = reading
    reading.slip = Reading.Slip(isLost: slip == .lost, part: part, at: at)
    read(step + 1, at + width + change, reading, bytes)
  }

  private mutating func readCommand(_ step: Int, _ at: Int, _ reading: Reading, _ bytes: Span<UInt8>) {
    if at < place.limit, isCommand(bytes[at]) { read(step + 1, at + 1, reading, bytes) }
    guard slip != .none, reading.slip == nil else { return }
    // An added byte precedes the command.
    guard slip == .lost || at + 1 < place.limit && isCommand(bytes[at + 1]) else { return }
    slip(.command, step, at, 1, reading, bytes)
  }

  private func isCommand(_ byte: UInt8) -> Bool {
    guard let own = writing.schema.command?.rawValue else { return false }
    if let written = writing.command.byte(for: own) { return byte == written }
    let isKnown = place.catalog.knows(byte, from: place.role)
    return writing.command == .ofAnotherType ? isKnown && byte != own : !isKnown
  }

  /// One item after the other, in any order, up to where no other begins.
  private mutating func readItems(_ step: Int, _ at: Int, _ reading: Reading, _ bytes: Span<UInt8>) {
    let form = writing.items
    var goesOn = false
    for field in writing.fields.indices where !reading.has(field) {
      guard let item = writing.fields[field].item else { continue }
      let id = item.rawValue &+ form.shift
      let width = writing.fields[field].lengthWidth
      let idAt = form.hasLengthFirst ? at + width : at
      let lengthAt = form.hasLengthFirst ? at : at + 1
      if idAt < place.limit, bytes[idAt] == id {
        goesOn = true
        readItem(field, lengthAt, at + 1 + width, width, step, reading, bytes)
      }
      guard slip != .none, reading.slip == nil, !form.hasLengthFirst else { continue }
      var slipped = reading
      slipped.slip = Reading.Slip(isLost: slip == .lost, part: .id(field), at: at)
      if slip == .lost {
        // Its length has to be right where nothing else tells that it is an item.
        guard let declared = number(at, width, bytes),
          declared == writing.fields[field].size ?? 32
            || writing.fields[field].field.isJSON && at + width < place.limit && bytes[at + width] == UInt8(ascii: "{")
        else { continue }
        readItem(field, at, at + width, width, step, slipped, bytes)
      } else if at + 1 < place.limit, bytes[at + 1] == id {
        readItem(field, at + 2, at + 2 + width, width, step, slipped, bytes)
      }
    }
    guard !goesOn || reading.frameLength == at - reading.itemsStart, hasContents(reading) else { return }
    read(step + 1, at, reading, bytes)
  }

  private mutating func readItem(
    _ field: Int, _ lengthAt: Int, _ at: Int, _ width: Int, _ step: Int, _ reading: Reading, _ bytes: Span<UInt8>
  ) {
    var reading = reading
    if let declared = number(lengthAt, width, bytes) {
      reading.values[field].declared = width > 0 ? declared : nil
      readValue(field, at, reading, bytes) { $0.readItems(step, $2, $1, $3) }
    }
    guard slip != .none, reading.slip == nil, width > 0 else { return }
    reading.values[field].declared = nil
    reading.slip = Reading.Slip(isLost: slip == .lost, part: .length(field), at: lengthAt)
    readValue(field, at + change, reading, bytes) { $0.readItems(step, $2, $1, $3) }
  }

  private func hasContents(_ reading: Reading) -> Bool {
    var hasSome = false
    for (index, field) in writing.fields.enumerated() {
      switch field.field.role {
      case .token, .payload:
        if !reading.has(index) { return false }
        hasSome = true
      default: break
      }
    }
    return hasSome
  }

  private typealias Continuation = (inout FrameReader, Reading, Int, Span<UInt8>) -> Void

  /// Each place where the value may end.
  private mutating func readValue(
    _ index: Int, _ at: Int, _ reading: Reading, _ bytes: Span<UInt8>, _ goOn: Continuation
  ) {
    let field = writing.fields[index]
    let declared = reading.values[index].declared
    let open = OpenValue(
      reading: reading, field: index, start: at, limit: place.limit,
      slip: reading.slip == nil && slip != .none ? slip : nil)
    if let size = field.size {
      let end = field.coding.end(at, bytes).map { min($0, declared.map { at + $0 } ?? $0) } ?? at + size
      if let next = open.closed(at: end) { goOn(&self, next, end, bytes) }
      if let next = open.slipped(at: at + size + change) { goOn(&self, next, at + size + change, bytes) }
      return
    }
    guard at < place.limit else { return }
    if field.field.isJSON {
      readJSON(field, declared, open, bytes, goOn)
    } else {
      readOctets(field, declared, open, bytes, goOn)
    }
  }

  private mutating func readJSON(
    _ field: Writing.WrittenField, _ declared: Int?, _ open: OpenValue, _ bytes: Span<UInt8>, _ goOn: Continuation
  ) {
    let at = open.start
    guard field.coding.isPlain else {
      for end in [declared.map { at + $0 }, field.countsDecoded ? place.objectEnd(ofAnyText: at, in: bytes) : nil] {
        guard let end, end <= place.limit, let next = open.closed(at: end) else { continue }
        goOn(&self, next, end, bytes)
      }
      return
    }
    guard bytes[at] == UInt8(ascii: "{") else { return }
    let claimed = declared.map { at + $0 }
    if let close = place.objectEnd(at: at, in: bytes) {
      switch field.rest {
      case .nothing:
        // White space that the length counts is part of the text.
        var text = close
        if let claimed, claimed <= min(close + 2, place.limit), bytes.isBlank(from: close, to: claimed) {
          text = claimed
        }
        if let next = open.closed(at: text) { goOn(&self, next, text, bytes) }
        if let next = open.slipped(at: close) { goOn(&self, next, close, bytes) }
      case .bytes(let rest):
        // White space that the length counts is part of the text.
        guard bytes.holds(rest, at: close, limit: place.limit),
          claimed != close + rest.count || !bytes.isBlank(from: close, to: close + rest.count),
          let next = open.closed(at: close, rest: rest.count)
        else { return }
        goOn(&self, next, close + rest.count, bytes)
      case .anything:
        guard let claimed, claimed > close + 2, claimed <= place.limit, bytes.isText(close..<claimed),
          let next = open.closed(at: close, rest: claimed - close)
        else {
          return
        }
        goOn(&self, next, claimed, bytes)
      }
    }
    // The byte that is missing, or too many, may break the text.
    guard slip != .none, let claimed, claimed + change > at, claimed + change <= place.limit,
      bytes[claimed + change - 1] == UInt8(ascii: "}"), let next = open.slipped(at: claimed + change)
    else { return }
    goOn(&self, next, claimed + change, bytes)
  }

  private mutating func readOctets(
    _ field: Writing.WrittenField, _ declared: Int?, _ open: OpenValue, _ bytes: Span<UInt8>, _ goOn: Continuation
  ) {
    let at = open.start
    guard field.field.role == .token else {
      if let declared, let next = open.closed(at: at + declared) { goOn(&self, next, at + declared, bytes) }
      return
    }
    let usual = field.field.usual ?? 32
    guard field.coding.isPlain else {
      let sizes = [declared ?? -1, field.coding.end(at, bytes).map { $0 - at } ?? -1]
      for (index, size) in sizes.enumerated() where size > 0 && size <= 256 && (index == 0 || size != sizes[0]) {
        if let next = open.closed(at: at + size) { goOn(&self, next, at + size, bytes) }
      }
      return
    }
    if let next = open.closed(at: at + usual) { goOn(&self, next, at + usual, bytes) }
    if let declared, declared != usual, 1...Place.longestToken ~= declared, let next = open.closed(at: at + declared) {
      goOn(&self, next, at + declared, bytes)
    }
    if let next = open.slipped(at: at + usual + change) { goOn(&self, next, at + usual + change, bytes) }
    guard hunts, found.isEmpty else { return }
    for size in 0...Place.longestToken where size != usual && size != declared {
      guard let next = open.closed(at: at + size) else { return }
      goOn(&self, next, at + size, bytes)
    }
  }

  /// A value whose end is looked for.
  private struct OpenValue {
    let reading: Reading
    let field: Int
    let start: Int
    let limit: Int
    /// nil where a byte is missing, or too many, elsewhere, or not at all.
    let slip: Slipping?

    func closed(at end: Int, rest: Int = 0) -> Reading? {
      guard end + rest <= limit, end >= start else { return nil }
      var next = reading
      next.add(field, Reading.Value(start: start, end: end, declared: reading.values[field].declared, rest: rest))
      return next
    }

    func slipped(at end: Int) -> Reading? {
      guard let slip, var next = closed(at: end) else { return nil }
      next.slip = Reading.Slip(isLost: slip == .lost, part: .value(field), at: start)
      return next
    }
  }

  private mutating func finish(_ reading: Reading, _ end: Int) {
    guard hasContents(reading), end > place.start else { return }
    var reading = reading
    reading.end = end
    found.append(reading)
  }

  private func number(_ at: Int, _ width: Int, _ bytes: Span<UInt8>) -> Int? {
    guard at + width <= place.limit else { return nil }
    return width == 0 ? 0 : Int(min(bytes.bigEndian(at, width: width), 1 << 32))
  }
}

extension Field {
  var isJSON: Bool { if case .json = content { true } else { false } }
}

extension Span<UInt8> {
  func holds(_ other: [UInt8], at start: Int, limit: Int) -> Bool {
    guard start + other.count <= limit else { return false }
    for (index, byte) in other.enumerated() where self[start + index] != byte { return false }
    return true
  }

  /// Without control characters, as the end of a payload is.
  fileprivate func isText(_ range: Range<Int>) -> Bool {
    self[range.upperBound - 1] == UInt8(ascii: "}") && range.allSatisfy { self[$0] >= 0x20 }
  }

  fileprivate func isBlank(from start: Int, to end: Int) -> Bool {
    guard start < end else { return false }
    for index in start..<end where self[index] != 0x0a && self[index] != 0x0d && self[index] != 0x20 { return false }
    return true
  }
}
