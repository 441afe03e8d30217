import APNSWire
import Testing

/// Frame types that cannot go together are refused in one sentence that names them.
@Suite struct CatalogErrorTests {
  private static func schema(
    _ parts: [FrameSchema.Part], named name: String = "ping", command: Command? = 0x70
  ) -> FrameSchema {
    FrameSchema(name, title: "Ping", role: .provider, command: command, parts: parts, reference: "invented")
  }

  private static let number = Field("sequence", "sequence number", .integer(bytes: 2, .number))
  private static let text = Field("note", "note", .octets)
  private static func list(_ items: [Item]) -> FrameSchema.Part {
    .counted(Field("items", "items", .items(items)), by: .uint16)
  }

  @Test func takesWhatGoesTogether() throws {
    let ping = Self.schema([.fixed(Self.number), .counted(Self.text, by: .uint8)])
    #expect(try Catalog(validating: Catalog.standard.schemas + [ping])["ping"] != nil)
  }

  @Test(
    arguments: [
      ([schema([.fixed(number)]), schema([.fixed(number)])], ["ping", "two frame types"]),
      ([schema([.fixed(number)], named: "a"), schema([.fixed(number)], named: "b")], ["b", "112"]),
      ([schema([.fixed(number)], named: "a"), schema([.fixed(number)], named: "b", command: nil)], ["b", "112"]),
      ([schema([.fixed(number), .fixed(number)])], ["ping", "sequence"]),
      ([schema([.fixed(Field("offset", "offset", .integer(bytes: 2, .number)))])], ["ping", "offset"]),
      ([schema([.counted(text, by: .uint8, length: FrameSchema.Name("length", "length"))])], ["ping", "length"]),
      ([schema([.fixed(text)])], ["ping", "note"]),
      ([schema([.fixed(Field("big", "big", .integer(bytes: 9, .number)))])], ["big", "9"]),
      ([schema([], named: "empty", command: nil)], ["empty"]),
      ([schema([list([Item(1, "a", text), Item(1, "b", text)])])], ["two items", "1"]),
      ([schema([list([Item(1, "a", text), Item(2, "a", text)])])], ["two items", "a"]),
      (
        [schema([.fixed(Field("id", "id", .integer(bytes: 2, .identifier), role: .identifier))])], ["id", "identifier"]
      ),
      ([schema([.counted(Field("t", "t", .json, role: .token), by: .uint8)])], ["t", "token"]),
    ] as [([FrameSchema], [String])])
  func refusesWhatDoesNot(_ schemas: [FrameSchema], _ words: [String]) {
    let error = #expect(throws: CatalogError.self) { try Catalog(validating: schemas) }
    for word in words { #expect(error?.description.contains(word) == true, "\(word) in \(String(describing: error))") }
  }
}
