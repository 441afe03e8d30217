import APNSViews

/// Standard error: what is said, as opposed to the data on standard output.
enum Talk {
  /// One sentence, made safe for a terminal.
  static func say(_ sentence: String) {
    say(raw: "apnscope: " + printable(sentence))
  }

  /// Before standard input is read, if that is a terminal, where nothing else shows that the command waits.
  static func sayWaiting(for what: String = "", see help: String = "apnscope --help") {
    guard isTerminal(0) else { return }
    say("reading \(what)standard input; end with Ctrl-D, or see \(help)")
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
