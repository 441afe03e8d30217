import Foundation
import TestSupport
import Testing

/// Ctrl-C, and the other signals that end a run: it ends soon, says so, and publishes nothing as if it were complete.
@Suite(.endedIfItHangs) struct InterruptTests {
  /// What was read until then is shown; what was not read is no fault.
  @Test(arguments: ["INT", "TERM", "HUP"]) func showsWhatWasRead(_ signal: String) throws {
    for command in ["apnscope p", "apnscope - <p", "apnscope check -v p", "apnscope --jobs 1 p"] {
      let scratch = try Scratch()
      defer { scratch.remove() }
      let said = try scratch.interrupt(command, reading: "0808 0000 04d2\n", with: signal)
      #expect(said.contains(command.contains("check") ? "1 frame" : "Invalid token"), "\(command): \(said)")
      #expect(said.contains(": interrupted before the end\n") && said.hasSuffix("? 3\n"), "\(command): \(said)")
    }
  }

  @Test(arguments: [
    "apnscope -T ndjson p", "apnscope --from raw -T line p", "apnscope check -T ndjson p", "apnscope summary p",
    "apnscope check -T sarif p", "apnscope --from raw p",
  ])
  func inventsNothing(_ command: String) throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let text = command.contains("raw") ? "\u{8}\u{8}\u{0}" : "0808 00\n"
    let said = try scratch.interrupt(command, reading: text)
    #expect(
      !said.contains("rule\":\"truncated") && !said.contains("error truncated") && !said.contains("[error"), "\(said)")
    #expect(said.contains(": interrupted before the end\n") && said.hasSuffix("? 3\n"), "\(said)")
  }

  @Test(arguments: [
    "apnscope -T raw -w to/out p", "apnscope check -T sarif -w to/out p", "apnscope redact -w to/out p",
    "apnscope encode -w to/out p", "apnscope dialogue -w to/out p", "apnscope mutate -n 3 -w to/out p",
    "apnscope mutate -n 3 --out to p", "apnscope minimize --keep truncated -w to/out p",
    "apnscope --repair to/out p", "apnscope dialogue --emit accepted -T hex -w to/out - <p",
    "apnscope redact -w to/out <p",
    "apnscope fuzz --export to p",
  ])
  func publishesNothing(_ command: String) throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    _ = try scratch.run("mkdir to")
    let record = #"{"schema":1,"type":"error-response","command":8,"status":8,"identifier":7}"# + "\n"
    let said = try scratch.interrupt(command, reading: command.contains("encode") ? record : "0808 0000 04d2\n")
    #expect(said.contains(": interrupted before the end") && said.hasSuffix("? 3\n"), "\(said)")
    #expect(try scratch.run("ls -A to temporary") == "temporary:\n\nto:\n", "\(said)")
  }

  /// Signals that end a run without a request for what was seen so far.
  @Test(arguments: ["USR1", "USR2", "XCPU"]) func leavesNoFile(_ signal: String) throws {
    for command in ["apnscope -T raw -w to/out p", "apnscope redact -w to/out p"] {
      let scratch = try Scratch()
      defer { scratch.remove() }
      _ = try scratch.run("mkdir to")
      let said = try scratch.interrupt(
        "sh -c 'ulimit -c 0; exec \(command)'", reading: "0808 0000 04d2\n", with: signal)
      #expect(said.contains("? 1"), "\(said)")
      #expect(try scratch.run("ls -A to temporary") == "temporary:\n\nto:\n", "\(said)")
    }
  }

  /// Held up by a reader that does not read.
  @Test(
    arguments: [
      "apnscope --from raw -T ndjson --fail-on never zeros", "apnscope mutate -n 9223372036854775807",
    ])
  func endsThoughNobodyReads(_ command: String) throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.write("echo $$ >pid; exec \(command) >p 2>err", to: "run")
    let said = try scratch.run(
      """
      head -c 20000 /dev/zero >zeros; mkfifo p; (sh ./run; echo "? $?" >status) & \
      exec 3<p; until grep -q '(apnscope) S' /proc/$(cat pid)/stat || [ -s status ]; do :; done; \
      kill -INT $(cat pid); until [ -s status ]; do :; done; cat err status
      """)
    #expect(said.contains("interrupted") && said.hasSuffix("? 3\n"), "\(said)")
  }

  @Test func aClosedPipeEndsAnyNumberOfCases() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    #expect(try scratch.run("apnscope mutate -n 9223372036854775807 | head -n 1 | wc -l") == "1\n")
  }

  /// Also of a session of its own, and with its parent gone.
  @Test(arguments: ["INT", "TERM", "HUP"]) func minimizeLeavesNoProcess(_ signal: String) throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.write(
      "[ -e first ] || { touch first; exit 1; }; setsid sh -c 'echo $$ >ours; exec sleep 1000' & exec sleep 1000",
      to: "decoder")
    try scratch.write("echo $$ >pid; exec apnscope minimize -w out --timeout 1000 x -- sh ./decoder", to: "run")
    let said = try scratch.run(
      """
      apnscope encode --command 0 --token 00 --payload '{}' -T raw >x; (sh ./run; echo "? $?" >status) & \
      until [ -s ours ] || [ -s status ]; do :; done; kill -\(signal) $(cat pid); \
      until [ -s status ]; do :; done; cat status; read one <ours; \
      [ ! -e /proc/$one ] || grep -q ') Z' /proc/$one/stat || echo still there
      """)
    #expect(said.hasPrefix("? 3\n") && said.contains("interrupted") && !said.contains("still there"), "\(said)")
  }
}
