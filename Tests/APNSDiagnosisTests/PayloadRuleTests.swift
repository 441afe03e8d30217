import APNSDiagnosis
import APNSWire
import Foundation
import Octets
import TestSupport
import Testing

/// Whole payloads, as Apple prints them and as senders write them.
@Suite struct PayloadRuleTests {
  private func rules(
    _ payload: String, _ edition: Edition = .standard, atLeast severity: Finding.Severity = .warning
  ) -> [String] {
    findings(in: frame(payload), .provider, RulePolicy(edition: edition)).filter { $0.severity >= severity }.map(\.rule)
  }

  /// Command 2 by hand, priority 5.
  private func frame(_ payload: String) -> [UInt8] {
    let text = Array(payload.utf8)
    let items =
      [1, 0, 32] + [UInt8](repeating: 0xa7, count: 32) + [2, UInt8(text.count >> 8), UInt8(text.count & 255)] + text
      + [3, 0, 4, 0, 0, 0, 7, 4, 0, 4, 0x52, 0x8a, 0xaa, 0, 5, 0, 1, 5]
    return [2, 0, 0, UInt8(items.count >> 8), UInt8(items.count & 255)] + items
  }

  @Test(arguments: [
    #"{"aps":{"alert":"Message received from Bob"},"acme2":["bang","whiz"]}"#,
    #"{"aps":{"alert":"You got your emails.","badge":9,"sound":"bingbong.aiff"},"acme1":"bar","acme2":42}"#,
    #"{"aps":{"alert":{"loc-key":"GAME_PLAY_REQUEST_FORMAT","loc-args":["Jenna","Frank"]},"sound":"chime"},"acme":"foo"}"#,
  ])
  func applesExamplesAreFine(_ payload: String) {
    for edition in Edition.allCases where edition >= .year2013 { #expect(rules(payload, edition) == []) }
  }

  /// The second example of the guide's edition of 2013, line breaks and the comma that should not be there included.
  @Test func applesCommaIsFound() {
    let payload = """
      {
        "aps" : {
          "alert" : {
            "body" : "Bob wants to play poker",
            "action-loc-key" : "PLAY"
          },
          "badge" : 5,
        },
        "acme1" : "bar",
        "acme2" : [ "bang", "whiz" ]
      }
      """
    let bytes = frame(payload)
    let found = findings(in: bytes, .provider, RulePolicy())
    let comma = Array(payload.utf8).firstIndex(of: UInt8(ascii: "5")).map { $0 + 1 + 5 + 35 + 3 }
    let right = rules(payload.replacing("5,", with: "5"), atLeast: .note)
    #expect(right == ["json-white-space", "more-than-one-action"])
    #expect(Set(found.map(\.rule)) == Set(right + ["json-trailing-comma"]))
    let place = found.first { $0.rule == "json-trailing-comma" }?.range
    #expect(place?.lowerBound == comma && place?.count == 1)
  }

  @Test(arguments: [
    ("MDM", #"{"mdm":"5BA7A7B9-EFA5-44A0-A6A6-E8B63A9B5E9F"}"#), ("Wallet", #"{"aps":{}}"#),
    ("Newsstand", #"{"aps":{"content-available":1}}"#),
    (
      "website",
      #"{"aps":{"alert":{"title":"Flight A998 Now Boarding","body":"Boarding has begun.","action":"View"},"url-args":["boarding","A998"]}}"#
    ), ("VoIP", #"{"aps":{},"call":"3d1f","handle":"+49 30 123"}"#),
    ("File Provider", #"{"container-identifier":"NSFileProviderWorkingSetContainerItemIdentifier","domain":"work"}"#),
  ])
  func otherPayloadsAreFine(_ kind: String, _ payload: String) {
    // Some came only when payloads could be longer.
    for edition in Edition.allCases where edition >= .year2013 {
      #expect(rules(payload, edition).filter { $0 != "payload-too-long" } == [], "\(kind)")
    }
  }

  /// What is said of a push without alert, sound or badge, by how its priority is written: item 5, no item 5, command 1.
  @Test(
    arguments: [
      (#""content-available":1"#, [.error, .note, .warning]), (#""badge":0"#, [nil, nil, nil]),
      (#""content-available":1,"badge":5"#, [nil, nil, nil]), (#""content-available":1,"sound":"""#, [nil, nil, nil]),
      ("", [.warning, nil, nil]), (#""alert":"""#, [.warning, nil, .note]), (#""alert":{}"#, [.warning, nil, .note]),
      (#""alert":{"title":""}"#, [.warning, nil, .note]), (#""alert":"Hi""#, [nil, nil, nil]),
      (#""category":"x""#, [.warning, nil, .note]), (#""content-available":1,"category":"x""#, [.warning, nil, .note]),
      (#""alert":"","badge":0"#, [nil, nil, nil]), (#""alert":{"loc-key":"A"}"#, [nil, nil, nil]),
    ] as [(String, [Finding.Severity?])])
  func priorityTenMustTrigger(_ aps: String, _ expected: [Finding.Severity?]) {
    let payload = Array("{\"aps\":{\(aps)}}".utf8)
    let immediate = notification(7, 1_384_819_200, goodToken, payload)
    let none = Array(immediate.prefix(1)) + bigEndian(immediate.count - 9, 4) + immediate[5..<(immediate.count - 4)]
    for edition in [Edition.year2013, .year2017] {
      let found = [immediate, Array(none), enhanced(7, 1_384_819_200, goodToken, payload)].map { bytes in
        findings(in: bytes, edition: edition).first { $0.rule == "immediate-silent" }?.severity
      }
      #expect(found == expected, "\(edition)")
      #expect(rules(String(decoding: payload, as: UTF8.self), edition).contains("immediate-silent") == false)
    }
    #expect(findings(in: immediate, edition: .year2010).allSatisfy { $0.rule != "immediate-silent" })
  }

  /// Beside aps, keys may have any name.
  @Test(arguments: [
    "category", "thread-id", "badge", "sound", "alert", "loc-key", "content-state", "Alert", "Sound", "Badge",
    "target_content_id", "mdm", "container-identifier", "title", "event", "aps2",
  ])
  func ownKeysMayHaveAnyName(_ name: String) {
    for value in ["5", #""x""#, "{}", "[1]", "true"] {
      for edition in [Edition.year2013, .year2017] {
        #expect(rules(#"{"aps":{"alert":"Hi"},"\#(name)":\#(value)}"#, edition) == [], "\(name) \(value)")
      }
    }
  }

  /// One key is never reported by two editions' texts.
  @Test func newerKeysAreNotJudged() {
    #expect(rules(#"{"aps":{"alert":"Hi","category":5}}"#, atLeast: .note) == ["key-newer-than-edition"])
    #expect(rules(#"{"aps":{"alert":"Hi","category":5}}"#, .year2017, atLeast: .note) == ["key-type"])
    #expect(rules(#"{"aps":{"alert":"Hi","Category":"x"}}"#, atLeast: .note) == ["key-misspelt"])
    #expect(rules(#"{"aps":{"alert":"Hi","Category":"x"}}"#) == [])
  }

  /// Keys that Apple added after the guide's last edition are unknown to every edition, whatever their values are.
  @Test(arguments: [
    "interruption-level", "relevance-score", "target-content-id", "filter-criteria", "stale-date", "content-state",
    "timestamp", "event", "dismissal-date", "attributes-type", "attributes", "input-push-token",
  ])
  func keysAfterTheLastEditionAreUnknown(_ name: String) {
    for value in ["5", #""x""#, "{}", "[1]", "null"] {
      for edition in [Edition.year2013, .year2017] {
        #expect(rules(#"{"aps":{"alert":"Hi","\#(name)":\#(value)}}"#, edition, atLeast: .note) == ["key-unknown"])
      }
    }
  }

  /// The fix for a payload without aps says what to move.
  @Test func whatBelongsInApsIsNamed() throws {
    let alert = try #require(findings(in: frame(#"{"alert":"Hi","Badge":1}"#), .provider, RulePolicy()).first)
    #expect(alert.rule == "aps-missing" && alert.severity == .error && alert.answer == nil)
    #expect(alert.fix.contains("\"alert\"") && alert.fix.contains("\"badge\""))
    let spelt = findings(in: frame(#"{"APS":{"alert":"Hi"}}"#), .provider, RulePolicy())
    #expect(spelt.map(\.rule) == ["aps-missing"] && spelt[0].fix.contains("\"APS\""))
  }

  /// What stands at a finding's place is what it speaks of.
  @Test(arguments: [
    (#"{"aps":{"badge":"5"}}"#, "key-type", #""5""#), (#"{"aps":{"loc-key":"A"}}"#, "key-misplaced", #""loc-key""#),
    (#"{"aps":{"alert":{"loc-key":"A","loc-args":["x",[2]]}}}"#, "key-type", "["),
    (#"{"aps":{"badge":1},"a":{"b":1,"b":2}}"#, "repeated-key", #""b""#),
    (#"{"aps":{"alert":"\u00e9\ud83c"}}"#, "lone-surrogate", #"\ud83c"#), (#"{"aps":"x"}"#, "aps-not-object", #""x""#),
    (#"{"aps":{"alert":'x'}}"#, "json-quotes", "'"), (#"{"aps":{"badge":1}} x"#, "json-terminated", "x"),
    (#"{"aps":{"alert":"x""#, "json-cut", "\""), (#"{"aps":{"alert":“x”}}"#, "json-quotes", "“"),
    (#"{"aps":{"badge":-1}}"#, "key-value", "-1"), (#"{"aps":{"Badge":1}}"#, "key-misspelt", #""Badge""#),
  ])
  func pointsAtTheBytes(_ payload: String, _ rule: String, _ text: String) throws {
    let bytes = frame(payload)
    let found = try #require(findings(in: bytes, .provider, RulePolicy()).first { $0.rule == rule })
    #expect(String(decoding: bytes[found.range], as: UTF8.self) == text)
  }

  /// Sentences reach terminals: nothing from the wire stands in them raw.
  @Test func sentencesArePlain() {
    var samples: [[UInt8]] = [
      frame("{\"aps\":{\"\u{1b}[31m\":1,\"\u{202e}\":2,\"\u{202e}\":2}}"),
      frame("{\"aps\":{\"badge\":\"\u{9b}31m\"}}"),
    ]
    for rule in Rules.all {
      for sample in rule.bad + rule.good where sample.role == .provider { samples.append(sample.bytes) }
    }
    var plain = 0
    for run in 0..<500 {
      let seed = runSeed &+ UInt64(run)
      var random = RandomStream(seed: seed)
      let sample = samples[run % samples.count]
      let bytes = sample.count > 4_000 ? sample : random.mutated(sample)
      for finding in findings(in: bytes, .provider, RulePolicy()) {
        let isPlain = (finding.message + finding.fix).utf8.allSatisfy { 0x20..<0x7f ~= $0 }
        #expect(isPlain, "APNSCOPE_SEED=\(seed): \(finding.message)")
        #expect(0...bytes.count ~= finding.range.lowerBound && finding.range.upperBound <= bytes.count)
        plain += 1
      }
    }
    #expect(plain > 500)
  }

  /// What independent senders write: nothing of it is called an error, and the same is found that a look at the JSON
  /// itself finds.
  @Test func peersAreJudgedAsTheyWrite() throws {
    let manifest = try Data(contentsOf: Samples.folder.appending(path: "peers/manifest.json"))
    let vectors = try #require(try JSONSerialization.jsonObject(with: manifest) as? [[String: Any]])
    var counts: [String: Int] = [:]
    for vector in vectors where vector["wellformed"] as? Bool == true {
      guard vector["direction"] as? String == "provider-to-apns", let file = vector["file"] as? String else { continue }
      let frames = vector["frames"] as? [[String: Any]] ?? []
      let bytes = try Samples.bytes(Samples.folder.appending(path: "peers/" + file))
      let found = findings(in: bytes, .provider, RulePolicy(edition: .year2017))
      let ours = found.filter { Self.payloadRules.contains($0.rule) }
      // The guide calls that an error; of these senders, two write it in item 5.
      let errors = ours.filter { $0.severity == .error }
      #expect(errors.allSatisfy { $0.rule == "immediate-silent" && file.contains("cmd2") }, "\(file) \(errors)")
      for (fault, rules) in try frames.flatMap(expected) {
        counts[fault, default: 0] += 1
        #expect(ours.contains { rules.contains($0.rule) }, "\(file): \(fault)")
      }
    }
    #expect(counts == ["badge": 6, "null": 4, "misplaced": 1, "immediate": 17])
  }

  private static let payloadRules: Set<String> = {
    let starts = [
      "json-", "payload-not", "key-", "aps-", "loc-args", "silent-", "immediate-", "mangled-", "repeated-key",
    ]
    let ids = Rules.all.map { $0.id }
    return Set(ids.filter { id in starts.contains { id.hasPrefix($0) } })
  }()

  /// What Foundation's parser shows of a frame, by the rules that should find it.
  private func expected(_ frame: [String: Any]) throws -> [(String, Set<String>)] {
    guard let text = frame["payload_utf8"] as? String,
      let payload = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any],
      let aps = payload["aps"] as? [String: Any]
    else { return [] }
    var faults: [(String, Set<String>)] = []
    if let badge = aps["badge"] as? NSNumber, badge.doubleValue < 0 { faults.append(("badge", ["key-value"])) }
    if aps.values.contains(where: { $0 is NSNull }) { faults.append(("null", ["key-type"])) }
    if payload["content_available"] != nil { faults.append(("misplaced", ["key-misspelt", "key-misplaced"])) }
    if Array(aps.keys) == ["content-available"], frame["priority"] as? Int ?? 10 == 10 {
      faults.append(("immediate", ["immediate-silent"]))
    }
    return faults
  }
}
