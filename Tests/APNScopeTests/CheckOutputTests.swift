import Foundation
import TestSupport
import Testing

/// One run of `check` writes several outputs, and a baseline.
@Suite struct CheckOutputTests {
  private let scratch: Scratch

  /// A stream with one error, and another with another.
  init() throws {
    scratch = try Scratch()
    _ = try scratch.run("mkdir captures; echo 08080000 >captures/a.hex; echo 0808000004d2ff >captures/b.hex")
  }

  @Test func writesWhatEachFormatWritesAlone() throws {
    defer { scratch.remove() }
    let text = try scratch.run("apnscope check captures")
    #expect(try scratch.run("apnscope check --sarif s --junit j captures") == text)
    #expect(try scratch.run("apnscope check -q --fail-on never -T sarif captures | cmp - s").isEmpty)
    #expect(try scratch.run("apnscope check -q --fail-on never -T junit captures | cmp - j").isEmpty)
    // Readers of the text may leave early.
    #expect(try scratch.run("apnscope check -q --sarif t captures | head -n 1 >/dev/null; cmp s t").isEmpty)
  }

  @Test func everyFileGetsAllFindings() throws {
    defer { scratch.remove() }
    _ = try scratch.run("head -c 3000 /dev/zero >zeros; apnscope check -q --from raw --sarif s zeros")
    #expect(
      try scratch.run("grep -c ruleId s")
        == scratch.run("apnscope check -q --fail-on never -T sarif zeros | grep -c ruleId"))
  }

  @Test func updatesTheBaseline() throws {
    defer { scratch.remove() }
    #expect(try scratch.run("apnscope check -q --update-baseline known captures >all").isEmpty)
    #expect(try scratch.run("apnscope check -q -T ndjson --fail-on never captures | cmp - known").isEmpty)
    #expect(try scratch.run("apnscope check -q --baseline known captures").isEmpty)
    // One is gone, one is new: what is new is shown, and what is gone is forgotten.
    let line = "apnscope check -q -T ndjson --baseline known --update-baseline known captures"
    let new = try scratch.run("rm captures/a.hex; echo 0808000004d2fe >captures/c.hex; \(line)")
    #expect(new.split(separator: "\n").count == 1 && new.contains("c.hex"), "\(new)")
    #expect(try scratch.run("grep -c rule known; grep -c a.hex known") == "2\n0\n? 1\n")
  }

  @Test(arguments: [
    "--sarif captures/a.hex", "--sarif -", "--sarif x --junit x", "-w x --sarif x", "--update-baseline captures/a.hex",
  ])
  func refusesFilesThatAreTaken(_ flags: String) throws {
    defer { scratch.remove() }
    let said = try scratch.run("apnscope check \(flags) captures")
    #expect(said.hasSuffix("? 2\n") && said.split(separator: "\n").count == 2, "\(said)")
    #expect(try scratch.run("cat captures/a.hex; ls -A") == "08080000\ncaptures\n")
  }

  @Test func nothingAppearsIfTheRunFails() throws {
    defer { scratch.remove() }
    #expect(try scratch.run("apnscope check -q --sarif s --update-baseline k nosuch.hex").hasSuffix("? 3\n"))
    #expect(try scratch.run("ls -A") == "captures\n")
  }

  /// Each file is a test case, also if it is empty, cannot be read, or only to a part.
  @Test func junitShowsEachFile() throws {
    defer { scratch.remove() }
    _ = try scratch.run(
      """
      apnscope encode --status 8 --identifier 7 -T pcap -w good.pcap; : >captures/c.hex
      head -c -1 good.pcap >captures/d.pcap; mv good.pcap captures/e.pcap; echo no frame >captures/f.txt
      """)
    let said = try scratch.run("apnscope check -q --junit j.xml captures missing.hex >/dev/null 2>&1")
    #expect(said == "? 3\n")
    let text = try String(decoding: scratch.bytes("j.xml"), as: UTF8.self)
    let cases = text.matches(of: /<testcase [^>]* name="([^"]*)" file="([^"]*)"[^>]*?(?:\/>|>\n *<(\w+) )/)
    let results = cases.map { "\($0.1) \($0.3 ?? "passed")" }
    #expect(cases.allSatisfy { $0.1 == $0.2 })
    #expect(
      results.sorted() == [
        "captures/a.hex failure", "captures/b.hex failure", "captures/c.hex passed", "captures/d.pcap error",
        "captures/e.pcap passed", "captures/f.txt error", "missing.hex error",
      ], "\(text)")
    #expect(text.contains(#"tests="7" failures="2" errors="3""#))
  }

  /// If nothing could be read, the report says so; but it is no report if the command was wrong.
  @Test func junitIsWrittenIfNothingIsRead() throws {
    defer { scratch.remove() }
    #expect(try scratch.run("apnscope check -q --junit j --sarif s missing.hex 2>&1").contains("? 3"))
    #expect(try scratch.run("ls j s 2>&1; grep -c '<error type=\"unreadable\"' j").hasPrefix("ls: "))
    #expect(try scratch.run("grep -c '<error type=\"unreadable\" message=\"missing.hex: ' j") == "1\n")
    #expect(try scratch.run("apnscope check -q -f tcp --junit k captures/a.hex 2>&1; ls k").hasSuffix("? 2\n"))
  }

  /// A finding in a capture is located in the capture, without a region; what is known of it is in its properties.
  @Test func sarifNamesTheCapture() throws {
    defer { scratch.remove() }
    _ = try scratch.run("apnscope encode --hex 0808000004d2ff -T pcap -w captures/c.pcap")
    let text = try scratch.run("apnscope check -q --fail-on never -T sarif captures")
    let log = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let run = try #require((log["runs"] as? [[String: Any]])?.first)
    let artifacts = try #require(run["artifacts"] as? [[String: Any]])
    let files = artifacts.map { ($0["location"] as? [String: String])?["uri"] }
    #expect(Set(files) == ["captures/a.hex", "captures/b.hex", "captures/c.pcap"])
    let results = try #require(run["results"] as? [[String: Any]])
    #expect(results.count == 3)
    for result in results {
      let location = try #require(
        (result["locations"] as? [[String: Any]])?.first?["physicalLocation"] as? [String: Any])
      let file = try #require(location["artifactLocation"] as? [String: Any])
      let index = try #require(file["index"] as? Int)
      #expect(file["uri"] as? String == files[index])
      let isCapture = files[index] == "captures/c.pcap"
      #expect((location["region"] == nil) == isCapture)
      let properties = try #require(result["properties"] as? [String: Any])
      #expect((properties["stream"] != nil) == isCapture)
      if isCapture { #expect(properties["offset"] as? Int == 6 && (properties["packets"] as? [Int])?.count == 1) }
    }
  }

  /// Columns count UTF-16 code units, as editors do: of the characters before the digits, one has two.
  @Test func columnsCountUTF16() throws {
    defer { scratch.remove() }
    try scratch.write("# é\n2024-01-01 é😀 sent 0808000004d2ff\n", to: "log.txt")
    let column = 2 + "2024-01-01 é😀 sent 0808000004d2".utf16.count - 1
    let said = try scratch.run("apnscope check -q --fail-on never log.txt")
    #expect(said.contains("(line 2, column \(column))"), "\(said)")
    let sarif = try scratch.run("apnscope check -q --fail-on never -T sarif log.txt")
    #expect(sarif.contains(#""region":{"startLine":2,"startColumn":\#(column)}"#), "\(sarif)")
  }

  /// A stream has the number that it has when its file is read alone.
  @Test(arguments: ["text", "ndjson", "sarif", "junit", "github"]) func streamsHaveTheNumbersOfTheirFile(
    _ format: String
  ) throws {
    defer { scratch.remove() }
    _ = try scratch.run(
      """
      rm captures/*; printf '> 0808\\n< 0808\\n' >captures/c.txt
      for stream in 1 3 5; do
        echo '{"type":"unparsed","hex":"08080000","stream":'$stream'}' | apnscope encode -T pcap -w captures/$stream.pcap
      done
      """)
    let all = try scratch.run("apnscope check -q -T \(format) captures 2>&1")
    let numbers = Set(all.matches(of: /stream[ "-]:?(\d+)/).map { String($0.1) })
    let alone = try scratch.run("for file in captures/*; do apnscope check -q -T \(format) $file 2>&1; done")
    #expect(numbers == Set(alone.matches(of: /stream[ "-]:?(\d+)/).map { String($0.1) }) && !numbers.isEmpty, "\(all)")
    let next = try scratch.run(
      "apnscope encode --status 8 --identifier 7 -T pcap -w good.pcap; apnscope -T line good.pcap captures/5.pcap")
    #expect(next.contains("  next: apnscope -Y 'number == 1' --stream 1 captures/5.pcap"), "\(next)")
  }

  /// Its commands, as they are in the file.
  @Test func theWorkflowRuns() throws {
    defer { scratch.remove() }
    let workflow = try String(contentsOf: Samples.folder.appending(path: "ci/check-streams.yml"), encoding: .utf8)
    let commands = workflow.matches(of: /(?:run: |: )(apnscope check .*)/).map { String($0.1) }
    #expect(commands.count == 2)
    #expect(try scratch.run("touch known.ndjson; \(commands[0])").hasSuffix("? 1\n"))
    #expect(try scratch.run("test -s findings.sarif && test -s findings.xml").isEmpty)
    #expect(!(try scratch.run(commands[1])).contains("? "))
    #expect(!(try scratch.run(commands[0])).contains("? "))
  }
}
