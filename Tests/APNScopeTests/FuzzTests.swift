import APNSCraft
import APNSWire
import Foundation
import TestSupport
import Testing

/// Commands that are not decoders. Each run ends with one sentence, leaves nothing running, and writes no extra file.
@Suite(.endedIfItHangs) struct BadCommandTests {
  @Test(arguments: [
    ("./no-such-command", 3, "cannot run ./no-such-command: No such file or directory"),
    ("/dev/null", 3, "cannot run /dev/null: Permission denied"),
    ("sh -c ./no-such-command", 3, "cannot be run (status 127), and prints \"sh: 1: ./no-such-command: not found\""),
    ("false", 1, "refuses (status 1) each of the first 4 valid streams"),
    ("sh -c 'echo usage: decoder FILE >&2; exit 2'", 1, "valid streams, and prints \"usage: decoder FILE\""),
    ("true", 1, "accepts everything, even 8 streams that break 8 different rules"),
    ("sh -c 'kill -SEGV $$'", 1, "is killed by signal 11 (SIGSEGV) on each of the first 4 valid streams"),
    ("sh -c 'sh -c \"kill -ABRT \\$\\$\"; exit $?'", 1, "is killed by signal 6 (SIGABRT) on each of the first 4 valid"),
    ("sleep 1000", 1, "exceeds the time limit on each of the first 4 valid streams"),
    ("yes", 1, "exceeds the time limit"),
    ("sh -c 'yes >&2'", 1, "exceeds the time limit on each of the first 4 valid streams, and prints \"y\""),
    ("sh -c 'exec 2>&-; sleep 1000'", 1, "exceeds the time limit"),
    ("sh -c 'while :; do sleep 1000 & echo $! >>ours; done'", 1, "each of the first 4 valid streams"),
    ("sh -c 'head -c 900m /dev/zero | tail -c 800m'", 1, "exceeds the memory limit"),
  ])
  func endsInOneSentence(_ command: String, _ status: Int, _ sentence: String) throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let seconds = command.contains("sleep") || command.contains("yes") ? 0.3 : 30
    let said = try scratch.run("apnscope fuzz -c 50 --timeout \(seconds) --memory 64 -- \(command)")
    let lines = said.split(separator: "\n")
    #expect(lines.count == (status == 3 ? 2 : 3) && lines[0].contains(sentence), "\(said)")
    // What was run can be run again.
    #expect(status == 3 || lines[1].hasPrefix("!   next: \(command.prefix(4))"), "\(said)")
    #expect(lines.last == "? \(status)", "\(said)")
    try #expect(areGone(scratch))
    // One case with its text.
    #expect(scratch.names(endingWith: ".bin").count == (status == 3 ? 0 : 1))
    #expect(scratch.names(endingWith: ".txt").count == (status == 3 ? 0 : 1))
  }

  /// A full pipe does not stop the command.
  @Test func aFloodIsThrownAway() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let said = try scratch.run(
      "apnscope fuzz -c 4 --timeout 20 --ignore-status -- "
        + "sh -c 'head -c 3000000 /dev/zero >&2; head -c 3000000 /dev/zero'")
    #expect(said == "! apnscope: 4 cases of --seed 1: no failure\n")
  }

  /// In the group or in a session of its own, with their parent gone or not.
  @Test(arguments: [
    "sleep 1000 & echo $! >>ours",
    "setsid sh -c 'echo $$ >own.$1; exec sleep 1000' - $$ & until [ -s own.$$ ]; do :; done; cat own.$$ >>ours; rm own.$$",
  ])
  func leavesNobodyBehind(_ command: String) throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.write(command, to: "decoder")
    let said = try scratch.run("apnscope fuzz -c 20 --jobs 3 --ignore-status -- sh ./decoder")
    #expect(
      said == """
        ! apnscope: killed 20 processes that the command left running
        ! apnscope: 20 cases of --seed 1: no failure

        """)
    #expect(try scratch.run("wc -l <ours") == "24\n")
    try #expect(areGone(scratch))
  }

  /// Whoever asks, and however: what runs goes too.
  @Test(arguments: ["INT", "TERM", "HUP", "KILL"]) func stopsWithItsCommand(_ signal: String) throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.write("echo $$ >>ours; exec sleep 1000", to: "decoder")
    try scratch.write("echo $$ >fuzz; exec apnscope fuzz --timeout 1000 -- sh ./decoder", to: "run")
    // No `wait`: signals are blocked where tests run, and dash waits for one.
    let said = try scratch.run(
      """
      (sh ./run; echo status $? >status) & \
      until [ -s ours ] || [ -s status ]; do :; done; kill -\(signal) $(cat fuzz); \
      until [ -s status ]; do :; done; cat status; read command <ours; \
      until [ ! -e /proc/$command ] || grep -qs ') Z' /proc/$command/stat; do :; done
      """)
    let stopped = "status 3\n! apnscope: interrupted after 0 cases of --seed 1: no failure\n"
    #expect(signal == "KILL" ? said.hasPrefix("status 137\n") : said == stopped, "\(said)")
    try #expect(areGone(scratch))
  }

  /// Those whose numbers the command wrote down; a zombie is gone, too, if nobody here has to bury it.
  private func areGone(_ scratch: Scratch) throws -> Bool {
    try scratch.run(
      """
      [ ! -e ours ] || while read -r one; do [ ! -e /proc/$one ] || grep -qs ') Z' /proc/$one/stat || echo $one; \
      done <ours
      """
    ).isEmpty
  }

  @Test func refusesWhatCannotBe() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    for (line, sentence) in [
      ("--", "no command to run; add one after --"),
      ("--rule missing-bytes -- cat", "--rule missing-bytes: no mutator breaks it; see apnscope explain"),
      ("--rule truncted -- cat", "did you mean \"truncated\"?"),
      ("--ignore truncted -- cat", "did you mean \"truncated\"?"),
      ("--role gateway --rule json-cut -- cat", "none of the chosen mutators works for the role gateway"),
      ("--refuse-status 127 -- cat", "The option --refuse-status must be from 1 to 125, or from 128"),
      ("--jobs 0 -- cat", "The option --jobs must be from 1 to 256"),
      ("--export x -- cat", "The option --export runs no command"),
    ] {
      let said = try scratch.run("apnscope fuzz \(line)")
      #expect(said.contains(sentence) && said.hasSuffix("? 2\n"), "\(line): \(said)")
    }
    let said = try scratch.run("touch file; apnscope fuzz --out file -- cat; apnscope fuzz --out no/where -- cat")
    #expect(said.contains("! apnscope: file: cannot save failures there") && said.hasSuffix("? 3\n"), "\(said)")
    #expect(said.contains("! apnscope: no/where: cannot save failures"), "\(said)")
  }
}

/// What comes of a run, with commands whose bug is known.
@Suite struct FuzzRunTests {
  private static let diesOfNull = "sh -c '! grep -qa null || kill -SEGV $$'"

  @Test func keepsTheSmallestCaseOnce() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let said = try scratch.run("apnscope fuzz -c 300 --ignore-status -- \(Self.diesOfNull)")
    #expect(said.contains("1 failure (and ") && said.hasSuffix("? 1\n"), "\(said)")
    let kept = scratch.names(endingWith: ".bin")
    #expect(kept.count == 1 && kept[0].hasPrefix("sigsegv-"))
    #expect(try scratch.bytes("apnscope-failures/" + kept[0]) == Array("null".utf8))
    // Its text says how to have it again.
    let text = String(
      decoding: try scratch.bytes("apnscope-failures/" + scratch.names(endingWith: ".txt")[0]), as: UTF8.self)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("run:") }).dropFirst(5)
    #expect(try scratch.run(String(line)).contains("? "))
    let again = try #require(text.split(separator: "\n").first { $0.hasPrefix("see:") }).dropFirst(5)
    #expect(try scratch.run(String(again)).contains("null") || text.contains("--from raw"))
  }

  /// Nil where the run is no failure.
  @Test(arguments: [
    ("", "echo no such item >&2; exit 1", nil),
    ("", "echo Traceback '(most recent call last):' >&2; exit 1", "exception"),
    ("", "echo 'Exception in thread \"main\" java.lang.NullPointerException' >&2; exit 1", "exception"),
    ("", "echo 'RangeError: no' >&2; echo >&2; echo Node.js v22.1.0 >&2; exit 1", "exception"),
    ("", "echo 'panic: runtime error: index out of range [5] with length 3' >&2; exit 2", "exception"),
    ("", "echo \"thread 'main' panicked at src/main.rs:2:5:\" >&2; exit 101", "exception"),
    ("", "echo '==1==ERROR: AddressSanitizer: heap-buffer-overflow' >&2; exit 1", "exception"),
    ("--crash-text ''", "echo Traceback '(most recent call last):' >&2; exit 1", nil),
    ("--crash-text boom", "echo boom >&2", "exception"),
    ("--crash-text boom", "echo Traceback '(most recent call last):' >&2; exit 1", "exception"),
    ("--refuse-status 3 --refuse-status 139", "exit 3", nil),
    ("--refuse-status 3 --refuse-status 139", "exit 139", nil),
    ("--refuse-status 3 --refuse-status 139", "exit 1", "status-1"),
    ("--refuse-status 3", "kill -SEGV $$", "sigsegv"),
  ])
  func tellsExceptionsFromRefusals(_ options: String, _ onNull: String, _ kind: String?) throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.write("if grep -qa null; then \(onNull); fi", to: "decoder")
    let said = try scratch.run("apnscope fuzz -c 20 --rule null-value --ignore-status \(options) -- sh ./decoder")
    let kept = scratch.names(endingWith: ".bin")
    #expect(kept.count == (kind == nil ? 0 : 1) && said.hasSuffix("? 1\n") == (kind != nil), "\(said)")
    if let kind { #expect(kept.allSatisfy { $0.hasPrefix(kind + "-") }, "\(kept)") }
  }

  /// The same text, from two lines of the decoder.
  @Test func oneExceptionDoesNotStandForAnother() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.write(
      """
      raise() { printf 'Traceback (most recent call last):\\n  File "./decoder", line %d, in read\\nValueError: %d\\n' $1 $$ >&2; exit 1; }
      cat >case.$$; trap 'rm case.$$' EXIT; ! grep -qa null case.$$ || raise 7; [ -s case.$$ ] || raise 9
      """, to: "decoder")
    let said = try scratch.run("apnscope fuzz -c 40 --rule null-value --rule valid -- sh ./decoder")
    #expect(said.contains("1 failure (and ") && said.contains("; 4 bytes in"), "\(said)")
  }

  /// How languages print the same stack: the line of the decoder that is nearest to the failure, whatever the library
  /// adds to it.
  @Test(arguments: [
    #"Traceback (most recent call last):\n  File "/here/decoder", line 3, in <module>\n    read()\n  File "decoder.x", line 7, in read\n    json.loads(x)\n  File "/usr/lib/python3.11/json/decoder.py", line 353, in raw_decode\nTypeError: 5"#,
    #"/usr/lib/node/decode.js:12\n    throw error\nTypeError: 5\n    at parse (node:internal/decode:12:3)\n    at read (/here/decoder.x:7:31)\n    at Object.<anonymous> (file:///here/decoder:3:1)\nNode.js v22.1.0"#,
    #"panic: runtime error: index out of range [5] with length 3\n\ngoroutine 1 [running]:\nruntime.panicIndex()\n\t/usr/local/go/src/runtime/panic.go:114 +0x1d\nmain.read(...)\n\t/here/decoder.x:7 +0x3a\nmain.main()\n\t/here/decoder:3 +0x12"#,
    #"thread 'main' panicked at ./decoder.x:7:5:\nindex out of bounds: the len is 3 but the index is 5"#,
    #"Exception in thread \"main\" java.lang.IndexOutOfBoundsException: Index 5 out of bounds\n\tat java.base/java.util.Objects.check(Objects.java:385)\n\tat Decoder.read(decoder.x:7)\n\tat Decoder.main(./decoder:3)"#,
    #"==9==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000011\n    #0 0x7f11 in memcpy ../../src/libsanitizer/memcpy.inc:827\n    #1 0x55d5 in read_item /here/decoder.x:7:9\n    #2 0x55d6 in main /here/decoder:3"#,
    #"PHP Fatal error:  Uncaught TypeError: read(): 5 in /here/decoder.x:7\nStack trace:\n#0 /here/decoder(3): read()"#,
    #"Unhandled exception. System.Exception: 5\n   at System.Text.Json.Throw()\n   at Decoder.Read(Byte[] b) in /here/decoder.x:line 7\n   at Decoder.Main() in /here/decoder:line 3"#,
  ])
  func namesTheInnermostLineOfTheProgram(_ trace: String) throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.write("", to: "decoder.x")
    try scratch.write(
      "! grep -qa null || { printf '%b\\n' '\(trace.replacing("'", with: ""))' | sed \"s,/here,$PWD,\" >&2; exit 1; }",
      to: "decoder")
    let said = try scratch.run("apnscope fuzz -c 20 --rule null-value --ignore-status -- sh ./decoder")
    #expect(said.firstMatch(of: /\(status 1\) at \S*decoder\.x:7 on a stream/) != nil, "\(said)")
  }

  /// One failure for each line, however many cases and rules lead to it; and what to look at first is one of them.
  @Test func findsEachCrashSiteOnce() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.need("python3")
    try scratch.write(
      """
      import json, struct, sys
      data, at = sys.stdin.buffer.read(), 0
      def take(count):
          global at
          if at + count > len(data): sys.exit(1)
          at += count
          return data[at - count:at]
      def payload(text):
          try: value = json.loads(text)
          except ValueError: sys.exit(1)
          aps = value["aps"]
          alert = aps.get("alert")
          if isinstance(alert, dict): alert["body"].strip()
          if "badge" in aps: aps["badge"] + 0
      def items(body):
          place = 0
          while place < len(body):
              item, length = struct.unpack(">BH", body[place:place + 3])
              value = body[place + 3:place + 3 + length]
              if item == 2: payload(value)
              if item == 3: struct.unpack(">I", value)
              place += 3 + length
      while at < len(data):
          command = take(1)[0]
          if command == 2: items(take(int.from_bytes(take(4), "big")))
          elif command < 2:
              take(8 * command)
              take(int.from_bytes(take(2), "big"))
              payload(take(int.from_bytes(take(2), "big")))
          else: sys.exit(1)
      """, to: "decoder.py")
    let said = try scratch.run("apnscope fuzz -c 200 --ignore token-length -- python3 -IS decoder.py")
    let texts = try scratch.run("grep -ho 'decoder.py:[0-9]* on' apnscope-failures/exception-*.txt | sort")
    let lines = texts.split(separator: "\n").compactMap { Int($0.drop { $0 != ":" }.dropFirst().prefix { $0 != " " }) }
    #expect(lines.sorted() == [11, 12, 13, 18, 21], "\(texts) \(said)")
    #expect(scratch.names(endingWith: ".bin").contains { $0.hasPrefix("verdict-") }, "\(said)")
    #expect(said.contains("next: python3 -IS decoder.py < apnscope-failures/exception-"), "\(said)")
  }

  /// Runs are counted, since each takes as long: a fifth of them, and some for the first look at the command.
  @Test func shrinkingTakesAFifthOfTheTime() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.write("echo >>runs; sleep 0.02; ! grep -qa null || kill -SEGV $$", to: "decoder")
    let said = try scratch.run(
      "apnscope fuzz --time 2 --rule null-value --rule valid --ignore-status -- sh ./decoder; wc -l <runs")
    let cases = try #require(said.firstMatch(of: /(\d+) cases? of --seed/).flatMap { Int($0.1) })
    let runs = try #require(said.firstMatch(of: /^(\d+)\n/).flatMap { Int($0.1) })
    #expect(said.contains("1 failure") && runs - cases <= 14 + cases / 2, "\(said)")
  }

  /// Status 1 alone refuses what is left of any stream.
  @Test func minimizeKeepsTheException() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.write("! grep -qa null || echo Traceback '(most recent call last):' >&2; exit 1", to: "decoder")
    let said = try scratch.run(
      "apnscope mutate -c 1 --rule null-value -T raw >x; apnscope minimize -w small x -- sh ./decoder; cat small")
    #expect(said.hasPrefix("null"), "\(said)")
  }

  /// Where lengths end is all that it reads.
  @Test func aParserNeedsNoRulesAboutValues() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.need("python3")
    try scratch.write(
      """
      import sys
      data, at = sys.stdin.buffer.read(), 0
      def need(fits):
          if not fits: sys.exit(1)
      def number(width):
          global at
          at += width
          need(at <= len(data))
          return int.from_bytes(data[at - width:at], "big")
      while at < len(data):
          command = number(1)
          need(command < 3)
          if command < 2:
              number(8 * command)
              for _ in range(2): number(number(2))
              continue
          size = number(4)
          end = at + size
          while at < end:
              item, length = number(1), number(2)
              need(item in range(1, 6) and length == {3: 4, 4: 4, 5: 1}.get(item, length))
              number(length)
              need(at <= end)
      """, to: "parser.py")
    let fuzz = "apnscope fuzz -c 200 --timeout 20"
    #expect(
      try scratch.run("\(fuzz) --parsing-only -- python3 parser.py")
        == "! apnscope: 200 cases of --seed 1: no failure\n")
    let said = try scratch.run("\(fuzz) --rule token-length --parsing-only -- python3 parser.py")
    #expect(said.contains("the command accepts a stream that breaks token-length"), "\(said)")
    let rules = try scratch.run("apnscope mutate -c 200 --parsing-only | grep -o '\"rule\":\"[a-z-]*' | sort -u")
    #expect(rules.contains("truncated") && rules.contains("item-overrun") && !rules.contains("token"), "\(rules)")
  }

  @Test func showsProgressOnATerminalAlone() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.write("apnscope fuzz -c 8 --rule valid $1 -- sleep 0.4", to: "run")
    let shown = try scratch.run("script -qec 'sh ./run' /dev/null")
    #expect(shown.contains("first trying some valid and invalid streams: "), "\(shown)")
    #expect(shown.contains(/\[Kfuzzing: \d of 8 cases  \d a second  0 failures\r/), "\(shown)")
    #expect(try scratch.run("script -qec 'sh ./run -q' /dev/null").isEmpty)
    #expect(try scratch.run("sh ./run") == "! apnscope: 8 cases of --seed 1: no failure\n")
  }

  @Test func jobsDecideNothing() throws {
    var runs: [(String, [String])] = []
    for jobs in [1, 4] {
      let scratch = try Scratch()
      defer { scratch.remove() }
      let said = try scratch.run("apnscope fuzz -c 400 --jobs \(jobs) --ignore-status -- \(Self.diesOfNull)")
      runs.append((said, scratch.names(endingWith: "")))
    }
    #expect(runs[0].0 == runs[1].0 && runs[0].1 == runs[1].1)
  }

  @Test func givesAFileWhereTwoAtsStand() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let said = try scratch.run(
      "apnscope fuzz -c 100 --ignore-status -- sh -c 'for last; do :; done; [ -s \"${last#--in=}\" ] || kill -BUS $$' - --in=@@"
    )
    #expect(said == "! apnscope: 100 cases of --seed 1: no failure\n")
  }

  /// A decoder of one side gets its frames alone.
  @Test func rolesAreKeptApart() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    // An error response is 6 bytes from its command on.
    let said = try scratch.run(
      "apnscope fuzz -c 60 --role gateway --rule valid -- sh -c '[ $(head -c 1 | od -An -tu1) = 8 ]'")
    #expect(said == "! apnscope: 60 cases of --seed 1: no failure\n")
  }

  @Test func startsFromGivenFrames() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let frames = Samples.folder.appending(path: "frames/notification.hex").path
    // Its token.
    let holdsToken = #"sh -c 'od -An -v -tx1 | tr -d " \n" | grep -q fc13adff785122b4'"#
    let said = try scratch.run("apnscope fuzz -c 8 --mutator as-it-is-notification \(frames) -- \(holdsToken)")
    #expect(said.contains("8 cases of --seed 1: no failure"), "\(said)")
  }

  @Test func exportsWhatFuzzersRead() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let said = try scratch.run("apnscope fuzz --export seeds -c 200")
    #expect(said.contains("-dict=seeds/apns.dict seeds/corpus; AFL++: -x seeds/apns.dict -i seeds/corpus"), "\(said)")
    #expect(scratch.names("seeds/corpus", endingWith: ".bin").count > 190)
    let text = String(decoding: try scratch.bytes("seeds/apns.dict"), as: UTF8.self)
    let words = try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { try #require(Self.word($0)) }
    #expect(
      words == FuzzDictionary(Catalog(Catalog.standard.schemas.filter { $0.role == .provider })).words.map(\.bytes))
    for head in [[1], [2], [0, 32], [3, 0, 4], [5, 0, 1], Array("\"alert\":".utf8)] as [[UInt8]] {
      #expect(words.contains(head))
    }
  }

  /// A line of the format that libFuzzer and AFL++ share: `name="value"`, with `\xAB`, `\\` and `\"`.
  private static func word(_ line: Substring) -> [UInt8]? {
    guard let match = line.wholeMatch(of: /[A-Za-z0-9_]+="((?:[^"\\]|\\x[0-9a-f]{2}|\\\\|\\")+)"/) else { return nil }
    var rest = Array(match.1.utf8)[...]
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let next = rest.popFirst() else {
        bytes.append(byte)
        continue
      }
      if next == UInt8(ascii: "x") {
        bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(next)
      }
    }
    return bytes
  }
}

/// Three decoders that share nothing with us, each with one bug that can be turned off: then every label has to be right.
@Suite(.endedIfItHangs) struct ForeignDecoderTests {
  struct Foreign: Sendable, CustomTestStringConvertible {
    let tool: String
    let build: String
    let command: String
    /// Beginning of the names of what it fails on.
    let kind: String
    let most: Int
    /// How many cases it gets; programs that an interpreter starts are slow.
    let cases: Int
    var testDescription: String { tool }

    static let all = [
      Foreign(
        tool: "gcc", build: "gcc -O2 -D_FORTIFY_SOURCE=2 -o decoder $decoders/decoder.c", command: "./decoder",
        kind: "sigabrt-", most: 41, cases: 2000),
      Foreign(
        tool: "python3", build: "true", command: "python3 $decoders/decoder.py @@", kind: "verdict-valid-", most: 70,
        cases: 100),
      Foreign(
        tool: "node", build: "true", command: "node $decoders/decoder.js", kind: "timeout-", most: 8, cases: 100),
    ]

    /// The environment has `decoders`.
    fileprivate func prepare(_ scratch: Scratch) throws {
      try scratch.need(tool)
      #expect(try scratch.run(Self.decoders + build) == "")
    }

    static let decoders = "decoders=\(Samples.folder.appending(path: "decoders").path); "
  }

  @Test(arguments: Foreign.all) func findsThePlantedBug(_ foreign: Foreign) throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try foreign.prepare(scratch)
    let said = try scratch.run(Foreign.decoders + "apnscope fuzz -c \(foreign.cases) -- \(foreign.command)")
    #expect(said.hasSuffix("? 1\n"), "\(said)")
    let kept = scratch.names(endingWith: ".bin")
    // A bug that only shifts what follows is refused for one reason or another, and how much a slow command is shrunk
    // depends on the time.
    #expect(1...4 ~= kept.count && kept.allSatisfy { $0.hasPrefix(foreign.kind) }, "\(kept) \(said)")
    let sizes = try kept.map { try scratch.bytes("apnscope-failures/" + $0).count }
    #expect(sizes.contains { $0 <= foreign.most }, "\(sizes)")
    for name in kept {
      // It is the bug: without it, the command ends, and a valid stream is accepted.
      let text = try scratch.run("cat apnscope-failures/*.txt")
      let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("run:") }).dropFirst(5)
      let ended = try scratch.run("export DECODER_FIXED=1; \(line)")
      #expect(ended.hasSuffix("? 1\n") == !name.hasPrefix("verdict-valid"), "\(ended)")
    }
  }

  @Test(arguments: Foreign.all) func agreesWithoutIt(_ foreign: Foreign) throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try foreign.prepare(scratch)
    let said = try scratch.run(
      Foreign.decoders + "export DECODER_FIXED=1; apnscope fuzz -c \(foreign.cases) --seed \(runSeed) --timeout 20 -- "
        + foreign.command)
    #expect(said == "! apnscope: \(foreign.cases) cases of --seed \(runSeed): no failure\n", "\(said)")
  }
}

/// The recipe for continuous integration does what it says.
@Suite struct RecipeTests {
  static let recipe = Samples.folder.appending(path: "ci/fuzz-decoder")

  @Test func failsTheBuildWithASmallCase() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try ForeignDecoderTests.Foreign.all[0].prepare(scratch)
    let line = "SEEDS='1 2' CASES=200 OUT=kept \(Self.recipe.path).sh ./decoder"
    let failed = try scratch.run("GITHUB_ACTIONS=true \(line)")
    #expect(failed.hasSuffix("? 1\n") && failed.contains("2 seeds") == false, "\(failed)")
    #expect(failed.contains("\nrun:   ./decoder < kept/sigabrt-"), "\(failed)")
    #expect(failed.contains("\n::error title=apnscope fuzz::the command is killed by signal 6 (SIGABRT)"), "\(failed)")
    // The same bytes have the same name, from whatever seed.
    #expect(scratch.names("kept", endingWith: ".bin").count == 1)
    let clean = try scratch.run("rm -r kept; DECODER_FIXED=1 \(line)")
    #expect(!clean.contains("? ") && scratch.names("kept", endingWith: "").isEmpty, "\(clean)")
    #expect(try scratch.run("\(Self.recipe.path).sh ./no-such-command").hasSuffix("? 3\n"))
    #expect(try scratch.run("\(Self.recipe.path).sh").hasSuffix("? 2\n"))
  }

  @Test func workflowCallsTheScript() throws {
    let text = try String(contentsOf: Self.recipe.appendingPathExtension("yml"), encoding: .utf8)
    #expect(text.contains("run: apnscope/samples/ci/fuzz-decoder.sh ./decoder\n"))
    // What the script leaves is what is kept.
    #expect(text.contains("OUT: apnscope-failures\n") && text.contains("path: apnscope-failures\n"))
    #expect(text.contains("make -C apnscope build"))
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.need(pythonModule: "yaml")
    let parsed = try scratch.run(
      "/usr/bin/python3 -c 'import sys, yaml; [print(sorted(step)) for step in "
        + "yaml.safe_load(open(sys.argv[1]))[\"jobs\"][\"fuzz\"][\"steps\"]]' \(Self.recipe.path).yml")
    #expect(parsed.split(separator: "\n").count == 6 && !parsed.contains("? "), "\(parsed)")
  }
}
