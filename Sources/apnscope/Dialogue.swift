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
      writes exactly those frames, in order. Status 10 is no error: the notification it names was accepted.

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
        + "ndjson, line or tree.", valueName: "format"))
  var format: DialogueFormat?

  @OptionGroup(title: "Output") var look: Look

  @Option(name: .customShort("w"), help: ArgumentHelp("Write to FILE instead of standard output.", valueName: "file"))
  var output: String?

  @Flag(name: .customShort("q"), help: "Print nothing to standard error except fatal errors.")
  var quiet = false

  func validate() throws {
    if let format, !(emit == nil ? DialogueFormat.ofReport : DialogueFormat.ofFrames).contains(format) {
      throw ValidationError("The format \(format.rawValue) goes \(emit == nil ? "with --emit" : "without --emit").")
    }
    if input.follow { throw ValidationError("The flag --follow does not go with reading twice.") }
  }

  func execute() throws -> ExitStatus {
    let policy = try rules.policy()
    let sources = try input.rereadable()
    var (conversations, failures) = read(sources, policy, Conversations())
    conversations.readAgain()
    (conversations, _) = read(sources, policy, conversations)
    conversations.settle()
    let status: ExitStatus
    if let emit {
      status = try write(emit, of: conversations, from: sources, policy)
    } else {
      status = try report(on: conversations, of: sources)
    }
    for failure in failures { failure.report() }
    return failures.isEmpty ? status : .unreadable
  }

  private func read(
    _ sources: [Inputs.Source], _ policy: RulePolicy, _ conversations: Conversations
  ) -> (Conversations, [Failure]) {
    let progress = Progress(quiet: quiet, writesFile: output != nil)
    var dissector = Dissector(
      .standard, policy: roles.policy, rules: policy, recovers: !roles.believesLengths,
      into: Listener(conversations: conversations))
    let failures = input.read(sources, into: &dissector, quiet: quiet, progress: progress)
    return (dissector.records.conversations, failures)
  }

  private func report(on conversations: Conversations, of sources: [Inputs.Source]) throws -> ExitStatus {
    var file = try OutputFile(output)
    let name = sources.count == 1 ? sources[0].name : ""
    let palette = look.palette(writesFile: output != nil)
    let columns = look.columns(writesFile: output != nil)
    switch format ?? .text {
    case .ndjson: file.append { DialogueObjects.write(conversations, to: &$0) }
    case .tree:
      var view = TreeView(.standard, width: columns, palette: palette)
      file.append { DialogueTree.write(conversations, with: &view, to: &$0) }
    default:
      file.append { DialogueText(width: columns, palette: palette, input: name).write(conversations, to: &$0) }
    }
    try file.close()
    let isBad = conversations.all.contains { $0.count(of: .rejected) > 0 || $0.count(of: .discarded) > 0 }
    return isBad ? .findings : .clean
  }

  private func write(
    _ emission: Emission, of conversations: Conversations, from sources: [Inputs.Source], _ policy: RulePolicy
  ) throws -> ExitStatus {
    switch format ?? .line {
    case .raw: return try show(RawView(), .raw, emission, conversations, sources, policy)
    case .hex: return try show(HexView(.standard), .hex, emission, conversations, sources, policy)
    case .ndjson:
      return try show(
        NDJSONView(.standard, inputs: sources.map(\.name)), .ndjson, emission, conversations, sources, policy)
    case .tree:
      let view = TreeView(
        .standard, width: look.columns(writesFile: output != nil), palette: look.palette(writesFile: output != nil))
      return try show(view, .tree, emission, conversations, sources, policy)
    default:
      let view = LineView(.standard, palette: look.palette(writesFile: output != nil))
      return try show(view, .line, emission, conversations, sources, policy)
    }
  }

  private func show(
    _ view: some View, _ format: ViewFormat, _ emission: Emission, _ conversations: Conversations,
    _ sources: [Inputs.Source], _ policy: RulePolicy
  ) throws -> ExitStatus {
    let progress = Progress(quiet: quiet, writesFile: output != nil)
    var showing = Showing(
      roles: roles, rules: policy, selection: try Selection.parse([]), filter: nil, limit: nil, output: output,
      failOn: .never, quiet: quiet, hidesNotes: true, format: format, flags: [], inputs: sources.map(\.name),
      hasHeadings: false, progress: progress)
    showing.closing = .nothing
    showing.joinsStreams = true
    let fate = emission.fate
    showing.isWanted = { record in
      guard record.role == .provider, case .frame = record.content else { return false }
      return conversations[record.stream.connection]?.fate(of: record.number) == fate
    }
    return try showing.run(view) { dissector in
      input.read(sources, into: &dissector, quiet: quiet, progress: progress)
    }
  }
}

/// Hears what the sides of each connection say.
private struct Listener: InputSink {
  var conversations: Conversations

  var wantsMore: Bool { !Interrupt.isRaised }
  var showsLosses: Bool { false }
  mutating func take(_ record: Record, _ bytes: Span<UInt8>) { conversations.take(record, bytes) }
  mutating func end(of stream: ByteStream, _ role: StreamRole?, _ ending: StreamEnding) {
    conversations.end(of: stream, role, ending)
  }
  mutating func note(_ name: String, isEmpty: Bool, remark: String?) {}
}

enum Emission: String, CaseIterable, ExpressibleByArgument {
  case resend, accepted, rejected, discarded, unknown

  var fate: Conversation.Fate { Conversation.Fate(rawValue: rawValue) ?? .discarded }
}

enum DialogueFormat: String, CaseIterable, ExpressibleByArgument {
  case text, tree, ndjson, raw, hex, line

  static let ofReport: [Self] = [.text, .tree, .ndjson]
  static let ofFrames: [Self] = [.raw, .hex, .ndjson, .line, .tree]
}
