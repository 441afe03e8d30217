import APNSInput
import APNSPayload
import APNSQuery
import APNSWire
import Octets

/// A line that holds one JSON text: the members of its objects are taken one by one, from one object at a time, and
/// whatever is left over at the end is an error that names it.
///
/// Of a value only the place is kept until it is asked for, and all storage is used again for the next line.
struct NDJSONLine: Sendable {
  private(set) var text: [UInt8] = []
  private(set) var number = 0
  private(set) var object = Object()
  private let words: RecordWords
  /// Each word has a bit of its own.
  private let hasOwnBits: Bool
  private var index = JSONIndex()
  /// By form of the line: the name of each value.
  private var namesByForm = [[RecordWord]](repeating: [], count: JSONIndex.formCount)
  private var names: [RecordWord] = []
  /// Names that were asked for, of each open object in turn: what an unknown member may have meant.
  private var asked: [RecordWord] = []
  private var keepsAsked = false
  /// An unknown member was refused, but nothing was kept that it may have meant.
  private(set) var lacksSuggestion = false
  /// Strings without their escapes.
  private var resolved = Output()

  /// The object that members are taken from.
  struct Object: Sendable, BitwiseCopyable {
    /// Of its value.
    fileprivate(set) var index = 0
    /// Bits of the names that it has.
    fileprivate var present: UInt64 = 0
    /// Two of its members share a bit, or one has no bit.
    fileprivate var isUnusual = false
    /// Bits of the names that were asked for, and where the names are in `asked`.
    fileprivate var askedBits: UInt64 = 0
    fileprivate var firstAsked = 0
  }

  init(_ words: RecordWords) {
    self.words = words
    hasOwnBits = words.haveOwnBits
  }

  /// Reads a line in place of the one before, and opens its object; false if it is another value.
  mutating func read(_ line: Span<UInt8>, number: Int) throws(ReadError) -> Bool {
    self.number = number
    text.removeAll(keepingCapacity: text.count < 1 << 20)
    text.append(contentsOf: line)
    do throws(JSONError) { try index.read(text) } catch {
      throw self.error(
        "\(error.code.rawValue); each line is one JSON object as `dissect -T ndjson` writes it",
        at: error.offset..<error.offset)
    }
    guard index.values[0].kind == .beginObject else { return false }
    if index.isNewForm {
      names = []
      namesByForm[index.form].removeAll(keepingCapacity: index.values.count < 1 << 16)
      for value in index.values { namesByForm[index.form].append(name(of: value)) }
    }
    names = namesByForm[index.form]
    start(keepingAsked: !hasOwnBits)
    return true
  }

  /// Opens the line's object. `keepingAsked`: an error that names an unknown member says what it may have meant.
  mutating func start(keepingAsked: Bool) {
    asked.removeAll(keepingCapacity: true)
    keepsAsked = keepingAsked
    lacksSuggestion = false
    _ = open(0)
  }

  /// Takes members from the object at `value` from now on.
  /// - Returns: the object before, to be given to `close`.
  mutating func open(_ value: Int) -> Object {
    let outer = object
    object = Object()
    object.index = value
    object.firstAsked = asked.count
    let end = index.values[value].next
    var member = value + 1
    while member < end {
      let name = names[member]
      if name == .unknown || object.present & name.bit != 0 { object.isUnusual = true }
      if name != .unknown { object.present |= name.bit }
      member = index.values[member].next
    }
    return outer
  }

  /// Back to the object around this one.
  mutating func close(to outer: Object) {
    if keepsAsked { asked.removeSubrange(object.firstAsked...) }
    object = outer
  }

  @inline(__always)
  private mutating func name(of value: JSONIndex.Value) -> RecordWord {
    guard !value.keyRange.isEmpty else { return .unknown }
    guard value.keyHasEscapes else { return words.find(text.span, value.keyRange.insideQuotes) }
    resolved.clear()
    guard resolved.unescape(text, value.keyRange) else { return .unknown }
    return resolved.read { words.find($0, $0.indices) }
  }

  /// The value of that member.
  @inline(__always)
  private mutating func take(_ name: RecordWord) throws(ReadError) -> JSONIndex.Value? {
    ignore(name)
    return has(name) ? try value(of: name) : nil
  }

  /// Lets a member be there, whatever its value is.
  @inline(__always)
  mutating func ignore(_ name: RecordWord) {
    object.askedBits |= name.bit
    if keepsAsked { asked.append(name) }
  }

  @inline(__always)
  func has(_ name: RecordWord) -> Bool {
    object.present & name.bit != 0 && (hasOwnBits || first(name) != nil)
  }

  /// Mutating, like others that change nothing: a call of one that is not costs a copy of the line's storage.
  @inline(never)
  private mutating func value(of name: RecordWord) throws(ReadError) -> JSONIndex.Value? {
    if object.isUnusual, let again = children(of: object.index).filter({ names[$0] == name }).dropFirst().first {
      throw error(words[name], "is given twice", at: index.values[again].keyRange)
    }
    guard let member = first(name) else { return nil }
    return index.values[member]
  }

  @inline(__always)
  private func first(_ name: RecordWord) -> Int? {
    var member = object.index + 1
    while member < index.values[object.index].next {
      if names[member] == name { return member }
      member = index.values[member].next
    }
    return nil
  }

  /// Refuses the first member that was not asked for and is not named in `others`.
  mutating func finish(knowing others: [RecordWord] = []) throws(ReadError) {
    if !object.isUnusual, hasOwnBits, object.present & ~object.askedBits == 0 { return }
    let known = asked[object.firstAsked...] + others
    for member in children(of: object.index) {
      let name = names[member]
      let isKnown = keepsAsked ? known.contains(name) : object.askedBits & name.bit != 0 || others.contains(name)
      if isKnown, name != .unknown { continue }
      lacksSuggestion = !keepsAsked
      let range = index.values[member].keyRange
      let key = JSONValue.unescape(range, in: text.span).map { String(decoding: $0, as: UTF8.self) } ?? "\u{fffd}"
      throw error(printable(key), "is unknown\(suggestion(key, known.map { words[$0] }))", at: range)
    }
  }

  /// Refuses `name` beside `other`, at whichever is second.
  mutating func exclude(_ name: RecordWord, with other: RecordWord) throws(ReadError) {
    guard has(name), has(other),
      let last = children(of: object.index).last(where: { names[$0] == name || names[$0] == other })
    else { return }
    let (second, first) = names[last] == name ? (name, other) : (other, name)
    throw error(words[second], "and \"\(words[first])\" exclude each other", at: index.values[last].keyRange)
  }
}

// Values by their kind.
extension NDJSONLine {
  @inline(__always)
  mutating func integer(_ name: RecordWord, bytes: Int = 8) throws(ReadError) -> UInt64? {
    guard let value = try take(name) else { return nil }
    guard let number = number(value) else { throw error(name, "must be a whole number of at least 0") }
    let highest = UInt64.max >> UInt64(64 - bytes * 8)
    guard number <= highest else {
      throw error(name, EncodeError(.outOfRange, field: words[name], value: number, highest: highest).reason)
    }
    return number
  }

  private mutating func number(_ value: JSONIndex.Value) -> UInt64? {
    guard value.kind == .number else { return nil }
    let digits = text.span.extracting(value.range)
    var number: UInt64 = 0
    for index in digits.indices {
      let digit = digits[index] &- UInt8(ascii: "0")
      // The rest is what few numbers have: signs, fractions, more digits.
      guard digit < 10, index < 19 else { return UInt64(String(copying: digits)) }
      number = number &* 10 &+ UInt64(digit)
    }
    return number
  }

  /// One that counts or numbers something.
  mutating func count(_ name: RecordWord) throws(ReadError) -> Int? {
    guard let number = try integer(name) else { return nil }
    guard let count = Int(exactly: number) else { throw error(name, "is too large") }
    return count
  }

  mutating func numbers(_ name: RecordWord) throws(ReadError) -> [Int]? {
    guard let elements = try array(name) else { return nil }
    var all: [Int] = []
    // An array among them is not passed over in one step, but it is refused before that.
    for element in elements {
      let value = index.values[element]
      guard let number = number(value), let number = Int(exactly: number) else {
        throw error("\(words[name])[\(all.count)]", "must be a whole number of at least 0", at: value.range)
      }
      all.append(number)
    }
    return all
  }

  /// The values in an array, those within its elements included.
  mutating func array(_ name: RecordWord) throws(ReadError) -> Range<Int>? {
    guard let value = try take(name) else { return nil }
    guard value.kind == .beginArray, let array = first(name) else { throw error(name, "must be an array") }
    return (array + 1)..<value.next
  }

  /// Opens the object that is an element of an array: the value at `index`, with `count` elements before it.
  mutating func open(_ element: Int, _ count: Int, of name: RecordWord) throws(ReadError) -> Object {
    let value = index.values[element]
    guard value.kind == .beginObject else {
      throw error("\(words[name])[\(count)]", "must be an object", at: value.range)
    }
    return open(element)
  }

  /// The next element.
  func next(_ element: Int) -> Int { index.values[element].next }

  /// A string that is one of `names`.
  mutating func string(_ name: RecordWord, oneOf names: [String]) throws(ReadError) -> String? {
    guard let word = try string(name) else { return nil }
    guard names.contains(word) else {
      let choices = names.map { "\"\($0)\"" }.joined(separator: " or ")
      throw error(name, "is \"\(printable(word))\"; it is \(choices)")
    }
    return word
  }

  mutating func string(_ name: RecordWord) throws(ReadError) -> String? {
    guard let value = try takeString(name) else { return nil }
    guard value.hasEscapes else { return String(copying: text.span.extracting(value.range.insideQuotes)) }
    try resolve(value, of: name)
    return resolved.read { String(copying: $0) }
  }

  /// The word that a string is; nil if there is none.
  mutating func word(_ name: RecordWord) throws(ReadError) -> RecordWord? {
    guard let value = try takeString(name) else { return nil }
    guard value.hasEscapes else { return words.find(text.span, value.range.insideQuotes) }
    try resolve(value, of: name)
    return resolved.read { words.find($0, $0.indices) }
  }

  /// Appends the octets of a string of hexadecimal digits; false if there is none.
  mutating func hex(_ name: RecordWord, to out: inout Output) throws(ReadError) -> Bool {
    guard let value = try takeString(name) else { return false }
    if !value.hasEscapes, out.octets(ofHexDigits: text.span.extracting(value.range.insideQuotes)) { return true }
    try resolve(value, of: name)
    guard resolved.read({ out.octets(ofHexDigits: $0) }) else {
      throw error(name, "must be pairs of hexadecimal digits")
    }
    return true
  }

  /// Appends the bytes of a string, in UTF-8; false if there is none.
  mutating func text(_ name: RecordWord, to out: inout Output) throws(ReadError) -> Bool {
    guard let value = try takeString(name) else { return false }
    if !value.hasEscapes {
      out.write(text, value.range.insideQuotes)
    } else if !out.unescape(text, value.range) {
      throw error(name, "holds half a surrogate pair")
    }
    return true
  }

  /// Appends the exact text of a string, or an object without its white space; false if there is neither.
  mutating func json(_ name: RecordWord, to out: inout Output) throws(ReadError) -> Bool {
    guard has(name), let member = first(name) else { return try text(name, to: &out) }
    let value = index.values[member]
    switch value.kind {
    case .string: return try text(name, to: &out)
    case .beginObject:
      _ = try take(name)
      // Well-formed: the line was read as a whole.
      out.write((try? JSONValue.compact(text.span, range: value.range)) ?? [])
      return true
    default: throw error(name, "must be a string, the exact text, or an object")
    }
  }

  @inline(__always)
  private mutating func takeString(_ name: RecordWord) throws(ReadError) -> JSONIndex.Value? {
    guard let value = try take(name) else { return nil }
    guard value.kind == .string else { throw error(name, "must be a string") }
    return value
  }

  private mutating func resolve(_ string: JSONIndex.Value, of name: RecordWord) throws(ReadError) {
    resolved.clear()
    guard resolved.unescape(text, string.range) else { throw error(name, "holds half a surrogate pair") }
  }
}

// Errors.
extension NDJSONLine {
  var position: Origin.TextPosition { position(index.values[object.index].range.lowerBound) }

  private func position(_ offset: Int) -> Origin.TextPosition {
    Origin.TextPosition(line: number, column: offset + 1)
  }

  func error(_ reason: String, at place: Range<Int>) -> ReadError {
    ReadError(.notRecord, reason, position: position(place.lowerBound))
  }

  /// At the member's value; a missing member is reported where the object begins.
  func error(_ name: RecordWord, _ what: String) -> ReadError {
    error(words[name], what, at: index.values[first(name) ?? object.index].range)
  }

  private func error(_ name: String, _ what: String, at place: Range<Int>) -> ReadError {
    error("member \"\(path)\(name)\" \(what)", at: place)
  }

  /// Where the open object is, up to its members: `items[2].`; empty for the record itself.
  private var path: String {
    var path = ""
    var value = 0
    while value != object.index {
      let children = children(of: value)
      guard let child = children.lastIndex(where: { $0 <= object.index }) else { break }
      let isElement = index.values[value].kind == .beginArray
      value = children[child]
      path += isElement ? "[\(child)]." : words[names[value]]
    }
    return path
  }

  private func children(of value: Int) -> [Int] {
    Array(sequence(first: value + 1) { index.values[$0].next }.prefix { $0 < index.values[value].next })
  }
}

extension Range<Int> {
  fileprivate var insideQuotes: Self { (lowerBound + 1)..<(upperBound - 1) }
}

extension String {
  fileprivate init(copying bytes: Span<UInt8>) {
    self.init(decoding: [UInt8](copying: bytes), as: UTF8.self)
  }
}
