import APNSViews
import ArgumentParser

enum ColorMode: String, CaseIterable, ExpressibleByArgument {
  case auto, always, never
}

/// Colour and width of text. Terminals and their environment variables are only handled here.
struct TextOptions: ParsableArguments {
  @Option("--color <when>", "When to use colour; NO_COLOR is honoured.", rare: true)
  var color: ColorMode = .auto

  @Option("--width <width>", "Columns of text to write (default: the width of the terminal, or 80).", rare: true)
  var width: Int?

  func validate() throws {
    if let width, width < 60 { throw ValidationError("The option --width must be at least 60.") }
  }

  /// The columns and colours for text on a descriptor, or in a file that the user named.
  func terminal(for output: OutputPath?, on descriptor: Int32 = 1) -> Terminal {
    let output = output?.path == "-" ? nil : output
    let isWanted = (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
    let isColored =
      switch color {
      case .always: true
      case .never: false
      case .auto: isWanted && output == nil && isTerminal(descriptor)
      }
    return Terminal(width: width ?? (output == nil ? terminalWidth() : nil) ?? 80, isColored: isColored)
  }
}
