import APNSDiagnosis
import APNSInput
import APNSPayload
import APNSQuery
import APNSViews
import APNSWire
import Octets

/// Laws for all output about arbitrary bytes.
extension Law {
  /// Text output has no control characters except line ends and tabs, and output for programs is valid JSON, whatever
  /// the bytes are.
  static func outputs(_ bytes: [UInt8]) -> String? {
    let catalog = Catalog.standard
    let fields = ["offset", "type", "token", "payload", "payload.aps.alert", "identifier", "status_name", "finding"]
    let columns = fields.compactMap { try? FieldNames.standard.field($0) }
    let texts = [
      ("tree", text(of: TreeView(catalog, terminal: Terminal(width: 60)), bytes)),
      ("tree -v", text(of: TreeView(catalog, terminal: Terminal(width: 100), verbose: true), bytes)),
      ("line", text(of: LineView(catalog, showsBytes: true, verbose: true), bytes)),
      ("hex", text(of: HexView(catalog), bytes)), ("command", text(of: CommandView(catalog), bytes)),
      ("fields", text(of: FieldsView(columns, hasHeader: true), bytes)),
      ("check", text(of: CheckTextView(catalog, inputs: ["a"]), bytes)),
      ("github", text(of: GitHubView(catalog, inputs: ["a"]), bytes)),
      ("junit", text(of: JUnitView(catalog, inputs: ["a"]), bytes)),
      ("summary", text(of: SummaryView(catalog), bytes)),
    ]
    for (name, text) in texts {
      let bad = text.first { $0 < 0x20 && $0 != 0x0a && $0 != 0x09 || $0 == 0x7f }
      if let bad { return "\(name): a control character \(bad)" }
      if !text.span.isUTF8(0..<text.count) { return "\(name): not UTF-8" }
    }
    let sarif = SARIFView(catalog, version: "1", rules: Rules.all, edition: .standard, inputs: ["a"])
    let documents = [("json", text(of: NDJSONView(catalog, asArray: true), bytes)), ("sarif", text(of: sarif, bytes))]
    let lines = [
      ("ndjson", text(of: NDJSONView(catalog), bytes)), ("findings", text(of: FindingLinesView(catalog), bytes)),
    ].flatMap { name, text in text.split(separator: UInt8(ascii: "\n")).map { (name, Array($0)) } }
    for (name, text) in documents + lines {
      if let error = JSONScanner.firstError(in: text.span, range: 0..<text.count) { return "\(name): \(error)" }
    }
    return nil
  }

  private static func text(of view: some View, _ bytes: [UInt8]) -> [UInt8] {
    var finished = Finished(view: view)
    let shown = Shown(bytes, as: Forwarding { finished.view.show($0, $1, to: &$2) })
    var out = shown.out
    finished.view.finish(to: &out)
    return out.bytes
  }

  private struct Finished<V: View> { var view: V }

  private struct Forwarding: View {

    static var showsEachAlone: Bool { false }
    let body: (Record, Span<UInt8>, inout Output) -> Void
    init(_ body: @escaping (Record, Span<UInt8>, inout Output) -> Void) { self.body = body }
    mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) { body(record, bytes, &out) }
  }

  /// For two sides of a connection, split as the first byte says, the output has no control characters and each
  /// notification has one fate.
  static func dialogue(_ bytes: [UInt8]) -> String? {
    guard let first = bytes.first else { return nil }
    let cut = 1 + (bytes.count - 1) * Int(first) / 255
    var conversations = Conversations(.standard)
    for pass in 0..<2 {
      if pass == 1 { conversations.readAgain() }
      var dissector = Dissector(.standard, into: ConversationSink(conversations: conversations))
      for (number, range) in [1..<cut, cut..<bytes.count].enumerated() {
        dissector.open(ByteStream(number: number, isDirected: true))
        dissector.append(bytes.span.extracting(range), from: .input(offset: 0), to: number)
      }
      dissector.finish()
      conversations = dissector.records.conversations
    }
    conversations.finish()
    let finished = conversations.takeFinished()
    var out = Output()
    var text = DialogueText(terminal: Terminal(), resend: "a")
    for conversation in finished { text.write(conversation, to: &out) }
    text.finish(conversations, to: &out)
    if let bad = out.bytes.first(where: { $0 < 0x20 && $0 != 0x0a }) { return "a control character \(bad)" }
    for conversation in finished {
      let counts = Conversation.Fate.allCases.map { conversation.count(of: $0) }
      if let bad = counts.first(where: { $0 < 0 }) { return "\(bad) notifications" }
      let fates = counts.reduce(0, +)
      if fates != conversation.notifications { return "\(fates) fates of \(conversation.notifications) notifications" }
    }
    out = Output()
    for conversation in finished { DialogueObjects.write(conversation, to: &out) }
    DialogueObjects.finish(conversations, to: &out)
    for line in out.bytes.split(separator: UInt8(ascii: "\n")).map({ Array($0) }) {
      if let error = JSONScanner.firstError(in: line.span, range: 0..<line.count) { return "ndjson: \(error)" }
    }
    return nil
  }

  private struct ConversationSink: RecordSink {
    var conversations: Conversations
    var wantsMore: Bool { true }
    mutating func take(_ record: Record, _ bytes: Span<UInt8>) { conversations.take(record, bytes) }
    mutating func end(of stream: ByteStream, _ role: StreamRole?, _ ending: StreamEnding) {
      conversations.end(of: stream, role, ending)
    }
  }
}
