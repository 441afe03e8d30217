import APNSPayload

/// Text from outside, safe on a terminal: control characters, C1, and marks that reorder or break lines are written
/// as `\u{1b}`, bytes that are no UTF-8 as `\xff`.
public func printable(_ text: String) -> String {
  let bytes = Array(text.utf8)
  return printable(bytes.span, 0..<bytes.count)
}

func printable(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
  var text = ""
  var index = range.lowerBound
  while index < range.upperBound {
    let count = bytes.lengthOfCharacter(at: index, end: range.upperBound)
    if count == 0 {
      text += "\\x" + digits(bytes[index])
    } else {
      let scalar = bytes.character(at: index, count: count)
      if scalar.isUnsafeToPrint {
        text += "\\u{" + String(scalar.value, radix: 16) + "}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    index += max(count, 1)
  }
  return text
}

/// In single quotes, as a POSIX shell takes it back.
public func quotedForShell(_ text: String) -> String {
  let parts = text.unicodeScalars.split(separator: "'", omittingEmptySubsequences: false).map { String($0) }
  return "'" + parts.joined(separator: "'\\''") + "'"
}

private func digits(_ byte: UInt8) -> String {
  (byte < 16 ? "0" : "") + String(byte, radix: 16)
}

extension Unicode.Scalar {
  /// Columns that a terminal gives it: 0 for combining marks, 2 for wide East Asian characters and emoji.
  var columns: Int {
    if value < 0x300 { return 1 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch value {
    case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f,
      0xff00...0xff60, 0xffe0...0xffe6, 0x20000...0x3fffd:
      return 2
    default:
      return properties.isEmojiPresentation ? 2 : 1
    }
  }
}

extension StringProtocol {
  var columns: Int { unicodeScalars.reduce(0) { $0 + $1.columns } }

  /// Pieces of at most `width` columns; at spaces where there are any in the latter half of a piece.
  func wrapped(to width: Int) -> [String] {
    var lines: [String] = []
    var line = String.UnicodeScalarView()
    var used = 0
    var lastSpace: (index: String.UnicodeScalarView.Index, used: Int)?
    for scalar in unicodeScalars {
      if used + scalar.columns > width, !line.isEmpty {
        if let space = lastSpace, space.used * 2 > width {
          let rest = String(line[line.index(after: space.index)...])
          lines.append(String(line[..<space.index]))
          line = rest.unicodeScalars
          used = rest.columns
        } else {
          lines.append(String(line))
          line = String.UnicodeScalarView()
          used = 0
        }
        lastSpace = nil
      }
      if scalar == " " { lastSpace = (line.endIndex, used) }
      line.append(scalar)
      used += scalar.columns
    }
    lines.append(String(line))
    return lines
  }
}
