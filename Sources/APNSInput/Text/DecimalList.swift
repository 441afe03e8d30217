extension TextFormat {
  public static let decimal = TextFormat(
    "decimal", "list of decimal bytes in brackets or braces ([2, 0, 78], {2, -76}, Go's [2 0 78], Erlang's <<2,0,78>>)",
    recognises: { DecimalList.recognises($0) }, decoder: { _, strict in DecimalList(strict: strict) })
}

/// Bytes as decimal numbers, as Go, Java, Swift, Python and JavaScript print them; negative ones are signed bytes.
///
///     [2, 0, 78]      [2 0 78]      {2, 0, -76}      Uint8Array(3) [ 2, 0, 78 ]      {"type":"Buffer","data":[2,0,78]}
///     <<2,0,78>>      of Erlang and Elixir
///
/// What stands outside of the brackets is passed over, and so are braces around names.
struct DecimalList: TextDecoder {
  let strict: Bool
  private enum Place { case outside, opened, list }
  private var place = Place.outside
  private var closing: UInt8 = 0
  private var number: (value: Int, digits: Int, isNegative: Bool, position: TextPosition)?
  private var commaMayFollow = false
  private var hasList = false
  private var isBehindName = false
  private var isBehindAngle = false

  init(strict: Bool) { self.strict = strict }

  var leads: LineLead.Kind { place == .outside ? .all : .none }

  mutating func take(_ byte: UInt8, at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    if byte.isDecimalDigit, place != .outside {
      place = .list
      let value = (number?.value ?? 0) * 10 + Int(byte - UInt8(ascii: "0"))
      let isNegative = number?.isNegative ?? false
      guard value <= (isNegative ? 128 : 255) else {
        throw .notHex(byte, at: position, "makes this number too large for a byte; write -128 to 255")
      }
      number = (value, (number?.digits ?? 0) + 1, isNegative, number?.position ?? position)
      return
    }
    if let done = number {
      guard done.digits > 0 else { throw .notHex(byte, at: position, Self.advice) }
      output.append(UInt8(truncatingIfNeeded: done.isNegative ? -done.value : done.value), at: done.position)
      number = nil
      commaMayFollow = true
    }
    defer {
      isBehindName = byte.isLetter || byte.isDecimalDigit
      isBehindAngle = byte == UInt8(ascii: "<")
    }
    switch (place, byte) {
    case (.outside, UInt8(ascii: "[")) where isBehindName: break  // Sender[42]
    case (.outside, UInt8(ascii: "<")) where !isBehindAngle: break
    case (.outside, UInt8(ascii: "[")), (.outside, UInt8(ascii: "{")), (.outside, UInt8(ascii: "<")):
      place = .opened
      closing = byte + 2
    case (.outside, _): break
    case (_, UInt8(ascii: "-")):
      place = .list
      number = (0, 0, true, position)
    case (_, closing):
      hasList = hasList || place == .list
      place = .outside
    case (_, UInt8(ascii: ",")) where commaMayFollow: commaMayFollow = false
    case (_, UInt8(ascii: ".")):
      let reason = "the text leaves out numbers at the ...; print all of them"
      throw ReadError(.lossyText, reason, position: position)
    case (_, _) where byte.isWhite: break
    case (.opened, _) where !strict:
      // No list after all: {"type" or []byte{
      place = byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") ? .opened : .outside
      closing = byte &+ 2
    default: throw .notHex(byte, at: position, Self.advice)
    }
  }

  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    if let done = number, done.digits > 0 {
      output.append(UInt8(truncatingIfNeeded: done.isNegative ? -done.value : done.value), at: done.position)
    }
    if place == .list {
      throw ReadError(.cutText, "the text ends inside the list; paste all of it", position: position)
    }
    if !hasList { throw ReadError(.unknownText, "this text has no list of decimal bytes", position: position) }
  }

  private static let advice = "is not allowed in a list of decimal bytes; write numbers from -128 to 255"
}

// Recognition.
extension DecimalList {
  /// Brackets with at least two numbers and nothing else in them.
  static func recognises(_ head: TextHead) -> Bool { list(head) != nil }

  static func ambiguity(_ head: TextHead) -> String? {
    guard let numbers = list(head), numbers.contains(where: { $0.count == 2 && $0.first == UInt8(ascii: "0") }),
      numbers.allSatisfy({ $0.count == 2 })
    else { return nil }
    return
      "these numbers may be decimal or hex, because each has two digits; use --from decimal, or remove the brackets "
      + "for hex"
  }

  private static func list(_ head: TextHead) -> [ArraySlice<UInt8>]? {
    let text = Array(head.lines.joined(separator: [UInt8(ascii: "\n")]))
    for start in text.indices where opens(text, at: start) {
      let rest = text[(start + 1)...]
      let end = rest.firstIndex(of: text[start] + 2)
      guard end != nil || !head.isWhole || rest.contains(UInt8(ascii: ".")) else { continue }
      let inside = rest[..<(end ?? text.count)]
      let numbers = inside.split { $0.isWhite || $0 == UInt8(ascii: ",") }
      let areNumbers = numbers.dropLast(end == nil ? 1 : 0).prefix { !$0.starts(with: "...".utf8) }.allSatisfy {
        $0.drop { $0 == UInt8(ascii: "-") }.number(radix: 10) != nil
      }
      if numbers.count > 1, areNumbers, numbers[0].first?.isDecimalDigit == true || numbers[0].count > 1 {
        return numbers
      }
    }
    return nil
  }

  private static func opens(_ text: [UInt8], at index: Int) -> Bool {
    switch text[index] {
    case UInt8(ascii: "["), UInt8(ascii: "{"): true
    case UInt8(ascii: "<"): index > 0 && text[index - 1] == UInt8(ascii: "<")
    default: false
    }
  }
}
