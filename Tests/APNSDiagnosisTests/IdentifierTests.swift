import APNSDiagnosis
import APNSWire
import TestSupport
import Testing

/// Identifiers of a stream against those before them.
@Suite struct IdentifierTests {
  private static let rules = RulePolicy(only: ["identifier-repeated"])

  private static func frame(_ identifier: UInt32) -> [UInt8] {
    enhanced(Int(identifier))
  }

  /// Streams of identifiers; nil is a frame without one.
  static let patterns: [(String, @Sendable (Int, inout SeededGenerator) -> UInt32?)] = [
    ("counting", { index, _ in UInt32(index) }),
    ("constant", { _, _ in 1234 }),
    ("random", { _, random in UInt32(truncatingIfNeeded: random.next()) }),
    ("random of few", { _, random in UInt32(truncatingIfNeeded: random.next() % 9000) }),
    ("rising by more than one", { index, _ in UInt32(index * 3) }),
    ("wrapping", { index, _ in UInt32(truncatingIfNeeded: index + 4_294_960_000) }),
    ("coming round in the window", { index, _ in UInt32(index % 4096) }),
    ("coming round after the window", { index, _ in UInt32(index % 4097) }),
    ("coming round soon", { index, _ in UInt32(index % 100) }),
    ("two counters", { index, _ in UInt32(index % 2 == 0 ? index / 2 : 3_000_000_000 + index / 2) }),
    ("lowest byte first", { index, _ in UInt32(index).byteSwapped }),
    ("counting, some without", { index, random in random.chance(10) ? nil : UInt32(index) }),
    (
      "counting, some damaged",
      { index, random in
        if random.chance(1) { return nil }
        return random.chance(1) ? UInt32(truncatingIfNeeded: random.next()) : UInt32(index)
      }
    ),
    // Runs alike, behind jumps of many widths up and down; the numbers come back soon.
    (
      "jumping",
      { index, _ in
        var jump = SeededGenerator(seed: UInt64(index / 90))
        return UInt32(truncatingIfNeeded: (jump.next() >> (jump.next() % 56)) << 3) &+ UInt32(index % 90)
      }
    ),
    // Runs of many lengths that begin anywhere among 20,000, so that some are met again within the window.
    (
      "runs",
      { index, _ in
        var length = SeededGenerator(seed: UInt64(index / 700))
        let start = length.next() % 20_000
        return UInt32(start) + UInt32(index % 700 / Int(1 + length.next() % 3))
      }
    ),
    (
      "all of them",
      { index, random in
        switch index / 3000 % 5 {
        case 0: UInt32(index)
        case 1: UInt32(truncatingIfNeeded: random.next())
        case 2: 7
        case 3: random.chance(50) ? nil : UInt32(truncatingIfNeeded: random.next() % 10_000)
        default: UInt32(index % 3000)
        }
      }
    ),
  ]

  /// A finding for exactly those identifiers that a dictionary finds, at their bytes, with the dictionary's distance.
  @Test(arguments: patterns.indices) func findsWhatADictionaryFinds(_ pattern: Int) {
    let (name, identifier) = Self.patterns[pattern]
    var random = SeededGenerator(seed: runSeed)
    var stream = JudgedStream(Self.rules)
    var last: [UInt32: Int] = [:]
    var offset = 0
    var nextCompared = 0
    for index in 0..<50_000 {
      var repeats: (identifier: UInt32, distance: Int)?
      let frame: [UInt8]
      if let identifier = identifier(index, &random) {
        if let previous = last[identifier], index - previous <= 4096 { repeats = (identifier, index - previous) }
        last[identifier] = index
        frame = Self.frame(identifier)
      } else {
        frame = legacy()
      }
      stream.append(frame)
      let found = stream.takeFindings()
      guard found.map(\.rule) == (repeats == nil ? [] : ["identifier-repeated"]),
        found.allSatisfy({ $0.range == Self.identifierRange(inFrameAt: offset) })
      else {
        Issue.record("APNSCOPE_SEED=\(runSeed) \(name) \(index): \(found), not \(repeats?.distance ?? 0) ago")
        return
      }
      if let repeats, index >= nextCompared {
        #expect(
          found.map(\.message) == Self.shortest(repeats.identifier, repeats.distance).map(\.message),
          "APNSCOPE_SEED=\(runSeed) \(name) \(index): not \(repeats.distance) ago")
        // Twice in a pattern: each takes a stream as long as the distance.
        nextCompared = index + 30_000
      }
      offset += frame.count
    }
  }

  private static func identifierRange(inFrameAt offset: Int) -> Range<Int> { (offset + 1)..<(offset + 5) }

  /// The findings in the shortest stream in which an identifier appears again after `distance` frames.
  private static func shortest(_ identifier: UInt32, _ distance: Int) -> [Finding] {
    var stream = JudgedStream(rules)
    stream.append(frame(identifier))
    stream.append([UInt8](repeatElement(legacy(), count: distance - 1).joined()))
    stream.append(frame(identifier))
    return stream.finish()
  }

  /// If the streams together need more than the budget, some remember fewer frames; none reports an identifier that was
  /// not sent. A closed stream returns its memory.
  @Test func streamsShareABudget() {
    let (streams, length) = (600, 1200)
    var stream = JudgedStream(Self.rules, streams: streams)
    func send(_ indices: Range<Int>, to numbers: Range<Int>) {
      for number in numbers {
        // Different in each stream, and in no order.
        let identifiers = indices.map { UInt32(truncatingIfNeeded: (number << 20 | $0) &* 2_654_435_761) }
        stream.append(identifiers.flatMap(Self.frame), to: number)
      }
    }
    for start in stride(from: 0, to: length, by: 100) { send(start..<(start + 100), to: 0..<streams) }
    #expect(stream.takeFindings() == [])
    send((length - 16)..<length, to: 0..<streams)
    #expect(stream.takeFindings().count == streams * 16, "the last 16 frames are always remembered")
    send(100..<110, to: 0..<streams)
    let known = stream.takeFindings().count
    #expect(known > 0)
    #expect(known < streams * 10, "the budget was not used up, so nothing was tested")
    for number in 0..<streams { stream.reopen(number) }
    send(0..<length, to: (streams - 8)..<streams)
    #expect(stream.takeFindings() == [])
    send(0..<10, to: (streams - 8)..<streams)
    #expect(stream.takeFindings().count == 80, "the memory was not returned")
  }

  @Test func byteOrderIsSaidWhereBytesShowIt() {
    func places(_ identifiers: [UInt32]) -> [Int] {
      let found = findings(in: identifiers.flatMap { enhanced(Int($0)) }).filter {
        $0.rule == "identifier-byte-swapped"
      }
      return found.map { $0.range.lowerBound / enhanced().count }
    }
    func reversed(_ numbers: ClosedRange<UInt32>) -> [UInt32] { numbers.map(\.byteSwapped) }
    #expect(places(reversed(1...300)) == Array(0..<300))
    #expect(places(reversed(65_000...66_000)) == Array(1...1000))
    // Longer numbers need more that count up before them.
    #expect(places(reversed(300...302)) == [1, 2])
    #expect(places(reversed(70_001...70_006)) == [3, 4, 5])
    #expect(places([5, 1 << 24, 2 << 24, 9, 3 << 24, 4 << 24, 5 << 24]) == [1, 2, 4, 5, 6])
    #expect(places([1, 0xd204_0000, 0xd204_0000]) == [1, 2])
    #expect(findings(in: enhanced(1 << 24)).first?.fix.hasSuffix("00 00 00 01") == true)
  }

  /// Counters that pass round numbers, batch numbers in the upper half, connections in the first byte.
  static let goodIdentifiers: [[Int]] = [
    Array(1...300), Array(0xff_fff0...0x100_0010), (1..<600).map { $0 << 16 },
    (1..<1800).map { ($0 / 3) << 16 | $0 % 3 }, (0..<900).map { (1 + $0 % 3) << 24 | (257 + $0 / 3) },
    (0..<900).map { 1000 + $0 * 65_536 }, (0..<300).map { 0x1000_0001 + $0 * 256 },
  ]

  @Test(arguments: goodIdentifiers) func goodIdentifiersAreNotReversed(_ identifiers: [Int]) {
    #expect(findings(in: identifiers.flatMap { enhanced($0) }).filter { $0.rule == "identifier-byte-swapped" } == [])
  }

  @Test func zeroAndNone() {
    func rules(_ bytes: [UInt8], _ edition: Edition = .standard) -> [String] {
      findings(in: bytes, edition: edition).map(\.rule)
    }
    #expect(rules(enhanced(0) + enhanced(0) + enhanced(1)) == ["identifier-zero", "identifier-repeated"])
    #expect(rules(notification(nil)) == ["identifier-missing"])
    #expect(rules(notification(nil), .year2009).contains("identifier-missing") == false)
    // It has no field for one.
    #expect(rules(legacy()) == [])
    // The error responses of a connection repeat what they answer to.
    #expect(findings(in: [8, 8, 0, 0, 0, 0, 8, 8, 0, 0, 0, 0], role: .gateway) == [])
  }
}
