import APNSQuery
import APNSViews
import TestSupport
import Testing

/// `-T fields`: columns that never break.
@Suite struct FieldsViewTests {
  private func row(_ bytes: [UInt8], _ names: [String], hasHeader: Bool = false) throws -> String {
    let columns = try names.map { try FieldNames.standard.field($0) }
    return Shown(bytes, as: FieldsView(columns, hasHeader: hasHeader), role: .provider).text
  }

  private func frame(_ payload: String) -> [UInt8] {
    [0, 0, 1, 0xaa, 0, UInt8(payload.utf8.count)] + Array(payload.utf8)
  }

  @Test(arguments: [
    (#"{"a":"x\ty\\ \n"}"#, #"x\ty\\ \n"#), (#"{"a":"\u001b[31m"}"#, #"\u{1b}[31m"#), (#"{"a":"é,\/\u041f"}"#, "é,/П"),
    (#"{"a":1.50, "b":2}"#, "1.50"), (#"{"a":null}"#, "null"), (#"{"a":[1, {"b" : "c\n"}]}"#, #"[1,{"b":"c\n"}]"#),
    ("{\"a\":[\"\u{202e}\"]}", #"["\u202e"]"#), (#"{"a":"\ud800"}"#, #""\\ud800""#), (#"{"b":1}"#, ""),
    (#"{"a":1,"a":2}"#, "1,2"), (#"{"a":1,}"#, "1"), (#"{"a":{"b":1,}}"#, ""),
  ])
  func writesValuesOfPayloads(_ payload: String, _ expected: String) throws {
    #expect(try row(frame(payload), ["payload.a", "command"]) == expected + "\t0\n")
  }

  @Test func writesWholePayloads() throws {
    #expect(try row(frame("{ \"a\" :\n \"\u{9b}\\n\" }"), ["payload"]) == #"{"a":"\u009b\n"}"# + "\n")
    #expect(try row(frame("no\tJSON\u{1b}\\"), ["payload"]) == #"no\tJSON\u{1b}\\"# + "\n")
    #expect(try row(frame(""), ["payload", "token"]) == "\taa\n")
  }

  @Test func hasALineForEachRecord() throws {
    let items: [UInt8] = [2, 0, 0, 0, 8, 5, 0, 1, 5, 5, 0, 1, 10]
    let names = ["type", "priority", "token", "hex"]
    #expect(
      try row(items + [0xff], names, hasHeader: true) == names.joined(separator: "\t")
        + "\nnotification\t5,10\t\t\nunparsed\t\t\tff\n")
    let empty = FieldsView([try FieldNames.standard.field("type")], hasHeader: true)
    var out = Output()
    empty.finish(to: &out)
    #expect(String(decoding: out.bytes, as: UTF8.self) == "type\n")
  }

  @Test func neverBreaksALine() throws {
    let names = FieldNames.standard.all.map(\.name) + ["payload.aps.alert", "payload.a"]
    for run in 0..<700 {
      let seed = runSeed &+ UInt64(run)
      var random = RandomStream(seed: seed)
      let bytes = random.any()
      let text = try row(bytes, names)
      let records = Shown(bytes, as: ByteFormat.raw, role: .provider).records.count
      #expect(text.utf8.count { $0 == 0x0a } == records, "APNSCOPE_SEED=\(seed)")
      #expect(text.utf8.count { $0 == 0x09 } == records * (names.count - 1), "APNSCOPE_SEED=\(seed)")
      #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control && $0 != "\n" && $0 != "\t" })
    }
  }
}
