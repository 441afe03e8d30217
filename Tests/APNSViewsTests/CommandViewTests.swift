import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSViews
import APNSWire
import TestSupport
import Testing

/// What flags can say is said in flags; the lines must make the very bytes, which the transcripts prove.
@Suite struct CommandViewTests {
  private func lines(_ bytes: [UInt8], _ catalog: Catalog, role: StreamRole = .provider) -> [String] {
    Shown(bytes, as: CommandView(catalog), by: Definitions(catalog), role: role).text.split(separator: "\n").map(
      String.init)
  }

  @Test func valueThatLooksLikeAFlagStandsBehindAnEqualsSign() {
    #expect(lines([0, 0, 1, 0xaa, 0, 2, 0x2d, 0x31], .standard)[0].hasSuffix(" --payload='-1'"))
  }

  /// Linux takes 128 KiB for one argument.
  @Test(arguments: [
    [UInt8](repeating: 0xff, count: 200_000), [2, 0, 0x0f, 0xff, 0xfb] + [UInt8](repeating: 9, count: 1_048_571),
    [0, 0xff, 0xff] + [UInt8](repeating: 1, count: 65535) + [0, 2, 0x7b, 0x7d],
    [0, 0, 1, 0xaa, 0xff, 0xff] + [UInt8](repeating: 1, count: 60000),
    [2, 0, 0, 0x0b, 0xb8] + [UInt8](repeating: 0, count: 3000),
  ])
  func argumentsAreShort(_ bytes: [UInt8]) {
    for line in lines(bytes, .standard) {
      let words = line.split(separator: " ")
      #expect(words.allSatisfy { $0.count < 100_000 })
      #expect(line.utf8.count + 8 * words.count < 1 << 20)
    }
  }

  private func schema(_ items: [Item], _ parts: [FrameSchema.Part] = []) -> FrameSchema {
    FrameSchema(
      "strange", title: "Strange", role: .provider, command: 0x77,
      parts: parts + [.counted(Field("list", "list", .items(items)), by: .uint16)], reference: "invented")
  }

  @Test func wordsOfAJSONFieldWithoutAFlagAreSetByMember() {
    let catalog = Catalog.standard.adding(schema([Item(1, "body", Field("body", "body", .json))]))
    #expect(lines([0x77, 0, 4, 1, 0, 1, 0xff], catalog)[0].hasSuffix(" --set body_hex=ff"))
  }

  /// A field's flag inserts its item by row, so that order is what decides.
  @Test func orderIsThatOfRows() throws {
    let strange = schema([
      Item(2, "second", Field("b", "b", .octets)), Item(1, "first", Field("a", "a", .octets)),
    ])
    let catalog = Catalog.standard.adding(strange)
    #expect(lines([0x77, 0, 8, 2, 0, 1, 0xbb, 1, 0, 1, 0xaa], catalog)[0].hasSuffix(" --set b=bb --set a=aa"))
    #expect(lines([0x77, 0, 8, 1, 0, 1, 0xaa, 2, 0, 1, 0xbb], catalog)[0].hasSuffix(" --item 1=aa --item 2=bb"))
  }

  @Test func sharedNamesAreNoFlags() {
    let twice = schema([Item(1, "one", Field("a", "a", .octets)), Item(2, "two", Field("a", "a", .octets))])
    #expect(lines([0x77, 0, 4, 2, 0, 1, 0xaa], .standard.adding(twice))[0].hasSuffix(" --item 2=aa"))
    let both = schema(
      [Item(1, "one", Field("a", "inner", .octets))], [.counted(Field("a", "outer", .octets), by: .uint8)])
    #expect(
      lines([0x77, 1, 0xbb, 0, 4, 1, 0, 1, 0xaa], .standard.adding(both))[0].hasSuffix(" --set a=bb --item 1=aa"))
  }

  @Test func nestedListsAreBytes() {
    let nested = schema([Item(1, "inner", Field("inner", "inner", .items([])))])
    #expect(
      lines([0x77, 0, 3, 1, 0, 0], .standard.adding(nested)) == ["apnscope encode --hex 770003010000"])
  }
}
