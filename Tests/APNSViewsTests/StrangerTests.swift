import APNSDiagnosis
import APNSInput
import APNSPayload
import APNSQuery
import APNSViews
import APNSWire
import TestSupport
import Testing

// Frame types that the project has never heard of. What follows up to the suite is all it takes to add them.

private enum Ping {
  static let schema = FrameSchema(
    "ping", title: "Ping", role: .provider, command: 0x70,
    parts: [
      .fixed(Field("sequence", "sequence number", .integer(bytes: 2, .number))),
      .counted(Field("note", "note", .octets), by: .uint8),
    ],
    reference: "invented")
}

private enum Reading {
  static let role = StreamRole(rawValue: 3)
  static let schema = FrameSchema(
    "reading", title: "Reading", role: role, command: nil,
    parts: [
      .fixed(Field("taken", "taken", .integer(bytes: 4, .unixSeconds(zero: "never")))),
      .counted(Field("body", "body", .json, plausible: 2...500), by: .uint16),
    ],
    reference: "invented")
}

private enum Envelope {
  static let schema = FrameSchema(
    "envelope", title: "Envelope", role: .gateway, command: 0x65,
    parts: [
      .counted(
        Field(
          "items", "items",
          .items([
            Item(1, "label", Field("label", "label", .octets)),
            Item(
              2, "inner",
              Field(
                "inner", "inner list",
                .items([
                  Item(1, "level", Field("level", "level", .integer(bytes: 1, .code([1: "low"], named: true)))),
                  Item(2, "text", Field("text", "text", .json)),
                ]))),
          ])), by: .uint16, length: FrameSchema.Name("items_length", "items length")),
      .fixed(Field("checksum", "checksum", .integer(bytes: 4, .identifier))),
    ],
    reference: "invented")
}

private enum Memo {
  static let schema = FrameSchema(
    "memo", title: "Memo", role: .provider, command: 0x6d,
    parts: [.counted(Field("memo", "memo text", .text), by: .uint16)], reference: "invented")
}

private let topic = Item(6, "topic", Field("topic", "topic", .octets, plausible: 1...64))

private let byHand = Catalog.standard
  .adding(Ping.schema).adding(Reading.schema).adding(Envelope.schema).adding(Memo.schema)
  .adding(Notification.schema.adding(topic))

/// Read from the file that describes them, so that each test below holds for frame types as data, too.
private let catalog: Catalog = {
  do throws(ReadError) {
    return try FrameFile(Array(FrameFile.text(of: byHand).utf8), addingTo: .standard).catalog
  } catch {
    preconditionFailure("\(error)")
  }
}()

/// A new type gets framing, every view, NDJSON both ways, encoding and structural checks from its one value.
@Suite struct StrangerTests {
  static let ping: [UInt8] = [0x70, 0, 7, 3, 0x61, 0x62, 0x63]
  static let reading: [UInt8] = [0x52, 0x8a, 0xaa, 0, 0, 7] + Array(#"{"a":1}"#.utf8)
  static let envelope: [UInt8] =
    [0x65, 0, 17, 1, 0, 2, 0xaa, 0xbb, 2, 0, 9, 1, 0, 1, 1, 2, 0, 2, 0x7b, 0x7d, 0, 0, 4, 210]
  static let withTopic: [UInt8] =
    [2, 0, 0, 0, 67, 1, 0, 32] + [UInt8](repeating: 9, count: 32) + [2, 0, 22]
    + Array(#"{"aps":{"alert":"Hi"}}"#.utf8) + [6, 0, 4, 1, 2, 3, 4]
  static let memo = memo(Array("Café".utf8))
  static func memo(_ text: [UInt8]) -> [UInt8] { [0x6d, 0, UInt8(text.count)] + text }
  static let all: [(String, [UInt8], StreamRole)] = [
    ("ping", ping, .provider), ("reading", reading, Reading.role), ("envelope", envelope, .gateway),
    ("notification", withTopic, .provider), ("memo", memo, .provider),
  ]

  private func show(_ bytes: [UInt8], _ view: some View, _ role: StreamRole?) -> Shown {
    Shown(bytes, as: view, by: Definitions(catalog), role: role)
  }

  @Test(arguments: all) func isFramed(_ name: String, _ bytes: [UInt8], _ role: StreamRole) {
    let frame = catalog.frame(at: 0, in: (bytes + bytes).span, of: role)
    #expect(catalog.schema(of: frame)?.name == name)
    #expect(frame.end == bytes.count)
    let errors = show(bytes + bytes, ByteFormat.raw, nil).records.map { $0.findings.filter { $0.severity == .error } }
    #expect(errors == [[], []], "told by content alone")
  }

  @Test(arguments: all) func isShownInEveryView(_ name: String, _ bytes: [UInt8], _ role: StreamRole) {
    let tree = show(bytes, TreeView(catalog), role).text
    #expect(tree.contains(catalog[name]?.title ?? "?"))
    #expect(show(bytes, LineView(catalog), role).text.contains(name))
    #expect(show(bytes, HexView(catalog), role).text.contains("# #1 \(name)"))
    #expect(show(bytes, CommandView(catalog), role).text.hasPrefix("apnscope encode --"))
    #expect(show(bytes, ByteFormat.raw, role).out.bytes == bytes)
    #expect(show(bytes, NDJSONView(catalog), role).text.contains("\"type\":\"\(name)\""))
  }

  /// A view, a filter or a baseline that knows other frame types than the records' reads them all the same.
  @Test(arguments: all) func isReadWithoutItsType(_ name: String, _ bytes: [UInt8], _ role: StreamRole) throws {
    let names = try ["type", "command", "token", "status_name"].map { try FieldNames.standard.field($0) }
    #expect(!show(bytes, TreeView(.standard), role).text.isEmpty)
    #expect(!show(bytes, LineView(.standard), role).text.isEmpty)
    #expect(!show(bytes, HexView(.standard), role).text.isEmpty)
    #expect(!show(bytes, CommandView(.standard), role).text.isEmpty)
    #expect(!show(bytes, FieldsView(names), role).text.isEmpty)
    let object = Array(show(bytes, NDJSONView(.standard), role).text.utf8.dropLast())
    #expect(JSONScanner.firstError(in: object.span, range: object.indices) == nil)
    var summary = SummaryView(.standard)
    let filter = try Filter("token == aa || command == 1 || priority", names: .standard)
    for record in show(bytes, ByteFormat.raw, role).records {
      var out = Output()
      summary.show(record, bytes.span, to: &out)
      _ = filter.accepts(record, bytes.span)
      for finding in record.findings { _ = record.fingerprint(of: finding, bytes.span, .standard) }
    }
    #expect(summary.counts.frames == 1)
  }

  @Test func fieldsAreNamed() {
    let tree = show(Self.envelope, TreeView(catalog), .gateway).text
    for words in [
      "items length", "item 1: label, 2 bytes", "item 2: inner, 9 bytes", "item 1: level, 1 byte", "1  low", "checksum",
    ] {
      #expect(tree.contains(words), "\(words) in \(tree)")
    }
    #expect(show(Self.withTopic, TreeView(catalog), .provider).text.contains("item 6: topic"))
    let object = show(Self.envelope, NDJSONView(catalog), .gateway).text
    #expect(
      object.contains(
        #""items":[{"id":1,"name":"label","label":"aabb"},{"id":2,"name":"inner","inner":[{"id":1,"name":"level","level":1,"level_name":"low"},{"id":2,"name":"text","text":"{}"}]}],"checksum":1234"#
      ))
  }

  /// Its exact text, with what no terminal should get escaped; what is not UTF-8 goes to records as hexadecimal.
  @Test(arguments: [
    (Array("Café".utf8), "Café", #""memo":"Café""#, "--set memo='Café'"),
    (Array("a\"\\\u{1b}[31m\n".utf8), #"a"\\u{1b}[31m\u{a}"#, #""memo":"a\"\\\u001b[31m\n""#, "--set memo_hex=61225c"),
    ([0xff, 0x61], #"\xffa"#, #""memo_hex":"ff61""#, "--set memo_hex=ff61"),
    ([], "(empty)", #""memo":"""#, "--set memo_hex=''"),
  ])
  func textIsText(_ text: [UInt8], _ words: String, _ member: String, _ flag: String) throws {
    let bytes = Self.memo(text)
    for shown in [show(bytes, TreeView(catalog), .provider), show(bytes, LineView(catalog), .provider)] {
      #expect(shown.text.contains(words), "\(words) in \(shown.text)")
      #expect(!shown.out.bytes.contains(0x1b))
    }
    let line = show(bytes, NDJSONView(catalog), .provider).text
    #expect(line.contains(member), "\(line)")
    #expect(try encodedBytes(ndjson: line, catalog: catalog) == bytes)
    #expect(show(bytes, CommandView(catalog), .provider).text.contains(flag))
  }

  @Test(arguments: [#""memo":{"a":1}"#, #""memo":1"#, #""memo":"a","memo_hex":"61""#])
  func refusesWhatIsNoText(_ member: String) {
    let line = #"{"schema":1,"type":"memo","command":109,"offset":0,"length":4,\#(member)}"#
    #expect(throws: ReadError.self) { try encodedBytes(ndjson: line, catalog: catalog) }
  }

  /// NDJSON both ways, for whole frames and for whatever chance makes of them.
  @Test(arguments: all) func comesBackFromNDJSON(_ name: String, _ bytes: [UInt8], _ role: StreamRole) throws {
    #expect(
      try encodedBytes(ndjson: Shown.ndjson(bytes, by: Definitions(catalog), role: role), catalog: catalog) == bytes)
    for run in 0..<500 {
      let seed = runSeed &+ UInt64(run)
      var random = RandomStream(seed: seed)
      let damaged = random.mutated(bytes + bytes)
      let text = Shown.ndjson(damaged, by: Definitions(catalog), role: role)
      let back = try encodedBytes(ndjson: text, catalog: catalog)
      #expect(back == damaged, "APNSCOPE_SEED=\(seed) \(text)")
    }
  }

  @Test func isEncodedFromNames() throws {
    var draft = FrameDraft(Ping.schema)
    try Assignment(name: "sequence", value: "7").apply(to: &draft, now: 0)
    try Assignment(name: "note", value: "616263").apply(to: &draft, now: 0)
    #expect(try draft.bytes() == Self.ping)
    try Assignment(name: "note_length", value: "200").apply(to: &draft, now: 0)
    #expect(try draft.bytes() == [0x70, 0, 7, 200, 0x61, 0x62, 0x63])
    var memo = FrameDraft(Memo.schema)
    try Assignment(name: "memo", value: "Café").apply(to: &memo, now: 0)
    #expect(try memo.bytes() == Self.memo)
    try Assignment(name: "memo_hex", value: "ff61").apply(to: &memo, now: 0)
    #expect(try memo.bytes() == Self.memo([0xff, 0x61]))
    #expect(throws: AssignmentError.self) { try Assignment(name: "memo.a", value: "1").apply(to: &memo, now: 0) }
    var items = FrameDraft(try #require(catalog["notification"]))
    try Assignment(name: "topic", value: "01020304").apply(to: &items, now: 0)
    try Assignment(name: "token", value: String(repeating: "09", count: 32)).apply(to: &items, now: 0)
    try Assignment(name: "payload", value: #"{"aps":{"alert":"Hi"}}"#).apply(to: &items, now: 0)
    #expect(try items.bytes() == Self.withTopic)
  }

  @Test(arguments: [
    (Array(ping.dropLast()), StreamRole.provider, "truncated"), (Array(reading.dropLast()), Reading.role, "truncated"),
    ([0x65, 0, 6, 2, 0, 3, 1, 0, 9, 0, 0, 0, 0], .gateway, "item-overrun"),
    ([0x65, 0, 5, 2, 0, 2, 1, 0, 0, 0, 0, 0], .gateway, "spare-bytes"),
    ([0x65, 0, 5, 9, 0, 2, 1, 0, 0, 0, 0, 0], .gateway, "unknown-item"),
    ([0x65, 0, 8, 2, 0, 5, 1, 0, 2, 1, 1, 0, 0, 0, 0], .gateway, "wrong-item-size"),
    ([0x52, 0x8a, 0xaa, 0, 0, 3, 0x7b, 0x2c, 0x7d], Reading.role, "payload-not-json"),
  ])
  func isChecked(_ bytes: [UInt8], _ role: StreamRole, _ rule: String) {
    let records = show(bytes, ByteFormat.raw, role).records
    #expect(records.flatMap { $0.findings.map(\.rule) } == [rule])
  }
}
