import APNSInput
import APNSViews
import APNSWire
import Foundation
import TestSupport
import Testing

/// What `encode` takes, and how it refuses: by line and member.
@Suite struct NDJSONReaderTests {
  private func refusal(_ line: String) -> ReadError? {
    do {
      var reader = NDJSONReader(.standard)
      _ = try reader.read(Array(line.utf8).span, number: 3)
      return nil
    } catch {
      return error
    }
  }

  /// `^` stands before the place that the error names, and is not in the line.
  @Test(arguments: [
    #"{^"#,
    #"[^"#,
    #"^[]"#,
    #"  ^"x""#,
    #"{"schema":^2,"type":"gap"}"#,
    #"{"schema":^"1","type":"gap"}"#,
    #"^{"command":0}"#,
    #" {"type" : ^null}"#,
    #"{"type": ^"notifcation"}"#,
    #"{"type":"error-response","status":8,"identifier":7,^"colour":1}"#,
    #"{"type":"error-response","status":^"8","identifier":7}"#,
    #"{"type":"error-response","status":^-8,"identifier":7}"#,
    #"{"type":"error-response","status":^1.5,"identifier":7}"#,
    #"{"type":"error-response","status":^256,"identifier":7}"#,
    #"{"type":"error-response","status":8,"identifier":^4294967296}"#,
    #"{"type":"error-response","status":8,^"status":9,"identifier":7}"#,
    #"{"type":"error-response","command":^256,"status":8,"identifier":7}"#,
    #"{"type":"feedback-tuple","timestamp":1,"token":^"abc"}"#,
    #"{"type":"feedback-tuple","timestamp":1,"token":^[]}"#,
    #"{"type":"feedback-tuple","timestamp":1,"token":"ab","token_length":^65536}"#,
    #"{"type":"unparsed","hex":^"zz"}"#,
    #"^{"type":"unparsed"}"#,
    #"^{"type":"gap"}"#,
    #"{"type":"gap","missing":^-1}"#,
    #"{"type":"notification","items":^{}}"#,
    #"{"type":"notification","items":[{"id":5,"priority":5}, ^7]}"#,
    #"{"type":"notification","items":[{"id":^300}]}"#,
    #"{"type":"notification","items":[{"id":^"1"}]}"#,
    #"{"type":"notification","items":[{"id":1,^"tokn":"00"}]}"#,
    #"{"type":"notification","items":[{^"idd":1,"token":"00"}]}"#,
    #"{"type":"notification","items":[^{"token":"00"}]}"#,
    #"{"type":"notification","items":[{"id":5,"priority":5}, ^{"id":1}]}"#,
    #"{"type":"notification","items":[{"id":3,"identifier":7,^"data":"00"}]}"#,
    #"{"type":"notification","items":[{"id":2,"data":"00",^"payload_hex":"00"}]}"#,
    #"{"type":"notification","items":[{"id":5,"priority":^256}]}"#,
    #"{"type":"notification","items":[{"id":5,"priority":5,"data_length":^65536}]}"#,
    #"{"type":"legacy-notification","token":"00","payload":^"\ud800"}"#,
    #"{"type":"legacy-notification","token":"00","payload":^7}"#,
    #"{"type":"legacy-notification","token":"00","payload":"",^"payload_hex":""}"#,
    #"{"type":"legacy-notification","token":"00","payload_hex":"",^"payload":""}"#,
    #"{"type":"error-response","status":8,"identifier":7,"condition":^"banana"}"#,
    #"{"type":"gap","missing":1,"direction":^"sideways"}"#,
    #"{"type":"gap","missing":1,"time":^"soon"}"#,
    #"{"type":"gap","missing":1,"time":^"2013-02-29T00:00:00Z"}"#,
    #"{"type":"gap","missing":1,"from":^"10.0.0.1:1"}"#,
    #"{"type":"gap","missing":1,"to":^"10.0.0.1:1"}"#,
    #"{"type":"gap","missing":1,"from":^"10.0.0:1","to":"10.0.0.1:1"}"#,
    #"{"type":"gap","missing":1,"packets":[1,^"2"]}"#,
    #"{"type":"gap","missing":1,"packets":^1}"#,
    #"{"type":"gap","missing":1,"stream":^-1}"#,
    #"{"type":"gap","missing":1,"stream":^18446744073709551615}"#,
  ])
  func refusesByPlace(_ marked: String) throws {
    let place = try #require(marked.utf8.firstIndex(of: UInt8(ascii: "^")))
    let error = refusal(marked.replacing("^", with: ""))
    #expect(error?.code == .notRecord)
    let column = marked.utf8.distance(from: marked.startIndex, to: place) + 1
    #expect(error?.position == Origin.TextPosition(line: 3, column: column), "\(error?.reason ?? "")")
  }

  @Test func valueTooLongForItsLength() {
    let long = String(repeating: "00", count: 65536)
    let frame = refusal(#"{"type":"feedback-tuple","timestamp":1,"token":"\#(long)"}"#)
    #expect(frame?.position?.column == 48)
    #expect(frame?.reason.contains("token_length would be 65536") == true)
    let item = refusal(#"{"type":"notification","items":[{"id":9,"data":"\#(long)"}]}"#)
    #expect(item?.position?.column == 48)
    #expect(item?.reason.hasPrefix("member \"items[0].data\" is too long") == true)
  }

  @Test func keepsWhereTheRecordCameFrom() throws {
    let line =
      #" {"type":"gap","missing":48,"stream":3,"from":"10.0.0.1:2196","to":"10.0.0.2:9","direction":"apns-to-provider","packets":[4,7],"time":"1970-01-01T00:00:01.5Z"}"#
    var reader = NDJSONReader(.standard)
    let entry = try #require(try reader.read(Array(line.utf8).span, number: 1))
    guard case .gap(missing: 48) = entry.content else {
      Issue.record("\(entry.content)")
      return
    }
    #expect(entry.stream == 3 && entry.packets == [4, 7] && entry.role == .feedback)
    #expect(entry.route?.destination.port == 9)
    #expect(entry.time == CaptureTime(seconds: 1, nanoseconds: 500_000_000, digits: 6))
    #expect(entry.position == Origin.TextPosition(line: 1, column: 2))
  }

  @Test func namesWhatWasMeant() {
    #expect(refusal(#"{"type":"error-response","status":8,"identifer":7}"#)?.reason.contains("\"identifier\"") == true)
    #expect(refusal(#"{"type":"notificaton"}"#)?.reason.contains("\"notification\"") == true)
  }

  @Test func derivedMembersAreIgnored() throws {
    let line =
      #"{"schema":1,"type":"error-response","offset":99,"length":3,"status":8,"status_name":"?","identifier":7,"needed":"?","findings":[{"rule":"x"}]}"#
    #expect(try encodedBytes(ndjson: line) == [8, 8, 0, 0, 0, 7])
  }

  @Test func payloadMayBeAnObject() throws {
    let line = #"{"type":"legacy-notification","token":"aa","payload": { "aps" : { "badge" : 1.0 } } }"#
    #expect(try encodedBytes(ndjson: line) == [0, 0, 1, 0xaa, 0, 21] + Array(#"{"aps":{"badge":1.0}}"#.utf8))
  }

  @Test func lengthsGivenAreWritten() throws {
    let line =
      #"{"type":"notification","frame_length":4294967295,"items":[{"id":1,"data_length":32,"token":"aa"},{"id":5,"priority":10}]}"#
    #expect(try encodedBytes(ndjson: line) == [2, 255, 255, 255, 255, 1, 0, 32, 0xaa, 5, 0, 1, 10])
  }

  @Test func missingFieldNeedsACondition() throws {
    #expect(throws: EncodeError.self) { try encodedBytes(ndjson: #"{"type":"error-response","status":8}"#) }
    #expect(
      try encodedBytes(ndjson: #"{"type":"error-response","status":8,"condition":"truncated","rest":"0102"}"#) == [
        8, 8, 1, 2,
      ])
    #expect(throws: EncodeError.self) {
      try encodedBytes(ndjson: #"{"type":"enhanced-notification","identifier":1,"token":"aa","condition":"truncated"}"#)
    }
  }

  /// Most frames are written without a draft; a draft has the same bytes and the same errors.
  @Test func draftsHaveTheSameBytes() throws {
    let route = #","stream":3,"from":"10.0.0.1:40000","to":"[2001:db8::1]:2195","direction":"provider-to-apns""#
    let packets = #","packets":[4,7],"time":"2013-11-19T00:00:00.000001Z"}"#
    var direct = 0
    for run in 0..<1_500 {
      let seed = runSeed &+ UInt64(run)
      var random = RandomStream(seed: seed)
      for line in Shown.ndjson(random.any()).split(separator: "\n") {
        let line = run.isMultiple(of: 3) ? line.dropLast() + route + packets : String(line)
        for text in [Array(line.utf8), random.mutated(Array(line.utf8))] {
          let (draft, written) = (reading(text, isDraft: true), reading(text, isDraft: false))
          #expect(draft == written, "APNSCOPE_SEED=\(seed) \(String(decoding: text, as: UTF8.self))")
          if written.isWritten { direct += 1 }
        }
      }
    }
    #expect(direct > 400)
  }

  private struct Reading: Equatable {
    var bytes: [UInt8]?
    var entry = ""
    var refusal: String?
    var isWritten = false

    static func == (a: Self, b: Self) -> Bool {
      a.bytes == b.bytes && a.entry == b.entry && a.refusal == b.refusal
    }
  }

  private func reading(_ line: [UInt8], isDraft: Bool) -> Reading {
    var reading = Reading()
    do {
      var reader = NDJSONReader(.standard, makesDrafts: isDraft)
      let entry = try reader.read(line.span, number: 1)
      guard var entry else { return reading }
      if case .written = entry.content { reading.isWritten = true }
      reading.bytes = try entry.content.bytes()
      entry.content = .gap(missing: 0)
      reading.entry = "\(entry)"
    } catch {
      reading.refusal = "\(error)"
    }
    return reading
  }

  /// Every line that comes out is one JSON object with no key twice, readable by another parser.
  @Test func everyLineIsOneObject() throws {
    for run in 0..<1_500 {
      let seed = runSeed &+ UInt64(run)
      var random = RandomStream(seed: seed)
      for line in Shown.ndjson(random.any()).split(separator: "\n") {
        #expect(throws: Never.self, "APNSCOPE_SEED=\(seed)") { try JSONKeys.check(String(line)) }
        #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7f..<0xa0).contains($0.value) })
      }
    }
  }
}

/// A second reading by Foundation, which keeps no duplicate keys: as many keys as colons outside strings.
private enum JSONKeys {
  static func check(_ line: String) throws {
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
    guard count(object) == colons(line) else { throw Repeated() }
  }

  struct Repeated: Error {}

  private static func count(_ value: Any) -> Int {
    if let object = value as? [String: Any] { return object.count + object.values.reduce(0) { $0 + count($1) } }
    if let array = value as? [Any] { return array.reduce(0) { $0 + count($1) } }
    return 0
  }

  private static func colons(_ line: String) -> Int {
    var colons = 0
    var isInString = false
    var isEscaped = false
    for character in line.unicodeScalars {
      if isEscaped {
        isEscaped = false
        continue
      }
      if character == "\\" { isEscaped = true }
      if character == "\"" { isInString.toggle() }
      if character == ":", !isInString { colons += 1 }
    }
    return colons
  }
}
