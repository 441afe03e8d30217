import APNSInput
import APNSPayload
import APNSQuery
import APNSWire
import Octets

/// A line of one JSON text. The members of its objects are read by name, one object at a time; a member that nothing
/// has read is an error.
///
/// Values are kept as ranges until they are read. All storage is reused for the next line.
struct NDJSONLine: Sendable {
  private var text: [UInt8] = []
  private var number = 0
  private var object = Object()
  /// The objects around it, the outermost first.
  private var outer: [Object] = []
  private let words: RecordWords
  private var index: JSONIndex
  /// A slot for each word, by ``RecordWord/id``: first those of the outermost open object, last those of the innermost.
  private var slots: [Slot] = []
  /// The number of objects opened in all lines.
  private var opened = 0
  /// A string with its escapes resolved.
  private var resolved: [UInt8] = []

  /// The object whose members are read.
  private struct Object: Sendable, BitwiseCopyable {
    /// The index of the object's value.
    var index = 0
    /// The number of objects opened so far, including this one.
    var number = 0
    var firstSlot = 0
    /// The array that it is an element of, and the number of elements before it.
    var list = RecordWord.unknown
    var position = 0
  }

  /// Slots of previous objects have other numbers, so they need not be cleared.
  private struct Slot: Sendable, BitwiseCopyable {
    /// The number of the object that has a member of this name, and the index of the member's value.
    var object = 0
    var value = 0
    /// The number of the object in which the member was last looked up.
    var reader = 0
  }

  /// - Parameter lists: the names of arrays whose elements are objects to be read.
  init(_ words: RecordWords, lists: Set<RecordWord> = []) {
    self.words = words
    index = JSONIndex { key in
      let word = words.find(key)
      return (word.id, lists.contains(word))
    }
  }

  /// Replaces the line and opens its object.
  mutating func read(_ line: Span<UInt8>, number: Int) throws(ReadError) {
    self.number = number
    text.removeAll(keepingCapacity: text.count < 1 << 20)
    text.append(contentsOf: line)
    do throws(JSONError) { try index.read(text) } catch {
      throw self.error(
        "\(error.code.rawValue); each line is one JSON object as `dissect -T ndjson` writes it", at: error.offset)
    }
    let root = index.values[0]
    guard root.kind == .beginObject else {
      throw error("each line is one JSON object, as `dissect -T ndjson` writes it", at: root.range.lowerBound)
    }
    outer.removeAll(keepingCapacity: true)
    try open(Object())
  }

  /// Throws if a known member occurs twice.
  private mutating func open(_ new: Object) throws(ReadError) {
    opened += 1
    object = new
    object.number = opened
    let missing = object.firstSlot + words.count - slots.count
    if missing > 0 { slots += [Slot](repeating: Slot(), count: missing) }
    var member = object.index + 1
    while let word = word(at: member) {
      if word != .unknown {
        let slot = object.firstSlot + Int(word.id)
        if slots[slot].object == opened {
          throw error(words[word], "is given twice", at: index.values[member].keyOffset)
        }
        slots[slot] = Slot(object: opened, value: member)
      }
      member = next(member)
    }
  }

  /// Returns to the object around the open one.
  mutating func close() { object = outer.removeLast() }

  /// The value of a member that must be of a kind.
  @inline(__always)
  private mutating func take(
    _ name: RecordWord, _ kind: JSONScanner.Kind, _ form: StaticString
  ) throws(ReadError) -> JSONIndex.Value? {
    guard let value = member(name).map({ index.values[$0] }) else { return nil }
    guard value.kind == kind else { throw error(name, "must be \(form)") }
    return value
  }

  @inline(__always)
  mutating func has(_ name: RecordWord) -> Bool {
    slots[object.firstSlot + Int(name.id)].reader = object.number
    return slots[object.firstSlot + Int(name.id)].object == object.number
  }

  /// Accepts a member without reading it.
  mutating func ignore(_ name: RecordWord) { _ = has(name) }

  /// The index of a member's value.
  @inline(__always)
  private mutating func member(_ name: RecordWord) -> Int? {
    has(name) ? slots[object.firstSlot + Int(name.id)].value : nil
  }

  /// Throws for the first member of the open object that was not read or ignored.
  func finish() throws(ReadError) {
    var member = object.index + 1
    while let word = word(at: member) {
      guard word != .unknown, isRead(word) else { throw unknown(member) }
      member = next(member)
    }
  }

  @inline(__always)
  private func isRead(_ name: RecordWord) -> Bool { slots[object.firstSlot + Int(name.id)].reader == object.number }

  /// The name of the member at this index; nil after the last one of the open object.
  @inline(__always)
  private func word(at member: Int) -> RecordWord? {
    member < index.values[object.index].next ? RecordWord(index.values[member].key) : nil
  }

  private func unknown(_ member: Int) -> ReadError {
    let start = index.values[member].keyOffset
    var scanner = JSONScanner(start..<text.count)
    let range = (try? scanner.next(in: text.span))?.range ?? start..<start
    let key = JSONValue.unescape(range, in: text.span).map { String(decoding: $0, as: UTF8.self) } ?? "\u{fffd}"
    let known = words.all.filter(isRead).map { words[$0] }
    return error(printable(key), "is unknown\(suggestion(key, known))", at: start)
  }

  /// Throws if the object has both members; the error is at the second.
  mutating func exclude(_ name: RecordWord, with other: RecordWord) throws(ReadError) {
    guard let one = member(name), let two = member(other) else { return }
    let (second, first) = one > two ? (name, other) : (other, name)
    throw error(
      words[second], "and \"\(words[first])\" exclude each other", at: index.values[max(one, two)].keyOffset)
  }
}

// Reading values.
extension NDJSONLine {
  @inline(__always)
  mutating func integer(_ name: RecordWord, bytes: Int = 8) throws(ReadError) -> UInt64? {
    guard let value = member(name).map({ index.values[$0] }) else { return nil }
    guard let number = number(value.kind, value.range) else {
      throw error(name, "must be a whole number of at least 0")
    }
    let highest = UInt64.max >> UInt64(64 - bytes * 8)
    guard number <= highest else {
      throw error(name, EncodeError(.outOfRange, field: words[name], value: number, highest: highest).reason)
    }
    return number
  }

  private mutating func number(_ kind: JSONScanner.Kind, _ range: Range<Int>) -> UInt64? {
    guard kind == .number else { return nil }
    let digits = text.span.extracting(range)
    var number: UInt64 = 0
    for index in digits.indices {
      let digit = digits[index] &- UInt8(ascii: "0")
      // Signs, fractions and more digits are rare.
      guard digit < 10, index < 19 else { return UInt64(String(copying: digits)) }
      number = number &* 10 &+ UInt64(digit)
    }
    return number
  }

  /// A number from 0 on that fits an `Int`.
  mutating func count(_ name: RecordWord) throws(ReadError) -> Int? {
    guard let number = try integer(name) else { return nil }
    guard let count = Int(exactly: number) else { throw error(name, "is too large") }
    return count
  }

  mutating func numbers(_ name: RecordWord) throws(ReadError) -> [Int]? {
    guard let value = try take(name, .beginArray, "an array") else { return nil }
    var scanner = JSONScanner(value.range.lowerBound..<text.count)
    var all: [Int] = []
    // The line was checked when it was read.
    _ = try? scanner.next(in: text.span)
    while let token = try? scanner.next(in: text.span), token.kind != .endArray {
      guard let number = number(token.kind, token.range), let number = Int(exactly: number) else {
        throw error("\(words[name])[\(all.count)]", "must be a whole number of at least 0", at: token.start)
      }
      all.append(number)
    }
    return all
  }

  /// The indices of all values in an array of objects, including those of members.
  mutating func array(_ name: RecordWord) throws(ReadError) -> Range<Int>? {
    guard let value = try take(name, .beginArray, "an array"), let array = member(name) else { return nil }
    return (array + 1)..<value.next
  }

  /// Opens an element of an array, which is an object: the value at `element`, with `count` elements before it.
  mutating func open(_ element: Int, _ count: Int, of name: RecordWord) throws(ReadError) {
    let value = index.values[element]
    guard value.kind == .beginObject else {
      throw error("\(words[name])[\(count)]", "must be an object", at: value.range.lowerBound)
    }
    outer.append(object)
    try open(Object(index: element, firstSlot: outer.count * words.count, list: name, position: count))
  }

  /// The index of the next element or member.
  func next(_ element: Int) -> Int { index.values[element].next }

  /// A string that is `one` or `other`; nil if the member is missing.
  mutating func string(_ name: RecordWord, _ one: String, or other: String) throws(ReadError) -> String? {
    let text = try string(name)
    if let text, text != one, text != other {
      throw error(name, "is \"\(printable(text))\"; it is \"\(one)\" or \"\(other)\"")
    }
    return text
  }

  /// What `read` makes of the UTF-8 of a string; nil if the member is missing.
  @inline(__always)
  mutating func string<Result>(
    _ name: RecordWord, _ read: (Span<UInt8>) -> Result
  ) throws(ReadError) -> Result? {
    guard let value = try take(name, .string, "a string") else { return nil }
    guard value.hasEscapes else {
      return read(text.span.extracting((value.range.lowerBound + 1)..<(value.range.upperBound - 1)))
    }
    let text = text
    guard text.span.resolve(value.range, into: &resolved) else { throw error(name, "holds half a surrogate pair") }
    return read(resolved.span)
  }

  mutating func string(_ name: RecordWord) throws(ReadError) -> String? { try string(name) { String(copying: $0) } }

  /// The word of a string; nil if the member is missing.
  mutating func word(_ name: RecordWord) throws(ReadError) -> RecordWord? {
    let words = words
    return try string(name) { words.find($0) }
  }

  /// Appends the bytes of a string of hexadecimal digits. Returns false if the member is missing.
  mutating func hex(_ name: RecordWord, to out: inout Output) throws(ReadError) -> Bool {
    guard let isHex = try string(name, { out.octets(ofHexDigits: $0) }) else { return false }
    guard isHex else { throw error(name, "must be pairs of hexadecimal digits") }
    return true
  }

  /// Appends the UTF-8 of a string. Returns false if the member is missing.
  mutating func text(_ name: RecordWord, to out: inout Output) throws(ReadError) -> Bool {
    try string(name) { out.write($0) } != nil
  }

  /// Appends the text of a string, or an object without its white space. Returns false if the member is missing.
  mutating func json(_ name: RecordWord, to out: inout Output) throws(ReadError) -> Bool {
    guard let member = member(name) else { return try text(name, to: &out) }
    let value = index.values[member]
    switch value.kind {
    case .string: return try text(name, to: &out)
    case .beginObject:
      // The line was checked when it was read.
      out.write((try? JSONValue.compact(text.span, range: value.range)) ?? [])
      return true
    default: throw error(name, "must be a string, the exact text, or an object")
    }
  }
}

// Errors.
extension NDJSONLine {
  var position: Origin.TextPosition { position(index.values[object.index].range.lowerBound) }

  private func position(_ offset: Int) -> Origin.TextPosition {
    Origin.TextPosition(line: number, column: text[..<offset].reduce(1) { $0 + $1.utf16Count })
  }

  func error(_ reason: String, at offset: Int) -> ReadError {
    ReadError(.notRecord, reason, position: position(offset))
  }

  /// An error at the value of a member, or at the beginning of the object if the member is missing.
  mutating func error(_ name: RecordWord, _ what: String) -> ReadError {
    error(words[name], what, at: index.values[member(name) ?? object.index].range.lowerBound)
  }

  private func error(_ name: String, _ what: String, at offset: Int) -> ReadError {
    error("member \"\(path)\(name)\" \(what)", at: offset)
  }

  /// The path of the open object, as a prefix of its members: `items[2].`; empty for the record itself.
  private var path: String {
    (outer + [object]).dropFirst().map { "\(words[$0.list])[\($0.position)]." }.joined()
  }
}

extension String {
  /// The text of bytes in UTF-8; ill-formed ones are replaced.
  init(copying bytes: Span<UInt8>) {
    self.init(decoding: [UInt8](copying: bytes), as: UTF8.self)
  }
}
