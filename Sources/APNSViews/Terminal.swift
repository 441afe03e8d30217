import APNSDiagnosis

/// The terminal that text is written for: its columns, and whether it shows colours. They are the 16 standard colours,
/// which the theme of the terminal defines.
public struct Terminal: Sendable {
  /// The number of columns.
  public let width: Int
  /// Whether text is coloured.
  package let isColored: Bool

  /// By default, 80 columns without colours.
  public init(width: Int = 80, isColored: Bool = false) {
    (self.width, self.isColored) = (width, isColored)
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

  /// Writes text in lines that begin in this column; a label precedes the first one.
  func write(_ text: String, label: String = "", indent: Int = 0, wraps: Bool = true, to out: inout Output) {
    let margin = String(repeating: " ", count: indent)
    let padding = String(repeating: " ", count: max(indent - 2 - label.count, 1))
    for (index, line) in text.wrapped(to: wraps ? max(width - indent, 20) : .max).enumerated() {
      out.write((index > 0 || label.isEmpty ? margin : "  " + paint(label, .dim) + padding) + line + "\n")
    }
  }

  /// Writes text in lines of this style, the first after `lead`, the others after `margin`. Dots show that there are
  /// more lines than `most`.
  func write(
    _ text: String, after lead: String, margin: String, _ style: Style, atMost most: Int = .max, to out: inout Output
  ) {
    let lines = text.wrapped(to: max(width - margin.columns, 20))
    for (index, line) in lines.prefix(most).enumerated() {
      let dots = index == most - 1 && lines.count > most ? " ..." : ""
      out.write(paint((index == 0 ? lead : margin) + line + dots, style) + "\n")
    }
  }
}

extension String {
  /// The string padded with spaces to `width` columns, and at least with `gap` spaces.
  public func padded(to width: Int, gap: Int = 2) -> String {
    self + String(repeating: " ", count: max(gap, width - columns))
  }
}

extension Output {
  /// Appends what `write` appends, in this style.
  ///
  /// - Returns: the bytes that `write` appended.
  @discardableResult
  @inline(__always)
  mutating func painted(_ style: Terminal.Style, _ terminal: Terminal, _ write: (inout Output) -> Void) -> Int {
    let isPainted = terminal.isColored && style != .plain
    if isPainted { self.write("\u{1b}[\(style.rawValue)m") }
    let start = count
    write(&self)
    let written = count - start
    if isPainted { self.write("\u{1b}[0m") }
    return written
  }
}
