import APNSDiagnosis
import APNSInput
import APNSPayload
import APNSQuery
import APNSViews
import APNSWire
import TestSupport
import Testing

/// `1` for each record that a filter lets through, `0` for each other.
struct Verdicts: View {
  static var showsEachAlone: Bool { false }
  let filter: Filter

  init(_ text: String, _ names: FieldNames) throws {
    filter = try Filter(text, names: names, now: 1_000_000)
  }

  mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    out.byte(filter.accepts(record, bytes) ? UInt8(ascii: "1") : UInt8(ascii: "0"))
  }
}

@Suite struct FilterTests {
  /// Two command 2 frames: one with priority 10 and badge 9, one with priorities 5 and 10, no payload and an odd item.
  static let bytes: [UInt8] = {
    let payload = Array(
      #"{"aps":{"alert":{"body":"Hi \u041f"},"badge":9,"n":-1.5e1,"m":[1,{"k":true}]},"aps":{"badge":12}}"#.utf8)
    let items = [1, 0, 2, 0xaa, 0xbb, 2, 0, UInt8(payload.count)] + payload + [3, 0, 4, 0, 0, 0, 7, 5, 0, 1, 10]
    let first = [2, 0, 0, 0, UInt8(items.count)] + items
    let second: [UInt8] = [2, 0, 0, 0, 17, 5, 0, 1, 5, 5, 0, 1, 10, 9, 0, 2, 0, 0, 5, 0, 1, 9]
    return first + second + [0xff, 0xee]
  }()

  private func verdicts(_ text: String) throws -> String {
    let rules = RulePolicy(ignored: ["token-length"])
    return Shown(Self.bytes, as: try Verdicts(text, .standard), role: .provider, rules: rules).text
  }

  @Test(arguments: [
    // Any of several values may match; != asks that none does.
    ("priority == 10", "110"), ("priority == 5", "010"), ("priority != 5", "100"), ("priority != 7", "110"),
    ("!(priority == 5)", "101"), ("not priority == 5", "101"), ("! priority", "001"), ("priority < 6", "010"),
    ("priority in {5, 9}", "010"), ("priority in 6..8", "000"), ("priority == \"Send Immediately\"", "110"),
    // && binds tighter than ||, ! tighter than both.
    ("type == unparsed || priority == 5 && identifier", "001"),
    ("(type == unparsed || priority == 5) && identifier", "000"),
    ("identifier && priority == 5 || type == unparsed", "001"), ("!identifier && priority", "010"),
    ("!(identifier || type eq unparsed)", "010"), ("! ! identifier", "100"),
    // Bytes in every spelling.
    ("token contains bb", "100"), ("token == aa:bb", "100"), ("token == <aa bb>", "100"), ("token==0xAABB", "100"),
    ("token != aabb", "000"), ("token contains \"\"", "100"), ("token_length == 2", "100"), ("data_length == 4", "100"),
    ("data_length == 2", "110"), ("frame_length == 17", "010"), ("payload_length > 50", "100"),
    ("hex contains ee", "001"),
    ("item == 9", "010"), ("item in {1, 3}", "100"),
    // JSON by path: a repeated key has two values, escapes are resolved, containers are searched as they are spelt.
    ("payload.aps.badge > 10", "100"), ("payload.aps.badge == 9", "100"), ("payload.aps.badge != 9", "000"),
    ("payload.aps.badge == \"9\"", "000"), ("payload.aps.badge == 9.0", "100"),
    ("payload.aps.badge in {1, 8.5..9.5}", "100"),
    ("payload.aps.n == -15", "100"), ("payload.aps.n < -14.9", "100"), ("payload.aps.n > 1e999", "000"),
    ("payload.aps.m.1.k == true", "100"), ("payload.aps.m.0 == 1", "100"), ("payload.aps.m.2", "000"),
    ("payload.aps.m.01", "000"), ("payload.aps.alert.body == \"Hi П\"", "100"),
    ("payload.aps.alert.body contains П", "100"),
    ("payload contains П", "000"), ("payload.aps.alert contains \"body\"", "100"),
    ("payload.aps.alert == \"body\"", "000"),
    ("payload contains <7b22>", "100"), ("payload.aps.alert.body.x", "000"), ("payload.aps.badge.x", "000"),
    // Members of records.
    ("command == 2", "110"), ("type == notification", "110"), ("type != notification", "001"),
    ("type contains pars", "001"),
    ("condition", "010"), ("condition == malformed", "010"), ("finding.rule == unknown-item", "010"),
    ("finding.rule contains unknown", "111"), ("finding.severity >= error", "011"),
    ("finding.severity < warning", "100"),
    ("role == provider", "111"), ("stream == 0", "111"), ("number == 2", "010"), ("offset > 0", "011"),
    ("length in 2..22", "011"), ("direction", "000"), ("time > now", "000"), ("reason == unknown-command", "001"),
    ("identifier < 0xff and identifier >= 7", "100"),
  ])
  func letsThrough(_ text: String, _ expected: String) throws {
    #expect(try verdicts(text) == expected, "\(text)")
  }

  @Test(arguments: [
    ("identifier == 7", "1"), ("expiry == 2013-11-19T00:00:00Z", "1"), ("expiry > 2013-11-19T00:00:00Z", "0"),
    ("expiry <= now", "0"), ("expiry in 2013-01-01T00:00:00Z..2013-12-31T23:59:59Z", "1"), ("token_length == 32", "1"),
    ("needed == 5", "1"), ("payload", "0"), ("payload_length == 5", "1"), ("rest", "0"),
    ("condition == truncated", "1"),
  ])
  func readsFlatFrames(_ text: String, _ expected: String) throws {
    let bytes: [UInt8] = [1, 0, 0, 0, 7, 0x52, 0x8a, 0xaa, 0, 0, 32] + Array(repeating: 1, count: 32) + [0, 5]
    #expect(Shown(bytes, as: try Verdicts(text, .standard), role: .provider).text == expected, "\(text)")
  }

  private struct Judge: RecordSink {
    let filter: Filter
    var verdicts: [Bool] = []
    var wantsMore: Bool { true }
    mutating func take(_ record: Record, _ bytes: Span<UInt8>) { verdicts.append(filter.accepts(record, bytes)) }
  }

  @Test(arguments: [
    ("from == 10.0.0.1:40000", true), ("from == 10.0.0.1", true), ("from == 40000", true), ("from == 10.0.0.2", false),
    ("to in {[2001:db8::1]:2195, 1}", true), ("to == 2001:db8::1", true), ("to != 2195", false),
    ("direction == apns-to-provider", true), ("stream == 4", true), ("packet == 17", true), ("packet > 17", false),
    ("time == 2013-11-19T00:00:00.25Z", true), ("time > 2013-11-19T00:00:00Z", true), ("time >= 1384819201", false),
    ("time in 2013-11-19T00:00:00Z..2013-11-19T00:00:01Z", true), ("time < 2013-11-19T00:00:00.25Z", false),
    ("status == \"invalid TOKEN\"", true), ("status_name contains token", true), ("status != 0", true),
  ])
  func knowsWhereRecordsComeFrom(_ text: String, _ expected: Bool) throws {
    let (from, to) = (try #require(Endpoint("10.0.0.1:40000")), try #require(Endpoint("[2001:db8::1]:2195")))
    let route = ByteStream.Route(source: from, destination: to)
    let time = CaptureTime(seconds: 1_384_819_200, nanoseconds: 250_000_000, digits: 6)
    let bytes: [UInt8] = [8, 8, 0, 0, 0, 7]
    let sink = Judge(filter: try Filter(text, names: .standard, now: 0))
    var dissector = Dissector(.standard, policy: RolePolicy(role: .gateway), into: sink)
    dissector.open(ByteStream(number: 4, route: route))
    dissector.append(bytes.span, from: .packet(Origin.Packet(number: 17, time: time)), to: 4)
    dissector.finish()
    #expect(dissector.records.verdicts == [expected], "\(text)")
  }

  @Test(arguments: [
    ("type == overlap", [false, true, false]), ("type == gap", [false, false, true]),
    ("at == 2", [false, true, false]),
    ("hex == ffff", [false, true, false]), ("hex", [false, true, false]), ("missing == 9", [false, false, true]),
    ("length", [true, false, false]), ("finding.rule == missing-bytes", [false, false, true]),
  ])
  func selectsWhatIsNoFrame(_ text: String, _ expected: [Bool]) throws {
    let sink = Judge(filter: try Filter(text, names: .standard))
    let (bytes, other): ([UInt8], [UInt8]) = ([8, 8, 0, 0, 0, 7], [0xff, 0xff])
    let packet = Origin.packet(Origin.Packet(number: 1, time: CaptureTime(seconds: 0, nanoseconds: 0, digits: 6)))
    var dissector = Dissector(.standard, policy: RolePolicy(role: .gateway), into: sink)
    dissector.open(ByteStream(number: 0))
    dissector.append(bytes.span, from: packet, to: 0)
    dissector.overlap(other.span, at: 2, from: packet, in: 0)
    dissector.gap(of: 9, in: 0)
    dissector.finish()
    #expect(dissector.records.verdicts == expected, "\(text)")
  }

  /// Few values, so that a match often begins within a failed one.
  @Test func findsBytesAnywhere() throws {
    for run in 0..<1_000 {
      let seed = runSeed &+ UInt64(run)
      var generator = SeededGenerator(seed: seed)
      let token = generator.bytes(40).map { $0 & 1 }
      let part = generator.bytes(Int.random(in: 1...7, using: &generator)).map { $0 & 1 }
      let digits = part.map { "0\($0)" }.joined()
      let bytes = [0, 0, UInt8(token.count)] + token + [0, 0]
      let isThere = token.indices.contains { token[$0...].starts(with: part) }
      let verdict = Shown(bytes, as: try Verdicts("token contains \(digits)", .standard), role: .provider).text
      #expect(verdict == (isThere ? "1" : "0"), "APNSCOPE_SEED=\(seed) \(digits)")
    }
  }

  /// The verdict is the one that the record's line of NDJSON gives, read slowly.
  @Test func agreesWithTheRecordsAsTheyAreWritten() throws {
    var judged = 0
    var passed = 0
    for run in 0..<2_000 {
      let seed = runSeed &+ UInt64(run)
      var stream = RandomStream(seed: seed)
      let bytes = stream.any()
      var random = RandomFilter(generator: stream.generator)
      let filter = random.any()
      let text = random.text(filter)
      let verdicts = Array(Shown(bytes, as: try Verdicts(text, .standard)).text)
      let lines = Shown.ndjson(bytes).utf8.split(separator: UInt8(ascii: "\n")).map { Array($0) }
      #expect(verdicts.count == lines.count)
      for (line, verdict) in zip(lines, verdicts) {
        guard let expected = filter.holds(try JSONValue(line.span, range: 0..<line.count), line) else { continue }
        judged += 1
        passed += expected ? 1 : 0
        if expected != (verdict == "1") {
          Issue.record("APNSCOPE_SEED=\(seed) \(text): \(verdict) for \(String(decoding: line, as: UTF8.self))")
          return
        }
      }
    }
    #expect(judged > 2_500 && passed > judged / 10 && passed < judged * 9 / 10)
  }
}
