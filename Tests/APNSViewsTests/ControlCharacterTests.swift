import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSViews
import APNSWire
import Foundation
import TestSupport
import Testing

/// Names and sentences come from rules, frame types and causes that a program adds. Whatever characters they have, a
/// view writes no control character but its own line ends, tabs and colours.
@Suite struct ControlCharacterTests {
  /// All control characters (C0, DEL, C1), and those that reorder, hide or break text.
  private static let characters =
    (Array(0...0x1f) + Array(0x7f...0x9f) + [0x61c, 0x200e, 0x200f, 0x2028, 0x2029, 0xfeff] + Array(0x202a...0x202e)
    + Array(0x2066...0x2069)).compactMap { Unicode.Scalar(UInt32($0)) }

  private static let unsafe = Set(characters)

  /// What follows a character in each text, so that it is told apart from those that the view itself writes.
  private static let mark = "Q7"

  private func text(_ character: Unicode.Scalar) -> String { "it \(character)\(Self.mark)" }

  private func catalog(_ text: String) -> Catalog {
    let code = Field("code", text, .integer(bytes: 1, .code([1: text], named: true)))
    let items = Field("items", text, .items([Item(1, "label", Field("label", text, .octets), reference: text)]))
    return Catalog.standard.adding(
      FrameSchema(
        "probe", title: text, role: .provider, command: 0x70,
        parts: [
          .fixed(code), .fixed(Field("due", text, .integer(bytes: 4, .unixSeconds(zero: text)))),
          .counted(Field("note", text, .text), by: .uint8, length: FrameSchema.Name("note_length", text)),
          .counted(items, by: .uint16, length: FrameSchema.Name("items_length", text)),
        ], reference: text))
  }

  private static let probe: [UInt8] = [0x70, 1, 0, 0, 0, 0, 1, 0x41, 0, 4, 1, 0, 1, 0xaa]

  /// The rule of a stranger, which each frame breaks.
  private func definitions(_ text: String) -> Definitions {
    let rule = Rule(
      text, .error, text, why: text, source: text, fix: text, refusals: [.status(8)])
    var definitions = Definitions(catalog(text))
    definitions.families = [RuleFamily([rule]) { _, _, report in report.add(rule, at: 0..<1, text) }]
    return definitions
  }

  private struct Records: RecordSink {
    var all: [(record: Record, bytes: [UInt8])] = []
    var conversations: Conversations
    var wantsMore: Bool { true }
    mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
      all.append((record, [UInt8](copying: bytes)))
      conversations.take(record, bytes)
    }
    mutating func end(of stream: ByteStream, _ role: StreamRole?, _ ending: StreamEnding) {
      conversations.end(of: stream, role, ending)
    }
  }

  /// A connection: a frame of the stranger's type, two notifications, and bytes that are no frame; and the answer.
  private func records(_ definitions: Definitions, _ conversations: Conversations? = nil) -> Records {
    let token = [UInt8](repeating: 7, count: 32)
    let sent = (1...2).flatMap {
      [1, 0, 0, 0, $0, 0x52, 0x8a, 0xaa, 0, 0, 32] + token + [0, 2, 0x7b, 0x7d] as [UInt8]
    }
    var dissector = Dissector(
      definitions, into: Records(conversations: conversations ?? Conversations(definitions.catalog)))
    for (number, bytes) in [Self.probe + sent + [0xff], [8, 8, 0, 0, 0, 1]].enumerated() {
      dissector.open(ByteStream(number: number, isDirected: true))
      dissector.append(bytes.span, from: .input(offset: 0), to: number)
      dissector.close(number, .finished)
    }
    dissector.finish()
    return dissector.records
  }

  /// The first finding of each frame also has a cause.
  private func addCauses(_ text: String, to records: inout Records) {
    for index in records.all.indices {
      let (record, bytes) = records.all[index]
      let range = record.firstByte..<(record.firstByte + bytes.count)
      let cause = Cause(text, evidence: text, fix: text, range: range, repaired: Self.probe)
      records.all[index].record.findings += [
        Finding(text, .warning, range, text, fix: text, answer: .close, cause: cause)
      ]
    }
  }

  private func shown(_ view: some View, _ records: Records) -> String {
    var view = view
    var out = Output()
    for (record, bytes) in records.all { view.show(record, bytes.span, to: &out) }
    view.finish(to: &out)
    return String(decoding: out.bytes, as: UTF8.self)
  }

  private func isSafe(_ text: String, _ character: Unicode.Scalar) -> Bool {
    let plain = text.utf8.contains(0x1b) ? text.replacing(/\u{1b}\[[0-9;]*m/, with: "") : text
    return !text.unicodeScalars.contains(String(character).unicodeScalars + Self.mark.unicodeScalars)
      && plain.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "\t" || !Self.unsafe.contains($0) }
  }

  @Test func noViewWritesWhatARuleOrAFrameTypeSays() throws {
    for character in Self.characters {
      let text = text(character)
      let definitions = definitions(text)
      let catalog = definitions.catalog
      var records = records(definitions)
      #expect(records.all.allSatisfy { $0.record.findings.contains { $0.message == text } || $0.bytes == [0xff] })
      addCauses(text, to: &records)
      let names = FieldNames(Definitions(catalog))
      let columns = try names.all.map { try names.field($0.name) }
      let (wide, colors) = (Terminal(width: 200), Terminal(isColored: true))
      let views: [(String, any View)] = [
        ("tree", TreeView(catalog, terminal: wide)),
        ("tree, narrow", TreeView(catalog, terminal: Terminal(width: 60, isColored: true))),
        ("line", LineView(catalog)), ("line, coloured", LineView(catalog, terminal: colors)),
        ("hex", HexView(catalog)), ("command", CommandView(catalog)), ("ndjson", NDJSONView(catalog)),
        ("fields", FieldsView(columns, hasHeader: true)), ("summary", SummaryView(catalog, terminal: wide)),
        ("check", CheckTextView(catalog, terminal: wide)), ("findings", FindingLinesView(catalog)),
        ("check, coloured", CheckTextView(catalog, terminal: Terminal(width: 60, isColored: true))),
        ("github", GitHubView(catalog, inputs: [text])), ("junit", JUnitView(catalog, inputs: [text])),
        ("sarif", SARIFView(catalog, version: "0", rules: [], edition: .standard, inputs: [text])),
      ]
      for (name, view) in views {
        let written = shown(view, records)
        #expect(
          isSafe(written, character), "\(name), U+\(String(character.value, radix: 16)): \(written.debugDescription)")
        #expect(written.contains(Self.mark) || ["hex", "command"].contains(name), "\(name): \(written)")
        if name == "sarif" { try checkStrings(ofSARIF: written, character) }
      }
      for (name, written) in [
        ("repair", repair(records, catalog)), ("dialogue", dialogue(definitions)),
        ("diff", difference(records, catalog)),
        ("explain", explanations(catalog)),
      ] {
        #expect(
          isSafe(written, character), "\(name), U+\(String(character.value, radix: 16)): \(written.debugDescription)")
        #expect(written.contains(Self.mark), "\(name): \(written)")
      }
    }
  }

  /// The strings of SARIF are also safe once a viewer has read them.
  private func checkStrings(ofSARIF text: String, _ character: Unicode.Scalar) throws {
    let log = try JSONSerialization.jsonObject(with: Data(text.utf8))
    let results = ((log as? [String: Any])?["runs"] as? [[String: Any]])?.first?["results"] as? [[String: Any]]
    let result = try #require(results?.first { ($0["properties"] as? [String: Any])?["cause"] != nil })
    let message = try #require((result["message"] as? [String: String])?["text"])
    let properties = try #require(result["properties"] as? [String: Any])
    let cause = try #require(properties["cause"] as? [String: String])
    #expect(Set(cause.keys) == ["id", "evidence", "fix"])
    for string in [message, try #require(properties["fix"] as? String)] + cause.values {
      #expect(isSafe(string, character) && string.contains(Self.mark))
    }
  }

  private func repair(_ records: Records, _ catalog: Catalog) -> String {
    var out = Output()
    for (record, bytes) in records.all {
      guard let cause = record.findings.lazy.compactMap(\.cause).first else { continue }
      RepairText(catalog, terminal: Terminal(width: 200))
        .write(record, bytes.span, cause, repaired: Self.probe.span, after: 1, to: &out)
    }
    return String(decoding: out.bytes, as: UTF8.self)
  }

  private func dialogue(_ definitions: Definitions) -> String {
    var conversations = records(definitions).conversations
    conversations.readAgain()
    conversations = records(definitions, conversations).conversations
    conversations.finish()
    var view = DialogueText(terminal: Terminal(width: 200), resend: "a")
    var out = Output()
    for conversation in conversations.takeFinished() { view.write(conversation, to: &out) }
    view.finish(conversations, to: &out)
    return String(decoding: out.bytes, as: UTF8.self)
  }

  private func difference(_ records: Records, _ catalog: Catalog) -> String {
    var logs = [RecordLog(), RecordLog()]
    for (record, bytes) in records.all {
      logs[0].add(record, bytes.span)
      if bytes != Self.probe { logs[1].add(record, bytes.span) }
    }
    var view = DifferenceText(catalog, terminal: Terminal(width: 200), a: "a", b: "b")
    var out = Output()
    _ = Comparison(catalog, ignoring: []).compare(logs[0], logs[1]) { view.write($0, to: &out) }
    return String(decoding: out.bytes, as: UTF8.self)
  }

  private func explanations(_ catalog: Catalog) -> String {
    let topics = Topics(catalog)
    var out = Output()
    topics.writeList(terminal: Terminal(), to: &out)
    FieldNames(Definitions(catalog)).write(to: &out)
    for topic in topics.named("probe") + topics.named("label") {
      topic.write(terminal: Terminal(width: 200), to: &out)
    }
    return String(decoding: out.bytes, as: UTF8.self)
  }

  /// Names go into records and command lines as they are, so a catalog refuses them; files of frame types also refuse
  /// such titles. What they say about it is safe.
  @Test func catalogsRefuseSuchNames() throws {
    for character in Self.characters {
      let name = "a\(character)b"
      for schema in [
        FrameSchema(name, title: "x", role: .provider, command: 0x70, parts: [], reference: "x"),
        FrameSchema(
          "x", title: "x", role: .provider, command: 0x70,
          parts: [.fixed(Field(name, "x", .integer(bytes: 1, .number)))],
          reference: "x"),
        FrameSchema(
          "x", title: "x", role: .provider, command: 0x70,
          parts: [.counted(Field("x", "x", .octets), by: .uint8, length: FrameSchema.Name(name, "x"))], reference: "x"),
        FrameSchema(
          "x", title: "x", role: .provider, command: 0x70,
          parts: [.counted(Field("x", "x", .items([Item(1, name, Field("y", "y", .octets))])), by: .uint8)],
          reference: "x"),
      ] {
        #expect(throws: CatalogError.self) { try Catalog(validating: [schema]) }
      }
      let escape =
        "\\u" + String(repeating: "0", count: 4 - String(character.value, radix: 16).count)
        + String(character.value, radix: 16)
      for member in ["name", "title"] {
        var members = ["name": "probe", "title": "probe"]
        members[member] = "a\(escape)b"
        let file = """
          {"apnscope_frames":1,"frames":[{"name":"\(members["name"]!)","title":"\(members["title"]!)","role":"provider",\
          "command":112,"fields":[{"name":"note","type":"octets","length_bytes":1}]}]}
          """
        do throws(ReadError) {
          _ = try FrameFile(Array(file.utf8), addingTo: .standard)
          Issue.record("\(file) was read")
        } catch {
          #expect(isSafe(error.description, character) && error.description.contains(member), "\(error)")
        }
      }
    }
  }
}
