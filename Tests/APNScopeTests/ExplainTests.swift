import APNSViews
import Foundation
import TestSupport
import Testing

/// Every command that `explain` shows, run by a shell.
@Suite struct ExplainTests {
  private static let commands = Topics(.standard).all.flatMap { topic in
    topic.paragraphs.filter { $0.label == "see" }.map { (topic.name, $0.text) }
  }

  @Test(arguments: commands) func seeShowsWhatItPromises(_ rule: String, _ command: String) throws {
    #expect(!command.contains("\n"))
    let shown = try TranscriptTests.run(command, in: Samples.folder)
    #expect(shown.contains(rule), "\(command)\n\(shown)")
  }

  @Test func mostRulesHaveACommand() { #expect(Self.commands.count > 60) }

  @Test func tooManyWordsAreNoName() throws {
    let result = try TranscriptTests.run("apnscope explain $(seq 20000)", in: Samples.folder)
    #expect(result.hasSuffix("? 2\n") && result.utf8.count < 400)
  }

  @Test func longNamesAreNotRepeatedWhole() throws {
    let command = "apnscope explain $(head -c 100000 /dev/zero | tr '\\0' x)"
    let result = try TranscriptTests.run(command, in: Samples.folder)
    #expect(result.hasSuffix("? 2\n") && result.utf8.count < 2000)
  }
}
