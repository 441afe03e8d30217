import APNSWire
import Foundation
import TestSupport
import Testing

/// The README shows what the tool does today: its console blocks are transcripts, its tables come from the catalog, and
/// its Swift is the test's.
@Suite struct ReadmeTests {
  static let file = Samples.folder.deletingLastPathComponent().appending(path: "README.md")

  @Test func saysWhatIsSo() throws {
    let written = try String(contentsOf: Self.file, encoding: .utf8)
    var seen = try Self.rerun(written)
    seen = Self.replace(
      in: seen, between: "<!-- frame types -->\n", and: "<!-- end -->", by: FrameTable.markdown(.standard) + "\n")
    seen = Self.replace(in: seen, between: "<!-- rules -->\n", and: "<!-- end -->", by: RuleTable.markdown() + "\n")
    seen = Self.replace(in: seen, between: "<!-- causes -->\n", and: "<!-- end -->", by: CauseTable.markdown() + "\n")
    let example = try String(
      contentsOf: Samples.folder.appending(path: "../Tests/APNScopeTests/LibraryExample.swift"), encoding: .utf8)
    seen = Self.replace(
      in: seen, between: "<!-- library -->\n", and: "<!-- end -->", by: "```swift\n" + example + "```\n")
    let program = try String(
      contentsOf: Samples.folder.appending(path: "library/Sources/example/main.swift"), encoding: .utf8)
    seen = Self.replace(
      in: seen, between: "<!-- findings -->\n", and: "<!-- end -->", by: "```swift\n" + program + "```\n")
    if TranscriptTests.rewrites {
      try seen.write(to: Self.file, atomically: true, encoding: .utf8)
    } else {
      #expect(seen == written, "see the difference with make golden && git diff README.md")
    }
  }

  private static func rerun(_ text: String) throws -> String {
    var lines: [String] = []
    var isConsole = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line == "```" { isConsole = false }
      if isConsole {
        guard line.hasPrefix("$ ") else { continue }
        let output = try TranscriptTests.run(
          String(line.dropFirst(2)), in: file.deletingLastPathComponent())
        // Some lines show an error; no pipe does.
        let isFailedPipe = line.contains(" | ") && (output.contains("\n? 2") || output.contains("\n? 3"))
        #expect(!isFailedPipe, "\(line): \(output)")
        let shown = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        lines.append(String(line))
        lines += shown.filter { !$0.hasPrefix("? ") }.map { $0.hasPrefix("! ") ? String($0.dropFirst(2)) : String($0) }
        continue
      }
      if line == "```console" { isConsole = true }
      lines.append(String(line))
    }
    return lines.joined(separator: "\n")
  }

  private static func replace(in text: String, between start: String, and end: String, by new: String) -> String {
    guard let from = text.range(of: start), let to = text.range(of: end, range: from.upperBound..<text.endIndex) else {
      Issue.record("README.md has no \(start)")
      return text
    }
    return text.replacingCharacters(in: from.upperBound..<to.lowerBound, with: new)
  }
}
