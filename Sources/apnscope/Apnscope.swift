import APNSQuery
import APNSViews
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
    Interrupt.catchSignals()
    var status = ExitStatus.clean
    do {
      var command = try parseAsRoot(DecoderCommand.ownArguments)
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
      if text.isEmpty || StandardOutput.write(text + "\n") { return .clean }
      Talk.say("standard output: \(systemError())")
      return .unreadable
    }
    Talk.say(usageSentence(of: message(for: error)))
    return .usage
  }

  /// The parser lists values on lines of their own; one sentence is enough.
  private static func usageSentence(of message: String) -> String {
    let lines = message.split(separator: "\n").map(String.init)
    let values = lines.dropFirst().map { line in String(line.drop { $0 == " " || $0 == "-" }) }
    var what = [lines.first ?? "", values.joined(separator: ", ")].filter { !$0.isEmpty }
    if values.isEmpty, what.last?.last == "." { what[what.count - 1].removeLast() }
    let names = configuration.subcommands.map { $0._commandName }
    let word = CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : ""
    let isMistyped = !word.hasPrefix("-") && !names.contains(word)
    let hint = isMistyped ? suggestion(word, names, kind: "the subcommand ") : ""
    return what.joined(separator: " ") + hint + "; see apnscope help \(names.contains(word) ? word : "dissect")"
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

/// The contract with scripts.
enum ExitStatus: Int32 {
  case clean = 0
  case findings = 1
  case usage = 2
  case unreadable = 3
}

/// Ends the run: one sentence on standard error, and a status.
struct Failure: Error {
  let status: ExitStatus
  let sentence: String
  var isMistypedSubcommand = false

  static func usage(_ sentence: String) -> Failure { Failure(status: .usage, sentence: sentence) }
  static func unreadable(_ sentence: String) -> Failure { Failure(status: .unreadable, sentence: sentence) }

  func report() { Talk.say(sentence) }
}
