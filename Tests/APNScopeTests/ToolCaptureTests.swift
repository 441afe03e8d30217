import Foundation
import TestSupport
import Testing

/// One session as many tools recorded it: `samples/captures/tools/manifest.tsv` says what each sample must give.
@Suite struct ToolCaptureTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let files: String
    let kind: String
    let frames: [Int]
    var testDescription: String { files }
  }

  static let folder = Samples.folder.appending(path: "captures/tools")

  static let rows: [Row] = {
    let text = (try? String(contentsOf: folder.appending(path: "manifest.tsv"), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").dropFirst().map { line in
      let cells = line.split(separator: "\t").map(String.init)
      return Row(files: cells[0], kind: cells[2], frames: cells[3...4].compactMap { Int($0) })
    }
  }()

  @Test func thereAreRows() { #expect(Self.rows.count > 45) }

  /// What the session's own frames deserve: of 2013, one with a long payload, sent again years later.
  private static let deserved: Set = ["payload-too-long", "expiry-past"]

  @Test(arguments: rows) func givesItsFrames(_ row: Row) throws {
    let seen = try TranscriptTests.run("apnscope -q --fail-on never -T ndjson \(row.files)", in: Self.folder)
    let lines = seen.split(separator: "\n")
    let objects = try lines.filter { $0.hasPrefix("{") }.map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    let whole = objects.filter {
      $0["condition"] == nil && !["unparsed", "gap", "overlap"].contains($0["type"] as? String)
    }
    let fromGateway = whole.count { $0["type"] as? String == "error-response" }
    #expect([whole.count - fromGateway, fromGateway] == row.frames, "\(seen)")
    // Notes are advice about what senders chose to write; the capture is as good with them.
    let findings = objects.flatMap { $0["findings"] as? [[String: Any]] ?? [] }
    let rules = Set(findings.filter { $0["severity"] as? String != "note" }.compactMap { $0["rule"] as? String })
    switch row.kind {
    case "plain": #expect(rules.subtracting(Self.deserved) == [], "\(rules)")
    case "encrypted": #expect(rules == ["tls-records"], "\(rules)")
    default: #expect(rules.contains("missing-bytes"), "\(rules)")
    }
  }
}
