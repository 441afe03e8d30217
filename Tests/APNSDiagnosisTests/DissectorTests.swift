import APNSDiagnosis
import APNSInput
import APNSViews
import APNSWire
import TestSupport
import Testing

/// Streams with bytes missing, and frames made to be costly.
@Suite struct DissectorTests {
  /// A line for each record: what it is, where, and its rules.
  private struct Lines: RecordSink {
    var lines: [String] = []
    var wantsMore: Bool { true }
    mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
      let what =
        switch record.content {
        case .frame(let frame, let condition):
          (Catalog.standard.schema(of: frame)?.name ?? "?") + (condition.map { " \($0)" } ?? "")
        case .unparsed(let reason): reason
        case .gap: "gap"
        case .overlap(let place): "overlap at \(place)"
        }
      let rules = record.findings.map(\.rule).joined(separator: " ")
      lines.append("\(record.offset)+\(record.count) \(what)\(rules.isEmpty ? "" : ": " + rules)")
    }
  }

  /// Pieces of a stream, or numbers of bytes missing between them.
  private enum Part {
    case bytes([UInt8])
    case gap(Int)
    case overlap([UInt8], at: Int)
  }

  /// What is said about values is for other tests.
  private static let rules = RulePolicy(only: [
    "truncated", "missing-bytes", "overlapping-bytes", "no-frame-found", "proxy-header", "unknown-command",
    "oversized-frame",
  ])

  private func lines(
    _ parts: [Part], role: StreamRole? = nil, beginning: ByteStream.Beginning = .unknown
  ) -> [String] {
    var dissector = Dissector(.standard, policy: RolePolicy(role: role), rules: Self.rules, into: Lines())
    var stream = ByteStream(number: 0)
    stream.beginning = beginning
    dissector.open(stream)
    for part in parts {
      switch part {
      case .bytes(let bytes): dissector.append(bytes.span, from: .input(offset: 0), to: 0)
      case .gap(let count): dissector.gap(of: count, in: 0)
      case .overlap(let bytes, let place):
        let packet = Origin.Packet(number: 7, time: CaptureTime(seconds: 0, nanoseconds: 0, digits: 6))
        dissector.overlap(bytes.span, at: place, from: .packet(packet), in: 0)
      }
    }
    dissector.finish()
    return dissector.records.lines
  }

  private func enhanced(_ id: UInt8) -> [UInt8] {
    [1, 0, 0, 0, id, 0, 0, 0, 9, 0, 2, 0xaa, 0xbb, 0, 9] + Array(#"{"aps":1}"#.utf8)
  }

  @Test func lengthTellsWhereFramingGoesOn() {
    let found = lines([.bytes(enhanced(1) + enhanced(2).prefix(20)), .gap(3), .bytes([0x7d] + enhanced(3))])
    #expect(
      found == [
        "0+24 enhanced-notification", "24+20 enhanced-notification truncated: truncated", "44+3 gap: missing-bytes",
        "47+1 rest-of-frame", "48+24 enhanced-notification",
      ])
  }

  @Test func streamWithoutItsFirstBytesIsSearched() {
    let found = lines([.gap(10), .bytes(Array(enhanced(1).dropFirst(10)) + enhanced(2) + enhanced(3))])
    #expect(
      found == [
        "0+10 gap: missing-bytes", "10+14 no-frame-found: no-frame-found", "24+24 enhanced-notification",
        "48+24 enhanced-notification",
      ])
  }

  /// Without a handshake, bytes before the first frame are of one that began earlier. With it they are the sender's.
  @Test(arguments: [StreamRole?.none, .provider], [1, 12, 20])
  func aCaptureMayBeginWithinAFrame(role: StreamRole?, firstPacket size: Int) {
    let bytes = Array(enhanced(1).dropFirst(11)) + enhanced(2) + enhanced(3)
    let parts = [Part.bytes(Array(bytes.prefix(size))), .bytes(Array(bytes.dropFirst(size)))]
    let frames = ["13+24 enhanced-notification", "37+24 enhanced-notification"]
    let head = "0+13 no-frame-found: no-frame-found"
    #expect(lines(parts, role: role, beginning: .midway) == [head] + frames)
    #expect(!lines(parts, role: role, beginning: .handshake).contains(head))
  }

  /// It stands where the stream is, and counts no byte of it.
  @Test func otherBytesForAPlaceAreKept() {
    let found = lines([.bytes(enhanced(1) + enhanced(2).prefix(5)), .overlap([7, 7], at: 4), .bytes(enhanced(2))])
    #expect(found.prefix(2) == ["0+24 enhanced-notification", "24+0 overlap at 4: overlapping-bytes"])
    #expect(found.dropFirst(2).first?.hasPrefix("24+") == true)
  }

  /// What streams hold is told, so that inputs can bound it.
  @Test func heldBytesAreTold() {
    let frame: [UInt8] = [0, 0, 32] + [UInt8](repeating: 7, count: 32) + [0, 2, 0x7b, 0x7d]
    var dissector = Dissector(.standard, into: Lines())
    dissector.open(ByteStream(number: 0))
    dissector.open(ByteStream(number: 1))
    dissector.append(frame.span.extracting(0..<20), from: .input(offset: 0), to: 0)
    dissector.append(frame.span.extracting(0..<9), from: .input(offset: 0), to: 1)
    #expect(dissector.heldBytes == 29)
    #expect(dissector.heldBytes(of: 1) == 9)
    dissector.append(frame.span.extracting(20...), from: .input(offset: 20), to: 0)
    #expect(dissector.heldBytes == 9)
    dissector.finish()
    #expect(dissector.heldBytes == 0)
  }

  @Test(arguments: ["PROXY TCP4 10.0.0.1 10.0.0.2 4000 2195\r\n", "\r\n\r\n\0\r\nQUIT\n\u{21}\u{11}\0\u{3}abc"])
  func aProxysHeaderStandsBeforeTheStream(_ header: String) {
    let header = Array(header.utf8)
    let bytes = header + enhanced(1)
    let expected = [
      "0+\(header.count) proxy-header: proxy-header", "\(header.count)+24 enhanced-notification",
    ]
    #expect(lines([.bytes(bytes)]) == expected)
    #expect(lines(bytes.map { .bytes([$0]) }) == expected)
  }

  @Test func streamOfNothingButAGap() {
    #expect(lines([.gap(5)]) == ["0+5 gap: missing-bytes"])
  }

  @Test func missingBytesInARowAreOneGap() {
    #expect(
      lines([.bytes(enhanced(1)), .gap(5), .gap(7)]) == ["0+24 enhanced-notification", "24+12 gap: missing-bytes"])
  }

  @Test func aCutThatTheCaptureMadeIsNoError() {
    var dissector = Dissector(.standard, rules: Self.rules, into: Findings())
    dissector.open(ByteStream(number: 0))
    dissector.append(enhanced(1).span.extracting(0..<20), from: .input(offset: 0), to: 0)
    dissector.gap(of: 4, in: 0)
    dissector.finish()
    #expect(dissector.records.severities == [.warning, .warning])
  }

  private struct Findings: RecordSink {
    var severities: [Finding.Severity] = []
    var wantsMore: Bool { true }
    mutating func take(_ record: Record, _ bytes: Span<UInt8>) { severities += record.findings.map(\.severity) }
  }

  @Test func everyWholeFrameIsFoundWhereverBytesAreMissing() {
    let token = (0..<32).map { UInt8($0 * 7) }
    let frames = (1...4).map { [1, 0, 0, 0, $0, 0, 0, 0, 9, 0, 32] + token + [0, 9] + Array(#"{"aps":1}"#.utf8) }
    let (stream, size) = (frames.flatMap { $0 }, frames[0].count)
    for start in 0..<(size * 3) {
      for count in 1...(size * 2) where start + count <= size * 3 {
        let lost = start..<(start + count)
        let found = lines(
          [.bytes(Array(stream[..<start])), .gap(count), .bytes(Array(stream[lost.upperBound...]))], role: .provider)
        let whole = (0..<4).map { $0 * size }.filter { !(lost.overlaps($0..<($0 + size))) }
        let lines = whole.map { "\($0)+\(size) enhanced-notification" }
        #expect(found.filter(lines.contains) == lines, "\(lost) missing")
      }
    }
  }

  /// An attempt inspects a bounded part of a frame: one of tiny items is given up, even if its values are plausible.
  @Test func attemptsAreBounded() {
    func isPlausible(items count: Int) -> Bool {
      let items = [UInt8](repeatElement([5, 0, 1, 10], count: count).joined())
      let bytes = [2] + bigEndian(items.count, 4) + items
      let frame = Catalog.standard.frame(at: 0, in: bytes.span, of: .provider)
      return Catalog.standard.isPlausible(frame, in: bytes.span)
    }
    #expect(isPlausible(items: 20))
    #expect(!isPlausible(items: 40))
  }

  /// Noise after a gap costs no searches for causes, and few records.
  @Test func noiseAfterAGapIsBounded() {
    var generator = SeededGenerator(seed: runSeed)
    let noise = (0..<1_000_000).map { _ in [0, 1, 2, 3, 5, 8, 0x20, 0x7b][Int(generator.next() % 8)] as UInt8 }
    let items = (0..<200_000).flatMap { _ in [1, 0, 1, 9] as [UInt8] }
    for bytes in [noise, items] {
      var dissector = Dissector(.standard, rules: Self.rules, into: Lines())
      dissector.open(ByteStream(number: 0))
      dissector.append(enhanced(1).span, from: .input(offset: 0), to: 0)
      dissector.gap(of: 100, in: 0)
      dissector.append(bytes.span, from: .input(offset: 0), to: 0)
      dissector.finish()
      let pieces = bytes.count / Catalog.longestPiece
      #expect(dissector.records.lines.count > pieces, "APNSCOPE_SEED=\(runSeed)")
      #expect(dissector.records.lines.count <= 2 * (pieces + 2), "APNSCOPE_SEED=\(runSeed)")
      #expect(dissector.searchWork == 0, "APNSCOPE_SEED=\(runSeed)")
    }
  }

  /// A frame of faults says enough of them, in every view, and comes back from NDJSON.
  @Test func aFrameOfFaultsStaysReadable() throws {
    let count = 100_000
    let data = (0..<count).flatMap { _ in [0xff, 0, 0] as [UInt8] }
    let bytes: [UInt8] = [2] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: data.count >> $0) } + data
    let shown = Shown(bytes, as: NDJSONView(.standard))
    #expect(shown.records.map(\.findings.count) == [101])
    #expect(shown.records[0].findings.last?.rule == "more-faults")
    #expect(try encodedBytes(ndjson: shown.text) == bytes)
    #expect(Shown(bytes, as: TreeView(.standard)).text.split(separator: "\n").count > count)
    #expect(Shown(bytes, as: LineView(.standard)).text.utf8.count < 10_000_000)
  }

  @Test func oversizedFrameHasOneFault() {
    let bytes: [UInt8] = [2, 0xff, 0xff, 0xff, 0xff] + [UInt8](repeating: 7, count: 2 << 20)
    let found = lines([.bytes(bytes)])
    #expect(found.first == "0+65536 notification malformed: oversized-frame")
    #expect(found.dropFirst().allSatisfy { $0.hasSuffix(" oversized-frame") })
  }
}
