import APNSDiagnosis
import APNSWire
import Testing

/// How often an item may appear, and in which editions, is what its row says.
@Suite struct StrangerItemTests {
  private static let role = StreamRole(rawValue: 3)
  private static let catalog = Catalog.standard.adding(
    FrameSchema(
      "basket", title: "Basket", role: role, command: 0x62,
      parts: [
        .counted(
          Field(
            "items", "items",
            .items([
              Item(1, "label", Field("label", "label", .octets), .required()),
              Item(2, "tag", Field("tag", "tag", .octets), .any),
              Item(3, "size", Field("size", "size", .integer(bytes: 1, .number))),
              Item(4, "owner", Field("owner", "owner", .octets), .required(since: .year2017)),
              Item(5, "color", Field("color", "color", .octets), .required(since: .year2017), since: .year2017),
              Item(
                6, "inner",
                Field("inner", "inner list", .items([Item(7, "new", Field("new", "new", .octets), since: .year2017)]))),
            ])), by: .uint16)
      ],
      reference: "invented")
  ).adding(
    FrameSchema(
      "bag", title: "Bag", role: role, command: 0x63,
      parts: [
        .counted(Field("items", "items", .items([Item(1, "note", Field("note", "note", .octets))])), by: .uint16)
      ],
      reference: "invented"))

  private static func found(_ ids: [UInt8], _ edition: Edition, command: UInt8 = 0x62) -> [String] {
    let items = ids.flatMap { id in id == 6 ? [6, 0, 4, 7, 0, 1, 9] : [id, 0, 1, 9] }
    return findings(
      in: [command, 0, UInt8(items.count)] + items, role: role, edition: edition, definitions: Definitions(catalog)
    )
    .map { "\($0.severity) \($0.rule) \($0.range)" }
  }

  @Test(
    arguments: [
      ([1, 4, 3], []), ([4, 1, 2, 2, 2], []),
      ([1, 4, 3, 3], ["warning repeated-item 15..<16"]), ([1, 4, 1], ["error repeated-item 11..<12"]),
      ([1, 4, 4], ["warning repeated-item 11..<12"]), ([2, 4], ["error missing-item 11..<11"]),
      ([1, 4, 5], ["error newer-than-edition 11..<12"]),
      ([1, 4, 6], ["error newer-than-edition 14..<15"]),
    ] as [([UInt8], [String])])
  func rowsAreHonoured(_ ids: [UInt8], _ expected: [String]) {
    #expect(Self.found(ids, .year2013) == expected)
  }

  @Test(
    arguments: [
      ([1, 4, 5, 6], []), ([1, 4], ["error missing-item 11..<11"]), ([1, 4, 5, 4], ["error repeated-item 15..<16"]),
      ([1, 4, 5, 5], ["error repeated-item 15..<16"]),
    ] as [([UInt8], [String])])
  func editionsDiffer(_ ids: [UInt8], _ expected: [String]) {
    #expect(Self.found(ids, .year2017) == expected)
  }

  /// The sentences come from the catalog, too.
  @Test func sentencesNameWhatIsThere() throws {
    let bag = findings(in: [0x63, 0, 4, 9, 0, 1, 9], role: Self.role, definitions: Definitions(Self.catalog))
    #expect(bag.map(\.message) == ["item 9 is in no edition"])
    let fromProvider = try #require(
      findings(in: [0x62, 0, 0], role: .provider, definitions: Definitions(Self.catalog)).first)
    #expect(fromProvider.rule == "unknown-command" && fromProvider.message.contains("the command of a basket"))
    #expect(fromProvider.fix.contains("--role role-3"))
  }

  /// A list without a required item has rules, too.
  @Test func optionalItemsAppearOnce() {
    #expect(Self.found([1], .year2013, command: 0x63).isEmpty && Self.found([], .year2013, command: 0x63).isEmpty)
    #expect(Self.found([1, 1], .year2013, command: 0x63) == ["warning repeated-item 7..<8"])
  }
}
