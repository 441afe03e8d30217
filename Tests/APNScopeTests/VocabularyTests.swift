import Foundation
import TestSupport
import Testing

/// Words and turns of phrase that few readers find natural. They grew into a dialect once, in messages first.
@Suite struct VocabularyTests {
  private static let words = [
    "behind", "stands", "nobody", "whoever", "somebody", "so many", "lacks?", "weigh(s|ed|ing)?", "mend(s|ed|ing)?",
    "remed(y|ies)", "dear", "told", "tells apart", "glances?", "bur(y|ies|ied)", "mingle[sd]?",
  ]
  /// Correct uses.
  private static let allowed = ["behind a proxy", "the user nobody", "behind-command-0", "tells the app"]

  private static func found(in text: String) throws -> [String] {
    let pattern = try Regex("(?i)\\b(\(words.joined(separator: "|")))\\b")
    let text = allowed.reduce(text) { $0.replacing($1, with: "") }
    return text.split(separator: "\n").filter { $0.contains(pattern) }.map(String.init)
  }

  @Test(arguments: GuidePage.all) func pagesAreInPlainEnglish(_ page: GuidePage) throws {
    #expect(try Self.found(in: page.text) == [])
  }

  /// Help, messages, explanations and comments.
  @Test func sourcesAreInPlainEnglish() throws {
    let folder = GuidePage.root.appending(path: "Sources")
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
    #expect(names.count > 100)
    for name in names {
      let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
      #expect(try Self.found(in: text) == [], "\(name)")
    }
  }

  @Test func findsWords() throws {
    #expect(try Self.found(in: "It stands there.\nIt runs behind a proxy.\nBehind it").count == 2)
  }
}
