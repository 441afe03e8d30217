import Foundation
import TestSupport
import Testing

/// `serve --conformance` against the provider of samples/serve, which misbehaves on request.
@Suite(.endedIfItHangs) struct ConformanceTests {
  static let provider = "python3 \(GuidePage.root.path)/samples/serve/provider.py"
  static let addresses = "--listen 127.0.0.1:0 --feedback 127.0.0.1:0"

  /// The scenarios that do not pass for each misbehaviour; a question mark follows those that are not tested.
  private static let expected: [String: String] = [
    "": "",
    "resend-nothing": "resend error-packet shutdown",
    "resend-twice": "resend shutdown",
    "resend-backwards": "resend shutdown",
    "ignore-answer": "resend error-packet shutdown",
    // After a shutdown, no notification is rejected.
    "resend-rejected": "resend error-packet",
    "same-identifier": "identifiers resend? error-packet? shutdown?",
    "no-identifier": "identifiers resend? error-packet? shutdown?",
    "command-0": "identifiers? resend? error-packet? shutdown?",
    // It never reads an answer.
    "connect-each-time": "connections resend? error-packet shutdown?",
    "give-up": "resend error-packet shutdown close reset",
    "crash": "resend error-packet shutdown close reset",
    "short-token": "frames",
    "cut-frame": "frames slow-reader",
    "never-read": "resend error-packet shutdown",
    "write-feedback": "feedback",
    "hold-feedback": "feedback",
    "leave-feedback": "feedback",
    "no-feedback": "feedback?",
  ]

  @Test func eachMisbehaviourFailsItsScenarios() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    // All at once, because they mostly wait.
    let names = Self.expected.keys.map { $0.isEmpty ? "none" : $0 }.joined(separator: "\n")
    try scratch.write(names + "\n", to: "names")
    try scratch.write(
      "apnscope serve --conformance -q -T ndjson \(Self.addresses) -- \(Self.provider) --wait 2.5 ${1#none} >$1.ndjson 2>$1.err; "
        + "echo $? >$1.status\n", to: "one")
    #expect(try scratch.run("xargs -P 20 -n 1 bash ./one <names") == "")
    for (name, expected) in Self.expected {
      let file = name.isEmpty ? "none" : name
      let results: [Result] = try scratch.objects(file + ".ndjson")
      let bad = results.filter { $0.result != "passed" }.map { $0.name + ($0.result == "failed" ? "" : "?") }
      #expect(bad.joined(separator: " ") == expected, "\(name): \(results)")
      #expect(results.count == 10 && results.allSatisfy { !$0.evidence.isEmpty }, "\(name): \(results)")
      #expect(try scratch.lines(file + ".status") == [expected.isEmpty ? "0" : "1"], "\(name)")
      #expect(try scratch.lines(file + ".err") == [], "\(name)")
    }
  }

  private struct Result: Decodable {
    let name: String
    let result: String
    let evidence: [Evidence]

    struct Evidence: Decodable {
      let connection: Int?
      let packet: Int?
      let identifier: Int?
      let message: String
    }
  }

  /// Evidence names a notification that the capture has at the same place.
  @Test func evidenceIsInTheCapture() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let said = try scratch.run(
      "apnscope serve --conformance --only close --only resend -T ndjson -w all.pcap \(Self.addresses) "
        + "-- \(Self.provider) no-feedback resend-rejected >out")
    let results: [Result] = try scratch.objects("out")
    #expect(results.map(\.name) == ["resend", "close"] && results.map(\.result) == ["failed", "passed"], "\(said)")
    #expect(said.contains("2 scenarios: 1 passed, 1 failed"), "\(said)")
    let evidence = try #require(results.first?.evidence.first)
    #expect(evidence.message.hasPrefix("sent again, but rejected before (connection 0, packet "))
    #expect(evidence.identifier == 3)
    // The command that the summary shows.
    let next = try #require(said.firstMatch(of: #/next: (apnscope dialogue .*)/#)?.1)
    let dialogue = try scratch.run(String(next))
    #expect(dialogue.contains("connection 0  ") && dialogue.contains("status 8, Invalid token, for identifier 3"))
    let ports = try #require(next.firstMatch(of: #/-d .* -d [^ ]*/#)?.0)
    let packets = try scratch.run(
      "apnscope \(ports) -q -T ndjson --stream \(2 * (evidence.connection ?? -1)) -Y 'identifier == 3' all.pcap")
    #expect(packets.contains("\"packets\":[\(evidence.packet ?? -1)"), "\(packets)")
  }

  @Test func reportsHaveFormats() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let command = "apnscope serve --conformance --only close --only feedback \(Self.addresses)"
    let text = try scratch.run("\(command) -q -- \(Self.provider) write-feedback")
    #expect(text.contains("passed      close: ") && text.contains("\nfailed      feedback: "), "\(text)")
    #expect(text.contains("the provider wrote 5 bytes to the feedback service") && text.hasSuffix("? 1\n"), "\(text)")
    let xml = try scratch.run(
      "\(command) -q -T junit -- \(Self.provider) no-feedback >x.xml; "
        + "python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse(\"x.xml\")'; cat x.xml")
    #expect(xml.contains("<testsuites tests=\"2\" failures=\"0\" errors=\"0\""), "\(xml)")
    #expect(xml.contains("<skipped message=\"the provider did not connect to the feedback service\"/>"), "\(xml)")
  }

  /// A scenario ends once the provider is quiet, or once its question is answered.
  @Test func providerMayRunByItself() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let said = try scratch.run(
      """
      (apnscope serve --conformance --only frames --only close --quiet-seconds 1 \(Self.addresses) 2>err >out; \
      echo $? >status) & \
      until grep -sq feedback err || [ -s status ]; do sleep 0.05; done; \
      export APNS_PORT=$(sed -n 's/.*:\\([0-9]*\\) (push)/\\1/p' err); \
      \(Self.provider) --count 10 --wait 0.2 no-feedback; until grep -q frames out || [ -s status ]; do sleep 0.05; done; \
      until [ -s status ]; do \(Self.provider) --wait 0.2 no-feedback 2>/dev/null; done; cat out status
      """)
    #expect(said.contains("passed      frames: ") && said.contains("passed      close: "), "\(said)")
    #expect(said.hasSuffix("\n0\n"), "\(said)")
  }

  /// Providers that are right, or that a scenario cannot judge, although they differ from the one of the samples.
  @Test(arguments: [
    // It closes its direction, reads the answer, and sends the rest again.
    (
      """
      connection.sendall(b"".join(map(self.frame, self.queue)))
      connection.shutdown(provider.socket.SHUT_WR)
      answer = connection.makefile("rb").read(6)
      batch, self.queue = self.queue, []
      if answer: self.requeue(batch, answer)
      return bool(answer)
      """, "--only resend --only error-packet --only shutdown", ["passed", "passed", "passed"], ""
    ),
    // It has two connections, and goes on with the second one.
    (
      """
      with self.connect(provider.PUSH) as second:
        for number in range(1, 41):
          try: (connection if number % 2 else second).sendall(self.frame(number))
          except OSError: pass
          time.sleep(0.02)
      return False
      """, "--only close", ["not-tested"], "the provider uses several connections at once"
    ),
    // It connects again, for nothing.
    (
      """
      first, self.again = not hasattr(self, "again"), True
      if first: connection.sendall(b"".join(map(self.frame, self.queue)))
      if first: connection.makefile("rb").read()
      return first
      """, "--only error-packet", ["failed"], "17 notifications discarded, and none sent again"
    ),
    // A pool: ten connections with a notification each.
    (
      """
      others = [self.connect(provider.PUSH) for _ in range(9)]
      for number, each in enumerate([connection] + others): each.sendall(self.frame(number + 1))
      time.sleep(1)
      return False
      """, "--only connections", ["not-tested"], "the provider uses several connections at once"
    ),
    // Its notifications are all alike.
    (
      "connection.sendall(bytes.fromhex('000020' + 'aa' * 32 + '00027b7d') * 20)",
      "--only slow-reader", ["not-tested"], "most notifications are alike"
    ),
    // What is hidden elsewhere counts here.
    (
      "self.misbehaves.add('same-identifier'); connection.sendall(b''.join(map(self.frame, self.queue)))",
      "--only identifiers --ignore identifier-repeated", ["failed"], "this identifier was used before"
    ),
    // The root cause says more than a rule.
    (
      "connection.sendall(b''.join(f[:1] + f[4:0:-1] + f[5:] for f in map(self.frame, self.queue)))",
      "--only frames", ["failed"], "the 5 items have"
    ),
    // Its first notification is refused, so the gateway never misbehaves.
    (
      """
      self.misbehaves.add("short-token")
      connection.sendall(b"".join(map(self.frame, [7, 8, 9, 10])))
      return bool(connection.makefile("rb").read()) and False
      """, "--only shutdown --only close", ["not-tested", "not-tested"],
      "connection 1: the gateway refused a notification with status 5 before it had accepted 3"
    ),
    // Its messages recur, each time with another identifier.
    (
      """
      first, self.later = not hasattr(self, "later"), True
      batch, self.queue = list(range(1, 11)) if first else self.queue + list(range(11, 51)), []
      for number in batch:
        before, mark, after = self.frame(number % 12 + 1).partition(b"\\x03\\x00\\x04")
        connection.sendall(before + mark + number.to_bytes(4, "big") + after[4:])
      connection.settimeout(1)
      try: self.requeue(batch, connection.makefile("rb").read(6))
      except TimeoutError: return False
      return True
      """, "--only resend", ["not-tested"], "connection 1, packet"
    ),
    // It closes with a reset once it has read the answer.
    (
      """
      batch = self.queue[:3] if len(self.queue) == 20 else self.queue
      self.queue = self.queue[len(batch):]
      connection.sendall(b"".join(map(self.frame, batch)))
      connection.settimeout(1)
      try: connection.makefile("rb").read(6)
      except TimeoutError: return False
      connection.setsockopt(provider.socket.SOL_SOCKET, provider.socket.SO_LINGER, provider.struct.pack("ii", 1, 0))
      return True
      """, "--only error-packet", ["not-tested"], "connection 0, packet"
    ),
    // It ignores that a write takes only a part. Each of its writes is larger than the socket's buffer.
    (
      """
      connection.setsockopt(provider.socket.SOL_SOCKET, provider.socket.SO_SNDBUF, 1 << 18)
      connection.setblocking(False)
      frames = [b"".join(map(self.frame, range(start, start + 20000))) for start in range(1, 100001, 20000)]
      for some in frames:
        provider.select.select([], [connection], [])
        connection.send(some)
      return False
      """, "--only slow-reader", ["failed"], ""
    ),
    // It takes its time.
    (
      "connection.sendall(b''.join(map(self.frame, self.queue))); time.sleep(60)",
      "--only resend --quiet-seconds 30 --time-limit 8", ["not-tested"],
      "--time-limit ended the scenario before this was done"
    ),
    (
      "connection.sendall(b''.join(map(self.frame, self.queue))); sys.exit(127)",
      "--only frames", ["passed"], ""
    ),
  ])
  func othersAreJudgedFairly(_ exchange: String, _ options: String, _ expected: [String], _ evidence: String) throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let lines = exchange.split(separator: "\n").map { "        " + $0 }.joined(separator: "\n")
    try scratch.write(
      """
      import sys, time
      sys.path.insert(0, "\(GuidePage.root.path)/samples/serve")
      import provider
      class Other(provider.Provider):
          def exchange(self, connection):
      \(lines)
      provider.Provider = Other
      provider.main()

      """, to: "other.py")
    let said = try scratch.run(
      "apnscope serve --conformance -q -T ndjson \(options) \(Self.addresses) -- "
        + "python3 -B other.py --count 20 no-feedback >out")
    let results: [Result] = try scratch.objects("out")
    #expect(results.map(\.result) == expected, "\(said) \(results)")
    #expect(results.last?.evidence.first?.message.hasPrefix(evidence) == true, "\(results)")
  }

  @Test func silenceIsNotTested() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let alone = try scratch.run("apnscope serve --conformance --time-limit 1 \(Self.addresses)")
    #expect(
      alone.contains("not tested  frames: ") && alone.contains("the provider did not connect to the push gateway"))
    #expect(alone.contains("! apnscope: scenario frames\n") && !alone.contains("scenario identifiers\n"))
    #expect(alone.contains("10 scenarios: 10 not tested\n") && alone.hasSuffix("? 1\n"), "\(alone)")
    #expect(alone.contains("not run, because the provider did not connect in the scenario frames"), "\(alone)")
    let missing = try scratch.run("apnscope serve --conformance \(Self.addresses) -- ./no-such-program")
    #expect(missing.contains("cannot run ./no-such-program (env: ") && missing.hasSuffix("? 3\n"), "\(missing)")
    #expect(missing.contains(": No such file or directory); check the command after --"), "\(missing)")
    let ended = try scratch.run(
      "apnscope serve --conformance -q --only frames \(Self.addresses) -- sh -c 'printf \"why\\033[1m\" >&2; exit 3'")
    #expect(ended.contains("the program ended with status 3: why") && !ended.contains("\u{1b}"), "\(ended)")
    let lost = try scratch.run(
      "apnscope serve --conformance -q --only close \(Self.addresses) -- python3 -c 'raise OSError(\"no host\")'")
    #expect(lost.contains("not tested  close: ") && lost.contains("uncaught exception: OSError: no host"), "\(lost)")
    #expect(lost.contains("listening on 127.0.0.1:"), "\(lost)")
    let plain = try scratch.run(
      "apnscope serve --conformance -q --only frames \(Self.addresses) --tls-self-signed . -- \(Self.provider) no-feedback"
    )
    #expect(plain.contains("the TLS handshake failed: the client sent something that is not TLS"), "\(plain)")
    let report = try scratch.run("apnscope serve --conformance -T junit \(Self.addresses) -- ./no-such-program")
    #expect(report.contains("<testsuites tests=\"0\""), "\(report)")
  }

  @Test(arguments: [
    ("--conformance --only frame", "did you mean \"frames\"?"),
    ("--conformance --reject every=1:8", "its own scenarios"),
    ("--only frames", "works only with --conformance"), ("-T junit", "need --conformance"),
    ("--conformance -T tree", "use -T text, ndjson or junit"), ("-- true", "needs --conformance"),
    ("--quiet-seconds 9", "works only with --conformance"), ("--seed 2", "works only with --scenario"),
    ("--conformance -Y apns", "do not work with --conformance"),
    ("--conformance -x", "do not work with --conformance"), ("-w -", "needs a file"),
    ("--listen 127.0.0.1:2196", "different ports"), ("--tls-min 1.0", "needs --tls-cert"),
    ("--conformance --quiet-seconds 0", "1 to 1000000 seconds"), ("--reject :", "write it as token=HEX:STATUS"),
    ("--conformance --", "No command follows --"),
    ("--listen here", "write HOST:PORT or PORT, such as 127.0.0.1:2195 or [::1]:2195"),
    ("--reject ''", "write it as token=HEX:STATUS"), ("--reject every=0:8", "the count must be 1 to"),
  ])
  func usageIsChecked(_ options: String, _ sentence: String) throws {
    let said = try TranscriptTests.run("apnscope serve \(options)", in: Samples.folder)
    #expect(said.contains(sentence) && said.hasSuffix("? 2\n"), "\(said)")
  }

  @Test func workflowTestsAProvider() throws {
    let path = GuidePage.root.appending(path: "samples/ci/conform-provider.yml").path
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.contains("make -C apnscope build"))
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.need(pythonModule: "yaml")
    let line = try scratch.run(
      "/usr/bin/python3 -c 'import sys, yaml; steps = yaml.safe_load(open(sys.argv[1]))[\"jobs\"][\"conform\"][\"steps\"]; "
        + "print(next(step[\"run\"] for step in steps if step.get(\"name\") == \"Test it\"))' \(path)")
    try scratch.write("#!/bin/sh\nexec \(Self.provider) no-feedback\n", to: "provider")
    let quick = line.replacing("--conformance", with: "--conformance --only frames \(Self.addresses)")
    let said = try scratch.run("chmod +x provider; \(quick)")
    #expect(said.contains("1 scenario: 1 passed"), "\(said)")
    #expect(try scratch.lines("conformance.xml").contains { $0.contains("tests=\"1\" failures=\"0\"") })
    #expect(try !scratch.bytes("conformance.pcap").isEmpty)
  }
}

/// `serve --scenario`.
@Suite(.endedIfItHangs) struct ScenarioTests {
  /// Runs the provider of samples/serve on a scenario, and returns the conversations as NDJSON.
  private func conversations(_ scenario: String, seed: Int, in scratch: Scratch) throws -> [Conversation] {
    try scratch.write(
      "echo $$ >pid; exec apnscope serve -q --scenario \(scenario) --seed \(seed) -w s.pcap "
        + "\(ConformanceTests.addresses) 2>err >out\n", to: "serve")
    let said = try scratch.run(
      """
      rm -f status err; (sh ./serve; echo $? >status) & \
      until grep -sq feedback err || [ -s status ]; do sleep 0.05; done; \
      export APNS_PORT=$(sed -n 's/.*:\\([0-9]*\\) (push)/\\1/p' err); \
      \(ConformanceTests.provider) no-feedback; kill -INT $(cat pid); until [ -s status ]; do sleep 0.05; done; \
      apnscope dialogue -T ndjson -d tcp.port==$APNS_PORT,push s.pcap | grep '"type":"connection"' >dialogue; \
      apnscope -q -d tcp.port==$APNS_PORT,push -T ndjson -Y status s.pcap
      """)
    let answers = said.split(separator: "\n").filter { $0.contains("\"type\":\"error-response\"") }
    // The first one is split.
    #expect(answers.first?.contains(#/"packets":\[\d+,\d+\]/#) == true, "\(said)")
    return try scratch.objects("dialogue")
  }

  private struct Conversation: Decodable, Equatable {
    let status: Int?
    let identifier: Int?
  }

  @Test func stepsFollowEachOther() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let path = GuidePage.root.path + "/samples/serve/scenario.json"
    let first = try conversations(path, seed: 1, in: scratch)
    // Rejected, shut down, closed, and after a stall reset: a connection for each, and the last one.
    #expect(first.map(\.status) == [8, 10, nil, nil, nil], "\(first)")
    #expect(first.first?.identifier == 5 && first.last?.status == nil)
    #expect(try conversations(path, seed: 1, in: scratch) == first)
    #expect(try conversations(path, seed: 3, in: scratch)[1].identifier != first[1].identifier)
  }

  @Test(arguments: [
    ("", "line 1, column 1: this is not JSON: there is no value"),
    ("{\"apnscope_scenario\": 2}", "column 2: member \"apnscope_scenario\" is 2; this version reads 1"),
    ("{\"apnscope_scenario\": 1}", "the file needs a member \"steps\""),
    ("{\"apnscope_scenario\": 1,\n \"step\": []}", "needs a member \"steps\", not \"step\""),
    (step("\"do\": \"close\""), "line 2, column 2: a step needs a member \"after\""),
    (step("\"after\": 0, \"do\": \"close\""), "member \"after\" must be a number, 1 to 1000000000"),
    (step("\"after\": [5, 2], \"do\": \"close\""), "member \"after\" must be the least and the most"),
    (step("\"after\": 1"), "a step needs a member \"do\""),
    (step("\"after\": 1, \"do\": \"rejct\""), "member \"do\" is \"rejct\"; did you mean \"reject\"?"),
    (step("\"after\": 1, \"do\": \"reject\""), "a step needs a member \"status\""),
    (step("\"after\": 1, \"do\": \"reject\", \"status\": 256"), "member \"status\" must be a number, 1 to 255"),
    (step("\"after\": 1, \"do\": \"close\", \"status\": 8"), "member \"status\" is only for reject"),
    (step("\"after\": 1, \"do\": \"close\", \"split\": true"), "member \"split\" is only for reject and shutdown"),
    (step("\"after\": 1, \"do\": \"close\", \"stall_seconds\": 1"), "member \"stall_seconds\" is only for stall"),
    (
      step("\"after\": 1, \"do\": \"close\", \"refuse_seconds\": -1"), "\"refuse_seconds\" must be a number, 0 to 86400"
    ),
    (step("\"after\": 1, \"do\": \"close\", \"refuse\": 1"), "member \"refuse\" does not belong to a step"),
  ])
  func errorsHaveTheirPlace(_ text: String, _ sentence: String) throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.write(text, to: "s.json")
    let said = try scratch.run("apnscope serve --scenario s.json \(ConformanceTests.addresses)")
    #expect(said.hasPrefix("! apnscope: --scenario s.json: line ") && said.contains(sentence), "\(said)")
    #expect(said.hasSuffix("? 2\n"), "\(said)")
  }

  private static func step(_ members: String) -> String {
    "{\"apnscope_scenario\": 1, \"steps\": [\n {\(members)}]}"
  }
}

extension Scratch {
  fileprivate func objects<Object: Decodable>(_ name: String) throws -> [Object] {
    try lines(name).map { try JSONDecoder().decode(Object.self, from: Data($0.utf8)) }
  }

  fileprivate func lines(_ name: String) throws -> [String] {
    String(decoding: try bytes(name), as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
