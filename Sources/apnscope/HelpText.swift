/// Moves the examples to the start of help texts. The parser's usage paragraph contains them.
enum HelpText {
  static func examplesFirst(_ help: String) -> String {
    let usage = "USAGE: "
    let paragraphs = help.split(separator: "\n\n", omittingEmptySubsequences: false)
    guard let index = paragraphs.firstIndex(where: { $0.hasPrefix(usage) }) else { return help }
    let examples = paragraphs[index].split(separator: "\n").map { "  " + $0.dropFirst(usage.count) }
    var rest = paragraphs
    rest.remove(at: index)
    return (["EXAMPLES:\n" + examples.joined(separator: "\n")] + rest.map(String.init)).joined(separator: "\n\n")
  }
}
