import APNSInput
import APNSPayload
import APNSQuery
import APNSWire
import Octets

/// The members of one object, taken one by one; whatever is left over at the end is an error that names it.
///
/// Of a value only the place is kept until it is asked for, so that a long line costs no tree of its values.
struct RecordObject {
  private var members: [Member] = []
  /// The object in its line, and the line.
  private let range: Range<Int>
  private let line: NDJSONLine
  /// Names that were asked for: what an unknown member may have meant.
  private var known: [String] = []
  /// Where the object is, for errors: `items[2]`; empty for the record itself.
  private let path: String

  private struct Member {
    let key: String
    let keyRange: Range<Int>
    let value: NDJSONLine.Value
    var isTaken = false
  }

  /// - Precondition: `value` is an object of this line.
  init(_ value: NDJSONLine.Value, in line: NDJSONLine, path: String = "") {
    range = value.range
    self.line = line
    self.path = path
    var scanner = JSONScanner(value.range)
    _ = line.next(&scanner)
    while let key = line.next(&scanner), key.kind == .key, let value = line.value(&scanner) {
      members.append(Member(key: line.string(at: key.range) ?? "\u{fffd}", keyRange: key.range, value: value))
    }
  }

  mutating func take(_ name: String) throws(ReadError) -> NDJSONLine.Value? {
    known.append(name)
    guard let index = members.firstIndex(where: { $0.key == name }) else { return nil }
    if let again = members[(index + 1)...].first(where: { $0.key == name }) {
      throw error(name, "is given twice", at: again.keyRange)
    }
    members[index].isTaken = true
    return members[index].value
  }

  mutating func ignore(_ names: [String]) {
    known += names
    for index in members.indices where names.contains(members[index].key) { members[index].isTaken = true }
  }

  func has(_ name: String) -> Bool { members.contains { $0.key == name } }

  /// Refuses the first member that nobody asked for, nor would ask for by one of the names in `others`.
  func finish(knowing others: [String] = []) throws(ReadError) {
    for member in members where !member.isTaken && !others.contains(member.key) {
      let meant = suggestion(member.key, known + others)
      throw error(printable(member.key), "is unknown\(meant)", at: member.keyRange)
    }
  }

  /// Refuses `name` beside `other`, at whichever stands second.
  func exclude(_ name: String, with other: String) throws(ReadError) {
    guard let member = members.last(where: { $0.key == name || $0.key == other }), has(name), has(other) else { return }
    throw error(member.key, "and \"\(member.key == name ? other : name)\" exclude each other", at: member.keyRange)
  }

  /// At `place`, or at the member's value; a member that is not there is missed where the object begins.
  func error(_ name: String, _ what: String, at place: Range<Int>? = nil) -> ReadError {
    let place = place ?? members.first { $0.key == name }?.value.range ?? range
    return line.error("member \"\(path.isEmpty ? "" : path + ".")\(name)\" \(what)", at: place)
  }

  mutating func integer(_ name: String, bytes: Int = 8) throws(ReadError) -> UInt64? {
    guard let value = try take(name) else { return nil }
    guard let number = line.number(value) else { throw error(name, "must be a whole number of at least 0") }
    let highest = UInt64.max >> UInt64(64 - bytes * 8)
    guard number <= highest else {
      throw error(name, EncodeError(.outOfRange, field: name, value: number, highest: highest).reason)
    }
    return number
  }

  /// One that counts or numbers something.
  mutating func count(_ name: String) throws(ReadError) -> Int? {
    guard let number = try integer(name) else { return nil }
    guard let count = Int(exactly: number) else { throw error(name, "is too large") }
    return count
  }

  mutating func string(_ name: String) throws(ReadError) -> String? {
    try text(name).map { String(decoding: $0, as: UTF8.self) }
  }

  /// A string that is one of `names`.
  mutating func word(_ name: String, oneOf names: [String]) throws(ReadError) -> String? {
    guard let word = try string(name) else { return nil }
    guard names.contains(word) else {
      let choices = names.map { "\"\($0)\"" }.joined(separator: " or ")
      throw error(name, "is \"\(printable(word))\"; it is \(choices)")
    }
    return word
  }

  mutating func hex(_ name: String) throws(ReadError) -> [UInt8]? {
    guard let digits = try text(name) else { return nil }
    guard let bytes = [UInt8](hexDigits: digits) else { throw error(name, "must be pairs of hexadecimal digits") }
    return bytes
  }

  /// The exact text of a string, or a whole object without its white space.
  mutating func json(_ name: String) throws(ReadError) -> [UInt8]? {
    guard let value = members.first(where: { $0.key == name })?.value else { return try text(name) }
    switch value.kind {
    case .string: return try text(name)
    case .beginObject:
      _ = try take(name)
      // Well-formed: the line was read as a whole.
      return (try? JSONValue.compact(line.text.span, range: value.range)) ?? []
    default: throw error(name, "must be a string, the exact text, or an object")
    }
  }

  /// What `read` makes of each object in an array, one at a time.
  mutating func objects<Read>(
    _ name: String, _ read: (inout RecordObject) throws(ReadError) -> Read
  ) throws(ReadError) -> [Read]? {
    guard let value = try take(name) else { return nil }
    guard value.kind == .beginArray else { throw error(name, "must be an array") }
    var all: [Read] = []
    var scanner = JSONScanner(value.range)
    _ = line.next(&scanner)
    while let value = line.value(&scanner) {
      guard value.kind == .beginObject else {
        throw error("\(name)[\(all.count)]", "must be an object", at: value.range)
      }
      let place = "\(path.isEmpty ? "" : path + ".")\(name)[\(all.count)]"
      var object = RecordObject(value, in: line, path: place)
      all.append(try read(&object))
    }
    return all
  }

  mutating func numbers(_ name: String) throws(ReadError) -> [Int]? {
    guard let value = try take(name) else { return nil }
    guard value.kind == .beginArray else { throw error(name, "must be an array") }
    var all: [Int] = []
    var scanner = JSONScanner(value.range)
    _ = line.next(&scanner)
    while let value = line.value(&scanner) {
      guard let number = line.number(value).flatMap({ Int(exactly: $0) }) else {
        throw error("\(name)[\(all.count)]", "must be a whole number of at least 0", at: value.range)
      }
      all.append(number)
    }
    return all
  }

  /// The bytes of a string, in UTF-8.
  mutating func text(_ name: String) throws(ReadError) -> [UInt8]? {
    guard let value = try take(name) else { return nil }
    guard value.kind == .string else { throw error(name, "must be a string") }
    guard let bytes = line.octets(at: value.range) else { throw error(name, "holds half a surrogate pair") }
    return bytes
  }
}
