import APNSDiagnosis

/// The only place that knows colour: sixteen-colour sequences that every terminal's own theme makes readable.
public struct Palette: Sendable {
  public let isColored: Bool

  public init(isColored: Bool) {
    self.isColored = isColored
  }

  enum Style: String {
    case plain = ""
    /// Offsets, rulers, and what can be skipped over.
    case dim = "2"
    case title = "1"
    /// Bytes that say what or how much comes.
    case header = "36"
    case command = "35"
    case payload = "32"
    case error = "1;31"
    case warning = "33"
    case note = "34"

    static func of(_ severity: Finding.Severity) -> Self {
      switch severity {
      case .error: .error
      case .warning: .warning
      case .note: .note
      }
    }
  }

  func paint(_ text: String, _ style: Style) -> String {
    guard isColored, style != .plain, !text.isEmpty else { return text }
    return "\u{1b}[\(style.rawValue)m\(text)\u{1b}[0m"
  }
}

extension Palette {
  /// A heading.
  public func paint(title: String) -> String { paint(title, .title) }
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
