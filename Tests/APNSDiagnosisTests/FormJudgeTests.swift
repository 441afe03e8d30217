import APNSDiagnosis
import APNSInput
import APNSPayload
import APNSWire
import Foundation
import TestSupport
import Testing

/// What is remembered of a form is what all rules say of each of its frames.
@Suite struct FormJudgeTests {
  /// Each rule's samples, one after the other: the last frame of a stream is judged otherwise. Explaining takes most of
  /// the time and asks for no edition, so one is enough for it.
  @Test(arguments: Edition.allCases) func passesNoSample(_ edition: Edition) {
    for rule in Rules.all {
      for sample in rule.bad + rule.good where sample.role == .provider {
        compare(
          sample.bytes + sample.bytes + notification(), RulePolicy(edition: edition), time: sample.time,
          recovers: edition == .standard, by: .standard)
      }
    }
  }

  /// Nor after frames of the same form with other values: a family that depends on more than it declares would be found.
  @Test(arguments: Edition.allCases) func remembersNoOtherValues(_ edition: Edition) {
    for rule in Rules.all {
      for sample in rule.bad + rule.good where sample.role == .provider {
        var before: [UInt8] = []
        for schema in Catalog.standard.schemas {
          guard let draft = FrameDraft(sample.bytes, as: schema) else { continue }
          for path in schema.paths {
            var other = draft
            switch path.field?.role {
            case .token: other[path] = .octets((0..<32).map { $0 ^ 0xf5 })
            case .identifier: other[path] = .integer(0x1_0203)
            case .expiry: other[path] = .integer(1_384_900_000)
            case .payload:
              let text = String(decoding: (try? draft.octets(at: path)) ?? [], as: UTF8.self)
              other[path] = .octets(Array(text.replacing("Hi", with: "Yo").replacing("1", with: "2").utf8))
            default: continue
            }
            if draft[path] != nil, other[path] != draft[path] { before += (try? other.bytes()) ?? [] }
          }
        }
        compare(
          before + sample.bytes + notification(), RulePolicy(edition: edition), time: sample.time,
          recovers: edition == .standard, by: .standard)
      }
    }
  }

  @Test func passesNothingInTheZoo() throws {
    for stream in try Zoo.streams(in: Samples.folder.appending(path: "malformed/zoo")) {
      compare(stream.bytes, RulePolicy(), by: .standard)
      compare(stream.bytes, RulePolicy(edition: .year2017), recovers: false, by: .standard)
    }
  }

  @Test func passesNoFaultOfRandomStreams() {
    var random = SeededGenerator(seed: runSeed)
    var streams = RandomStream(seed: runSeed &+ 1)
    for _ in 0..<200 {
      var bytes = streams.any()
      for _ in 0..<Int.random(in: 0...4, using: &random) { bytes += streams.notification() }
      if random.chance(30) { bytes = streams.mutated(bytes) }
      compare(
        bytes, Self.policy(Edition.allCases.randomElement(using: &random) ?? .standard, &random),
        time: random.chance(30) ? 1_384_732_800 : nil, recovers: random.chance(80),
        by: .standard)
    }
  }

  /// Keys are told apart by each of their bytes, also by what was learnt from the payload before.
  @Test(arguments: PayloadKey.all.map(\.name)) func tellsKeysApart(_ name: String) {
    for place in 0...name.utf8.count {
      var near = Array(name.utf8)
      near.insert(UInt8(ascii: "}"), at: place)
      let spelt = name.replacing("-", with: "_")
      let keys = [String(decoding: near, as: UTF8.self), spelt, name, String(name.dropLast()) + "}"]
      for key in keys {
        let bytes = keys.flatMap { first in
          [
            #"{"aps":{"alert":"Hi"},"\#(first)":1}"#, #"{"aps":{"alert":"Hi","\#(key)":1}}"#,
            #"{"aps":{"alert":"Hi"},"\#(key)":1}"#,
          ]
          .enumerated().flatMap {
            notification(
              $0.offset + 1, 1_384_819_200, [0xff] + [UInt8](repeating: 1, count: 31), Array($0.element.utf8))
          }
        }
        compare(bytes + notification(), RulePolicy(), by: .standard)
      }
    }
  }

  /// Payloads as providers write them, with something changed in many of them.
  @Test(arguments: Edition.allCases) func passesNoFaultOfPayloads(_ edition: Edition) {
    var random = SeededGenerator(seed: runSeed)
    var payloads = RandomPayload(generator: SeededGenerator(seed: runSeed &+ UInt64(edition.rawValue)))
    for _ in 0..<150 {
      var bytes: [UInt8] = []
      for identifier in 1...8 {
        let payload = payloads.next()
        let expiry = 1_384_732_800 + Int.random(in: -10...100_000_000, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes += legacy(random.bytes(32), payload)
        case 1: bytes += enhanced(identifier % 7, expiry, random.bytes(32), payload)
        default:
          bytes += notification(
            random.chance(5) ? nil : identifier % 7, expiry, random.bytes(32), payload,
            priority: [5, 10, 10, 0].randomElement(using: &random) ?? 10)
        }
      }
      compare(
        bytes, Self.policy(edition, &random), time: random.chance(30) ? 1_384_732_800 : nil, by: .standard)
    }
  }

  /// As users weigh rules: some ignored, some asked for alone, some with another severity.
  private static func policy(_ edition: Edition, _ random: inout SeededGenerator) -> RulePolicy {
    func some(_ count: Int) -> [String] { (0..<count).compactMap { _ in Rules.all.randomElement(using: &random)?.id } }
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return RulePolicy(edition: edition, ignored: Set(some(20)))
    case 1: return RulePolicy(edition: edition, only: Set(some(10)))
    case 2:
      let severities = some(20).map { ($0, Finding.Severity.allCases.randomElement(using: &random) ?? .note) }
      return RulePolicy(edition: edition, severities: Dictionary(severities) { first, _ in first })
    default: return RulePolicy(edition: edition)
    }
  }

  /// A stranger's items are in the form; what else is in his frame types is judged.
  @Test func holdsForAStrangersCatalog() {
    let topic = Item(6, "topic", Field("topic", "topic", .octets))
    let extra = Item(7, "extra", Field("extra", "extra", .json))
    let ping = FrameSchema(
      "ping", title: "Ping", role: .provider, command: 0x70,
      parts: [
        .counted(.deviceToken, by: .uint8), .fixed(Field("mood", "mood", .integer(bytes: 1, .number))),
        .counted(.payload, by: .uint16),
      ], reference: "invented")
    let tag = Item(6, "tag", Field("tag", "tag", .octets), .any)
    let late = Item(7, "late", Field("late", "late", .json), since: .year2017)
    for items in [[topic], [topic, extra], [tag, late]] {
      let catalog = Catalog.standard.adding(items.reduce(Notification.schema) { $0.adding($1) }).adding(ping)
      var random = SeededGenerator(seed: runSeed)
      var payloads = RandomPayload(generator: SeededGenerator(seed: runSeed &+ 9))
      for _ in 0..<50 {
        var bytes: [UInt8] = []
        for identifier in 1...8 {
          let payload = payloads.next()
          var frame = notification(identifier, 1_384_819_200, random.bytes(32), payload)
          if random.chance(50) {
            let more =
              [6, 0, 3] + random.bytes(3) + (random.chance(20) ? [6, 0, 1] + random.bytes(1) : [])
              + (random.chance(50) ? [7, 0, UInt8(payload.count & 127)] + payload.prefix(payload.count & 127) : [])
            frame += more
            let count = frame.count - 5
            (frame[3], frame[4]) = (UInt8(count >> 8), UInt8(count & 255))
          }
          bytes += frame
          if random.chance(30) {
            bytes += [0x70, 32] + random.bytes(33) + [UInt8(payload.count >> 8), UInt8(payload.count & 255)] + payload
          }
        }
        compare(bytes, RulePolicy(), by: Definitions(catalog))
      }
    }
  }

  /// So are strangers' rules, whether they say what they depend on, and rightly, or nothing at all.
  @Test(arguments: [(true, .form), (false, .form), (false, .everything)] as [(Bool, RuleFamily.Dependence)])
  func holdsForAStrangersRules(_ isAboutPriorities: Bool, _ dependence: RuleFamily.Dependence) {
    let loud = Rule(
      "house-loud", .warning, "a payload is loud", why: "", source: "house rules", fix: "")
    let even = Rule("house-even", .error, "the token is even", why: "", source: "", fix: "whisper")
    var definitions = Definitions.standard
    if isAboutPriorities {
      definitions.families.append(
        RuleFamily([loud], dependsOn: dependence) { facts, bytes, report in
          guard let priority = facts.priority, bytes[priority.start] == 10 else { return }
          report.add(loud, at: priority.range, "priority 10")
        })
    } else {
      definitions.families.insert(
        RuleFamily([even], dependsOn: dependence) { facts, bytes, report in
          // Of an ordinary token, a family that depends on the form may say nothing.
          guard let token = facts.token, token.count > 0, dependence == .everything || token.count != 32,
            bytes[token.end - 1] & 1 == 0
          else { return }
          report.add(even, at: token.range, "even")
        }, at: 0)
    }
    var random = SeededGenerator(seed: runSeed)
    var payloads = RandomPayload(generator: SeededGenerator(seed: runSeed &+ 4))
    var broken = 0
    for _ in 0..<150 {
      var bytes: [UInt8] = []
      for identifier in 1...8 {
        bytes += notification(
          identifier, 1_384_819_200, random.bytes(random.chance(80) ? 32 : 20), payloads.next(),
          priority: random.chance(50) ? 10 : 5)
      }
      compare(bytes, Self.policy(.standard, &random), by: definitions)
      broken += findings(in: bytes, role: .provider, by: definitions).count { $0.rule.hasPrefix("house-") }
    }
    // One in ten of 1,200 frames at least, but for six standard deviations.
    #expect(broken > 60)
  }

  /// Not in vain: of a provider without a fault, all frames are passed.
  @Test func passesRightFrames() {
    var bytes: [UInt8] = []
    var random = SeededGenerator(seed: runSeed)
    for identifier in 1...1000 {
      let payload = Array(
        #"{"aps":{"alert":{"loc-key":"Ä","loc-args":["新","x"]}},"k":[\#(identifier),{"a":null}]}"#.utf8)
      bytes += notification(identifier, 1_384_819_200, [0xff] + random.bytes(30) + [1], payload)
    }
    var dissector = Dissector(.standard, policy: RolePolicy(role: .provider), counting: Counting(), into: Passed())
    dissector.open(ByteStream(number: 0))
    dissector.append(bytes.span, from: .input(offset: 0), to: 0)
    dissector.finish()
    #expect(dissector.records.passed == 1000)
    #expect(dissector.records.taken == 0)
  }

  private struct Passed: RecordSink {
    var passed = 0
    var taken = 0
    var wantsMore: Bool { true }
    mutating func count(_ frames: CountedFrames) { passed += frames.count }
    mutating func take(_ record: Record, _ bytes: Span<UInt8>) { taken += 1 }
  }

  /// Where findings are only counted, there are as many of them.
  private struct Counted: RecordSink {
    var counts: [String: Int] = [:]
    var wantsMore: Bool { true }
    mutating func count(_ frames: CountedFrames) {
      counts["frames", default: 0] += frames.count
      counts["bad frames", default: 0] += frames.bad
      for finding in frames.findings { count(finding.rule, finding.severity, finding.count) }
    }
    mutating func take(_ record: Record, _ bytes: Span<UInt8>) { count(record.findings) }
    mutating func count(_ findings: [Finding]) {
      counts["frames", default: 0] += 1
      if findings.contains(where: { $0.severity > .note }) { counts["bad frames", default: 0] += 1 }
      for finding in findings { count(finding.rule, finding.severity, 1) }
    }
    private mutating func count(_ rule: String, _ severity: Finding.Severity, _ number: Int) {
      counts[severity == .note ? "note" : rule, default: 0] += number
    }
  }

  private func compare(
    _ bytes: [UInt8], _ rules: RulePolicy, time: Int? = nil, recovers: Bool = true, by definitions: Definitions,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let judged = run(Described(), bytes, rules, time, recovers, remembersForms: false, definitions).records
    let passed = run(Described(), bytes, rules, time, recovers, remembersForms: true, definitions).records
    var all = Counted()
    for record in judged { all.count(record.findings) }
    let some = run(
      Counted(), bytes, rules, time, recovers, remembersForms: true, definitions,
      counting: Counting(after: 1, countsNotes: true)
    ).counts
    let isSame = all.counts.filter { $0.value > 0 } == some.filter { $0.value > 0 }
    #expect(isSame, "\(all.counts) becomes \(some)", sourceLocation: sourceLocation)
    if judged != passed {
      let digits = bytes.map { String(Int($0) + 0x100, radix: 16).dropFirst() }.joined()
      let index = zip(judged, passed).prefix { $0 == $1 }.count
      Issue.record(
        "\(digits): \(judged.dropFirst(index).prefix(1)) becomes \(passed.dropFirst(index).prefix(1))",
        sourceLocation: sourceLocation)
    }
  }

  private func run<Sink: RecordSink>(
    _ sink: Sink, _ bytes: [UInt8], _ rules: RulePolicy, _ time: Int?, _ recovers: Bool, remembersForms: Bool,
    _ definitions: Definitions, counting: Counting? = nil
  ) -> Sink {
    var definitions = definitions
    // With a rule that may depend on everything, nothing is remembered.
    if !remembersForms { definitions.families.append(RuleFamily([]) { _, _, _ in }) }
    var dissector = Dissector(
      definitions, policy: RolePolicy(role: .provider), rules: rules, recovers: recovers, counting: counting,
      into: sink)
    dissector.open(ByteStream(number: 0))
    let origin: Origin =
      time.map {
        .packet(Origin.Packet(number: 1, time: CaptureTime(seconds: $0, nanoseconds: 0, digits: 6)))
      } ?? .input(offset: 0)
    for start in stride(from: 0, to: bytes.count, by: 100_000) {
      let piece = bytes.span.extracting(start..<min(start + 100_000, bytes.count))
      dissector.append(piece, from: origin, to: 0)
    }
    dissector.finish()
    return dissector.records
  }

  /// What a record says beside its bytes.
  private struct Summary: Equatable {
    let number: Int
    let offset: Int
    let count: Int
    let frame: FrameRef?
    let condition: Record.Condition?
    let findings: [Finding]
  }

  private struct Described: RecordSink {
    var records: [Summary] = []
    var wantsMore: Bool { true }
    mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
      var frame: FrameRef?
      var condition: Record.Condition?
      if case .frame(let found, let state) = record.content { (frame, condition) = (found, state) }
      records.append(
        Summary(
          number: record.number, offset: record.offset, count: record.count, frame: frame, condition: condition,
          findings: record.findings))
    }
  }
}

/// Payloads put together from parts that providers write, and from parts with a fault.
private struct RandomPayload {
  var generator: SeededGenerator

  mutating func next() -> [UInt8] {
    var members = generator.chance(95) ? [#""aps":\#(aps())"#] : []
    while generator.chance(40) { members.append(own()) }
    members.shuffle(using: &generator)
    var text = Array("{\(members.joined(separator: ","))}".utf8)
    if generator.chance(10) {
      let place = Int.random(in: 0..<text.count, using: &generator)
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: text[place] = UInt8.random(in: 0...255, using: &generator)
      case 1: text.remove(at: place)
      default: text.insert(Array(" \"\\,:{}[]0".utf8).randomElement(using: &generator) ?? 0x20, at: place)
      }
    }
    return text
  }

  private mutating func aps() -> String {
    var members: [String] = []
    if generator.chance(80) { members.append(#""alert":\#(generator.chance(70) ? string() : alert())"#) }
    if generator.chance(15) {
      members.append(#""badge":\#(pick("3", "0", "-1", "1.5", "1e2", "01", #""5""#, "null"))"#)
    }
    if generator.chance(15) { members.append(#""sound":\#(pick(#""default""#, #"{"critical":1}"#, "1"))"#) }
    if generator.chance(10) { members.append(#""content-available":\#(pick("1", "0", "true"))"#) }
    if generator.chance(10) {
      members.append(
        pick(
          #""category":"x""#, #""mutable-content":1"#, #""acme":1"#, #""Badge":1"#, #""event":"update""#,
          #""relevance-score":0.5"#, #""interruption-level":"urgent""#, #""alert":"twice""#, #""stale-date":1"#,
          #""url-args":["a",1]"#, #""url-args":[]"#))
    }
    return "{\(members.joined(separator: ","))}"
  }

  private mutating func alert() -> String {
    var members: [String] = []
    for key in ["title", "body", "loc-key", "action-loc-key", "launch-image"] where generator.chance(40) {
      members.append(#""\#(key)":\#(string())"#)
    }
    if generator.chance(40) {
      members.append(#""loc-args":\#(pick(#"["a","b"]"#, "[]", #"["a",2]"#, #"[["a"]]"#, "null", #"[{}]"#))"#)
    }
    if generator.chance(10) { members.append(pick(#""sound":"x""#, #""acme":1"#, #""body":"twice""#)) }
    return "{\(members.joined(separator: ","))}"
  }

  private mutating func own() -> String {
    let key = pick(
      "acme", "acme2", "k", "", "Alert", "content_available", "badge", "category", "a-key-that-is-longer-than-most",
      "ключ", "mdm", "domain", "APS", "\\u0061ps")
    let value = pick(
      "1", "-0.5e+10", "true", "false", "null", "[1,2]", "[]", "{}", #"{"a":1,"b":{"a":null}}"#, #"{"a":1,"a":2}"#,
      #"[{"a":1},{"a":1}]"#, "nul", "[1,]", "00", "-", "1.", "1e", "[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]")
    return #""\#(key)":\#(generator.chance(50) ? value : string())"#
  }

  private mutating func string() -> String {
    let words = [
      "Hi", "game on", "дождь", "é", "新消息", "🎉", "Ã©", "â€", "\u{fffd}", #"\n"#, #"\u00e9"#, #"\u00c3\u00a9"#,
      #"\ud83c\udf89"#, #"\ud83c"#, #"\/"#, #"\x"#, #"\u12"#, "\u{85}", "\t", #"\u0007"#, #"\ufffd"#, #"\u20ac"#, "Ã",
      "©",
    ]
    var text = ""
    for _ in 0..<Int.random(in: 0...5, using: &generator) {
      // Most of them without a fault.
      let few = generator.chance(90) ? Array(words.prefix(6)) : words
      text += (few.randomElement(using: &generator) ?? "") + (generator.chance(30) ? " " : "")
    }
    return #""\#(text)""#
  }

  private mutating func pick(_ texts: String...) -> String { texts.randomElement(using: &generator) ?? "" }
}
