import APNSDiagnosis

/// Colours for text on a terminal. It uses the 16 standard colours, which the theme of the terminal defines.
public struct Palette: Sendable {
  /// Whether text is coloured.
  package let isColored: Bool

  /// A palette that colours text, or leaves it unchanged.
  public init(isColored: Bool) {
    self.isColored = isColored
  }

  /// What a text is, which decides its colour.
  public enum Style: String, Sendable {
    /// Not coloured.
    case plain = ""
    /// Offsets, rulers and other secondary text.
    case dim = "2"
    /// Titles.
    case title = "1"
    /// Lengths and item headers.
    case header = "36"
    /// Command bytes.
    case command = "35"
    /// Payloads, and what is in order.
    case payload = "32"
    /// Errors.
    case error = "1;31"
    /// Warnings.
    case warning = "33"
    /// Notes.
    case note = "34"

    static func of(_ severity: Finding.Severity) -> Self {
      switch severity {
      case .error: .error
      case .warning: .warning
      case .note: .note
      }
    }
  }

  /// The text in this style, made safe on a terminal.
  public func paint(_ text: String, _ style: Style) -> String {
    let text = printable(text)
    guard isColored, style != .plain, !text.isEmpty else { return text }
    return "\u{1b}[\(style.rawValue)m\(text)\u{1b}[0m"
  }
}

extension Output {
  /// Appends what `write` appends, in this style.
  ///
  /// - Returns: the bytes that `write` appended.
  @discardableResult
  @inline(__always)
  mutating func painted(_ style: Palette.Style, _ palette: Palette, _ write: (inout Output) -> Void) -> Int {
    let isPainted = palette.isColored && style != .plain
    if isPainted { self.write("\u{1b}[\(style.rawValue)m") }
    let start = count
    write(&self)
    let written = count - start
    if isPainted { self.write("\u{1b}[0m") }
    return written
  }
}
