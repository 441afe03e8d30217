import APNSViews

/// Standard error: what is said, as opposed to the data on standard output.
enum Talk {
  /// One sentence, made safe for a terminal.
  static func say(_ sentence: String) {
    say(raw: "apnscope: " + printable(sentence))
  }

  /// Where somebody would have to type the input.
  static func sayWaiting() {
    guard isTerminal(0) else { return }
    say("reading standard input; end with Ctrl-D, or see apnscope --help")
  }

  static func say(raw text: String) {
    _ = writeAll(text + "\n", to: 2)
  }
}

/// When colour is used.
enum ColorMode: String, CaseIterable {
  case auto, always, never

  func palette(for descriptor: Int32) -> Palette {
    switch self {
    case .always: return Palette(isColored: true)
    case .never: return Palette(isColored: false)
    case .auto:
      let isWanted = (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
      return Palette(isColored: isWanted && isTerminal(descriptor))
    }
  }
}
