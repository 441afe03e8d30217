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

  /// Bytes that a repair holds, because more of the stream could explain them, are written.
  @Test func losesNothing() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let text = String(repeating: "sent 1 notification\n", count: 3)
    let said = try scratch.interrupt("apnscope -q --from raw --role provider --repair - p", reading: text)
    #expect(said.hasPrefix(text) && said.hasSuffix("? 3\n"), "\(said)")
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
    "apnscope encode -w to/out p", "apnscope dialogue -w to/out p", "apnscope mutate -c 3 -w to/out p",
    "apnscope mutate -c 3 --out to p", "apnscope minimize --keep truncated -w to/out p",
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

  /// What each subcommand may wait for when the signal comes.
  private static let waits: [String: [Wait]] = [
    "dissect": [
      .input("dissect"), .reader("dissect x"), .reader("dissect --from raw -T ndjson --fail-on never zeros"),
    ],
    "check": [.input("check -T sarif -"), .reader("check x")],
    "dialogue": [.input("dialogue"), .reader("dialogue x")], "summary": [.input("summary"), .reader("summary x")],
    "capture": (mayCapture ? [.clients("capture -i lo -f 'port 1'")] : []) + [.reader("capture -D")],
    "encode": [.input("encode"), .reader("encode --command 0 --token 00 --payload '{}'")],
    "mutate": [.input("mutate -"), .reader("mutate -c 9223372036854775807")],
    "fuzz": [
      .input("fuzz - -- true"), .child("fuzz --timeout 1000 -- sleep 1000"), .messages("fuzz -- false", status: 3),
    ],
    "minimize": [
      .input("minimize --keep truncated"), .child("minimize --timeout 1000 x -- sleep 1000"),
      .reader("minimize -q --keep truncated x"),
    ],
    "redact": [.input("redact"), .reader("redact x")], "diff": [.input("diff x -"), .reader("diff x y")],
    "report": [.input("report"), .reader("report x")],
    // Serve/Tests/run has what this waits for.
    "serve": [],
    "explain": [.reader("explain --list")], "export": [.reader("export frames")],
  ]

  private enum Wait {
    case input(String)
    case child(String)
    case clients(String)
    /// Of a full pipe without a reader.
    case reader(String)
    /// The same for standard error.
    case messages(String, status: Int)
  }

  @Test func whatEachSubcommandWaitsForIsKnown() {
    #expect(Set(Self.waits.keys) == Set(ListingTests.subcommands), "add the subcommand to the list above")
  }

  /// Within a second. The limit is higher, because the machine may be busy.
  @Test(arguments: ["INT", "TERM", "HUP"], ListingTests.subcommands)
  func endsSoonWhateverItWaitsFor(_ signal: String, _ name: String) throws {
    for wait in try #require(Self.waits[name]) {
      switch wait {
      case .input(let command), .child(let command): try endsSoon(command, "<q >out 2>err", signal, 3)
      case .clients(let command): try endsSoon(command, "<q >out 2>err", signal, 0)
      case .reader(let command): try endsSoon(command, "<q >p 2>err", signal, 3, isBlockedOn: 1)
      case .messages(let command, let status): try endsSoon(command, "<q >out 2>p", signal, status, isBlockedOn: 2)
      }
    }
  }

  private func endsSoon(
    _ command: String, _ redirections: String, _ signal: String, _ status: Int, isBlockedOn descriptor: Int? = nil
  ) throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.write("0808 00\n", to: "x")
    try scratch.write("0808 0000 04d2\n", to: "y")
    try scratch.write([UInt8](repeating: 0, count: 20_000), to: "zeros")
    try scratch.write("echo $$ >pid; exec apnscope \(command) \(redirections)", to: "run")
    // The numbers of `write` on x86-64 and on ARM.
    let isBlocked = descriptor.map { "[[ ${call[0]} = 1 || ${call[0]} = 64 ]] && [ ${call[1]} = 0x\($0) ]" }
    let said = try scratch.run(
      """
      mkfifo p q; exec 3<>p 4<>q; dd if=/dev/zero of=p bs=4096 oflag=nonblock 2>dd
      (sh ./run; echo "? $?" >status) &
      isWaiting() {
        grep -Eq '^SigCgt:.*[4-7c-f]..[37bf]$' /proc/$pid/status && grep -q '(apnscope) S' /proc/$pid/stat || return 1
        read -ra call </proc/$pid/syscall && \(isBlocked ?? "true")
      }
      until [ -s pid ]; do :; done; pid=$(cat pid)
      port=$(until grep '(push)' err || [ -s status ] || isWaiting; do :; done 2>grep | sed 's/.*:\\(.*\\) .*/\\1/')
      until isWaiting || [ -s status ]; do
        [ -z "$port" ] || { printf '\\0\\0\\1\\264\\0\\2{}' >/dev/tcp/127.0.0.1/$port; port=; }
      done 2>read
      began=${EPOCHREALTIME/./}; kill -\(signal) $pid
      until [ -s status ] || [ $((${EPOCHREALTIME/./} - began)) -gt 30000000 ]; do :; done
      [ -s status ] || { kill -KILL $pid; echo "it goes on"; }; cat status
      """)
    #expect(said == "? \(status)\n", "\(command) \(redirections): \(said)")
    #expect(try descriptor != 1 || scratch.run("cat err").contains("interrupted"), "\(command)")
  }

  @Test func aClosedPipeEndsAnyNumberOfCases() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    #expect(try scratch.run("apnscope mutate -c 9223372036854775807 | head -n 1 | wc -l") == "1\n")
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
      [ ! -e /proc/$one ] || grep -qs ') Z' /proc/$one/stat || echo still there
      """)
    #expect(said.hasPrefix("? 3\n") && said.contains("interrupted") && !said.contains("still there"), "\(said)")
  }
}
