import APNSPayload
import Octets

/// Makes untrusted text safe on a terminal: control characters (C0 and C1) and characters that reorder or break lines
/// are written as `\u{1b}`, and bytes that are not UTF-8 as `\xff`. Text that is safe stays as it is, so it does no
/// harm to call this twice.
///
/// Sentences and names leave through `wrapped(to:)`, `Palette.paint`, `Output.printable`, `Output.markup` or
/// `StandardError.say`, which call this.
public func printable(_ text: String) -> String {
  if text.utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) { return text }
  let bytes = Array(text.utf8)
  return printable(bytes.span, 0..<bytes.count)
}

/// Shortens a message that quotes input: words of more than 200 bytes, then a sentence of more than 1,200, lose their
/// middle.
public func abridged(_ sentence: String) -> String {
  let words = sentence.split(separator: " ", omittingEmptySubsequences: false).map { $0.abridged(to: 200) }
  return words.joined(separator: " ")[...].abridged(to: 1200)
}

extension Substring {
  fileprivate func abridged(to most: Int) -> String {
    guard utf8.count > most else { return String(self) }
    let head = String(decoding: utf8.prefix(most / 2), as: UTF8.self)
    let tail = String(decoding: utf8.suffix(most / 3), as: UTF8.self)
    return "\(head)...\(tail)"
  }
}

func printable(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
  var out = Output()
  out.printable(bytes, range)
  return String(decoding: out.bytes, as: UTF8.self)
}

extension Output {
  /// Writes text so that it is safe on a terminal.
  mutating func printable(_ text: String) { write(APNSViews.printable(text)) }

  /// Writes bytes as text that is safe on a terminal.
  mutating func printable(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    // A byte becomes an escape of at most six characters.
    fill(atMost: range.count * 6 + 8) { buffer, start in
      var end = start
      var index = range.lowerBound
      while true {
        index = buffer.storePrintable(bytes, index..<range.upperBound, at: &end)
        guard index < range.upperBound else { return end }
        let count = bytes.lengthOfCharacter(at: index, end: range.upperBound)
        let scalar = count == 0 ? Unicode.Scalar(bytes[index]) : bytes.character(at: index, count: count)
        if count == 0 || scalar.isUnsafeToPrint {
          buffer.storeEscape(scalar.value, isCharacter: count > 0, at: &end)
        } else {
          for offset in 0..<count { buffer.store(bytes[index + offset], at: &end) }
        }
        index += max(count, 1)
      }
    }
  }
}

extension MutableRawSpan {
  /// Copies printable ASCII and most other characters up to the first that may need an escape, and returns its index.
  @inline(__always)
  fileprivate mutating func storePrintable(_ bytes: Span<UInt8>, _ range: Range<Int>, at end: inout Int) -> Int {
    var index = range.lowerBound
    while range.upperBound - index >= 8 {
      let word = bytes.word(at: index)
      storeBytes(of: word.littleEndian, toByteOffset: end, as: UInt64.self)
      let special = word.notPrintable
      let count = special == 0 ? 8 : special.trailingZeroBitCount / 8
      index += count
      end += count
      guard special != 0 else { continue }
      let four = bytes.fourBytes(at: Swift.min(index, range.upperBound - 4))
      let length = range.upperBound - index >= 4 ? four.lengthOfLongCharacter : 0
      guard length > 0, !bytes.character(at: index, count: length).isUnsafeToPrint else { return index }
      storeBytes(of: four.littleEndian, toByteOffset: end, as: UInt32.self)
      index += length
      end += length
    }
    while index < range.upperBound, (0x20..<0x7f).contains(bytes[index]) {
      store(bytes[index], at: &end)
      index += 1
    }
    return index
  }

  @inline(never)
  fileprivate mutating func storeEscape(_ value: UInt32, isCharacter: Bool, at end: inout Int) {
    var escape = Output()
    escape.write(isCharacter ? "\\u{" : "\\x")
    escape.hex(Int(value), digits: isCharacter ? 1 : 2)
    if isCharacter { escape.write("}") }
    for byte in escape.bytes { store(byte, at: &end) }
  }
}

extension Output {
  /// Writes text for HTML or XML, between tags or in a quoted attribute. Characters that are unsafe to print are
  /// escaped, too.
  package mutating func markup(_ text: String) { markup(printable: APNSViews.printable(text)) }

  /// Writes text for HTML or XML. The text is printable except for line ends, which stay.
  package mutating func markup(printable text: String) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "<": write("&lt;")
      case ">": write("&gt;")
      case "&": write("&amp;")
      case "\"": write("&quot;")
      case "'": write("&#39;")
      case "\u{fffe}", "\u{ffff}": write("\\u{\(String(scalar.value, radix: 16))}")  // not allowed in XML
      default: for byte in scalar.utf8 { self.byte(byte) }
      }
    }
  }
}

/// Quotes text for a POSIX shell, in single quotes.
public func quotedForShell(_ text: String) -> String {
  let parts = text.unicodeScalars.split(separator: "'", omittingEmptySubsequences: false).map { String($0) }
  return "'" + parts.joined(separator: "'\\''") + "'"
}
