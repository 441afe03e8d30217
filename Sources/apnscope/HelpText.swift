/// Moves the examples to the start of help texts, before the usage line.
enum HelpText {
  static func examplesFirst(_ help: String) -> String {
    let usage = "USAGE: "
    var paragraphs = help.split(separator: "\n\n", omittingEmptySubsequences: false).map(String.init)
    guard let index = paragraphs.firstIndex(where: { $0.hasPrefix(usage) }) else { return help }
    let lines = paragraphs[index].split(separator: "\n").map { $0.dropFirst(usage.count) }
    paragraphs[index] = usage + (lines.first ?? "")
    let examples = lines.dropFirst().map { "  " + $0 }
    return (["EXAMPLES:\n" + examples.joined(separator: "\n")] + paragraphs).joined(separator: "\n\n")
  }

  /// The last paragraph of each discussion. Manual pages make a section of it.
  static func exitStatus(
    _ clean: String = "no findings", _ findings: String? = "findings at or above --fail-on"
  ) -> String {
    let meanings =
      [clean, findings].enumerated().compactMap { status, meaning in meaning.map { "\(status) \($0)" } }
      + ["2 wrong usage", "3 input that cannot be read, or output that cannot be written"]
    return "Exit status: " + meanings.joined(separator: "; ") + "."
  }
}
