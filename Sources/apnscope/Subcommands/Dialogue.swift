import APNSDiagnosis
import APNSViews
import APNSWire
import ArgumentParser

/// The notifications that `--emit` writes instead of the report.
enum Emission: String, CaseIterable, ExpressibleByArgument {
  case resend, accepted, rejected, discarded, unknown

  fileprivate var fate: Conversation.Fate { Conversation.Fate(rawValue: rawValue) ?? .discarded }
}

enum DialogueFormat: String, CaseIterable, ExpressibleByArgument {
  case text, tree, ndjson, raw, hex, pcap, line

  static let ofReport: [Self] = [.text, .tree, .ndjson]
  static let ofFrames: [Self] = [.raw, .hex, .pcap, .ndjson, .line, .tree]
}

/// The input is read twice, because the fate of a notification depends on later responses.
struct Dialogue: StreamRunnable {
  static let configuration = CommandConfiguration(
    "dialogue", "Show which notifications of each connection were accepted, rejected or discarded.",
    usage: """
      apnscope dialogue [<options>] [<file> ...]
      apnscope dialogue --hex '0808 0000 04d2'
      apnscope encode --status 8 --identifier 7 -T pcap | apnscope dialogue
      apnscope encode --status 8 --identifier 7 -T pcap | apnscope dialogue --emit resend -T raw | xxd
      """,
    discussion: """
      The service doesn't answer a notification that it accepts. An error response names one notification: those sent \
      before it were probably accepted, those sent after it were discarded and have to be sent again. --emit resend \
      writes exactly those frames, in order. Status 10 is not an error: the notification it names was accepted. \
      Notifications are numbered from 1 on each connection.

      For feedback connections the tokens are listed. If the input also has push connections, the list says how often \
      each token was still sent to. Everything is read twice, so a pipe is copied to a temporary file first.
      """, clean: "all notifications were probably accepted", findings: "not all were")

  @OptionGroup var input: InputOptions
  @OptionGroup var roles: RoleOptions
  @OptionGroup var rules: EditionOption

  @Option(
    "--emit <which>",
    "Write notifications instead of the report: resend (the discarded ones), accepted, rejected, discarded or "
      + "unknown.")
  var emit: Emission?

  @Option(
    "-T, --format <format>",
    "Output format: text, tree (the answer and its notification, byte by byte) or ndjson; with --emit: raw, hex, "
      + "pcap, ndjson, line or tree.")
  var format: DialogueFormat?

  @Option(
    "--connections <numbers>", "Read only the connection with this number, or those between two numbers, such as 3-5.")
  var connections: ConnectionNumbers?

  @OptionGroup var text: TextOptions
  @OptionGroup var target: OutputOption
  @OptionGroup var messages: QuietOption

  func validate() throws {
    if let format, !(emit == nil ? DialogueFormat.ofReport : DialogueFormat.ofFrames).contains(format) {
      throw ValidationError(
        "The format \(format.rawValue) works only \(emit == nil ? "with --emit" : "without --emit").")
    }
  }

  private var range: ClosedRange<Int>? { connections?.range }
  private var output: OutputPath? { target.output }

  func execute(_ definitions: Definitions) throws -> ExitStatus {
    let settings = try roles.settings(definitions, rules.policy())
    let sources = try input.rereadable(quiet: messages.quiet)
    let isReport = emit == nil && format != .tree
    var file = isReport ? try OutputFile(output) : nil
    var report = DialogueText(terminal: text.terminal(for: output), resend: resend(sources, settings))
    let (conversations, failures) = try input.conversations(
      in: sources, settings, connections: range, keepsFates: !isReport
    ) { conversation in
      file?.append {
        format == .ndjson ? DialogueObjects.write(conversation, to: &$0) : report.write(conversation, to: &$0)
      }
    }
    file?.append {
      format == .ndjson ? DialogueObjects.finish(conversations, to: &$0) : report.finish(conversations, to: &$0)
    }
    try file?.close()
    var status = conversations.isBad && emit == nil ? ExitStatus.findings : .clean
    if !isReport {
      let written = try write(conversations, from: sources, settings)
      if written != .clean { status = written }
    }
    return failures.report(quiet: messages.quiet) ?? status
  }

  /// Reads the input again and writes the selected records.
  private func write(
    _ conversations: Conversations, from sources: [InputSource], _ settings: StreamSettings
  ) throws -> ExitStatus {
    let inputs = sources.map(\.name)
    // A capture contains the raw bytes of the frames.
    let shown = ViewFormat(rawValue: (format ?? .line).rawValue) ?? .raw
    let view: any View =
      format == .pcap ? CaptureView() : try shown.view(settings, inputs: inputs, text.terminal(for: output))
    let selection = RecordSelection { record, _ in
      guard range?.contains(record.stream.connection) ?? true else { return false }
      guard let emit else { return conversations.isAnswerOrNamed(record) }
      guard record.role == .provider, case .frame = record.content, !record.isForeign else { return false }
      return conversations.fate(of: record) == emit.fate
    }
    let pipeline = RecordPipeline(settings, selection, view, shown, inputs: inputs, output: output, nil, messages)
    pipeline.ending = .lines([])
    pipeline.hidesNotes = true
    pipeline.joinsStreams = true
    return try pipeline.run(input, sources)
  }

  /// The command line that writes the notifications to send again, quoted for a shell.
  private func resend(_ sources: [InputSource], _ settings: StreamSettings) -> String {
    let isReadable = sources.allSatisfy(\.isFile)
    guard isReadable else { return "the same command with --emit resend -T raw -w resend.bin" }
    let files = sources.map(\.name.asArgument)
    let numbers = range.map { ["--connections", "\($0.lowerBound)-\($0.upperBound)"] } ?? []
    return "apnscope dialogue --emit resend -T raw -w resend.bin "
      + shellLine(input.flags + settings.flags + numbers + files)
  }
}

/// `3`, or `3-5`
struct ConnectionNumbers: ExpressibleByArgument {
  let range: ClosedRange<Int>

  init?(argument: String) {
    let numbers = argument.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).map { UInt32($0) }
    guard let first = numbers.first ?? nil, let last = numbers.last ?? nil, first <= last else { return nil }
    range = Int(first)...Int(last)
  }
}
