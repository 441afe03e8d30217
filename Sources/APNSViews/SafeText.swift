import APNSInput
import Octets

/// Makes untrusted text safe on a terminal: control characters (C0 and C1) and characters that reorder or break lines
/// are written as `\u{1b}`, and bytes that are not UTF-8 as `\xff`. Text that is safe stays as it is, so it does no
/// harm to call this twice.
///
/// Sentences and names leave through `wrapped(to:)`, `Terminal.paint`, `Output.printable`, `Output.markup` or
/// `StandardError.say`, which call this.
public func printable(_ text: String) -> String {
  if text.utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) { return text }
  return Output.text { $0.printable(text.utf8.span, 0..<text.utf8.count) }
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

extension Output {
  /// Writes text for HTML or XML, between tags or in a quoted attribute. Characters that are unsafe to print are
  /// escaped, too.
  mutating func markup(_ text: String) { markup(printable: APNSViews.printable(text)) }

  /// Writes text for HTML or XML. The text is printable except for line ends, which stay.
  mutating func markup(printable text: String) {
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

extension String {
  /// Replaces each byte that `isSpecial` by a percent sign and two hexadecimal digits (RFC 3986).
  func percentEncoded(_ isSpecial: (UInt8) -> Bool) -> String {
    String(decoding: utf8.flatMap { isSpecial($0) ? Array("%\($0.hexDigits.uppercased())".utf8) : [$0] }, as: UTF8.self)
  }
}

extension UInt8 {
  func isAlphanumeric(or others: String) -> Bool {
    isLetter || isDecimalDigit || others.utf8.contains(self)
  }
}

/// Quotes a word for a POSIX shell if necessary, in single quotes.
package func shellWord(_ text: String) -> String {
  if !text.isEmpty, text.utf8.allSatisfy({ $0.isAlphanumeric(or: "/.-_,=+:") }) { return text }
  return Output.text { $0.shellQuoted(text.utf8.span) }
}

extension Output {
  /// Writes text in single quotes, as one word of a shell.
  mutating func shellQuoted(_ text: Span<UInt8>) {
    byte(UInt8(ascii: "'"))
    for index in text.indices {
      if text[index] == UInt8(ascii: "'") { write("'\\''") } else { byte(text[index]) }
    }
    byte(UInt8(ascii: "'"))
  }
}

/// The words as one line of a shell.
public func shellLine(_ words: [String]) -> String { words.map(shellWord).joined(separator: " ") }
