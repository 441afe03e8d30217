import APNSPayload
import Testing

@Suite struct PayloadKeyTests {
  @Test func everyPathIsThereOnce() {
    let paths = PayloadKey.all.map(\.path)
    #expect(Set(paths).count == paths.count)
    for (index, path) in paths.enumerated() {
      #expect(PayloadKey.named(path)?.path == path)
      #expect(PayloadKey.index(of: path) == index)
    }
    #expect(PayloadKey.named("aps.alert.loc-key")?.types == [.string])
    #expect(PayloadKey.named("loc-key") == nil)
  }

  @Test func editionsHaveTheirKeys() {
    func count(_ year: Int, _ container: PayloadKey.Container) -> Int {
      PayloadKey.all.count { $0.container == container && $0.isListed(in: year) }
    }
    // Alert, badge, sound; content-available; then category, thread-id, mutable-content.
    #expect([2009, 2010, 2013, 2017].map { count($0, .aps) } == [3, 3, 4, 7])
    #expect([2009, 2010, 2013, 2017].map { count($0, .alert) } == [4, 5, 5, 8])
    #expect(count(2017, .root) == 1)
    // Other texts than the guide have no editions.
    #expect(PayloadKey.named("mdm")?.isNewer(than: 2009) == false)
    #expect(PayloadKey.named("aps.url-args")?.isNewer(than: 2009) == false)
    #expect(
      PayloadKey.named("aps.subtitle") == nil && PayloadKey.named("aps.alert.subtitle")?.isNewer(than: 2009) == false)
  }

  @Test(
    arguments: [
      ("badge", "3", nil), ("badge", "0", nil), ("badge", "3.0", nil), ("badge", "-1", .value),
      ("badge", "1.5", .value),
      ("badge", "1e999", .value), ("badge", "99999999999999999999", nil), ("badge", "\"3\"", .type),
      ("badge", "null", .type), ("badge", "true", .type), ("content-available", "1", nil),
      ("content-available", "1.0", nil), ("content-available", "0", .value), ("content-available", "true", .type),
      ("sound", "\"x\"", nil), ("sound", "{}", .type),
      ("sound", "\"x.mp3\"", .value), ("sound", "\"X.OGG\"", .value), ("sound", "\"x.caf\"", nil),
      ("sound", "\".mp3\"", .value), ("sound", "\"mp3\"", nil), ("sound", "\"v.2\"", nil), ("sound", "\"\"", nil),
      ("sound", "1", .type), ("sound", "[]", .type),
      ("url-args", "[]", nil), ("url-args", "\"\"", .type),
    ] as [(String, String, PayloadKey.Fault?)])
  func judgesValues(_ key: String, _ value: String, _ fault: PayloadKey.Fault?) throws {
    #expect(try faultFound(key, value) == fault)
  }

  @Test func findsTheElementThatIsNoString() throws {
    let key = #"{"aps":{"url-args":"#.utf8.count
    #expect(try faultFound("url-args", #"["a",[],"b"]"#) == .element(1, .array, (key + 5)..<(key + 6)))
    #expect(try faultFound("url-args", #"["a","b",null]"#) == .element(2, .null, (key + 9)..<(key + 13)))
  }

  private func faultFound(_ key: String, _ value: String) throws -> PayloadKey.Fault? {
    let text = Array("{\"aps\":{\"\(key)\":\(value)}}".utf8)
    var outline = PayloadOutline()
    outline.read(text.span, 0..<text.count)
    let index = try #require(PayloadKey.index(of: "aps." + key))
    let member = try #require(outline.first(index))
    return PayloadKey.all[index].fault(in: member.value, text.span)
  }

  @Test(arguments: [
    ("content_available", ["aps.content-available"]), ("contentAvailable", ["aps.content-available"]),
    ("BADGE", ["aps.badge"]), ("sound", ["aps.sound"]), ("APS", ["aps"]), ("acme1", []), ("", []),
    ("locargs", ["aps.alert.loc-args"]), ("MDM", ["mdm"]),
  ])
  func knowsOtherSpellings(_ key: String, _ paths: [String]) {
    let bytes = Array(key.utf8)
    #expect(PayloadKey.spelt(bytes).map { PayloadKey.all[$0].path } == paths)
  }

  @Test(
    arguments: [
      ("bagde", "badge"), ("bade", "badge"), ("badgee", "badge"), ("xbadge", "badge"), ("bidge", "badge"),
      ("budget", nil),
      ("badge", nil), ("alret", "alert"), ("ab", nil), ("content-availabel", "content-available"),
    ] as [(String, String?)])
  func knowsOneWrongLetter(_ key: String, _ name: String?) {
    let index = PayloadKey.oneLetterOff(Array(key.utf8), in: .aps)
    #expect(index.map { PayloadKey.all[$0].name } == name)
  }
}
