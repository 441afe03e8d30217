import APNSDiagnosis
import APNSQuery
import ArgumentParser

/// The command line tool: parses the arguments, runs the subcommand, and exits with one of the documented statuses.
@main
struct Apnscope: ParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "apnscope",
    abstract: "Dissect, diagnose and craft the binary frames of the Apple Push Notification service.",
    usage: """
      apnscope [<subcommand>] [<options>] [<file> ...]
      apnscope --hex '0808 0000 04d2'
      printf '<08080000 04d2>' | apnscope
      apnscope encode --command 2 --token fc13adff785122b4ad289a80982341241421348097878e577c991de8f01c9fa3 --payload '{"aps":{"alert":"Hi"}}' | apnscope
      apnscope help dissect
      """,
    discussion: """
      Reads hex text in the usual dump formats, raw bytes, and pcap or pcapng captures of decrypted streams.
      `dissect` is the default subcommand.

      \(HelpText.exitStatus())
      """,
    version: version,
    subcommands: [
      Dissect.self, Check.self, Dialogue.self, Summary.self, Capture.self, Encode.self, Mutate.self, Fuzz.self,
      Minimize.self, Redact.self, Diff.self, Report.self, Serve.self, Explain.self, Export.self,
    ],
    defaultSubcommand: Dissect.self)

  static func main() {
    holdStandardStreams()
    Interrupt.catchSignals()
    var status = ExitStatus.clean
    do {
      if Serve.testsAProvider(TrailingCommand.ownArguments) { try GatewayProgram.replaceThisProcess() }
      try MistypedSubcommand.checkHelp(of: TrailingCommand.ownArguments)
      try Explain.checkCount(of: TrailingCommand.ownArguments)
      var command = try parseAsRoot(TrailingCommand.ownArguments)
      try MistypedSubcommand.checkFirst(of: TrailingCommand.ownArguments)
      try command.run()
    } catch let ending as Ending {
      status = ending.status
    } catch let failure as Failure {
      failure.report()
      status = failure.status
    } catch {
      status = explain(error)
    }
    exitProcess(status)
  }

  /// Handles an error of the argument parser: help and completion scripts go to standard output, everything else is a
  /// usage error.
  private static func explain(_ error: any Error) -> ExitStatus {
    guard exitCode(for: error) != .success else {
      let text = HelpText.examplesFirst(fullMessage(for: error))
      do throws(Failure) {
        var output = try OutputFile(nil)
        if !text.isEmpty { output.write(text + "\n") }
        try output.close()
        return .clean
      } catch {
        error.report()
        return error.status
      }
    }
    let failure = Failure.usage(usageSentence(of: message(for: error)))
    failure.report()
    return failure.status
  }

  /// The parser's message as one sentence, without its lists and without suggestions that are far off.
  private static func usageSentence(of message: String) -> String {
    if let removed = RemovedOptions.sentence(for: message) { return removed }
    let word = CommandLine.arguments.dropFirst().first ?? ""
    let names = configuration.subcommands.map { $0._commandName }
    let lines = message.split(separator: "\n").map(String.init)
    let values = lines.dropFirst().map { line in String(line.drop { $0 == " " || $0 == "-" }) }
    var what = [lines.first ?? "", values.joined(separator: ", ")].filter { !$0.isEmpty }
    if values.isEmpty { what = [withoutFarGuess(what.last ?? "")] }
    if MistypedSubcommand.isNothing(word) { return MistypedSubcommand.sentence(word, isFile: true) }
    let sentence = what.joined(separator: " ")
    guard !sentence.hasSuffix("?") else { return sentence }
    return sentence + "; see apnscope help \(names.contains(word) ? word : "dissect")"
  }

  /// Removes a suggestion that is not similar: `Unknown option '--json'. Did you mean '--from'?`
  private static func withoutFarGuess(_ sentence: String) -> String {
    let parts = sentence.split(separator: "'", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 5, parts[2] == ". Did you mean " else {
      return sentence.last == "." ? String(sentence.dropLast()) : sentence
    }
    let name = parts[1].drop { $0 == "-" }
    let guess = suggestion(String(name), [String(parts[3].drop { $0 == "-" })])
    return "\(parts[0])'\(parts[1])'" + (guess.isEmpty ? "" : "; did you mean \(parts[3])?")
  }
}

/// Detects a first word that is neither a subcommand nor a file.
enum MistypedSubcommand {
  private static let names = Apnscope.configuration.subcommands.map { $0._commandName } + ["help"]

  /// Rejects an unknown help topic, for which the parser would show the general help.
  static func checkHelp(of arguments: [String]) throws(Failure) {
    guard arguments.count > 1, arguments[0] == "help", !names.contains(arguments[1]), arguments[1].first != "-" else {
      return
    }
    throw .usage(sentence(arguments[1], isFile: false))
  }

  /// Rejects an unknown first word, which the parser would treat as a file for the default subcommand.
  static func checkFirst(of arguments: [String]) throws(Failure) {
    guard let word = arguments.first, isNothing(word) else { return }
    throw .unreadable(sentence(word, isFile: true))
  }

  /// Whether the word looks like a subcommand, but is neither one nor a file.
  static func isNothing(_ word: String) -> Bool {
    word.utf8.count > 1 && word.first != "-" && word.allSatisfy { $0.isASCII && $0.isLetter || $0 == "-" }
      && !word.allSatisfy(\.isHexDigit) && !names.contains(word) && FileKind(word) == .missing
  }

  static func sentence(_ word: String, isFile: Bool) -> String {
    var hint = suggestion(word, names, kind: isFile ? "the subcommand " : "")
    if hint.isEmpty, Dissect.helpMessage().contains("--\(word) ") { hint = "; there is an option --\(word)" }
    if hint.isEmpty { hint = "; the subcommands are \(names.joined(separator: ", "))" }
    return "there is no \(isFile ? "file or " : "")subcommand \"\(word)\"\(hint)"
  }
}

/// A subcommand that returns an exit status.
protocol Runnable: ParsableCommand {
  /// Files of frame types, loaded before `execute`.
  var frames: FramesOption { get }
  func execute(_ definitions: Definitions) throws -> ExitStatus
}

extension Runnable {
  mutating func run() throws {
    let files = frames.files
    try RunFiles.check()
    let status = try execute(try Definitions(adding: files))
    if status != .clean { throw Ending(status: status) }
  }
}

/// A subcommand that reads streams.
protocol StreamRunnable: Runnable {
  var roles: RoleOptions { get }
}

extension StreamRunnable {
  var frames: FramesOption { roles.frames }
}

/// Ends the run with a status and without a message.
private struct Ending: Error {
  let status: ExitStatus
}
