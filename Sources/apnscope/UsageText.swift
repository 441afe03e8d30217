import APNSQuery
import ArgumentParser

/// The sentence for an error of the argument parser.
enum UsageSentence {
  /// The parser's message as one sentence, without its lists and without suggestions that are not similar, as in
  /// `Unknown option '--json'. Did you mean '--from'?`
  static func of(_ message: String) -> String {
    let quoted = message.split(separator: "'", omittingEmptySubsequences: false).map(String.init)
    if quoted.count > 1, let replacement = replacements[quoted[1]] { return "\(quoted[1]) \(replacement)" }
    let word = CommandLine.arguments.dropFirst().first ?? ""
    let lines = message.split(separator: "\n").map(String.init)
    let values = lines.dropFirst().map { line in String(line.drop { $0 == " " || $0 == "-" }) }
    var sentence = lines.first ?? ""
    if !values.isEmpty {
      sentence += " " + values.joined(separator: ", ")
    } else if quoted.count == 5, quoted[2] == ". Did you mean " {
      let (name, guess) = (quoted[1].drop { $0 == "-" }, quoted[3].drop { $0 == "-" })
      let isSimilar = !suggestion(String(name), [String(guess)]).isEmpty
      sentence = "\(quoted[0])'\(quoted[1])'" + (isSimilar ? "; did you mean \(quoted[3])?" : "")
    } else if sentence.last == "." {
      sentence.removeLast()
    }
    guard !sentence.hasSuffix("?") else { return sentence }
    return sentence + "; see apnscope help \(Apnscope.names.contains(word) ? word : "dissect")"
  }

  /// What to say of options and values that were removed, so that a script that still gives one learns what to do. By
  /// the spelling as the parser's message quotes it.
  private static let replacements = [
    "--follow": "was removed; pipe the file: tail -c +1 -f FILE | apnscope",
    "--strict": "was removed; drop it, and name the format with --from if it must not be recognised",
    "-o": "was removed; use -w",
    "-n": "was removed; use -c",
    "header=n": "was removed; it is the default, so drop -E",
    "--rule": "was removed; \(judging)", "--severity": "was removed; \(judging)",
    "--ignore": "is for rules: \(judging); for a field of diff, use --ignore-field",
  ]
  private static let judging = "dissect, check, capture and serve choose rules; elsewhere there is --edition"
}

/// Rejects a first word that looks like a subcommand but is neither one nor a file, which the parser would read as a
/// file, and an unknown topic of `help`, for which it would show the general help.
func checkSubcommand(of arguments: [String]) throws(Failure) {
  let isTopic = arguments.first == "help" && arguments.count > 1
  guard let word = arguments.dropFirst(isTopic ? 1 : 0).first, word.first != "-" else { return }
  let isWord = word.utf8.count > 1 && word.allSatisfy { $0.isASCII && $0.isLetter || $0 == "-" }
  guard isTopic || isWord && !word.allSatisfy(\.isHexDigit) && FileKind(word) == .missing else { return }
  // Last, since it takes as long as all else here together to make the help of all subcommands.
  let names = Apnscope.names + ["help"]
  if names.contains(word) { return }
  var hint = suggestion(word, names, kind: isTopic ? "" : "the subcommand ")
  if hint.isEmpty, Dissect.helpMessage().contains("--\(word) ") { hint = "; there is an option --\(word)" }
  if hint.isEmpty { hint = "; the subcommands are \(names.joined(separator: ", "))" }
  let sentence = "there is no \(isTopic ? "" : "file or ")subcommand \"\(word)\"\(hint)"
  throw isTopic ? .usage(sentence) : .unreadable(sentence)
}

enum HelpText {
  /// Whether everything is shown. Otherwise help fits on a screen.
  private static let isLong = CommandLine.arguments.contains("--help-hidden")
  static let isShort = CommandLine.arguments.contains { ["-h", "--help", "help"].contains($0) }
  /// Whether completion scripts, or a description of all options, are written: these leave nothing out.
  fileprivate static let isForPrograms = CommandLine.arguments.contains { argument in
    argument.hasPrefix("--generate-completion-script") || argument == "--experimental-dump-help"
  }

  /// Moves the examples to the start, before the usage line. A short text has a few of them, and no explanations.
  static func examplesFirst(_ help: String) -> String {
    let usage = "USAGE: "
    var paragraphs = help.split(separator: "\n\n", omittingEmptySubsequences: false).map(String.init)
    guard let index = paragraphs.firstIndex(where: { $0.hasPrefix(usage) }) else { return help }
    let lines = paragraphs[index].split(separator: "\n").map { $0.dropFirst(usage.count) }
    paragraphs[index] = usage + (lines.first ?? "")
    var examples = lines.dropFirst().map { "  " + $0 }
    let command = lines.first?.split(separator: " ").dropFirst().first?.filter(\.isLetter) ?? ""
    if !isLong, Apnscope.names.contains(command) {
      examples = Array(examples.prefix(3))
      paragraphs.removeSubrange(1..<index)
      while paragraphs.last?.last == "\n" { paragraphs[paragraphs.endIndex - 1].removeLast() }
      paragraphs.append("More options, and how it works: apnscope \(command) --help-hidden")
    }
    return (["EXAMPLES:\n" + examples.joined(separator: "\n")] + paragraphs).joined(separator: "\n\n")
  }

  static let noFindings = "no findings"
  static let findings = "findings at or above --fail-on"

  /// The last paragraph of each discussion. Manual pages make a section of it.
  static func exitStatus(_ clean: String = noFindings, _ findings: String? = findings) -> String {
    let meanings =
      [clean, findings].enumerated().compactMap { status, meaning in meaning.map { "\(status) \($0)" } }
      + ["2 wrong usage", "3 input that cannot be read, or output that cannot be written"]
    return "Exit status: " + meanings.joined(separator: "; ") + "."
  }
}

extension CommandConfiguration {
  /// A subcommand. The exit statuses are the last paragraph of its discussion.
  /// - Parameter name: its name, which takes long to derive from its type.
  init(
    _ name: String, _ abstract: String, usage: String, discussion: String, clean: String = HelpText.noFindings,
    findings: String? = HelpText.findings
  ) {
    self.init(
      commandName: name, abstract: abstract, usage: usage,
      discussion: discussion + "\n\n" + HelpText.exitStatus(clean, findings))
  }
}

extension ArgumentVisibility {
  /// Of an option that help shows only if everything is asked for.
  static var rare: ArgumentVisibility { HelpText.isForPrograms ? .default : .hidden }
}

extension ArgumentHelp {
  static func rare(_ text: String, valueName: String? = nil) -> ArgumentHelp {
    ArgumentHelp(text, valueName: valueName, visibility: .rare)
  }
}

extension CompletionKind {
  /// Names that only completion scripts need, so that no other run makes them.
  static func names(_ names: @autoclosure () -> [String]) -> CompletionKind {
    .list(HelpText.isForPrograms ? names() : [])
  }
}
