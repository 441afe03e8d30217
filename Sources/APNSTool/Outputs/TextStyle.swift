import APNSViews

/// When colour is used.
package enum ColorMode: String, CaseIterable {
  case auto, always, never
}

/// Colour and width of text. This is the one place that knows terminals and their environment variables.
package struct TextStyle {
  private let color: ColorMode
  private let width: Int?

  /// - Parameter width: in columns; by default that of the terminal.
  package init(color: ColorMode, width: Int?) {
    self.color = color
    self.width = width
  }

  /// For text on this descriptor, or in a file that the user named.
  func palette(writesFile: Bool, on descriptor: Int32 = 1) -> Palette {
    switch color {
    case .always: return Palette(isColored: true)
    case .never: return Palette(isColored: false)
    case .auto:
      let isWanted = (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
      return Palette(isColored: isWanted && !writesFile && isTerminal(descriptor))
    }
  }

  func columns(writesFile: Bool) -> Int {
    width ?? (writesFile ? nil : terminalWidth()) ?? 80
  }
}
