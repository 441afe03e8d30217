import APNSDiagnosis
import APNSInput
import APNSViews
import APNSWire
import Foundation
import TestSupport
import Testing

/// Differences between two streams.
@Suite struct ComparisonTests {
  private func log(of bytes: [UInt8]) -> RecordLog {
    var log = RecordLog()
    for (record, bytes) in Collected.records(of: bytes) { log.add(record, bytes.span) }
    return log
  }

  /// Both directions of each connection.
  private func log(of connections: [(sent: [UInt8], answer: [UInt8])]) -> RecordLog {
    var dissector = Dissector(.standard, policy: RolePolicy(), into: Log())
    for (number, connection) in connections.enumerated() {
      for (side, bytes) in [connection.sent, connection.answer].enumerated() where !bytes.isEmpty {
        let stream = 2 * number + side
        dissector.open(ByteStream(number: stream, isDirected: true))
        dissector.append(bytes.span, from: .input(offset: 0), to: stream)
        dissector.close(stream, .finished)
      }
    }
    dissector.finish()
    return dissector.records.log
  }

  private struct Log: RecordSink {
    var log = RecordLog()
    var wantsMore: Bool { true }
    mutating func take(_ record: Record, _ bytes: Span<UInt8>) { log.add(record, bytes) }
  }

  private func compare(
    _ a: [UInt8], _ b: [UInt8], ignoring names: [String] = []
  ) throws -> (counts: Comparison.Counts, objects: [NSDictionary], text: String) {
    try compare(log(of: a), log(of: b), ignoring: names)
  }

  private func compare(
    _ a: RecordLog, _ b: RecordLog, ignoring names: [String] = []
  ) throws -> (counts: Comparison.Counts, objects: [NSDictionary], text: String) {
    var (out, text) = (Output(), Output())
    let objects = DifferenceObjects(.standard)
    var view = DifferenceText(.standard, terminal: Terminal(), a: "a", b: "b")
    let counts = Comparison(.standard, ignoring: names).compare(a, b) {
      objects.write($0, to: &out)
      view.write($0, to: &text)
    }
    let lines = String(decoding: out.bytes, as: UTF8.self).split(separator: "\n")
    let parsed = try lines.map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? NSDictionary)
    }
    return (counts, parsed, String(decoding: text.bytes, as: UTF8.self))
  }

  /// Two streams that often have frames in common.
  private func streams(_ seed: UInt64) -> ([UInt8], [UInt8]) {
    var random = RandomStream(seed: seed)
    let pieces = (0..<3).map { _ in random.any() }
    func stream() -> [UInt8] {
      var kept = pieces.filter { _ in random.generator.chance(80) }
      if random.generator.chance(30) { kept.shuffle(using: &random.generator) }
      let all = kept.flatMap { $0 }
      return random.generator.chance(30) ? random.mutated(all) : all
    }
    return (stream(), stream())
  }

  @Test func equalMeansEqualBytes() throws {
    var equal = 0
    for run in 0..<300 {
      let seed = runSeed &+ UInt64(run)
      let (a, b) = streams(seed)
      let (counts, objects, text) = try compare(a, b)
      #expect(counts.isEqual == (a == b), "APNSCOPE_SEED=\(seed)")
      #expect(objects.isEmpty == (a == b) && text.isEmpty == (a == b), "APNSCOPE_SEED=\(seed)")
      if a == b { equal += 1 }
      let (records, others) = (Collected.records(of: a).count, Collected.records(of: b).count)
      let pairs = counts.equal + counts.changed
      #expect(pairs + counts.removed == records && pairs + counts.added == others, "APNSCOPE_SEED=\(seed)")
      #expect(objects.count == counts.changed + counts.removed + counts.added)
      for object in objects where object["change"] as? String == "changed" {
        #expect((object["fields"] as? [Any])?.isEmpty == false, "\(object), APNSCOPE_SEED=\(seed)")
      }
    }
    #expect(equal > 5 && equal < 295)
  }

  private func notification(_ items: [(UInt8, [UInt8])]) -> [UInt8] {
    let data = items.flatMap { [$0, UInt8($1.count >> 8), UInt8($1.count & 255)] + $1 }
    return [2, 0, 0, UInt8(data.count >> 8), UInt8(data.count & 255)] + data
  }

  private let token = [UInt8](repeating: 0xfc, count: 32)

  /// Neither the value of an ignored field counts, nor its lengths, nor whether it is there.
  @Test func anIgnoredFieldMakesNoDifference() throws {
    let payload = Array(#"{"aps":{}}"#.utf8)
    let longer = Array(#"{"aps":{"alert":"Hi"}}"#.utf8)
    let a = notification([(1, token), (2, payload), (3, [0, 0, 0, 7]), (5, [10])])
    let b = notification([(1, token), (2, longer), (3, [0, 0, 0, 8])])
    #expect(try compare(a, b).counts.changed == 1)
    #expect(try compare(a, b, ignoring: ["payload", "identifier", "priority"]).counts.isEqual)
    let rest = try compare(a, b, ignoring: ["payload", "priority"]).objects
    #expect(((rest.first?["fields"] as? [NSDictionary])?.first?["name"] as? String) == "identifier")
  }

  @Test(
    arguments: [
      (#"{"aps":{"alert":"Hi"}}"#, #"{"aps":{"alert":"Ho"}}"#, ["payload.aps.alert"]),
      (
        #"{"aps":{"badge":1},"x":[1,2]}"#, #"{"aps":{},"x":[1,3,4]}"#,
        ["payload.aps", "payload.aps.badge", "payload.x.1", "payload.x.2"]
      ),
      (#"{"a":{"0":1},"x":1}"#, #"{"a":[1],"x":2}"#, [#"payload.a."0""#, "payload.a.0", "payload.x"]),
      (#"{"a.b":1,"x":1}"#, #"{"a":{"b":1},"x":2}"#, [#"payload."a.b""#, "payload.a.b", "payload.x"]),
      (#"{"a\".b":1}"#, #"{"a\\\".b":1}"#, [#"payload."a\".b""#, #"payload."a\\\".b""#]),
      (#"{"":1}"#, #"{"":2}"#, [#"payload."""#]),
      (
        #"{"\ud800":1,"x":1}"#, #"{"\udc00":1,"x":2}"#,
        [#"payload."\ud800""#, #"payload."\udc00""#, "payload.x"]
      ),
      (#"{"aps":{}}"#, #"{"aps": {}}"#, ["payload"]),
      (#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#, ["payload"]),
      (#"{"a":1,"a":2}"#, #"{"a":1,"a":3}"#, ["payload.a"]),
      (#"{"a":1}"#, #"{"a":1,"a":3}"#, ["payload.a"]),
      (#"{"a":1}"#, #"{"a":1"#, ["payload"]),
      (#""x""#, "5", ["payload"]),
    ])
  func payloadsAreComparedByKey(_ a: String, _ b: String, _ names: [String]) throws {
    let frames = [a, b].map { notification([(1, token), (2, Array($0.utf8))]) }
    let fields = try compare(frames[0], frames[1]).objects.first?["fields"] as? [NSDictionary]
    #expect(fields?.compactMap { $0["name"] as? String }.sorted() == names)
  }

  /// What a stream lacks is compared, too.
  @Test func gapsAreCompared() {
    func log(gap: Int) -> RecordLog {
      let frame = notification([(1, token), (2, Array(#"{"aps":{}}"#.utf8))])
      var dissector = Dissector(.standard, policy: RolePolicy(role: .provider), into: Log())
      dissector.open(ByteStream(number: 0))
      dissector.append(frame.span, from: .input(offset: 0), to: 0)
      if gap > 0 { dissector.gap(of: gap, in: 0) }
      dissector.append(frame.span, from: .input(offset: frame.count), to: 0)
      dissector.finish()
      return dissector.records.log
    }
    let comparison = Comparison(.standard)
    #expect(comparison.compare(log(gap: 5), log(gap: 5)) { _ in }.isEqual)
    #expect(!comparison.compare(log(gap: 5), log(gap: 6)) { _ in }.isEqual)
    #expect(!comparison.compare(log(gap: 5), log(gap: 0)) { _ in }.isEqual)
  }

  // MARK: Pairs of records

  /// By identifier, by token, then equal ones in order, then those of one type in order. Frames that changed are a pair
  /// wherever they are; what is equal and elsewhere is removed and added.
  @Test(arguments: [
    ("a1 b2 c3", "a1 b2 c3", "a1=a1 b2=b2 c3=c3"),
    ("a1 b2", "b2 x9 a1", "-a1 b2=b2 +x9 +a1"),
    ("a1 b2 c3", "c4 b5 a6", "a1=a6 b2=b5 c3=c4"),
    ("a1 b2 c3", "d1 e2 f3", "a1=d1 b2=e2 c3=f3"),
    ("a1 b2 c3", "c9 b2 d4 a1", "-a1 b2=b2 c3=c9 +d4 +a1"),
    ("a1 a1 b2", "a1 b2 a1", "a1=a1 -a1 b2=b2 +a1"),
    ("a1 a1 a1", "a1 a1", "a1=a1 a1=a1 -a1"),
    ("a1 b2 a1 b2", "b2 a1 a1 b2", "-a1 b2=b2 a1=a1 +a1 b2=b2"),
    ("a1 c1 b2", "a1 d1 b2", "a1=a1 c1=d1 b2=b2"),
    ("a1 a1", "b2 b2 b2", "a1=b2 a1=b2 +b2"),
    ("", "a1", "+a1"),
  ])
  func recordsArePaired(_ a: String, _ b: String, _ expected: String) throws {
    /// A letter is a token, a digit an identifier.
    func bytes(of frames: String) -> [UInt8] {
      frames.split(separator: " ").flatMap { frame in
        let (token, identifier) = (frame.utf8.first ?? 0, frame.utf8.last ?? 0)
        return notification([
          (1, [UInt8](repeating: token, count: 32)), (2, Array(#"{"aps":{}}"#.utf8)), (3, [0, 0, 0, identifier]),
        ])
      }
    }
    func frame(_ side: Any?, _ frames: String) -> String? {
      ((side as? NSDictionary)?["number"] as? Int).map { String(frames.split(separator: " ")[$0 - 1]) }
    }
    let (counts, objects, _) = try compare(log(of: bytes(of: a)), log(of: bytes(of: b)))
    let differences = objects.map { object in
      switch (frame(object["a"], a), frame(object["b"], b)) {
      case (let one?, let other?): "\(one)=\(other)"
      case (let one?, nil): "-\(one)"
      case (nil, let other): "+\(other ?? "")"
      }
    }
    let all = expected.split(separator: " ").map(String.init)
    let isEqual = { (pair: String) in pair.prefix(2) == pair.suffix(2) && pair.count == 5 }
    #expect(differences == all.filter { !isEqual($0) })
    #expect(counts.equal == all.count(where: isEqual))
  }

  /// Quadratic work would take minutes, and quadratic memory all there is.
  @Test(arguments: ["equal", "different", "one identifier", "shifted", "few", "shuffled", "reversed"])
  func workIsBounded(_ shape: String) {
    var random = SeededGenerator(seed: runSeed)
    func bytes(_ side: Int) -> [UInt8] {
      var frames = (0..<40_000).map { index in
        switch shape {
        case "equal": 0
        case "different", "one identifier": index * 2 + side
        case "shifted": (index + side * 100) % 1000
        case "few": Int.random(in: 0..<3, using: &random)
        default: index
        }
      }
      if side == 1, shape == "shuffled" { frames.shuffle(using: &random) }
      if side == 1, shape == "reversed" { frames.reverse() }
      return frames.flatMap { number in
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
        // Error responses have an identifier, and this unknown item none.
        return shape == "one identifier" ? notification([(9, bytes), (3, [0, 0, 0, 0])]) : [8, 8] + bytes
      }
    }
    let (a, b) = (log(of: bytes(0)), log(of: bytes(1)))
    let began = processorSeconds()
    let counts = Comparison(.standard).compare(a, b) { _ in }
    #expect(processorSeconds() - began < 30)
    if shape == "equal" { #expect(counts.isEqual) }
    if shape == "shifted" { #expect((counts.changed, counts.removed, counts.added) == (0, 100, 100)) }
  }

  /// The time that this thread has run. Other tests run at the same time.
  private func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  // MARK: Connections

  private func sent(_ identifier: UInt8) -> [UInt8] {
    notification([(1, token), (2, Array(#"{"aps":{}}"#.utf8)), (3, [0, 0, 0, identifier])])
  }

  private func answer(_ identifier: UInt8) -> [UInt8] { [8, 8, 0, 0, 0, identifier] }

  /// Two connections with the same notifications: it matters which of them is answered.
  @Test func answersBelongToTheirConnection() throws {
    let (answered, other) = ((sent(1), answer(1)), (sent(1), [UInt8]()))
    let (counts, objects, _) = try compare(log(of: [answered, other]), log(of: [other, answered]))
    #expect((counts.equal, counts.removed, counts.added) == (2, 1, 1))
    #expect(objects.map { $0["type"] as? String } == ["error-response", "error-response"])
    #expect(try compare(log(of: [answered, other]), log(of: [answered, other])).counts.isEqual)
  }

  /// The others keep their partners, even if their answers differ, and whatever is ignored.
  @Test func anAddedConnectionMakesNoOtherDiffer() throws {
    let few = (1...5).map { (sent($0) + sent($0 + 10), answer($0)) }
    for index in 0...few.count {
      var more = few
      if index < few.count { more[index].1 = [] }
      more.insert((sent(100), answer(100)), at: index)
      let missing = index < few.count ? 1 : 0
      for names in [[], ["token"]] {
        let counts = try compare(log(of: few), log(of: more), ignoring: names).counts
        #expect((counts.changed, counts.removed, counts.added) == (0, missing, 2), "\(index)")
      }
    }
  }

  /// Feedback is not compared with notifications, and a provider without an answer is compared with one that has one.
  @Test func connectionsArePairedWithTheirKind() throws {
    let tuple = [0x52, 0x8a, 0x9b, 0x80, 0, 32] + token
    let feedback = (sent: [UInt8](), answer: tuple)
    let counts = try compare(
      log(of: [feedback, (sent(1), answer(1))]), log(of: [(sent(2), []), (sent: [], answer: tuple + tuple)])
    ).counts
    // The tuple is in both; the notifications differ in their identifier.
    #expect((counts.equal, counts.changed, counts.removed, counts.added) == (1, 1, 1, 1))
  }

  @Test func equalConnectionsMeanEqualBytes() throws {
    var equal = 0
    for run in 0..<400 {
      let seed = runSeed &+ UInt64(run)
      var random = RandomStream(seed: seed)
      func connections() -> [(sent: [UInt8], answer: [UInt8])] {
        (0..<Int.random(in: 1...3, using: &random.generator)).map { _ in
          let number = UInt8.random(in: 1...2, using: &random.generator)
          return (sent(number), random.generator.chance(50) ? answer(number) : [])
        }
      }
      let a = connections()
      let b = random.generator.chance(25) ? a : connections()
      let (log, other) = (log(of: a), log(of: b))
      let one = try compare(log, other)
      let isEqual = a.elementsEqual(b, by: ==)
      #expect(one.counts.isEqual == isEqual && one.objects.isEmpty == isEqual, "APNSCOPE_SEED=\(seed)")
      let pairs = one.counts.equal + one.counts.changed
      let (records, others) = (recordCount(a), recordCount(b))
      #expect(pairs + one.counts.removed == records && pairs + one.counts.added == others, "APNSCOPE_SEED=\(seed)")
      if isEqual { equal += 1 }
    }
    #expect(equal > 10 && equal < 390)
  }

  private func recordCount(_ connections: [(sent: [UInt8], answer: [UInt8])]) -> Int {
    connections.reduce(0) { $0 + ($1.answer.isEmpty ? 1 : 2) }
  }
}
