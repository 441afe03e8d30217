import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSViews
import APNSWire
import ArgumentParser

struct Dialogue: Runnable {
  static let configuration = CommandConfiguration(
    abstract: "Show which notifications of each connection were accepted, rejected or discarded.",
    usage: """
      apnscope dialogue --hex '0808 0000 04d2'
      apnscope encode --status 8 --identifier 7 -T pcap | apnscope dialogue
      apnscope encode --status 8 --identifier 7 -T pcap | apnscope dialogue --emit resend -T raw | xxd
      """,
    discussion: """
      The service doesn't answer a notification that it accepts. An error response names one notification: those sent \
      before it were probably accepted, those sent after it were discarded and have to be sent again. --emit resend \
      writes exactly those frames, in order. Status 10 is no error: the notification it names was accepted. Notifications are \
      numbered from 1 on each connection. The exit status is 1 unless all of them were probably accepted.

      For feedback connections the tokens are listed. If the input also has push connections, the list says how often \
      each token was still sent to. Everything is read twice, so a pipe is copied to a temporary file first.
      """)

  @OptionGroup(title: "Input") var input: Inputs
  @OptionGroup(title: "Roles") var roles: RoleOptions
  @OptionGroup(title: "Rules") var rules: RuleOptions

  @Option(
    help: ArgumentHelp(
      "Write notifications instead of the report: resend (the discarded ones), accepted, rejected, discarded or unknown.",
      valueName: "which"))
  var emit: Emission?

  @Option(
    name: [.customShort("T"), .customLong("format")],
    help: ArgumentHelp(
      "Output format: text, tree (the answer and its notification, byte by byte) or ndjson; with --emit: raw, hex, "
        + "pcap, ndjson, line or tree.", valueName: "format"))
  var format: DialogueFormat?

  @OptionGroup(title: "Output") var look: Look

  @Option(name: .customShort("w"), help: ArgumentHelp("Write to FILE instead of standard output.", valueName: "file"))
  var output: String?

  @Flag(name: .customShort("q"), help: "Print nothing to standard error except fatal errors.")
  var quiet = false

  func validate() throws {
    if let format, !(emit == nil ? DialogueFormat.ofReport : DialogueFormat.ofFrames).contains(format) {
      throw ValidationError(
        "The format \(format.rawValue) works only \(emit == nil ? "with --emit" : "without --emit").")
    }
    if input.follow {
      throw ValidationError("The flag --follow does not work here, because dialogue reads its input twice.")
    }
  }

  func execute() throws -> ExitStatus {
    let policy = try rules.policy()
    let sources = try input.rereadable(quiet: quiet)
    let isReport = emit == nil && format != .tree
    let report = isReport ? try Report(self, sources) : nil
    var (conversations, failures) = read(sources, policy, Conversations(keepsFates: !isReport))
    if Interrupt.isRaised { throw Failure.interrupted }
    conversations.readAgain()
    (conversations, _) = read(sources, policy, conversations) { report?.write($0) }
    if Interrupt.isRaised { throw Failure.interrupted }
    conversations.settle()
    for conversation in conversations.takeSettled() { report?.write(conversation) }
    try report?.close(conversations)
    if conversations.hasForgotten {
      throw Failure.unreadable("there are more connections than apnscope can remember; select some of them with -f")
    }
    var status = conversations.isBad && emit == nil ? ExitStatus.findings : .clean
    if !isReport {
      let written = try write(conversations, from: sources, policy)
      if written != .clean { status = written }
    }
    for failure in failures { failure.report() }
    return failures.isEmpty ? status : .unreadable
  }

  private func read(
    _ sources: [Inputs.Source], _ policy: RulePolicy, _ conversations: Conversations,
    onSettled: @escaping (Conversation) -> Void = { _ in }
  ) -> (Conversations, [Failure]) {
    let progress = Progress(quiet: quiet, writesFile: output != nil)
    var dissector = Dissector(
      protocolDefinitions, policy: roles.policy, rules: policy, recovers: !roles.believesLengths,
      into: Listener(conversations: conversations, onSettled: onSettled))
    let failures = input.read(sources, into: &dissector, quiet: quiet, progress: progress)
    return (dissector.records.conversations, failures)
  }

  /// Reads once more, and writes the records that were asked for.
  private func write(
    _ conversations: Conversations, from sources: [Inputs.Source], _ policy: RulePolicy
  ) throws -> ExitStatus {
    func show(_ view: some View, _ format: ViewFormat) throws -> ExitStatus {
      let progress = Progress(quiet: quiet, writesFile: output != nil)
      var showing = Showing(
        roles: roles, rules: policy, selection: try Selection.parse([]), filter: nil, limit: nil, output: output,
        failOn: .never, quiet: quiet, hidesNotes: true, format: format, flags: [], inputs: sources.map(\.name),
        hasHeadings: false, progress: progress)
      showing.alsoReads = Inputs.paths(of: sources)
      showing.closing = .nothing
      showing.joinsStreams = true
      showing.writesCapture = self.format == .pcap
      showing.isWanted = { record in
        guard let emit else { return conversations.isTold(record) }
        guard record.role == .provider, case .frame = record.content else { return false }
        return conversations.fate(of: record) == emit.fate
      }
      return try showing.run(view) { dissector in
        input.read(sources, into: &dissector, quiet: quiet, progress: progress)
      }
    }
    let palette = look.palette(writesFile: output != nil)
    switch format ?? .line {
    case .raw: return try show(RawView(), .raw)
    case .hex: return try show(HexView(.standard), .hex)
    case .ndjson: return try show(NDJSONView(.standard, inputs: sources.map(\.name)), .ndjson)
    case .tree:
      return try show(TreeView(.standard, width: look.columns(writesFile: output != nil), palette: palette), .tree)
    case .pcap:
      let view = CaptureView { stream, role in .documented(for: role, connection: stream.connection) }
      return try show(view, .raw)
    default: return try show(LineView(.standard, palette: palette), .line)
    }
  }

  /// The command that writes what has to be sent again, as it can be pasted.
  fileprivate func resend(_ sources: [Inputs.Source]) -> String {
    if sources.contains(where: \.isGone) { return "the same command with --emit resend -T raw -w resend.bin" }
    // A name that begins with a hyphen would pass for a flag.
    let files = sources.map { $0.name.hasPrefix("-") ? "./" + $0.name : $0.name }
    let words = input.flags + roles.flags + rules.flags + files
    return (["apnscope dialogue --emit resend -T raw -w resend.bin"] + words.map(shellWord)).joined(separator: " ")
  }
}

/// The report, written as conversations end.
private final class Report {
  private var file: OutputFile
  private var text: DialogueText
  private let writesObjects: Bool

  init(_ command: Dialogue, _ sources: [Inputs.Source]) throws {
    if let output = command.output { try Showing.check(output) }
    file = try OutputFile(command.output, reading: Inputs.paths(of: sources))
    writesObjects = command.format == .ndjson
    text = DialogueText(
      width: command.look.columns(writesFile: command.output != nil),
      palette: command.look.palette(writesFile: command.output != nil), resend: command.resend(sources))
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

/// Hears what the sides of each connection say.
private struct Listener: InputSink {
  var conversations: Conversations
  let onSettled: (Conversation) -> Void

  var wantsMore: Bool { !Interrupt.isRaised }
  var showsLosses: Bool { false }
  mutating func take(_ record: Record, _ bytes: Span<UInt8>) { conversations.take(record, bytes) }
  mutating func end(of stream: ByteStream, _ role: StreamRole?, _ ending: StreamEnding) {
    conversations.end(of: stream, role, ending)
  }
  mutating func end(of connection: Int) {
    conversations.end(of: connection)
    for conversation in conversations.takeSettled() { onSettled(conversation) }
  }
  mutating func note(_ name: String, isEmpty: Bool, remark: String?) {}
}

enum Emission: String, CaseIterable, ExpressibleByArgument {
  case resend, accepted, rejected, discarded, unknown

  var fate: Conversation.Fate { Conversation.Fate(rawValue: rawValue) ?? .discarded }
}

enum DialogueFormat: String, CaseIterable, ExpressibleByArgument {
  case text, tree, ndjson, raw, hex, pcap, line

  static let ofReport: [Self] = [.text, .tree, .ndjson]
  static let ofFrames: [Self] = [.raw, .hex, .pcap, .ndjson, .line, .tree]
}
