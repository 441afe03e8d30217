import APNSInput
import APNSPayload
import APNSQuery
import APNSWire
import Octets

/// An object in a JSON file that people write: each member is read once, and what is left over is an error.
public struct JSONFileObject {
  private let what: String
  private let text: [UInt8]
  private let range: Range<Int>
  private let members: [JSONValue.Member]
  private var known: Set<String> = []

  /// The object of a file, whose member `name` states the version of its form.
  public init(file text: [UInt8], _ name: String, version: Int) throws(ReadError) {
    let root: JSONValue
    do throws(JSONError) { root = try JSONValue(text.span, range: 0..<text.count) } catch {
      throw ReadError("this is not JSON: \(error.code.rawValue)", at: error.offset, in: text)
    }
    self = try Self(root, "the file", text)
    guard let stated = try integer(name, 0...Int.max) else { throw missing(name) }
    guard stated == version else { throw error(name, "is \(stated); this version reads \(version)") }
    _ = try string("$schema")
  }

  /// An object in a file.
  ///
  /// - Parameters:
  ///   - value: The object.
  ///   - what: A noun for messages, such as "a field".
  ///   - text: The contents of the file.
  public init(_ value: JSONValue, _ what: String, _ text: [UInt8]) throws(ReadError) {
    guard case .object(let members) = value.content else {
      throw ReadError("\(what) is an object in braces", at: value.range.lowerBound, in: text)
    }
    (self.what, self.text, range, self.members) = (what, text, value.range, members)
    var names: Set<String> = []
    for member in members where !names.insert(member.key).inserted {
      throw ReadError("duplicate member \"\(printable(member.key))\"", at: member.keyRange.lowerBound, in: text)
    }
  }

  package mutating func value(_ name: String) throws(ReadError) -> JSONValue? {
    known.insert(name)
    return members.first { $0.key == name }?.value
  }

  /// What `convert` makes of the value; nil if there is no such member. `form`: what the value must be.
  private mutating func value<Result>(
    _ name: String, _ form: String, _ convert: (JSONValue.Content) -> Result?
  ) throws(ReadError) -> Result? {
    guard let value = try value(name) else { return nil }
    guard let result = convert(value.content) else { throw error(name, "must be \(form)") }
    return result
  }

  /// A string without control characters; nil if there is no such member.
  public mutating func string(_ name: String) throws(ReadError) -> String? {
    let string = try value(name, "a string") { if case .string(let bytes?) = $0 { bytes } else { nil } }
    guard let text = string.map({ String(decoding: $0, as: UTF8.self) }) else { return nil }
    // Titles and words are shown on terminals.
    guard printable(text) == text else { throw error(name, "has a control character") }
    return text
  }

  /// A name that records, filters and shells can use; nil if there is no such member.
  package mutating func name(_ member: String) throws(ReadError) -> String? {
    guard let name = try string(member) else { return nil }
    guard name.isName else {
      throw error(member, "must consist of small letters, digits, \"-\" and \"_\", such as \"batch-ack\"")
    }
    return name
  }

  /// A whole number in the range; nil if there is no such member.
  public mutating func integer(_ name: String, _ range: ClosedRange<Int>) throws(ReadError) -> Int? {
    let isAny = range.upperBound == .max
    return try value(name, isAny ? "a whole number" : "a number, \(range.lowerBound) to \(range.upperBound)") {
      $0.number.flatMap { Int($0) }.flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// A decimal number.
  public mutating func decimal(_ name: String, _ range: ClosedRange<Double>) throws(ReadError) -> Double? {
    try value(name, "a number, \(shortest(range.lowerBound)) to \(shortest(range.upperBound))") {
      $0.number.flatMap { Double($0) }.flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// True or false; nil if there is no such member.
  public mutating func bool(_ name: String) throws(ReadError) -> Bool? {
    try value(name, "true or false") { if case .bool(let bool) = $0 { bool } else { nil } }
  }

  /// The elements of a list; nil if there is no such member.
  public mutating func array(_ name: String) throws(ReadError) -> [JSONValue]? {
    try value(name, "a list in brackets") { if case .array(let values) = $0 { values } else { nil } }
  }

  /// The case of this name; nil if there is no such member. `word`: the names of the cases in files.
  public mutating func choice<Value: CaseIterable>(
    _ name: String, _ cases: Value.Type, _ word: (Value) -> String = { String(describing: $0) }
  ) throws(ReadError) -> Value? {
    guard let text = try string(name) else { return nil }
    guard let choice = Value.allCases.first(where: { word($0) == text }) else {
      let names = Value.allCases.map(word)
      let near = suggestion(text, names)
      throw error(
        name, "is \"\(printable(text))\"\(near.isEmpty ? "; write one of \(names.joined(separator: ", "))" : near)")
    }
    return choice
  }

  package mutating func edition(_ name: String) throws(ReadError) -> Edition? {
    guard let year = try integer(name, 0...Int.max) else { return nil }
    guard let edition = Edition(rawValue: year) else {
      let years = Edition.allCases.map { String($0.rawValue) }.joined(separator: ", ")
      throw error(name, "is \(year), which is no edition; write one of \(years)")
    }
    return edition
  }

  /// Whole numbers in the bounds, as a list of the least and the most.
  package mutating func range(_ name: String, _ bounds: ClosedRange<Int>) throws(ReadError) -> ClosedRange<Int>? {
    guard let values = try array(name) else { return nil }
    let numbers = values.compactMap { $0.content.number.flatMap { Int($0) } }
    guard values.count == 2, numbers.count == 2, numbers[0] <= numbers[1], numbers.allSatisfy(bounds.contains) else {
      let (least, most) = (bounds.lowerBound, bounds.upperBound)
      throw error(name, "must be the least and the most, such as [1, 100], within \(least) and \(most)")
    }
    return numbers[0]...numbers[1]
  }

  /// A whole number, or a list of the least and the most.
  public mutating func numbers(_ name: String, _ bounds: ClosedRange<Int>) throws(ReadError) -> ClosedRange<Int>? {
    guard case .array? = try value(name)?.content else { return try integer(name, bounds).map { $0...$0 } }
    return try range(name, bounds)
  }

  /// Words for values.
  package mutating func codes(_ name: String) throws(ReadError) -> [UInt64: String]? {
    guard let value = try value(name) else { return nil }
    guard case .object = value.content else { throw error(name, "must be an object, such as {\"0\": \"ok\"}") }
    var object = try JSONFileObject(value, "codes", text)
    var codes: [UInt64: String] = [:]
    for member in object.members {
      guard let code = UInt64(member.key) else {
        throw object.error(member.key, "must be a number in quotes, such as \"0\"")
      }
      codes[code] = try object.string(member.key)
    }
    return codes
  }

  /// Refuses members that were not read.
  public func finish() throws(ReadError) {
    guard let other = members.first(where: { !known.contains($0.key) }) else { return }
    throw error(other.key, "does not belong to \(what)\(suggestion(other.key, known.sorted()))")
  }

  /// The error for a member that is needed.
  public func missing(_ name: String) -> ReadError {
    let similar = members.map(\.key).first { !known.contains($0) && !suggestion($0, [name]).isEmpty }
    let hint = similar.map { ", not \"\(printable($0))\"" } ?? ""
    return ReadError("\(what) needs a member \"\(name)\"\(hint)", at: range.lowerBound, in: text)
  }

  /// An error at the member of this name.
  public func error(_ name: String, _ problem: String) -> ReadError {
    let member = members.first { $0.key == name }
    return ReadError(
      "member \"\(printable(name))\" \(problem)", at: member?.keyRange.lowerBound ?? range.lowerBound, in: text)
  }
}

extension JSONValue.Content {
  /// The digits of a number; nil for other values.
  fileprivate var number: String? {
    if case .number(let digits) = self { String(decoding: digits, as: UTF8.self) } else { nil }
  }
}

extension ReadError {
  /// Why a JSON file that people write, such as a ``FrameFile``, cannot be read: what is wrong at this offset, and what
  /// to write. The column counts bytes.
  init(_ message: String, at offset: Int, in text: [UInt8]) {
    let lines = text.prefix(offset).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let position = Origin.TextPosition(line: max(lines.count, 1), column: (lines.last?.count ?? 0) + 1)
    self.init(.unreadable, message, position: position)
  }
}
