import APNSDiagnosis
import APNSInput
import APNSViews
import APNSWire
import Octets
import TestSupport
import Testing

/// The screen about everything that was read.
@Suite struct SummaryTests {
  private static let provider = Endpoint(address: .v4(0x0a00_0001), port: 40000)
  private static let gateway = Endpoint(address: .v4(0x1195_2242), port: 2195)

  /// A session of a second: tokens of 4 bytes, an error response, a hole, and noise on a second connection.
  private static let session: [Piece] = {
    let out = ByteStream(number: 0, route: .init(source: provider, destination: gateway))
    let back = ByteStream(number: 1, route: .init(source: gateway, destination: provider))
    let other = ByteStream(
      number: 2,
      route: .init(source: Endpoint(address: .v6(high: 0x2001_0db8 << 32, low: 9), port: 9), destination: gateway))
    func frame(_ token: UInt8) -> [UInt8] { [0, 0, 4, token, 0, 0, 1, 0, 2, 0x7b, 0x7d] }
    func at(_ milliseconds: Int) -> CaptureTime {
      CaptureTime(seconds: 1_384_819_200, nanoseconds: milliseconds * 1_000_000, digits: 6)
    }
    return (0..<20).map { .bytes(out, frame(UInt8($0 % 3)), at($0 * 50)) } + [
      .bytes(out, [0, 0, 4, 9], at(990)), .gap(out, 7), .bytes(out, frame(1) + frame(1), at(995)),
      .bytes(back, [8, 8, 0, 0, 4, 210], at(999)), .bytes(other, [0x77, 0x1b, 0x5b], at(999)),
    ]
  }()

  @Test func wholeScreen() {
    var summary = Summary(Self.session, catalog: .standard)
    summary.view.note("3 packets were cut by the snap length\u{1b}[31m")
    #expect(summary.text == Self.screen)
  }

  private static let screen = """
    2 connections, 3 streams, 24 frames, 26 records, 255 bytes
    2013-11-19 00:00:00.000000 to 00:00:00.999000 UTC, 999.0 ms

    Frames                            frames   share  bytes  truncated
      provider to APNs                    23  95.8 %    246          1
        Legacy notification               23  95.8 %    246          1
      APNs to provider                     1   4.2 %      6
        Error response                     1   4.2 %      6

    Sizes                                min  median  p90  max  doubling sizes
      frame bytes                          4      11   11   11  ▁█
      payload bytes                        2       2    2    2

    Rate  mean 24.0/s, peak 4 in a column of 20 ms
                                                       █
                                                       █
      ▆ ▆  ▆ ▆  ▆ ▆  ▆ ▆  ▆ ▆  ▆ ▆  ▆ ▆  ▆ ▆  ▆ ▆  ▆ ▆ █
      00:00:00.000                          00:00:00.980

    Statuses                           count
      8  Invalid token                     1

    Tokens  3 different                 seen
      01000001                             9
      00000001                             7
      02000001                             6

    Connections                             to APNs  back  bytes  streams
      10.0.0.1:40000 > 17.149.34.66:2195         23     1    252     0, 1
      [2001:db8::9]:9 > 17.149.34.66:2195         0     0      3     2, 3

    Findings                           count
      error    aps-missing                22
      error    unknown-command             1
      warning  missing-bytes               1
      warning  truncated                   1

    Not read                          places  bytes
      unparsed: unknown-command            1      3
      missing from the capture             1      7
      3 packets were cut by the snap length\\u{1b}[31m

    """

  @Test func coloursChangeNothingElse() {
    let plain = Summary(Self.session, catalog: .standard).text
    let colored = Summary(Self.session, catalog: .standard, terminal: Terminal(isColored: true)).text
    #expect(colored.contains("\u{1b}[1mFrames\u{1b}[0m"))
    #expect(colored.replacing(#/\u{1b}\[[0-9;]*m/#, with: "") == plain)
  }

  @Test func emptyInputIsALine() {
    #expect(Summary([], catalog: .standard).text.split(separator: "\n").count == 1)
  }

  @Test func strangersAreListed() throws {
    let ping = FrameSchema(
      "ping", title: "Ping of a stranger", role: .provider, command: 0x70,
      parts: [.fixed(Field("sequence", "sequence number", .integer(bytes: 2, .number)))], reference: "invented")
    let stream = ByteStream(number: 0)
    let text = Summary(
      [.bytes(stream, [0x70, 0, 1, 0x70, 0, 2], nil)], catalog: Catalog.standard.adding(ping), role: .provider
    ).text
    let row = try #require(text.split(separator: "\n").first { $0.contains("Ping of a stranger") })
    #expect(row.split(separator: " ").suffix(4) == ["2", "100.0", "%", "6"])
  }

  /// Whatever came in whatever order, records are frames, unparsed pieces, gaps and overlaps, and the frames of all
  /// types are all frames.
  @Test func countsAddUp() {
    for run in 0..<150 {
      let seed = runSeed &+ UInt64(run)
      var random = RandomStream(seed: seed)
      let pieces = Self.anyPieces(&random)
      let summary = Summary(pieces, catalog: .standard)
      let counts = Screen(summary.text)
      let kinds = summary.kinds
      #expect(counts.head("record") ?? counts.head("frame") ?? 0 == summary.count, "APNSCOPE_SEED=\(seed)")
      #expect(counts.head("frame") ?? 0 == kinds["frame"] ?? 0, "APNSCOPE_SEED=\(seed)")
      let ways = ["provider to APNs", "APNs to provider"].compactMap { counts.first("Frames", $0) }
      #expect(ways.reduce(0, +) == kinds["frame"] ?? 0, "APNSCOPE_SEED=\(seed)")
      #expect(counts.sum("Frames") == 2 * (kinds["frame"] ?? 0), "APNSCOPE_SEED=\(seed)")
      #expect(
        counts.sum("Not read") == summary.count - (kinds["frame"] ?? 0), "APNSCOPE_SEED=\(seed) \(summary.text)")
      // Only the order of connections changes here: what one side shows may depend on what the other has sent.
      let other = Summary(pieces.sorted { $0.stream.connection > $1.stream.connection }, catalog: .standard).text
      for section: Substring in ["Frames", "Sizes", "Statuses", "Findings", "Not read"] {
        #expect(Screen(other).sections[section] == counts.sections[section], "APNSCOPE_SEED=\(seed)")
      }
    }
  }

  /// The tokens seen most are those of a dictionary.
  @Test func tokensAreExact() {
    for run in 0..<50 {
      var random = SeededGenerator(seed: runSeed &+ UInt64(run))
      var seen: [[UInt8]: Int] = [:]
      var bytes: [UInt8] = []
      for _ in 0..<500 {
        let length = [4, 32, 33, 100].randomElement(using: &random) ?? 4
        let token = [UInt8](repeating: 7, count: length - 1) + [UInt8.random(in: 0..<8, using: &random)]
        seen[token, default: 0] += 1
        bytes += [0, 0, UInt8(length)] + token + [0, 2, 0x7b, 0x7d]
      }
      let text = Summary([.bytes(ByteStream(number: 0), bytes, nil)], catalog: .standard, role: .provider).text
      #expect(text.contains("Tokens  \(seen.count) different"))
      #expect(Screen(text).numbers("Tokens") == Array(seen.values.sorted(by: >).prefix(5)), "\(text)")
    }
  }

  /// Memory is bounded, however many tokens and connections there are, and however long the tokens.
  @Test func restIsCounted() {
    let frames = (0..<32_772).map { number -> [UInt8] in
      [0, 0, 4] + [UInt8](bigEndian: UInt64(number), width: 4) + [0, 2, 0x7b, 0x7d]
    }
    let long = [0, 0, 200] + [UInt8](repeating: 7, count: 200) + [0, 2, 0x7b, 0x7d]
    let route = ByteStream.Route(source: Self.provider, destination: Self.gateway)
    let pieces = frames.enumerated().map { Piece.bytes(ByteStream(number: 2 * $0, route: route), $1, nil) }
    let text = Summary(pieces + [.bytes(ByteStream(number: 0), frames[9] + long, nil)], catalog: .standard).text
    #expect(text.hasPrefix("at least 32,768 connections, at least 32,768 streams, 32,774 frames, "))
    #expect(Screen(text).numbers("Tokens") == [2, 1, 1, 1, 1, 5], "\(text)")
    #expect(text.contains("  and 4 records of other connections\n"))
  }

  /// Nothing traps, and no line is wider than the screen or holds a control character.
  @Test(arguments: [60, 80, 200]) func wildInputStaysOnTheScreen(_ width: Int) {
    for run in 0..<150 {
      let seed = runSeed &+ UInt64(run)
      var random = RandomStream(seed: seed)
      var summary = Summary(Self.anyPieces(&random), catalog: .standard, terminal: Terminal(width: width))
      summary.view.note(
        String(decoding: random.generator.bytes(90).map { $0 & 0x7f }, as: UTF8.self).replacing(" ", with: "_"))
      for line in summary.text.split(separator: "\n") {
        #expect(line.unicodeScalars.count <= width, "APNSCOPE_SEED=\(seed) \(line)")
        #expect(line.last != " ", "APNSCOPE_SEED=\(seed) \(line)")
        let isSafe = line.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7f..<0xa0).contains($0.value) }
        #expect(isSafe, "APNSCOPE_SEED=\(seed) \(line)")
      }
    }
  }

  /// Streams of any kind in pieces that interleave, with times and gaps that no capture should have.
  private static func anyPieces(_ random: inout RandomStream) -> [Piece] {
    (0..<Int.random(in: 0...12, using: &random.generator)).map { _ in
      let number = [0, 1, 2, 3, 5, 1 << 40].randomElement(using: &random.generator) ?? 0
      let host = Endpoint(
        address: number == 5 ? .v6(high: .max, low: .max) : .v4(UInt32(truncatingIfNeeded: number)), port: 54321)
      let route = ByteStream.Route(
        source: number % 2 == 0 ? host : gateway, destination: number % 2 == 0 ? gateway : host)
      let stream = ByteStream(number: number, route: number == 3 ? nil : route)
      if random.generator.chance(20) { return .gap(stream, Int.random(in: 1...(1 << 40), using: &random.generator)) }
      let seconds = [0, -1, 1_384_819_200, 4_294_967_295, .max, .min].randomElement(using: &random.generator) ?? 0
      let time = CaptureTime(
        seconds: seconds, nanoseconds: Int.random(in: 0..<1_000_000_000, using: &random.generator),
        digits: number == 5 ? 9 : 6)
      return .bytes(stream, random.any(), number == 3 ? nil : time)
    }
  }
}

/// What a capture hands on: bytes of a stream with their time, or bytes that it lacks.
private enum Piece {
  case bytes(ByteStream, [UInt8], CaptureTime?)
  case gap(ByteStream, Int)

  var stream: ByteStream {
    switch self {
    case .bytes(let stream, _, _), .gap(let stream, _): stream
    }
  }
}

/// Runs pieces through the dissector into a summary.
private struct Summary: RecordSink {
  var view: SummaryView
  private(set) var count = 0
  private(set) var kinds: [String: Int] = [:]
  private var out = Output()
  var wantsMore: Bool { true }

  init(
    _ pieces: [Piece], catalog: Catalog, role: StreamRole? = nil, terminal: Terminal = Terminal()
  ) {
    view = SummaryView(catalog, terminal: terminal)
    // The tokens here are as small as can be.
    let rules = RulePolicy(ignored: ["token-length", "identifier-missing", "repeated-batch"])
    var dissector = Dissector(Definitions(catalog), policy: RolePolicy(role: role), rules: rules, into: self)
    var opened: Set<Int> = []
    for (index, piece) in pieces.enumerated() {
      if opened.insert(piece.stream.number).inserted { dissector.open(piece.stream) }
      switch piece {
      case .gap(let stream, let count): dissector.gap(of: count, in: stream.number)
      case .bytes(let stream, let bytes, let time):
        let origin = time.map { Origin.packet(.init(number: index + 1, time: $0)) } ?? .input(offset: 0)
        dissector.append(bytes.span, from: origin, to: stream.number)
      }
    }
    dissector.finish()
    self = dissector.records
  }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    count += 1
    switch record.content {
    case .frame: kinds["frame", default: 0] += 1
    default: kinds["other", default: 0] += 1
    }
    view.show(record, bytes, to: &out)
    // Nothing is written before the end.
    #expect(out.bytes.isEmpty)
  }

  var text: String {
    var (view, out) = (view, Output())
    view.finish(to: &out)
    return String(decoding: out.bytes, as: UTF8.self)
  }
}

/// A screen read back: the first number of each row, by section and label.
private struct Screen {
  let head: Substring
  private(set) var sections: [Substring: [Substring]] = [:]

  init(_ text: String) {
    let blocks = text.split(separator: "\n\n")
    head = blocks.first ?? ""
    for block in blocks.dropFirst() {
      let lines = block.split(separator: "\n")
      let title = lines[0].cells[0]
      sections[title] = Array(lines.dropFirst())
    }
  }

  func head(_ noun: String) -> Int? {
    for part in head.split(separator: "\n")[0].split(separator: ", ") {
      let words = part.split(separator: " ")
      if words.count == 2, words[1].hasPrefix(noun) { return Int(words[0].replacing(",", with: "")) }
    }
    return nil
  }

  func first(_ section: Substring, _ label: String) -> Int? {
    sections[section]?.first { $0.hasPrefix("  " + label + "  ") }.flatMap { number(in: $0) }
  }

  func numbers(_ section: Substring) -> [Int] { sections[section, default: []].compactMap { number(in: $0) } }

  func sum(_ section: Substring) -> Int { numbers(section).reduce(0, +) }

  /// The first number behind the label.
  private func number(in row: Substring) -> Int? {
    let cells = row.cells
    return cells.count > 1 ? Int(cells[1].replacing(",", with: "")) : nil
  }
}

extension Substring {
  /// What stands between gaps of two spaces or more.
  fileprivate var cells: [Substring] {
    split(separator: "  ", omittingEmptySubsequences: true).map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }
  }
}
