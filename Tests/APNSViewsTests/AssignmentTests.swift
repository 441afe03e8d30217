import APNSPayload
import APNSQuery
import APNSWire
import TestSupport
import Testing

/// Values as people type them, and changes within a payload.
@Suite struct AssignmentTests {
  private func assigned(_ name: String, _ value: String, now: Int = 1_000_000) throws -> FieldDraft? {
    var draft = FrameDraft(EnhancedNotification.schema)
    try Assignment(name: name, value: value).apply(to: &draft, now: now)
    return draft.values[name]
  }

  @Test(arguments: [
    ("60", 60), ("0x3c", 60), ("now", 1_000_000), ("+60", 1_000_060), ("-60", 999_940), ("+1d", 1_086_400),
    ("2012-02-29T00:00:00Z", 1_330_473_600), ("2000-02-29 23:59:59.5z", 951_868_799), ("1970-01-01T00:00:00Z", 0),
  ])
  func times(_ text: String, _ seconds: UInt64) throws {
    #expect(try assigned("expiry", text) == .integer(seconds))
  }

  @Test(arguments: [
    "2013-02-31T00:00:00Z", "2013-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2013-04-31T00:00:00Z",
    "2013-13-01T00:00:00Z", "2013-00-01T00:00:00Z", "2013-01-00T00:00:00Z", "13-01-01T00:00:00Z",
    "2013-01-01T24:00:00Z", "2013-01-01T00:00:00", "2013-01-01TT00:00:00Z", "2013-01-01T00:00:00.Z",
    "2013-+1-01T00:00:00Z", "1969-12-31T23:59:59Z", "2106-02-07T06:28:16Z", "-2000000", "+9999999999", "++5", "+0x5",
    "+", "0x", "0x+5", "-", "4294967296", "",
  ])
  func noTimes(_ text: String) {
    #expect(throws: AssignmentError.self) { try assigned("expiry", text) }
  }

  /// From 1973 until the seconds need more than 32 bits.
  @Test(arguments: [
    ("99999999999", false), ("100000000000", true), ("1384819200000", true), ("4294967295999", true),
    ("4294967296000", false),
  ])
  func millisecondsAreRecognized(_ text: String, _ areMilliseconds: Bool) {
    let error = #expect(throws: AssignmentError.self) { try assigned("expiry", text) }
    #expect(error?.reason.contains("milliseconds") == areMilliseconds)
  }

  @Test func numbersFitTheirFields() {
    #expect(throws: AssignmentError.self) { try assigned("identifier", "4294967296") }
    #expect(throws: AssignmentError.self) { try assigned("token_length", "65536") }
    #expect(throws: AssignmentError.self) { try assigned("identifier", "+7") }
  }

  /// Feedback tuples have no command, so that a change of it is not for them.
  @Test func everyAssignableNameIsTaken() {
    for schema in Catalog.standard.schemas {
      for name in schema.assignableNames {
        #expect(throws: Never.self) { try Assignment(name: name, value: "10").check(for: schema, now: 0) }
      }
    }
    #expect(!FeedbackTuple.schema.has("command"))
  }

  private func edited(_ text: String, _ path: String, _ value: String) throws -> String {
    var draft = FrameDraft(LegacyNotification.schema)
    draft.values["payload"] = .octets(Array(text.utf8))
    try Assignment(name: "payload." + path, value: value).apply(to: &draft, now: 0)
    guard case .octets(let bytes)? = draft.values["payload"] else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(arguments: [
    (#"{"a\u0062":1}"#, "ab", "2", #"{"a\u0062":2}"#), (#"{"a":1,"a":[2]}"#, "a", "30", #"{"a":30,"a":30}"#),
    (#"{"a":{"x":1}, "a":{"y":1.0}}"#, "a.y", "2", #"{"a":{"x":1}, "a":{"y":2}}"#),
    (#"{"a":{"x":1}, "a":{}}"#, "a.y", "2", #"{"a":{"x":1,"y":2}, "a":{"y":2}}"#),
    (#"{"a" : {"b":1.0e0 , "z":[1, 2]},"c":0.10}"#, "a.b", "3", #"{"a" : {"b":3 , "z":[1, 2]},"c":0.10}"#),
    (#"{"a" : {"b":1.0e0 , "z":[1, 2]},"c":0.10}"#, "a.z.1", "{}", #"{"a" : {"b":1.0e0 , "z":[1, {}]},"c":0.10}"#),
    (#"{"a" : {"b":1.0e0 , "z":[1, 2]},"c":0.10}"#, "a", "[]", #"{"a" : [],"c":0.10}"#),
    (#"{"a":[1, [2]]}"#, "a.1.0", "3", #"{"a":[1, [3]]}"#), (#"{ }"#, "a", "x", #"{ "a":"x"}"#),
    (#"{"a":1}"#, "a", #"{"b":[]}"#, #"{"a":{"b":[]}}"#), (#"{"a":1}"#, "a", "x{", #"{"a":"x{"}"#),
    ("{\"\u{e9}\":1}", "e\u{301}", "2", "{\"\u{e9}\":1,\"e\u{301}\":2}"),
  ])
  func changesTheValuesAtAPath(_ text: String, _ path: String, _ value: String, _ expected: String) throws {
    #expect(Array(try edited(text, path, value).utf8) == Array(expected.utf8))
  }

  @Test(arguments: [
    (#"{"a":1}"#, "", "2"), (#"{"a":{"b":1}}"#, "a..b", "2"), (#"{"a":1}"#, "a.", "2"), (#"{"a":1}x"#, "a", "2"),
    (#"{"a":1,"b":tru}"#, "a", "2"), (#"{"a":1"#, "a", "2"), (#"{"a":1}"#, "a", #"{"b""#), (#"{"a":1}"#, "a", " [1,]"),
    (#"{"a":[1]}"#, "a.1", "2"), (#"{"a":[1]}"#, "a.00", "2"), (#"{"a":1}"#, "b.c", "2"), ("", "a", "2"),
    (#"{"a":{"b":1}}"#, "a.b.c", "2"),
  ])
  func refusesWhatItCannotChange(_ text: String, _ path: String, _ value: String) {
    #expect(throws: AssignmentError.self) { try edited(text, path, value) }
  }
}
