import APNSDiagnosis
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
      apnscope encode --command 2 --token fc13adff785122b4ad289a80982341241421348097878e577c991de8f01c9fa3 --payload \
      '{"aps":{"alert":"Hi"}}' | apnscope
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

  static var names: [String] { configuration.subcommands.map { $0._commandName } }

  static func main() {
    holdStandardStreams()
    Interrupt.catchSignals()
    var status = ExitStatus.clean
    do { status = try run(TrailingCommand.ownArguments) } catch {
      let failure = error as? Failure ?? .usage(UsageSentence.of(message(for: error)))
      failure.report()
      status = failure.status
    }
    exitProcess(status)
  }

  private static func run(_ arguments: [String]) throws -> ExitStatus {
    do {
      if Serve.testsAProvider(arguments) { try GatewayProgram.replaceThisProcess() }
      try checkSubcommand(of: arguments)
      try Explain.checkCount(of: arguments)
      var command = try parsed(arguments)
      if let runnable = command as? any Runnable {
        let files = runnable.frames.files
        try RunFiles.check()
        return try runnable.execute(try Definitions(adding: files))
      }
      try command.run()
    } catch  where !(error is Failure) && exitCode(for: error) == .success {
      // Help and completion scripts go to standard output.
      let text = HelpText.examplesFirst(fullMessage(for: error))
      var output = try OutputFile(nil)
      if !text.isEmpty { output.write(text + "\n") }
      try output.close()
    }
    return .clean
  }

  /// Parses with the options of the subcommand alone: the parser needs most of the time of a short run, and half of
  /// that for the tree of all subcommands.
  private static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
    let first = arguments.first ?? ""
    let isAboutAll =
      ["help", "-h", "--help", "--help-hidden", "--experimental-dump-help"].contains(first)
      || first.hasPrefix("--generate-completion-script") || arguments.contains("--version")
    if isAboutAll { return try parseAsRoot(arguments) }
    guard let subcommand = configuration.subcommands.first(where: { $0._commandName == first }) else {
      return try Dissect.parseAsRoot(arguments)
    }
    return try subcommand.parseAsRoot(Array(arguments.dropFirst()))
  }
}

/// A subcommand that returns an exit status.
protocol Runnable: ParsableCommand {
  /// Files of frame types, loaded before `execute`.
  var frames: FramesOption { get }
  func execute(_ definitions: Definitions) throws -> ExitStatus
}

protocol StreamRunnable: Runnable {
  var roles: RoleOptions { get }
}

extension StreamRunnable {
  var frames: FramesOption { roles.frames }
}
