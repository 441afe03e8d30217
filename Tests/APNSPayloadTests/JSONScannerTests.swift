import APNSPayload
import Foundation
import TestSupport
import Testing

@Suite struct JSONScannerTests {
  private func error(_ text: String) -> JSONError? { error(Array(text.utf8)) }
  private func error(_ bytes: [UInt8]) -> JSONError? { JSONScanner.firstError(in: bytes.span, range: 0..<bytes.count) }

  @Test(arguments: [
    "{}", "[]", "null", " true ", "-0", "1e5", "-1.5E-2", #"{"a":[1,{"b":"é\ud83c\udf89"}]}"#, "[1 ,\t2\r\n]", "\"\"",
    #""\/\b""#,
  ])
  func accepts(_ text: String) { #expect(error(text) == nil) }

  @Test(arguments: [
    ("", JSONError.Code.empty, 0), ("{\"a\":1,}", .trailingComma, 6), ("[1,]", .trailingComma, 2),
    ("{'a':1}", .keyNotString, 1),
    ("01", .badNumber, 0), ("1.", .unexpectedEnd, 2), ("-x", .badNumber, 0), ("[1 2]", .missingComma, 3),
    ("{\"a\" 1}", .missingColon, 5), ("\"a\nb\"", .controlCharacter, 2), (#""\q""#, .badEscape, 1),
    (#""\u00g0""#, .badEscape, 1),
    ("nul", .unexpectedEnd, 3), ("nulL", .notAValue, 0), ("{}x", .extraBytes, 2), ("{", .unexpectedEnd, 1),
    ("\u{feff}{}", .byteOrderMark, 0),
    ("[,1]", .notAValue, 1), ("{\"a\":1}}", .extraBytes, 7),
  ])
  func names(_ text: String, _ code: JSONError.Code, _ offset: Int) {
    #expect(error(text) == JSONError(code, at: offset))
  }

  @Test func refusesWhatIsNotUTF8() {
    for bad: [UInt8] in [
      [0xff], [0xc0, 0x80], [0xe0, 0x80, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xc3],
      [0xf0, 0x9f, 0x8e],
    ] {
      #expect(error([0x22] + bad + [0x22]) == JSONError(.notUTF8, at: 1), "\(bad)")
    }
  }

  @Test func boundsDepth() {
    let deep = JSONScanner.deepest
    #expect(error(String(repeating: "[", count: deep) + String(repeating: "]", count: deep)) == nil)
    #expect(error(String(repeating: "[", count: 100_000))?.code == .tooDeep)
  }

  /// Whatever this scanner takes, Foundation takes too; Foundation also takes some that it must not.
  @Test func agreesWithFoundationWhereBothAreStrict() throws {
    for run in 0..<20_000 {
      let seed = runSeed &+ UInt64(run)
      var random = RandomStream(seed: seed)
      var text = Array(#"{"aps":{"alert":"Hi é","badge":-1.5e2,"x":[true,null,"\u0041"]}}"#.utf8)
      if run % 4 != 0 { text = random.mutated(text) }
      guard error(text) == nil else { continue }
      #expect(
        (try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)) != nil,
        "APNSCOPE_SEED=\(seed)")
    }
  }

  @Test func compactingDropsOnlyWhiteSpace() throws {
    let text = Array("{ \"a\" : [ 1.50 , \"b c\" , { } ] ,\n\"d\": null }".utf8)
    let compact = try JSONValue.compact(text.span, range: 0..<text.count)
    #expect(String(decoding: compact, as: UTF8.self) == #"{"a":[1.50,"b c",{}],"d":null}"#)
  }
}
