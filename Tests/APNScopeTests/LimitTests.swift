import Foundation
import TestSupport
import Testing

/// Numbers, words and lines from outside, of any size: each is taken or refused in one short sentence.
@Suite(.endedIfItHangs) struct OutsideLimitTests {
  private static let response = #"{"schema":1,"type":"error-response","command":8,"status":8,"identifier":7"#

  /// A packet may claim any length on the wire.
  @Test func packetsOfAnyLengthAreRedacted() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let most = [UInt8](repeating: 0xff, count: 4)
    let header: [UInt8] = [0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 147, 0, 0, 0]
    try scratch.write(header + [1, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0] + most + [8, 8, 0, 0, 0, 7], to: "claims.pcap")
    let said = try scratch.run("apnscope redact -q --key k -w out.pcap claims.pcap && apnscope -q -T line out.pcap")
    #expect(said.contains("error-response"), "\(said)")
  }

  @Test(arguments: ["hex", "raw", "base64", "c", "ndjson", "pcap"]) func streamsOfAnyLength(_ format: String) throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    for (count, missing) in [(1, Int.max), (4, Int.max / 2 + 1), (1025, 1 << 43)] {
      let gap = #"{"schema":1,"type":"gap","missing":\#(missing)}"# + "\n"
      try scratch.write(String(repeating: gap, count: count) + Self.response + "}\n", to: "gaps")
      let said = try scratch.run("apnscope encode -T \(format) gaps | wc -c; apnscope encode -T \(format) gaps >out")
      let isRefused = format == "ndjson" || format == "pcap"
      #expect(said.hasSuffix("? 3\n") == isRefused, "\(format) \(missing): \(said)")
      #expect(!isRefused || said.contains("member \"missing\" is \(missing), but a "), "\(said)")
    }
    let most =
      #","stream":9223372036854775807,"packets":[9223372036854775807],"time":"9999-12-31T23:59:59.999999999Z"}"#
    try scratch.write(Self.response + most + "\n", to: "most")
    let said = try scratch.run("apnscope encode -q -T \(format) most >out")
    #expect(said == "", "\(said)")
  }

  @Test(arguments: [
    "fuzz --memory 9223372036854775807 -- cat", "fuzz --timeout nan -- cat", "minimize --memory 0 x -- cat",
    "minimize --timeout -1 x -- cat", "encode --command 1 --expiry +9223372036854775807w --token 00 --payload '{}'",
    "encode --command 1 --identifier 18446744073709551616 --token 00 --payload '{}'",
    "encode --command 2 --set items[9223372036854775807].priority=1 --token 00 --payload '{}'",
    "encode --command 0 --token 00 --payload '{}' --length token_length=18446744073709551615",
  ])
  func numbersThatCannotBe(_ arguments: String) throws {
    let said = try TranscriptTests.run("apnscope \(arguments)", in: Samples.folder)
    #expect(said.hasPrefix("! apnscope: ") && said.hasSuffix("? 2\n"), "\(said)")
  }

  @Test(arguments: ["--width", "-c", "--jobs", "--stream"]) func largeNumbers(_ option: String) throws {
    let said = try TranscriptTests.run(
      "apnscope -q \(option) 9223372036854775807 frames/notification.hex >/dev/null", in: Samples.folder)
    #expect(said == "", "\(said)")
  }

  @Test func aLineWithoutEnd() throws {
    let said = try TranscriptTests.run(
      "(echo '\(Self.response)}'; head -c 40000000 /dev/zero | tr '\\0' a) | apnscope encode", in: Samples.folder)
    #expect(
      said.hasPrefix("080800000007\n! apnscope: standard input: line 2 is longer than 32 MiB")
        && said.hasSuffix("? 3\n"), "\(said)")
  }

  /// Also lines that end close to the end of a buffer, and lines that are longer than one.
  @Test func linesOfAnyLength() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let digits = Array("0123456789abcdef".utf8)
    var generator = SeededGenerator(seed: runSeed)
    for _ in 0..<8 {
      var (lines, expected) = ([UInt8](), [UInt8]())
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let size = (1 << Int.random(in: 6...20, using: &generator)) + Int.random(in: -2...2, using: &generator)
        let (start, end) = (#"{"type":"unparsed","hex":""#, [#""}"#, #"" }"#][size % 2])
        let bytes = generator.bytes((size - start.utf8.count - end.utf8.count) / 2)
        lines += Array(start.utf8)
        for byte in bytes {
          lines.append(digits[Int(byte >> 4)])
          lines.append(digits[Int(byte & 15)])
        }
        lines += Array((end + ["\n", "\r\n", "\n\n"].randomElement(using: &generator)!).utf8)
        expected += bytes
      }
      while generator.chance(50), lines.last == 0x0a || lines.last == 0x0d { lines.removeLast() }
      try scratch.write(lines, to: "lines")
      #expect(try scratch.run("apnscope encode -q -T raw -w out lines") == "", "APNSCOPE_SEED=\(runSeed)")
      #expect(try scratch.bytes("out") == expected, "APNSCOPE_SEED=\(runSeed)")
    }
  }

  /// Values that are not read take no memory.
  @Test(arguments: ["packets", "findings"]) func aLineOfManyValues(_ name: String) throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let values = String(repeating: "1,", count: 14_000_000)
    try scratch.write(Self.response + #","\#(name)":[\#(values)1]}"# + "\n", to: "line")
    let said = try scratch.run("ulimit -v 500000; apnscope encode -q -T raw line | wc -c")
    #expect(said == "6\n", "\(said)")
  }

  /// A thread has half a mebibyte of stack, which is enough for a search for causes.
  @Test func aFrameInABufferOfZeros() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let token = (0..<32).map { UInt8(truncatingIfNeeded: $0 * 37) }
    let items = [1, 0, 32] + token + [2, 0, 10] + Array(#"{"aps":{}}"#.utf8) + [UInt8](repeating: 0, count: 4000)
    try scratch.write([2, 0, 0, UInt8(items.count >> 8), UInt8(items.count & 0xff)] + items, to: "frame")
    let said = try scratch.run("ulimit -s 512; apnscope check -q --role provider frame")
    #expect(said.hasSuffix("? 1\n"), "\(said)")
  }

  /// Of a long word a sentence quotes some; what to do is still in it.
  @Test(arguments: [
    ("--from $w x", "see apnscope help dissect"), ("$w", "there is no file or subcommand"),
    ("-Y $w x", "unknown field"), ("-f $w captures/push-session.pcap", "libpcap is too slow"),
    ("encode --set $w=1", "is not a field of any frame type"), ("check --ignore $w x", "unknown rule"),
    ("encode --type $w", "is not a frame type"), ("mutate --rule $w", "unknown rule"),
    ("minimize --keep $w frames/notification.hex", "see apnscope explain --list"),
  ])
  func longWords(_ arguments: String, _ rest: String) throws {
    let said = try TranscriptTests.run(
      "w=$(head -c 100000 /dev/zero | tr '\\0' z); apnscope \(arguments)", in: Samples.folder)
    #expect(said.utf8.count < 1400 && said.split(separator: "\n").count == 2, "\(said)")
    #expect(said.contains(rest), "\(said)")
  }

  /// libpcap takes seconds for some hundreds of ports.
  @Test func longFilters() throws {
    let said = try TranscriptTests.run(
      """
      f=$(seq -s ' or port ' 1 250); apnscope -q -f "port $f or port 2195" -T line captures/push-session.pcap | wc -l; \
      f=$(seq -s ' or port ' 1 3000); apnscope -f "port $f" captures/push-session.pcap
      """, in: Samples.folder)
    #expect(!said.hasPrefix("0\n") && said.contains("the capture filter has ") && said.hasSuffix("? 2\n"), "\(said)")
  }
}

/// What a capture cannot hold is said.
@Suite struct EncodedCaptureTests {
  @Test(arguments: ["nanoseconds.pcap", "push-session.pcap"]) func timesComeBack(_ name: String) throws {
    let times = "sed 's/.*\"time\":\"\\([^\"]*\\)\".*/\\1/'"
    let said = try TranscriptTests.run(
      """
      apnscope -q --fail-on never -T ndjson captures/\(name) | \(times); echo =; \
      apnscope -q --fail-on never -T ndjson captures/\(name) | apnscope encode -T pcap \
      | apnscope -q --fail-on never -T ndjson | \(times)
      """, in: Samples.folder)
    let halves = said.components(separatedBy: "=\n")
    #expect(halves.count == 2 && halves[0] == halves[1] && halves[0].contains("Z\n"), "\(said)")
  }

  @Test func lossesAreSaid() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let times = ["2013-11-19T00:00:00.000001Z", "1960-11-19T00:00:00.000000Z", "2013-11-19T00:00:00.000000001Z"]
    let lines = times.map { #"{"type":"error-response","status":8,"identifier":7,"stream":1,"time":"\#($0)"}"# }
    try scratch.write(
      lines.joined(separator: "\n") + "\n" + #"{"type":"overlap","offset":0,"length":1,"hex":"00"}"# + "\n", to: "lines"
    )
    let said = try scratch.run("apnscope encode -T pcap lines >out; apnscope encode -q -T pcap lines >out")
    #expect(said.split(separator: "\n").count == 1, "\(said)")
    #expect(
      said.contains("1 overlap record left out") && said.contains("1 time before 1970 or after 2106 changed")
        && said.contains("1 time cut to microseconds"), "\(said)")
  }
}

/// A user who may run the command with sudo does not get root's rights.
@Suite(.enabled(if: geteuid() == 0)) struct PrivilegeTests {
  @Test func aCaptureFileIsTheUsers() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let capture = "apnscope capture -i lo -c 1 -w"
    let said = try scratch.run(
      """
      echo root >root; chmod 600 root; chmod 755 .; mkdir open; chmod 777 open; ln -s ../root open/link; \
      SUDO_UID=65534 SUDO_GID=65534 \(capture) root; SUDO_UID=65534 SUDO_GID=65534 \(capture) open/link; \
      \(capture) open/link; cat root; stat -c %u root
      """)
    // Where nothing may be captured, no file is opened either.
    #expect(said.hasPrefix("root\n0\n") && said.split(separator: "\n").count == 5, "\(said)")
  }
}
