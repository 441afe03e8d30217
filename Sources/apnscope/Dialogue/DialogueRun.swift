import APNSDiagnosis
import APNSInput
import APNSViews
import APNSWire

/// The notifications that `--emit` writes instead of the report.
enum Emission: String, CaseIterable {
  case resend, accepted, rejected, discarded, unknown

  fileprivate var fate: Conversation.Fate { Conversation.Fate(rawValue: rawValue) ?? .discarded }
}

/// The formats of the report and of emitted notifications.
enum DialogueFormat: String, CaseIterable {
  case text, tree, ndjson, raw, hex, pcap, line

  /// The formats of the report.
  static let ofReport: [Self] = [.text, .tree, .ndjson]
  /// The formats of emitted notifications.
  static let ofFrames: [Self] = [.raw, .hex, .pcap, .ndjson, .line, .tree]
}

/// Shows each connection as a conversation, or writes some of its notifications. The input is read twice, because the
/// fate of a notification depends on later responses.
struct DialogueRun {
  private let input: InputRequest
  private let settings: StreamSettings
  private let style: TextStyle
  var emission: Emission?
  var format: DialogueFormat?
  /// The numbers of the connections to show; nil for all.
  var connections: ClosedRange<Int>?
  /// The output file; nil means standard output.
  var output: OutputPath?
  var quiet = false

  init(_ input: InputRequest, _ settings: StreamSettings, _ style: TextStyle) {
    self.input = input
    self.settings = settings
    self.style = style
  }

  func run() throws -> ExitStatus {
    let sources = try input.rereadable(quiet: quiet)
    let isReport = emission == nil && format != .tree
    let report = isReport ? try report(on: sources) : nil
    let (conversations, failures) = try input.conversations(
      in: sources, settings, connections: connections, keepsFates: !isReport,
      Progress(quiet: quiet, writesFile: output != nil)
    ) { report?.write($0) }
    try report?.close(conversations)
    if conversations.hasForgotten {
      throw Failure.unreadable("there are more connections than apnscope can remember; select some of them with -f")
    }
    var status = conversations.isBad && emission == nil ? ExitStatus.findings : .clean
    if !isReport {
      let written = try write(conversations, from: sources)
      if written != .clean { status = written }
    }
    for failure in failures { failure.report(quiet: quiet) }
    return failures.isEmpty ? status : .unreadable
  }

  /// Reads the input again and writes the selected records.
  private func write(_ conversations: Conversations, from sources: [InputSource]) throws -> ExitStatus {
    let inputs = sources.map(\.name)
    let recordFormat = ViewFormat(rawValue: (format ?? .line).rawValue)
    // A capture contains the raw bytes of the frames.
    let shown = recordFormat ?? .raw
    var run = RecordRun(
      settings, RecordStyle(shown, style), inputs: inputs, output: output, failOn: .never)
    if recordFormat == nil {
      run.view = CaptureView { stream, role in .documented(for: role, connection: stream.connection) }
      run.writesCapture = true
    }
    run.quiet = quiet
    run.hidesNotes = true
    run.hasHeadings = false
    run.joinsStreams = true
    run.isWanted = { record in
      guard connections?.contains(record.stream.connection) ?? true else { return false }
      guard let emission else { return conversations.isAnswerOrNamed(record) }
      guard record.role == .provider, case .frame = record.content else { return false }
      return conversations.fate(of: record) == emission.fate
    }
    return try run.run(input, sources)
  }

  private func report(on sources: [InputSource]) throws(Failure) -> DialogueReport {
    if let output { try RecordRun.check(output) }
    let file = try OutputFile(output)
    let text = DialogueText(
      width: style.columns(writesFile: output != nil), palette: style.palette(writesFile: output != nil),
      resend: resend(sources))
    return DialogueReport(text, writesObjects: format == .ndjson, to: file)
  }

  /// The options that show only these connections.
  static func flags(for connections: ClosedRange<Int>?) -> [String] {
    guard let connections else { return [] }
    return ["--connections", "\(connections.lowerBound)-\(connections.upperBound)"]
  }

  /// The command line that writes the notifications to send again, quoted for a shell.
  private func resend(_ sources: [InputSource]) -> String {
    if sources.contains(where: \.cannotBeReread) { return "the same command with --emit resend -T raw -w resend.bin" }
    // A file name that begins with a hyphen would be parsed as a flag.
    let files = sources.map { $0.name.hasPrefix("-") ? "./" + $0.name : $0.name }
    let words = input.flags + settings.flags + Self.flags(for: connections) + files
    return (["apnscope dialogue --emit resend -T raw -w resend.bin"] + words.map(shellWord)).joined(separator: " ")
  }
}

/// Writes the report as conversations end.
private final class DialogueReport {
  private var file: OutputFile
  private var text: DialogueText
  private let writesObjects: Bool

  init(_ text: DialogueText, writesObjects: Bool, to file: consuming OutputFile) {
    self.text = text
    self.writesObjects = writesObjects
    self.file = file
  }

  func write(_ conversation: Conversation) {
    file.append {
      if writesObjects { DialogueObjects.write(conversation, to: &$0) } else { text.write(conversation, to: &$0) }
    }
  }

  func close(_ conversations: Conversations) throws {
    file.append {
      if writesObjects { DialogueObjects.finish(conversations, to: &$0) } else { text.finish(conversations, to: &$0) }
    }
    try file.close()
  }
}
