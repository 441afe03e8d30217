import APNSDiagnosis
import APNSViews
import APNSWire
import TestSupport
import Testing

/// A stranger's fields mean what their roles say, not what their names remind of.
@Suite struct StrangerRoleTests {
  private static let topic = Item(6, "topic", Field("topic", "topic", .octets))
  private static let catalog = Catalog.standard.adding(Notification.schema.adding(topic))

  private static func item(_ id: UInt8, _ data: [UInt8]) -> [UInt8] { [id, 0, UInt8(data.count)] + data }

  private static func notification(topic: [UInt8], token: [UInt8], identifier: UInt8) -> [UInt8] {
    let items =
      item(6, topic) + item(1, token) + item(2, Array(#"{"aps":{"alert":"Hi"}}"#.utf8))
      + item(3, [0, 0, 0, identifier])
      + item(4, [0x52, 0x8a, 0xaa, 0]) + item(5, [10])
    return [2, 0, 0, 0, UInt8(items.count)] + items
  }

  private static let token = [0xff] + [UInt8](repeating: 9, count: 31)

  /// Whatever is in it, also where verdicts are remembered.
  @Test(arguments: [[0], [UInt8](repeating: 0, count: 32), Array("(null)".utf8), Array("0123456789abcdef".utf8)])
  func octetsAreNoToken(_ topic: [UInt8]) {
    let bytes = (1...4).flatMap { Self.notification(topic: topic, token: Self.token, identifier: $0) }
    #expect(Self.rules(bytes) == [[], [], [], []])
  }

  @Test func theTokenIsFoundAfterThem() {
    let bytes = Self.notification(topic: [1], token: [UInt8](repeating: 0, count: 32), identifier: 1)
    #expect(Self.rules(bytes) == [["token-all-zero"]])
  }

  /// A cut frame, one after the other, with the causes that are searched for.
  @Test func causesDoNotTakeThemForTheToken() {
    let whole = Self.notification(
      topic: Array("com.example.app.with.a.long.name".utf8), token: Self.token, identifier: 1)
    for cut in 1..<whole.count {
      let bytes = Array(whole[..<cut] + whole[(cut + 1)...]) + whole
      let causes = Self.records(bytes).flatMap { $0.findings.compactMap(\.cause?.id) }
      #expect(!causes.contains("token-as-hex-text") && !causes.contains("token-length-constant"), "\(cut)")
    }
  }

  /// Any six bytes fit the layout of an error response, so a wrong length of another frame is no wrong command.
  @Test func aWrongLengthIsNoWrongCommand() {
    let confirmation = FrameSchema(
      "confirmation", title: "Confirmation", role: .gateway, command: 0x70,
      parts: [
        .fixed(Field("code", "code", .integer(bytes: 1, .number))),
        .fixed(Field("last", "last", .integer(bytes: 4, .number))),
        .counted(Field("note", "note", .octets), by: .uint16),
      ],
      reference: "invented")
    func bytes(length: UInt8) -> [UInt8] { [0x70, 1, 0, 0, 0, 7, 0, length, 0xaa, 0xbb] }
    let records = Self.records(
      bytes(length: 0xff) + bytes(length: 2) + bytes(length: 2), Catalog.standard.adding(confirmation), .gateway)
    #expect(records.count == 3)
    #expect(records.map { $0.findings.map(\.rule) } == [["overruled-length"], [], []])
    #expect(records[0].findings.allSatisfy { $0.cause == nil })
  }

  /// The provider's ping has a status, an expiry and a token of its own kind.
  @Test func namesAloneMeanNothing() {
    let ping = FrameSchema(
      "ping", title: "Ping", role: .gateway, command: 0x70,
      parts: [
        .fixed(Field("status", "status", .integer(bytes: 1, .number))),
        .fixed(Field("expiry", "expiry", .integer(bytes: 8, .unixSeconds(zero: "never")))),
        .counted(Field("token", "token", .octets), by: .uint8),
      ],
      reference: "invented")
    let bytes: [UInt8] = [0x70, 99] + [0, 0, 1, 0x41, 0, 0, 0, 0] + [2, 0, 0]
    let records = Self.records(bytes + bytes, Catalog.standard.adding(ping), .gateway)
    #expect(records.count == 2 && records.allSatisfy { $0.findings.isEmpty })
  }

  private static func rules(_ bytes: [UInt8]) -> [[String]] { records(bytes).map { $0.findings.map(\.rule) } }

  private static func records(
    _ bytes: [UInt8], _ catalog: Catalog = catalog, _ role: StreamRole = .provider
  ) -> [Record] {
    Shown(bytes, as: ByteFormat.raw, by: Definitions(catalog), role: role).records
  }
}
