import APNSPayload
import APNSWire
import Octets

/// Parses values as users type them.
package enum FieldText {
  static func read(_ text: String, as field: Field, now: Int) throws(AssignmentError) -> FieldDraft {
    let name = field.name.member
    switch field.content {
    case .integer(_, let meaning):
      return .integer(try integer(text, name, bytes: field.size ?? 8, meaning, now: now))
    case .octets: return .octets(try octets(text, name))
    case .text, .json: return .octets(Array(text.utf8))
    case .items: throw AssignmentError(name, "is a list; set its items one by one")
    }
  }

  /// Parses a number of at most `bytes` bytes, or a word or time that represents one.
  static func integer(
    _ text: String, _ name: String, bytes: Int, _ meaning: Field.Meaning, now: Int
  ) throws(AssignmentError) -> UInt64 {
    let value: UInt64
    if let plain = number(text) { value = plain } else { value = try named(text, name, meaning, now: now) }
    if case .unixSeconds = meaning, UTC.milliseconds.contains(value) {
      throw AssignmentError(name, "is \(value), which is in milliseconds; write it in seconds: \(value / 1000)")
    }
    try check(value, bytes: bytes, name)
    return value
  }

  /// Parses a word or time that represents a number.
  private static func named(
    _ text: String, _ name: String, _ meaning: Field.Meaning, now: Int
  ) throws(AssignmentError) -> UInt64 {
    switch meaning {
    case .unixSeconds:
      guard let seconds = seconds(text, now: now) else {
        throw AssignmentError(
          name,
          "must be a time: \(isoHint(text) ?? "seconds since 1970, now, +1d (s, m, h, d, w), or 2013-11-19T00:00:00Z")"
        )
      }
      guard let value = UInt64(exactly: seconds) else {
        throw AssignmentError(name, "is a time before 1970, which the field cannot represent")
      }
      return value
    case .code(let names, _):
      let meant = names.filter { $0.value.lowercased() == text.lowercased() }.map(\.key)
      guard let code = meant.min() else { throw AssignmentError(name, "must be a number or its documented name") }
      return code
    case .number, .identifier:
      throw AssignmentError(name, "must be a number, decimal or hexadecimal (0x...)")
    }
  }

  /// How to write a time that is nearly valid: `2013-11-19 00:00:00`, or one without a zone.
  static func isoHint(_ text: String) -> String? {
    let text = text.prefix { $0 != "." }
    let day = text.prefix(10)
    let clock = text.dropFirst(11).prefix(8)
    let meant = "\(day)T\(clock.isEmpty ? "00:00:00" : clock)Z"
    return UTC.parse(Array(meant.utf8).span) == nil ? nil : "write \(meant), with T before the hours and Z for UTC"
  }

  /// Throws if the value does not fit into `bytes` bytes.
  static func check(_ value: UInt64, bytes: Int, _ name: String) throws(AssignmentError) {
    let highest = UInt64.max >> UInt64(64 - bytes * 8)
    guard value > highest else { return }
    let error = EncodeError(.outOfRange, field: name, value: value, highest: highest)
    throw AssignmentError(name, error.reason)
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
    var digits = text.dropFirst()
    var unit = 1
    if let last = digits.last, let scale = units[last] {
      unit = scale
      digits.removeLast()
    }
    // The limit prevents an overflow of Int; the range of the field is checked later.
    guard !digits.hasPrefix("0x"), let count = number(String(digits)), count <= 1 << 32 else { return nil }
    return sign == "+" ? now + Int(count) * unit : now - Int(count) * unit
  }
}
