import APNSViews
import Testing

@Suite struct WrapTests {
  /// The space at which a line is broken is on neither line, wherever it is.
  @Test(
    arguments: [
      ("", [""]), ("abc", ["abc"]), ("abc def", ["abc", "def"]), ("abc ", ["abc"]), ("abcdef", ["abc", "def"]),
      ("ab cd", ["ab", "cd"]), ("a bcd", ["a b", "cd"]), ("新 b", ["新", "b"]),
    ] as [(String, [String])])
  func linesAreFull(_ text: String, _ lines: [String]) { #expect(text.wrapped(to: 3) == lines) }
}
