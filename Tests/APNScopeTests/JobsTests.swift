import APNSInput
import APNSWire
import Foundation
import TestSupport
import Testing

/// Two threads write what one writes.
@Suite struct JobsTests {
  /// Each format that the help lists.
  private static let formats: [String] = {
    let help = (try? TranscriptTests.run("apnscope dissect --help", in: Samples.folder)) ?? ""
    let names = help.firstMatch(of: /--format <format>[^(]*\(values: ([^)]*)/)?.output.1 ?? ""
    return names.split { $0 == "," || $0.isWhitespace }.filter { $0 != "fields" }.map { "-T \($0)" }
  }()

  @Test func formatsAreListed() { #expect(Self.formats.contains("-T command"), "\(Self.formats)") }

  @Test(
    arguments: formats + [
      "-T tree -v --color always", "-T line -x", "-e type,offset,payload -E header=y", "-T ndjson -c 1500",
    ])
  func writeTheSame(_ format: String) throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).raw")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(Self.stream(of: 1 << 19)).write(to: file)
    // From a pipe as well, which is waited for in between.
    let outputs = try ["--jobs 1 \(file.path)", "--jobs 2 \(file.path)", "--jobs 2 < \(file.path)"].map { input in
      try TranscriptTests.run("apnscope -q --from raw \(format) \(input) | cksum", in: Samples.folder)
    }
    #expect(outputs[0] == outputs[1] && outputs[0] == outputs[2], "APNSCOPE_SEED=\(runSeed)")
  }

  /// What lies beyond the last record that is wanted is not missed, even if it was read ahead.
  @Test func stopsBeforeTheCut() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.write(Array(Self.capture(of: 3 << 20).dropLast(1000)), to: "cut.pcap")
    let outputs = try [1, 2].map { try scratch.run("apnscope -q --stream 0 -T hex -c 1 --jobs \($0) cut.pcap") }
    #expect(outputs[0] == outputs[1] && !outputs[0].contains("? 3"), "APNSCOPE_SEED=\(runSeed) \(outputs)")
  }

  /// Each packet has one frame, so there are as many frames as complete packets.
  @Test func showsWhatPrecedesTheCut() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let count = 4000
    _ = try scratch.run(
      """
      pad=$(printf ' %.0s' {1..1000})
      frame='{"type":"enhanced-notification","identifier":&,"expiry":0,"token":"00","payload":"{}'$pad'"}'
      seq \(count) | sed "s/.*/$frame/" | apnscope encode -q -T pcap -w all.pcap
      """)
    let capture = try scratch.bytes("all.pcap")
    // The header of the file has 24 bytes. The connection begins and ends with three packets of 70 bytes.
    let (start, end) = (24 + 210, capture.count - 210)
    let size = (end - start) / count
    #expect(start + count * size == end)
    var generator = SeededGenerator(seed: runSeed)
    for thousand in 0..<4 {
      let shown = thousand * 1000 + Int.random(in: 1..<1000, using: &generator)
      let cut = start + shown * size + Int.random(in: 1..<size, using: &generator)
      try scratch.write(Array(capture.prefix(cut)), to: "cut.pcap")
      let expected = (1...shown).map { "\($0)\n" }.joined() + "! apnscope: cut.pcap: after packet \(shown + 3): "
      for jobs in [1, 2] {
        let said = try scratch.run("apnscope -q -T fields -e identifier --jobs \(jobs) cut.pcap")
        #expect(
          said.hasPrefix(expected) && said.hasSuffix("? 3\n"),
          "APNSCOPE_SEED=\(runSeed) cut at \(cut), \(jobs): \(said.suffix(200))")
      }
    }
  }

  /// Incomplete frames would exceed the limit of memory.
  @Test func closeTheSameConnectionsEarly() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let said = try scratch.run(
      """
      hex=02000f423b02ffff$(printf '61%.0s' {1..60000})
      for stream in {0..478..2}; do echo '{"type":"unparsed","hex":"'$hex'","stream":'$stream'}'; done |
        apnscope encode -q -T pcap -w held.pcap
      for jobs in 1 2; do apnscope -T line --jobs $jobs held.pcap >$jobs 2>&1; done
      cmp 1 2; grep -c 'connections, idle the longest, were closed early' 1
      """)
    #expect(said == "1\n", "\(said)")
  }

  /// Where little is written, one thread looks at frames before the other takes them.
  @Test(arguments: ["check", "check -T ndjson -v", "check --edition 2017 -T github"])
  func readStreamsTheSame(_ command: String) throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.write(Self.stream(of: 3 << 20), to: "stream")
    let outputs = try [1, 2].map { jobs in
      try scratch.run("apnscope \(command) --from raw --jobs \(jobs) stream 2>&1 | cksum")
    }
    #expect(outputs[0] == outputs[1], "APNSCOPE_SEED=\(runSeed)")
  }

  /// Of captures, one thread looks at packets before the other takes their bytes.
  @Test(arguments: ["check", "check -T ndjson -v", "check --edition 2013 -T sarif"])
  func readCapturesTheSame(_ command: String) throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).pcap")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(Self.capture(of: 3 << 20)).write(to: file)
    let outputs = try [1, 2].map { jobs in
      try TranscriptTests.run("apnscope \(command) --jobs \(jobs) \(file.path) 2>&1 | cksum", in: Samples.folder)
    }
    #expect(outputs[0] == outputs[1], "APNSCOPE_SEED=\(runSeed)")
  }

  /// Several connections at once, whose packets end anywhere. Most frames are as they should be, but for when they expire.
  private static func capture(of size: Int) -> [UInt8] {
    var random = RandomStream(seed: runSeed)
    var writer = CaptureWriter()
    var bytes: [UInt8] = []
    var waiting = [[UInt8]](repeating: [], count: 5)
    var (number, second) = (0 as UInt64, 1_384_732_800)
    func route(_ number: Int) -> ByteStream.Route {
      ByteStream.Route(
        source: Endpoint(address: .v4(0x0a00_0001), port: UInt16(40_000 + number)),
        destination: Endpoint(address: .v4(0x11ac_e82d), port: Endpoint.pushPort))
    }
    while bytes.count < size {
      let one = Int.random(in: waiting.indices, using: &random.generator)
      for _ in 0..<Int.random(in: 1..<20, using: &random.generator) {
        number += 1
        waiting[one] += frame(number, expiry: UInt64(second + 120), &random.generator)
      }
      if random.generator.chance(3) { waiting[one] += random.mutated(random.frames()) }
      let count = Int.random(in: 0...waiting[one].count, using: &random.generator)
      let sent = Array(waiting[one].prefix(count))
      waiting[one].removeFirst(count)
      second += Int.random(in: 0..<90, using: &random.generator)
      let time = CaptureTime(seconds: second, nanoseconds: 0, digits: 6)
      if !sent.isEmpty { writer.segment(sent.span, on: route(one), at: time, into: &bytes) }
    }
    writer.finish(into: &bytes)
    return bytes
  }

  private static func frame(_ number: UInt64, expiry: UInt64, _ generator: inout SeededGenerator) -> [UInt8] {
    let text = ["Hi", "Привет", "新消息 🎉", #"a \"b\""#][Int(number % 4)]
    var draft = FrameDraft(APNSWire.Notification.schema)
    draft.values["items"] = .items([
      ItemDraft(1, data: .octets((0..<32).map { _ in UInt8.random(in: 1...255, using: &generator) })),
      ItemDraft(2, data: .octets(Array(#"{"aps":{"alert":"\#(text)","badge":\#(number)},"id":\#(number)}"#.utf8))),
      ItemDraft(3, data: .integer(number)), ItemDraft(4, data: .integer(expiry)), ItemDraft(5, data: .integer(10)),
    ])
    return (try? draft.bytes()) ?? []
  }

  /// What one thread could not write, two cannot either: the end of a pipe ends the run quietly.
  @Test func endWithTheirReader() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).raw")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(Self.stream(of: 1 << 20)).write(to: file)
    let output = try TranscriptTests.run(
      "apnscope --from raw --fail-on never -T ndjson --jobs 2 \(file.path) | head -n 1 | cut -c 1-10",
      in: Samples.folder)
    #expect(output == "{\"schema\":\n")
  }

  /// Frames, some of them damaged.
  private static func stream(of size: Int) -> [UInt8] {
    var random = RandomStream(seed: runSeed)
    var bytes: [UInt8] = []
    while bytes.count < size {
      let frames = random.frames()
      bytes += Int.random(in: 0..<4, using: &random.generator) == 0 ? random.mutated(frames) : frames
    }
    return bytes
  }
}
