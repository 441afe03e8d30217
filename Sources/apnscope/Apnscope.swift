import APNSQuery
import APNSTool
import ArgumentParser

/// The command: parses, runs, and turns every ending into one of the documented exit statuses.
@main
struct Apnscope: ParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "apnscope",
    abstract: "Dissect, diagnose and craft the binary frames of the Apple Push Notification service.",
    usage: """
      apnscope --hex '0808 0000 04d2'
      printf '<08080000 04d2>' | apnscope
      apnscope encode --command 2 --token fc13adff785122b4ad289a80982341241421348097878e577c991de8f01c9fa3 --payload '{"aps":{"alert":"Hi"}}' | apnscope
      apnscope help dissect
      """,
    discussion: """
      Reads hex text in the usual dump formats, raw bytes, and pcap or pcapng captures of decrypted streams.
      `dissect` is the default subcommand.

      Exit status: 0 no findings; 1 findings at or above --fail-on; 2 wrong usage; 3 the input cannot be read or the \
      output cannot be written.
      """,
    version: version,
    subcommands: [
      Dissect.self, Check.self, Dialogue.self, Summary.self, Capture.self, Encode.self, Mutate.self, Fuzz.self,
      Minimize.self, Redact.self, Explain.self,
    ],
    defaultSubcommand: Dissect.self)

  static func main() {
    holdStandardStreams()
    Interrupt.catchSignals()
    var status = ExitStatus.clean
    do {
      try MistypedSubcommand.checkHelp(of: DecoderCommand.ownArguments)
      try Explain.checkCount(of: DecoderCommand.ownArguments)
      var command = try parseAsRoot(DecoderCommand.ownArguments)
      try MistypedSubcommand.checkFirst(of: DecoderCommand.ownArguments)
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

  /// Help and completion scripts are output; everything else is wrong usage.
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

  /// The parser lists values on lines of their own; one sentence is enough. Its own guesses are often far off.
  private static func usageSentence(of message: String) -> String {
    let word = CommandLine.arguments.dropFirst().first ?? ""
    let names = configuration.subcommands.map { $0._commandName }
    let lines = message.split(separator: "\n").map(String.init)
    let values = lines.dropFirst().map { line in String(line.drop { $0 == " " || $0 == "-" }) }
    var what = [lines.first ?? "", values.joined(separator: ", ")].filter { !$0.isEmpty }
    if values.isEmpty { what = [withoutFarGuess(what.last ?? "")] }
    if MistypedSubcommand.isNothing(word) { return MistypedSubcommand.sentence(word, isFile: true) }
    return what.joined(separator: " ") + "; see apnscope help \(names.contains(word) ? word : "dissect")"
  }

  /// `Unknown option '--json'. Did you mean '--from'?`
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

/// A first word that is neither a subcommand nor a file.
enum MistypedSubcommand {
  private static let names = Apnscope.configuration.subcommands.map { $0._commandName } + ["help"]

  /// The parser shows general help for a topic that it does not know.
  static func checkHelp(of arguments: [String]) throws(Failure) {
    guard arguments.count > 1, arguments[0] == "help", !names.contains(arguments[1]), arguments[1].first != "-" else {
      return
    }
    throw .usage(sentence(arguments[1], isFile: false))
  }

  /// The parser takes the first word for a file of the default subcommand.
  static func checkFirst(of arguments: [String]) throws(Failure) {
    guard let word = arguments.first, isNothing(word) else { return }
    throw .unreadable(sentence(word, isFile: true))
  }

  /// A word of letters, as subcommands are, but neither a subcommand nor a file.
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

/// A subcommand that ends in a status of its own.
protocol Runnable: ParsableCommand {
  func execute() throws -> ExitStatus
}

extension Runnable {
  mutating func run() throws {
    let status = try execute()
    if status != .clean { throw Ending(status: status) }
  }
}

/// Ends the run with a status, all being said.
private struct Ending: Error {
  let status: ExitStatus
}
