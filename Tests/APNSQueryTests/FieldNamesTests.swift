import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSViews
import APNSWire
import TestSupport
import Testing

/// Frame types that the project has never heard of get their names from their values.
@Suite struct FieldNamesTests {
  private static let ping = FrameSchema(
    "ping", title: "Ping", role: .provider, command: 0x70,
    parts: [
      .fixed(Field("sequence", "sequence number", .integer(bytes: 2, .number))),
      .fixed(Field("mood", "mood", .integer(bytes: 1, .code([1: "good", 2: "bad"], named: true)))),
      .counted(Field("note", "note", .json), by: .uint8),
      .counted(
        Field(
          "parts", "parts",
          .items([
            Item(1, "label", Field("label", "label", .octets)),
            Item(
              2, "inner",
              Field(
                "inner", "inner",
                .items([Item(1, "note", Field("note", "note", .json)), Item(2, "deep", Field("deep", "deep", .octets))])
              )),
            Item(3, "title", Field("title", "title", .text)),
          ])), by: .uint16, length: FrameSchema.Name("parts_length", "parts length")),
    ],
    reference: "invented")
  private static let catalog = Catalog.standard.adding(ping)
  /// A ping with the note `{"a":1}`, a label, a nested note `[5]`, and a title.
  private static let bytes: [UInt8] =
    [0x70, 0, 7, 2, 7] + Array(#"{"a":1}"#.utf8) + [0, 19, 1, 0, 1, 0xcc, 2, 0, 6, 1, 0, 3] + Array("[5]".utf8)
    + [3, 0, 3] + Array("Hé".utf8)

  private func verdict(_ text: String) throws -> String {
    let view = try Verdicts(text, FieldNames(Definitions(Self.catalog)))
    return Shown(Self.bytes, as: view, by: Definitions(Self.catalog), role: .provider).text
  }

  @Test(arguments: [
    ("type == ping", "1"), ("sequence == 7", "1"), ("mood == bad", "1"), ("mood_name == bad", "1"), ("mood != 2", "0"),
    ("note.a == 1", "1"), ("note.0 == 5", "1"), ("note_length == 7", "1"), ("note_length == 3", "1"),
    ("parts_length == 19", "1"), ("label == cc", "1"), ("data_length == 6", "1"), ("data_length in {1, 3}", "1"),
    ("title == Hé", "1"), ("title contains é", "1"), ("title == hé", "0"), ("title != Hi", "1"),
    ("token", "0"), ("item == 2", "1"), ("command == 0x70", "1"),
  ])
  func strangersHaveNames(_ text: String, _ expected: String) throws {
    #expect(try verdict(text) == expected, "\(text)")
    #expect(throws: FilterError.self) { try Filter("sequence == 7", names: .standard) }
    #expect(throws: FilterError.self) { try Filter("title.a == 7", names: FieldNames(Definitions(Self.catalog))) }
  }

  @Test func strangersHaveColumnsAndRows() throws {
    let names = FieldNames(Definitions(Self.catalog))
    let columns = try ["sequence", "mood", "mood_name", "note", "label", "note.a", "title"].map {
      try names.field($0)
    }
    let shown = Shown(Self.bytes, as: FieldsView(columns), by: Definitions(Self.catalog), role: .provider).text
    #expect(shown == "7\t2\tbad\t{\"a\":1},[5]\tcc\t1\tHé\n")
    let rows = try #require(names.groups.first { $0.title == "ping" }).rows
    #expect(rows.contains { $0.field.name == "mood_name" && $0.location == "" })
    #expect(rows.contains { $0.field.name == "note" && $0.location == "item 2.1" })
  }

  /// The words of a code are those of the frame type, even if another type has a code of the same name.
  @Test(arguments: [
    ("status == fair", "1"), ("status_name == fair", "1"), ("status_name == shutdown", "0"), ("status == 8", "0"),
    ("status in {Shutdown, fair}", "1"), ("status_name contains air", "1"),
  ])
  func eachTypeHasItsWords(_ text: String, _ expected: String) throws {
    let status = Field("status", "status", .integer(bytes: 1, .code([1: "fair", 10: "Invalid token"], named: true)))
    let pong = FrameSchema(
      "pong", title: "Pong", role: .provider, command: 0x71, parts: [.fixed(status)], reference: "invented")
    let catalog = Catalog.standard.adding(pong)
    let names = FieldNames(Definitions(catalog))
    let view = try Verdicts(text, names)
    #expect(Shown([0x71, 1], as: view, by: Definitions(catalog), role: .provider).text == expected)
    let columns = FieldsView([try names.field("status_name")])
    #expect(Shown([0x71, 1], as: columns, by: Definitions(catalog), role: .provider).text == "fair\n")
    // It is 8 in error responses.
    #expect(throws: FilterError.self) { try Filter("status == 'invalid token'", names: names) }
  }

  /// A field may be larger in one frame type than in another.
  @Test func theLargestSizeCounts() throws {
    let identifier = Field("identifier", "identifier", .integer(bytes: 8, .identifier))
    let pong = FrameSchema(
      "pong", title: "Pong", role: .provider, command: 0x71, parts: [.fixed(identifier)], reference: "invented")
    let catalog = Catalog.standard.adding(pong)
    let view = try Verdicts("identifier == 0x0102030405060708", FieldNames(Definitions(catalog)))
    #expect(Shown([0x71, 1, 2, 3, 4, 5, 6, 7, 8], as: view, by: Definitions(catalog), role: .provider).text == "1")
  }

  /// Rules of a program's own are known to a filter, and a wrong name is still refused.
  @Test func strangersRulesHaveNames() throws {
    var definitions = Definitions(Self.catalog)
    let rules = ["house-sad", "token-length"].map {
      Rule($0, .warning, "a ping is sad", why: "", source: "house rules", fix: "")
    }
    definitions.families.append(
      RuleFamily(rules) { facts, bytes, report in
        if bytes.count > 3, bytes[0] == 0x70, bytes[3] == 2 { report.add(rules[0], at: 3..<4, "mood 2") }
      })
    let names = FieldNames(definitions)
    struct Judge: RecordSink {
      let filter: Filter
      var verdicts: [Bool] = []
      var wantsMore: Bool { true }
      mutating func take(_ record: Record, _ bytes: Span<UInt8>) { verdicts.append(filter.accepts(record, bytes)) }
    }
    let bytes = Self.bytes + Self.bytes.prefix(3) + [1] + Self.bytes.dropFirst(4)
    for (text, expected) in [
      ("finding.rule == house-sad", [true, false]), ("finding.rule contains house", [true, false]),
      ("finding.rule in {house-sad, spare-bytes}", [true, false]), ("finding.rule == token-length", [false, false]),
      ("finding.rule", [true, false]), ("finding.rule != house-sad", [false, false]),
      ("!(finding.rule == house-sad)", [false, true]),
    ] {
      let filter = try Filter(text, names: names)
      var dissector = Dissector(definitions, policy: RolePolicy(role: .provider), into: Judge(filter: filter))
      dissector.open(ByteStream(number: 0))
      dissector.append(bytes.span, from: .input(offset: 0), to: 0)
      dissector.finish()
      #expect(dissector.records.verdicts == expected, "\(text)")
    }
    let error = #expect(throws: FilterError.self) { try Filter("finding.rule == house-sat", names: names) }
    #expect(error?.reason.contains("\"house-sad\"") == true)
    #expect(throws: FilterError.self) { try Filter("finding.rule == house-sad", names: .standard) }
  }

  /// A change does not reach into lists within lists, and says so.
  @Test func onlyWhatCanBeSetIsAssignable() {
    #expect(throws: Never.self) { try FieldNames(Definitions(Self.catalog)).field("deep") }
    #expect(!Self.ping.has("deep") && Self.ping.has("label"))
    #expect(!Self.ping.has("data_length") && Self.ping.has("parts_length"))
  }

  /// Whatever `--set` takes, a filter takes; every name has one meaning.
  @Test func everyNameIsKnown() throws {
    let names = FieldNames.standard
    #expect(Set(names.all.map(\.name)).count == names.all.count)
    for name in names.all.map(\.name) + Catalog.standard.schemas.flatMap(\.assignableNames) {
      #expect(throws: Never.self) { try Filter(name, names: .standard) }
      #expect(try names.field(name).name == name)
    }
    let listed = names.groups.flatMap { $0.rows.map(\.field.name) }
    #expect(Set(listed) == Set(names.all.map(\.name)))
  }
}
