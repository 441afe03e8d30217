/// Help begins with examples that can be pasted: the parser's usage paragraph holds them, and is moved to the front.
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
