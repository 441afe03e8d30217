import APNSViews

/// When to use colour.
enum ColorMode: String, CaseIterable {
  case auto, always, never
}

/// Colour and width of text. Terminals and their environment variables are only handled here.
struct TextStyle {
  private let color: ColorMode
  private let width: Int?

  /// - Parameter width: The width in columns; nil means the width of the terminal.
  init(color: ColorMode, width: Int?) {
    self.color = color
    self.width = width
  }

  /// The colours for text on a descriptor, or in a file that the user named.
  func palette(writesFile: Bool, on descriptor: Int32 = 1) -> Palette {
    switch color {
    case .always: return Palette(isColored: true)
    case .never: return Palette(isColored: false)
    case .auto:
      let isWanted = (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
      return Palette(isColored: isWanted && !writesFile && isTerminal(descriptor))
    }
  }

  /// The width in columns.
  func columns(writesFile: Bool) -> Int {
    width ?? (writesFile ? nil : terminalWidth()) ?? 80
  }
}
