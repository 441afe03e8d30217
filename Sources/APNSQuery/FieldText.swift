import APNSDiagnosis
import APNSWire
import Octets

/// Parses values as users type them.
package enum FieldText {
  static func read(_ text: String, as field: Field, now: Int) throws(AssignmentError) -> FieldDraft {
    let name = field.name.member
    switch field.content {
    case .integer(let bytes, let meaning): return .integer(try integer(text, name, bytes: bytes, meaning, now: now))
    case .octets: return .octets(try octets(text, name))
    case .text, .json: return .octets(Array(text.utf8))
    case .items: throw AssignmentError(name, "is a list; set its items one by one")
    }
  }

  /// Parses a number of at most `bytes` bytes, or a word or time that represents one.
  static func integer(
    _ text: String, _ name: String, bytes: Int, _ meaning: Field.Meaning, now: Int
  ) throws(AssignmentError) -> UInt64 {
    var value = number(text)
    var expected = "a number, decimal or hexadecimal (0x...)"
    switch meaning {
    case .unixSeconds:
      let forms = "seconds since 1970, now, +1d (s, m, h, d, w), or 2013-11-19T00:00:00Z"
      expected = "a time: \(isoHint(text) ?? forms)"
      if value == nil, let seconds = seconds(text, now: now) {
        if seconds < 0 { throw AssignmentError(name, "is a time before 1970, which the field cannot represent") }
        value = UInt64(seconds)
      }
      if bytes <= 4, let value, Times.milliseconds.contains(value) {
        throw AssignmentError(name, "is \(value), which is in milliseconds; write it in seconds: \(value / 1000)")
      }
    case .code(let words, _):
      expected = "a number or its documented name"
      value = value ?? words.filter { $0.value.lowercased() == text.lowercased() }.keys.min()
    case .number, .identifier: break
    }
    guard let value else { throw AssignmentError(name, "must be \(expected)") }
    try check(value, bytes: bytes, name)
    return value
  }

  /// How to write a time that is nearly valid: `2013-11-19 00:00:00`, or one without a zone.
  static func isoHint(_ text: String) -> String? {
    let text = text.prefix { $0 != "." }
    let clock = text.dropFirst(11).prefix(8)
    let meant = "\(text.prefix(10))T\(clock.isEmpty ? "00:00:00" : clock)Z"
    return UTC.parse(Array(meant.utf8).span) == nil ? nil : "write \(meant), with T before the hours and Z for UTC"
  }

  /// Throws if the value does not fit into `bytes` bytes.
  static func check(_ value: UInt64, bytes: Int, _ name: String) throws(AssignmentError) {
    let highest = UInt64.max >> UInt64(64 - bytes * 8)
    guard value > highest else { return }
    throw AssignmentError(name, EncodeError(.outOfRange, field: name, value: value, highest: highest).reason)
  }

  /// Parses a decimal number, or a hexadecimal one after `0x`. Signs are invalid, because they make a time relative.
  package static func number(_ text: String) -> UInt64? {
    let isHex = text.hasPrefix("0x")
    let digits = isHex ? text.dropFirst(2) : text[...]
    guard digits.utf8.allSatisfy({ $0.hexDigitValue != nil }) else { return nil }
    return UInt64(digits, radix: isHex ? 16 : 10)
  }

  /// Parses pairs of hexadecimal digits. Spaces, colons and angle brackets, as in device logs, are ignored.
  package static func octets(_ text: String, _ name: String) throws(AssignmentError) -> [UInt8] {
    let digits = text.utf8.filter { !"<: >".utf8.contains($0) }
    if let bytes = [UInt8](hexDigits: digits) { return bytes }
    let isHex = digits.allSatisfy { $0.hexDigitValue != nil }
    throw AssignmentError(
      name, isHex ? "has an odd number of hexadecimal digits; write 08 for 8" : "must consist of hexadecimal digits")
  }

  /// Parses a time as seconds since 1970 UTC, negative for earlier times.
  static func seconds(_ text: String, now: Int) -> Int? {
    if text == "now" { return now }
    guard let sign = text.first, sign == "+" || sign == "-" else { return UTC.parse(Array(text.utf8).span)?.seconds }
    let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
    let unit = text.last.flatMap { units[$0] }
    let digits = text.dropFirst().dropLast(unit == nil ? 0 : 1)
    // The limit prevents an overflow of Int; the range of the field is checked later.
    guard !digits.hasPrefix("0x"), let count = number(String(digits)), count <= 1 << 32 else { return nil }
    return now + Int(count) * (unit ?? 1) * (sign == "+" ? 1 : -1)
  }
}
