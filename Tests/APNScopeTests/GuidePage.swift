import APNSWire
import Foundation
import TestSupport
import Testing

/// A page of the documentation: the Markdown files at the top, in `docs`, and in the documentation catalogs of the
/// libraries.
struct GuidePage: CustomTestStringConvertible {
  let file: URL
  let text: String

  static let root = Samples.folder.deletingLastPathComponent()

  static let all: [GuidePage] = {
    let top = (try? FileManager.default.contentsOfDirectory(at: root, includingPropertiesForKeys: nil)) ?? []
    let below = ["docs", "Sources"].flatMap { folder in
      let all = FileManager.default.enumerator(at: root.appending(path: folder), includingPropertiesForKeys: nil)
      return all?.compactMap { $0 as? URL } ?? []
    }
    let files = top + below
    return files.filter { $0.pathExtension == "md" }.sorted { $0.path < $1.path }.map(GuidePage.init)
  }()

  private init(_ file: URL) {
    self.file = file
    text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
  }

  /// From the top: `docs/filters.md`.
  var path: String { String(file.standardizedFileURL.path.dropFirst(Self.root.standardizedFileURL.path.count + 1)) }

  var testDescription: String { path }

  /// What the page holds between `<!-- NAME -->` and `<!-- end -->`, by name.
  static let generated: [String: @Sendable () throws -> String] = [
    "frame types": { ReferenceTables.frameTypes(.standard) },
    "rules": ReferenceTables.rules,
    "causes": ReferenceTables.causes,
    "statuses": ReferenceTables.statuses,
    "keys": ReferenceTables.keys,
    "text formats": ReferenceTables.textFormats,
    "private gateway": {
      "```json\n" + (try contents("samples/frame-files/private-gateway.json")) + "```\n"
    },
    "scenario": { "```json\n" + (try contents("samples/serve/scenario.json")) + "```\n" },
    "measured": { try firstTable("Tests/Bench/RESULTS.md") },
  ]

  private static func contents(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// A Swift file of `samples/library`, or the part of it between `// MARK: PART` and the next such line. What is there is
  /// compiled and tested as a package that depends on this one. Its name is `program FILE` or `program FILE#PART`.
  private static func program(_ name: Substring) throws -> String {
    let halves = name.split(separator: "#").map(String.init)
    var lines = try contents("samples/library/" + halves[0]).split(separator: "\n", omittingEmptySubsequences: false)
    if halves.count > 1 {
      let start = try #require(lines.firstIndex(of: "// MARK: \(halves[1])"), "no part of \(halves[0]): \(name)")
      lines = Array(lines[(start + 1)...].prefix { !$0.hasPrefix("// MARK: ") })
    }
    let code = lines.joined(separator: "\n").trimmingCharacters(in: .newlines)
    return "```swift\n\(code)\n```\n"
  }

  /// The text between `<!-- name -->` and `<!-- end -->`; nil if no part has this name.
  private static func part(_ name: String) throws -> String? {
    if name.hasPrefix("program ") { return try program(name.dropFirst("program ".count)) }
    return try generated[name]?()
  }

  private static func firstTable(_ path: String) throws -> String {
    let lines = try contents(path).split(separator: "\n", omittingEmptySubsequences: false)
    return lines.drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }.map { $0 + "\n" }.joined()
  }

  var generatedNames: [String] { text.matches(of: #/<!-- (.*) -->/#).map { String($0.1) }.filter { $0 != "end" } }

  /// The page with the output of its commands, and its generated parts, as they are today.
  func current() throws -> String {
    var text = try withOutputs()
    for name in generatedNames {
      let part = try #require(try Self.part(name), "\(path): no part is called \(name)")
      let start = try #require(text.range(of: "<!-- \(name) -->\n"))
      let end = try #require(text.range(of: "<!-- end -->", range: start.upperBound..<text.endIndex))
      text.replaceSubrange(start.upperBound..<end.lowerBound, with: part)
    }
    return text
  }

  private func withOutputs() throws -> String {
    var lines: [String] = []
    var isConsole = false
    var isKept = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line == "```" { isConsole = false }
      if isConsole {
        guard line.hasPrefix("$ ") else {
          if isKept { lines.append(String(line)) }
          continue
        }
        // Serve/Tests/run runs those of the gateway.
        isKept = line.contains("apnscope serve") || Self.missingPrograms.contains { line.contains("\($0) ") }
        if isKept {
          lines.append(String(line))
          continue
        }
        let output = try TranscriptTests.run(String(line.dropFirst(2)), in: Self.root)
        // Some lines show an error; no pipe does.
        let isFailedPipe = line.contains(" | ") && (output.contains("\n? 2") || output.contains("\n? 3"))
        #expect(!isFailedPipe, "\(path): \(line): \(output)")
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

  /// Commands that need one of these keep the output that is written; none in CI, which installs all programs.
  private static let missingPrograms = ["jq", "sqlite3", "tshark", "xxd"].filter { program in
    let isFound = (try? TranscriptTests.run("command -v \(program)", in: root))?.hasPrefix("/") == true
    return !isFound && ProcessInfo.processInfo.environment["CI"] == nil
  }

  /// The languages of fenced blocks, and the lines in blocks that no test runs.
  var blocks: (languages: [String], unrun: [Substring]) {
    var languages: [String] = []
    var unrun: [Substring] = []
    var language: String?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        language = language == nil ? String(line.dropFirst(3)) : nil
        if let language { languages.append(language) }
      } else if language != nil ? language != "console" : line.hasPrefix("    ") {
        unrun.append(line)
      }
    }
    return (languages, unrun)
  }

  /// Whether it is in a documentation catalog: DocC checks that links lead to it.
  var isInCatalog: Bool { path.contains(".docc/") }

  /// Targets of links within the project.
  var links: [String] {
    text.matches(of: #/\]\(([^)\s]+)\)/#).map { String($0.1) }.filter { !$0.contains("://") }
  }

  /// What a link to a heading ends in: `#a-heading`.
  var anchors: Set<String> {
    Set(
      text.matches(of: #/(?m)^#+ (.*)$/#).map { heading in
        String(
          heading.1.lowercased().compactMap { character in
            if character == " " { return "-" }
            return character.isLetter || character.isNumber || character == "-" || character == "_" ? character : nil
          })
      })
  }
}
