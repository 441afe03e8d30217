import TestSupport
import Testing

/// The last lines on standard error: what was found, what to look at first, and the command to run next.
@Suite struct TriageTests {
  private let scratch: Scratch

  /// An error response, and the first half of another one.
  init() throws {
    scratch = try Scratch()
    try scratch.write([8, 8, 0, 0, 0, 7, 8, 8, 0], to: "it's $HOME.bin")
  }

  /// An error comes before a warning, even if it is later in the stream.
  @Test func theWorstComesFirst() throws {
    defer { scratch.remove() }
    let said = try scratch.run("apnscope -T line --role feedback --hex '528aff000000 52' 2>&1 >/dev/null")
    #expect(said.contains("2 to look at: 1 truncated, 1 empty-token\n  first: #2 at 0x7 "), "\(said)")
  }

  @Test func theNextCommandCanBePasted() throws {
    defer { scratch.remove() }
    let said = try scratch.run("apnscope --role gateway -T line it*.bin 2>&1 >/dev/null")
    let next = try #require(said.firstMatch(of: /next: (apnscope --role gateway .*)/)).1
    let shown = try scratch.run("\(next) -q -T line")
    #expect(shown.hasPrefix("0x0006  error-response  3 bytes") && shown.hasSuffix("? 1\n"), "\(shown)")
    #expect(shown.split(separator: "\n").count == 2, "\(shown)")
  }

  /// The next command then does not read the input.
  @Test(arguments: ["<it*.bin", "--hex 080800", "<(cat it*.bin)", "--frames <(apnscope export frames) it*.bin"])
  func whatCannotBeReadAgainIsExplained(_ input: String) throws {
    defer { scratch.remove() }
    let said = try scratch.run("apnscope -T line \(input) 2>&1 >/dev/null")
    #expect(said.hasSuffix("\n  next: apnscope explain truncated\n? 1\n"), "\(said)")
  }
}
