import APNSDiagnosis
import APNSInput
import APNSViews
import APNSWire
import Foundation
import TestSupport
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// The formats of `check`, whatever the bytes and however files are called.
@Suite struct CheckViewsTests {
  private static let hostile = [
    "a,b\n::error::c%0A.hex", "<&'\"]]>\u{1b}[31m\u{fffe}\u{202e}.bin", "//host/ä b?#.pcap",
  ]

  /// The text that a view writes about a stream of bytes, which comes from the given input.
  private func written<V: View>(
    _ bytes: [UInt8], _ view: V, input: Int = 0, role: StreamRole? = nil, rules: RulePolicy = RulePolicy()
  ) -> String {
    var view = view
    var out = Output()
    for (record, bytes) in Collected.records(of: bytes, role: role, rules: rules, input: input) {
      view.show(record, bytes.span, to: &out)
    }
    view.finish(to: &out)
    return String(decoding: out.bytes, as: UTF8.self)
  }

  private func findings(_ bytes: [UInt8], rules: RulePolicy = RulePolicy()) -> [Finding] {
    Collected.records(of: bytes, rules: rules).flatMap(\.record.findings)
  }

  private func isSafe(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0 == "\n" || ($0.value >= 0x20 && !(0x7f..<0xa0).contains($0.value)) }
      && !text.unicodeScalars.contains("\u{202e}")
  }

  @Test func linesAreOneForEachFinding() throws {
    for seed in 0..<500 {
      var random = RandomStream(seed: runSeed &+ UInt64(seed))
      let bytes = random.any()
      let expected = findings(bytes)
      let text = written(bytes, FindingLinesView(.standard, inputs: Self.hostile), input: 1)
      let objects = try text.split(separator: "\n").map { line in
        try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      }
      #expect(objects.map { $0["rule"] as? String } == expected.map(\.rule))
      #expect(objects.map { $0["offset"] as? Int } == expected.map(\.range.lowerBound))
      #expect(objects.allSatisfy { $0["file"] as? String == Self.hostile[1] })
      #expect(isSafe(text))
      for (object, finding) in zip(objects, expected) {
        switch finding.answer {
        case .status(let code): #expect(object["answer"] as? Int == Int(code))
        case .errorResponse: #expect(object["answer"] as? String == "error-response")
        case .close: #expect(object["answer"] as? String == "close")
        case nil: #expect(object["answer"] == nil)
        }
      }
    }
  }

  /// What one run wrote is all that the next one knows; bytes that are elsewhere but the same are the same finding.
  @Test func baselineKnowsWhatWasWritten() throws {
    for seed in 0..<300 {
      var random = RandomStream(seed: runSeed &+ UInt64(seed))
      let bytes = random.any()
      let records = Collected.records(of: bytes)
      let lines = written(bytes, FindingLinesView(.standard)).split(separator: "\n").map { Array($0.utf8) }
      var all = Baseline()
      for (index, line) in lines.enumerated() { try all.add(line, number: index + 1) }
      for (record, bytes) in records {
        for finding in record.findings {
          #expect(
            all.knows(finding, in: record, bytes.span, .standard)
              && !Baseline().knows(finding, in: record, bytes.span, .standard))
        }
      }
    }
    let bad: [UInt8] = [2, 0, 0, 0, 5, 2, 0, 22, 0x7b, 0x7d]
    var known = Baseline()
    let lines = written(bad, FindingLinesView(.standard)).split(separator: "\n")
    for line in lines { try known.add(Array(line.utf8), number: 1) }
    func rest(_ bytes: [UInt8]) -> [String] {
      Collected.records(of: bytes).flatMap { record, bytes in
        record.findings.filter { !known.knows($0, in: record, bytes.span, .standard) }.map(\.rule)
      }
    }
    #expect(!lines.isEmpty && rest(bad) == [])
    #expect(rest([0, 0, 1, 0xaa, 0, 2, 0x7b, 0x7d] + bad).filter { $0 == "item-overrun" } == [])
    #expect(rest(bad.dropLast() + [0x7c]).contains("item-overrun"))
  }

  @Test(arguments: [
    "", "x", "[]", "{}", #"{"schema":1}"#, #"{"schema":2,"fingerprint":"00000000000000ff"}"#,
    #"{"schema":1,"fingerprint":"ff"}"#, #"{"schema":1,"fingerprint":7}"#,
    #"{"schema":1,"type":"notification","offset":0}"#,
  ])
  func baselineTakesNothingElse(_ line: String) throws {
    var baseline = Baseline()
    if line.isEmpty { return try baseline.add(Array(line.utf8), number: 1) }
    #expect(throws: ReadError.self) { try baseline.add(Array(line.utf8), number: 7) }
  }

  // MARK: Text

  @Test(arguments: [60, 80, 200]) func textFitsItsWidth(_ width: Int) {
    for seed in 0..<300 {
      var random = RandomStream(seed: runSeed &+ UInt64(seed))
      let bytes = random.any()
      let text = written(
        bytes, CheckTextView(.standard, terminal: Terminal(width: width), inputs: Self.hostile), input: seed % 3)
      #expect(text.split(separator: "\n").allSatisfy { $0.unicodeScalars.count <= width }, "APNSCOPE_SEED=\(seed)")
      #expect(isSafe(text) && text.isEmpty == findings(bytes).isEmpty)
      for rule in Set(findings(bytes).map(\.rule)) { #expect(text.contains(" \(rule)")) }
    }
  }

  @Test func colourChangesNoLetter() {
    let bytes = [UInt8](repeating: 0xff, count: 300)
    let plain = written(bytes, CheckTextView(.standard))
    let colored = written(bytes, CheckTextView(.standard, terminal: Terminal(isColored: true)))
    #expect(colored != plain && colored.replacing(/\u{1b}\[[0-9;]*m/, with: "") == plain)
  }

  /// However many frames have the same fault, it is told of once, with their number.
  @Test func repeatedFindingsFold() {
    let bad: [UInt8] = [2, 0, 0, 0, 5, 2, 0, 2, 0x7b, 0x7d]
    let many = [[UInt8]](repeating: bad, count: 5_000).flatMap { $0 }
    let rules = RulePolicy(only: ["missing-item"])
    let text = written(many, CheckTextView(.standard), role: .provider, rules: rules)
    #expect(text.split(separator: "\n").count < 8 && text.contains("5000 times") && text.contains("#2, #3"))
    #expect(
      written(many, JUnitView(.standard, inputs: ["-"]), role: .provider, rules: rules).utf8.count < 2_000)
    let annotations = written(many, GitHubView(.standard, inputs: ["x"]), role: .provider, rules: rules).split(
      separator: "\n")
    #expect(annotations.count == 11 && annotations[10].contains("4990 more"))
  }

  // MARK: For machines

  @Test func commandsOfGitHubNeverBreak() {
    for seed in 0..<300 {
      var random = RandomStream(seed: runSeed &+ UInt64(seed))
      let bytes = random.any()
      let text = written(bytes, GitHubView(.standard, inputs: Self.hostile), input: seed % 3)
      for line in text.split(separator: "\n") {
        #expect(line.contains(/^::(error|warning|notice) (file=[^:,]*,)?(line=[0-9]+,col=[0-9]+,)?title=[a-z0-9-]+::/))
      }
      #expect(isSafe(text))
    }
    let text = written([0xff], GitHubView(.standard, inputs: Self.hostile))
    #expect(text.hasPrefix("::error file=a%2Cb%0A%3A%3Aerror%3A%3Ac%250A.hex,title=unknown-command::#1 at 0x0: "))
  }

  /// Each input is a test case. It fails if there are findings, and is an error if it could not be read.
  @Test func junitHasACaseForEachFile() throws {
    let names = Self.hostile + ["-"]
    // XML has no such character.
    let files = Self.hostile.map { printable($0).replacing("\u{fffe}", with: "\\u{fffe}") }
    for seed in 0..<200 {
      var random = RandomStream(seed: runSeed &+ UInt64(seed))
      let bytes = random.any()
      let policy = RulePolicy(ignored: ["truncated"])
      var view = JUnitView(.standard, inputs: names)
      let unread = seed % 2 == 0 ? 0 : nil
      if let unread { view.note(unread: unread, "it \u{1b}[31m is gone") }
      let text = written(bytes, view, input: seed % 3, rules: policy)
      let suite = XMLSuite()
      let parser = XMLParser(data: Data(text.utf8))
      parser.delegate = suite
      #expect(parser.parse() && isSafe(text), "\(text)")
      let found = findings(bytes, rules: policy)
      #expect(suite.cases.map(\.name) == files + ["standard input"])
      #expect(suite.cases.map(\.file) == files + [nil])
      for (number, one) in suite.cases.enumerated() {
        let isFound = number == seed % 3 && !found.isEmpty
        #expect(one.results == (number == unread ? ["error"] : isFound ? ["failure"] : []), "\(text)")
        guard isFound else { continue }
        if number != unread { #expect(Set(one.type.split(separator: ", ").map(String.init)) == Set(found.map(\.rule))) }
        for finding in found { #expect(one.text.contains("\(finding.severity) \(finding.rule)\n")) }
      }
      let results = suite.cases.flatMap(\.results)
      #expect(suite.counts == [4, results.count { $0 == "failure" }, results.count { $0 == "error" }])
    }
  }

  /// The bug in the sender is in each format.
  @Test func causesAreInAllFormats() throws {
    let file = Samples.folder.appending(path: "malformed/zoo/0000-payload-length-in-characters.bin")
    let bytes = try Samples.bytes(file)
    let cause = try #require(findings(bytes).lazy.compactMap(\.cause).first)
    let line = "cause: \(cause.id): \(cause.title)"
    let sarif = SARIFView(.standard, version: "0", rules: [], edition: .standard, inputs: ["x"])
    for text in [
      // It is wrapped.
      written(bytes, CheckTextView(.standard)).split { $0 == " " || $0 == "\n" }.joined(separator: " "),
      written(bytes, GitHubView(.standard, inputs: ["x"])).replacing("%25", with: "%"),
      written(bytes, JUnitView(.standard, inputs: ["x"])).replacing("&quot;", with: "\"").replacing("&#39;", with: "'"),
      written(bytes, sarif).replacing("\\\"", with: "\""),
    ] {
      #expect(text.contains(line) && text.contains("fix: \(cause.fix)"), "\(text)")
    }
    #expect(written(bytes, sarif).contains(#""cause":{"id":"\#(cause.id)","evidence":"#))
  }

  @Test func sarifSaysWhereAndWhat() throws {
    for seed in 0..<200 {
      var random = RandomStream(seed: runSeed &+ UInt64(seed))
      let bytes = random.any()
      let policy = RulePolicy()
      let view = SARIFView(
        .standard, version: "0", rules: policy.rules(from: .warning), edition: .standard, inputs: Self.hostile)
      let text = written(bytes, view, input: seed % 3)
      #expect(isSafe(text))
      let log = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      let run = try #require((log["runs"] as? [[String: Any]])?.first)
      let results = try #require(run["results"] as? [[String: Any]])
      let driver = try #require((run["tool"] as? [String: [String: Any]])?["driver"])
      let rules = try #require(driver["rules"] as? [[String: Any]]).map { $0["id"] as? String }
      let artifacts = try #require(run["artifacts"] as? [[String: Any]])
      #expect(log["version"] as? String == "2.1.0" && artifacts.count == 3)
      #expect(run["columnKind"] as? String == "utf16CodeUnits")
      let expected = findings(bytes)
      #expect(results.map { $0["ruleId"] as? String } == expected.map(\.rule))
      for (result, finding) in zip(results, expected) {
        #expect(rules[try #require(result["ruleIndex"] as? Int)] == finding.rule)
        #expect(result["level"] as? String == finding.severity.rawValue)
        let place = try #require(
          (result["locations"] as? [[String: Any]])?.first?["physicalLocation"] as? [String: Any])
        let file = try #require(place["artifactLocation"] as? [String: Any])
        let region = try #require(place["region"] as? [String: Int])
        #expect(file["index"] as? Int == seed % 3)
        #expect(URL(string: try #require(file["uri"] as? String)) != nil)
        #expect(region == ["byteOffset": finding.range.lowerBound, "byteLength": finding.range.count])
      }
    }
  }

  @Test(arguments: [
    ("a b.hex", "a%20b.hex"), ("/tmp/ä.bin", "file:///tmp/%C3%A4.bin"), ("//host/x", "file:///host/x"),
    ("c:d?#%", "c%3Ad%3F%23%25"),
  ])
  func filesAreURIs(_ name: String, _ uri: String) {
    let view = SARIFView(.standard, version: "0", rules: [], edition: .standard, inputs: [name])
    #expect(written([0xff], view).contains("\"location\":{\"uri\":\"\(uri)\"}"))
  }
}

/// What a parser of XML finds in a report.
private final class XMLSuite: NSObject, XMLParserDelegate {
  var cases: [Case] = []
  /// The numbers of tests, failures and errors that the suite states.
  var counts: [Int] = []

  struct Case {
    let name: String
    let file: String?
    /// The elements in it, and the type and the text of the last of them.
    var results: [String] = []
    var type = ""
    var text = ""
  }

  func parser(
    _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    switch element {
    case "testsuites": break
    case "testsuite": counts = ["tests", "failures", "errors"].compactMap { attributes[$0].flatMap { Int($0) } }
    case "testcase": cases.append(Case(name: attributes["name"] ?? "", file: attributes["file"]))
    default:
      cases[cases.count - 1].results.append(element)
      cases[cases.count - 1].type = attributes["type"] ?? ""
    }
  }

  func parser(_ parser: XMLParser, foundCharacters text: String) {
    if !cases.isEmpty { cases[cases.count - 1].text += text }
  }
}
