import APNSInput
import APNSPayload

/// A line that holds one well-formed JSON text, and its number: values by their places, read when they are asked for.
struct NDJSONLine: Sendable {
  let text: [UInt8]
  let number: Int

  /// Brackets and quotes included; of an object or array, the kind is that of its opening bracket.
  struct Value: Sendable {
    let kind: JSONScanner.Kind
    let range: Range<Int>
  }

  init(_ text: [UInt8], number: Int) throws(ReadError) {
    self.text = text
    self.number = number
    guard let violation = JSONScanner.firstError(in: text.span, range: 0..<text.count) else { return }
    throw error(
      "\(violation.code.rawValue); each line is one JSON object as `dissect -T ndjson` writes it",
      at: violation.offset..<violation.offset)
  }

  /// The next token; what stands in the line is well-formed, so that nothing is left to throw.
  func next(_ scanner: inout JSONScanner) -> JSONScanner.Token? {
    try? scanner.next(in: text.span)
  }

  /// The next value as a whole; nil where a bracket closes instead.
  func value(_ scanner: inout JSONScanner) -> Value? {
    guard let first = next(&scanner), first.kind != .endObject, first.kind != .endArray else { return nil }
    var last = first
    if first.kind == .beginObject || first.kind == .beginArray {
      while let token = next(&scanner) {
        last = token
        if token.depth == first.depth { break }
      }
    }
    return Value(kind: first.kind, range: first.start..<last.end)
  }

  func number(_ value: Value) -> UInt64? {
    value.kind == .number ? UInt64(String(decoding: text[value.range], as: UTF8.self)) : nil
  }

  /// A string's bytes with escapes resolved; nil where one names half a surrogate pair.
  func octets(at range: Range<Int>) -> [UInt8]? {
    guard let value = try? JSONValue(text.span, range: range), case .string(let bytes) = value.content else {
      return nil
    }
    return bytes
  }

  func string(at range: Range<Int>) -> String? {
    octets(at: range).map { String(decoding: $0, as: UTF8.self) }
  }

  func position(_ offset: Int) -> Origin.TextPosition {
    Origin.TextPosition(line: number, column: offset + 1)
  }

  func error(_ reason: String, at place: Range<Int>) -> ReadError {
    ReadError(.notRecord, reason, position: position(place.lowerBound))
  }
}
