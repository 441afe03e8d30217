extension TextFormat {
  public static let nsdata = TextFormat(
    "nsdata", "NSData description or node's Buffer (<b4bce12f 9d34>)",
    recognises: { DataDescription.recognises(Array($0.lines.joined(separator: [UInt8(ascii: "\n")]))) },
    decoder: { _, strict in DataDescription(strict: strict) })
}

/// What NSData prints of itself: groups of digits in angle brackets, often inside a line of a log.
///
///     2013-11-18 10:00:00 Sender[42] <Notice>: token <b4bce12f 9d34>
///
/// Outside of strict, text around the brackets is passed over, and so are brackets around a word (`<Notice>`). Once
/// a bracket holds digits it is data: a mistake in it is never passed over.
struct DataDescription: TextDecoder {
  private enum Place {
    /// `matched` characters of `{length` have just been seen.
    case outside(matched: Int)
    /// After `<`, while it may still turn out to hold a word.
    case opened
    case word
    case skipped
    case data
    /// In `{length = 6, bytes = 0x08080000 0007}`.
    case form(LengthForm)
  }

  let strict: Bool
  private var place = Place.outside(matched: 0)
  /// Of an opened bracket: what came so far, at most one group of eight.
  private var held: [(byte: UInt8, position: TextPosition)] = []
  private var high: (digit: UInt8, position: TextPosition)?
  private var hasData = false
  private var hasText = false

  init(strict: Bool) { self.strict = strict }

  var leads: LineLead.Kind { .marks }

  mutating func take(_ byte: UInt8, at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    hasText = hasText || !byte.isWhite
    switch place {
    case .outside(let matched): try takeOutside(byte, at: position, matched)
    case .opened: try takeOpened(byte, at: position, into: &output)
    case .word: try takeWord(byte, at: position)
    case .skipped:
      if byte == UInt8(ascii: ">") || byte == UInt8(ascii: "\n") { place = .outside(matched: 0) }
    case .data: try takeData(byte, at: position, into: &output)
    case .form(var form):
      let isOver = try form.take(byte, at: position, into: &output)
      place = isOver ? .outside(matched: 0) : .form(form)
      hasData = hasData || isOver
    }
  }

  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    switch place {
    case .outside, .skipped, .word:
      if hasData || !hasText { return }
      throw ReadError(.unknownText, "this text has no <...> with hex digits", position: position)
    case .opened: try release(into: &output)
    case .data, .form: break
    }
    throw ReadError(.cutText, "the text ends before the closing > or }; paste all of it", position: position)
  }

  private mutating func takeOutside(_ byte: UInt8, at position: TextPosition, _ matched: Int) throws(ReadError) {
    if byte == UInt8(ascii: "<") {
      held = []
      place = .opened
      return
    }
    let next = byte == Self.lengthForm[matched] ? matched + 1 : byte == Self.lengthForm[0] ? 1 : 0
    if next == Self.lengthForm.count {
      place = .form(LengthForm())
      return
    }
    if strict && next == 0 && !byte.isWhite {
      throw .notHex(byte, at: position, "is outside the angle brackets; paste only <...>")
    }
    place = .outside(matched: next)
  }

  private mutating func takeOpened(
    _ byte: UInt8, at position: TextPosition, into output: inout TextOutput
  ) throws(ReadError) {
    let mayBeWord = !strict && !held.contains { $0.byte.isDecimalDigit }
    if byte.hexDigit != nil {
      held.append((byte, position))
      guard held.count == Self.groupDigits else { return }
      try release(into: &output)
      place = .data
    } else if byte == UInt8(ascii: ">") || byte.isWhite {
      if held.isEmpty && byte.isWhite { return }
      if mayBeWord && held.count % 2 == 1 {
        place = byte.isWhite ? .skipped : .outside(matched: 0)
        return
      }
      try release(into: &output)
      place = byte.isWhite ? .data : .outside(matched: 0)
    } else if mayBeWord {
      held.append((byte, position))
      place = byte.isLetter ? .word : .skipped
    } else {
      try release(into: &output, before: .notHex(byte, at: position, Self.advice))
    }
  }

  /// A bracket that began like a word: a digit in it makes it data with a mistake.
  private mutating func takeWord(_ byte: UInt8, at position: TextPosition) throws(ReadError) {
    if byte.isLetter {
      if held.count <= Self.buffer.count { held.append((byte, position)) }
    } else if byte.isDecimalDigit, let first = held.first(where: { $0.byte.hexDigit == nil }) {
      throw .notHex(first.byte, at: first.position, Self.advice)
    } else if byte == UInt8(ascii: ">") || byte == UInt8(ascii: "\n") {
      place = .outside(matched: 0)
    } else {
      // Node prints <Buffer 08 08>.
      let isBuffer = byte.isWhite && held.map(\.byte) == Self.buffer
      place = isBuffer ? .data : .skipped
      hasData = hasData || isBuffer
    }
  }

  private mutating func takeData(
    _ byte: UInt8, at position: TextPosition, into output: inout TextOutput
  ) throws(ReadError) {
    if let digit = byte.hexDigit {
      if let first = high {
        output.append(first.digit << 4 | digit, at: first.position)
        high = nil
      } else {
        high = (digit, position)
      }
    } else if byte == UInt8(ascii: ">") || byte.isWhite {
      if let high { throw .oddDigits(at: high.position) }
      if byte == UInt8(ascii: ">") { place = .outside(matched: 0) }
    } else if byte == UInt8(ascii: ".") {
      throw ReadError(
        .lossyText, "the text leaves out bytes at the ...; print every byte instead", position: position)
    } else {
      throw .notHex(byte, at: position, Self.advice)
    }
  }

  /// Puts out the held pairs, then fails for a digit left over or with `error`.
  private mutating func release(into output: inout TextOutput, before error: ReadError? = nil) throws(ReadError) {
    for index in stride(from: 0, to: held.count - 1, by: 2) {
      guard let high = held[index].byte.hexDigit, let low = held[index + 1].byte.hexDigit else { continue }
      output.append(high << 4 | low, at: held[index].position)
    }
    hasData = true
    if let error { throw error }
    if held.count % 2 == 1, let last = held.last { throw .oddDigits(at: last.position) }
    held = []
  }

  private static let lengthForm = Array("{length".utf8)
  private static let buffer = Array("Buffer".utf8)
  private static let groupDigits = 8
  private static let advice = "is not a hex digit; write pairs of hex digits between < and >"
}

// Recognition.
extension DataDescription {
  /// `<b4bce12f`, or `{length = 32, bytes = 0x`. Digits alone are no proof: `<feed>` is a word.
  static func recognises(_ text: [UInt8]) -> Bool {
    if text.holds("{length = ") && text.holds("bytes = 0x") { return true }
    if text.holds("<Buffer ") { return true }
    return text.indices.contains { index in
      guard text[index] == UInt8(ascii: "<") else { return false }
      let group = text[(index + 1)...].prefix { $0.hexDigit != nil }
      guard group.count >= 2, group.count % 2 == 0 || group.count > 8, group.contains(where: \.isDecimalDigit) else {
        return false
      }
      let end = group.endIndex == text.endIndex ? UInt8(ascii: ">") : text[group.endIndex]
      // The <34> before a line of syslog is its priority.
      let next = text[group.endIndex...].dropFirst().first ?? UInt8(ascii: " ")
      let isPriority = group.count < 4 && (next.isDecimalDigit || next.isLetter)
      return group.count >= 8 || end == UInt8(ascii: ">") && !isPriority || end.isWhite
    }
  }
}
