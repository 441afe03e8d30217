import Foundation
import TestSupport
import Testing

/// The README and the guide show what the tool does today: console blocks are transcripts; tables, programs and the
/// picture are generated. `make golden` rewrites them.
@Suite struct ReadmeTests {
  private static let isGolden = TranscriptTests.rewrites

  @Test(arguments: GuidePage.all) func saysWhatIsSo(_ page: GuidePage) throws {
    let current = try page.current()
    if Self.isGolden {
      if current != page.text { try current.write(to: page.file, atomically: true, encoding: .utf8) }
    } else {
      #expect(current == page.text, "\(page.path): see the difference with make golden && git diff")
    }
  }

  @Test func thereAreCommands() {
    let commands = GuidePage.all.map { $0.text.matches(of: #/(?m)^\$ /#).count }
    #expect(commands.reduce(0, +) > 60)
  }

  /// A command that is in no console block runs in no test, so only what needs more than the project is left out: an
  /// interface, another machine, root, a file that grows, a client.
  @Test(arguments: GuidePage.all) func commandsAreRun(_ page: GuidePage) {
    let (languages, unrun) = page.blocks
    for language in languages {
      #expect(["console", "sh", "swift", "json"].contains(language), "\(page.path): a block in \"\(language)\"")
    }
    #expect(languages.filter { $0 == "swift" }.count == page.generatedNames.filter { $0.hasPrefix("program ") }.count)
    let excuses = [" -i ", " -D ", " ssh ", "sudo ", "tail -c +1 -f", "apnscope serve"]
    for line in unrun where line.contains("apnscope ") {
      let isExcused = line.contains("libapnscope-mutator") || excuses.contains { " \(line)".contains($0) }
      #expect(isExcused, "\(page.path): put this into a console block: \(line)")
    }
  }

  @Test(arguments: GuidePage.all) func linksLead(_ page: GuidePage) throws {
    for link in page.links {
      let halves = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      let target = halves[0].isEmpty ? page.file : page.file.deletingLastPathComponent().appending(path: halves[0])
      #expect(FileManager.default.fileExists(atPath: target.path), "\(page.path): there is no \(link)")
      guard halves.count == 2, target.pathExtension == "md" else { continue }
      let aim = GuidePage.all.first { $0.file.standardizedFileURL == target.standardizedFileURL }
      #expect(aim?.anchors.contains(String(halves[1])) == true, "\(page.path): no heading for \(link)")
    }
  }

  /// Files and folders of the project that a page names, from the top.
  @Test(arguments: GuidePage.all) func namedFilesExist(_ page: GuidePage) {
    for name in page.text.matches(of: #/`((?:Sources|Tests|docs|packaging|samples)\/[^` ]*)/#) {
      let file = GuidePage.root.appending(path: String(name.1))
      #expect(FileManager.default.fileExists(atPath: file.path), "\(page.path): there is no \(name.1)")
    }
  }

  @Test func pagesAndPartsAreUsed() throws {
    let targets = Set(
      GuidePage.all.filter { ["README.md", "docs/README.md"].contains($0.path) }.flatMap { page in
        page.links.map { link in
          page.file.deletingLastPathComponent().appending(path: link.prefix { $0 != "#" }).standardizedFileURL
        }
      })
    for page in GuidePage.all where page.path != "README.md" && !page.isInCatalog {
      #expect(targets.contains(page.file.standardizedFileURL), "neither README links to \(page.path)")
    }
    let names = Set(GuidePage.all.flatMap(\.generatedNames)).filter { !$0.hasPrefix("program ") }
    #expect(names == Set(GuidePage.generated.keys))
  }

  @Test func readmeIsShort() throws {
    let readme = try #require(GuidePage.all.first { $0.path == "README.md" })
    #expect(readme.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().count <= 150)
  }

  /// The first command of the README, in colour.
  @Test func pictureIsCurrent() throws {
    let readme = try #require(GuidePage.all.first { $0.path == "README.md" })
    let line = String(try #require(readme.text.firstMatch(of: #/(?m)^\$ (.*)$/#)).1)
    let output = try TranscriptTests.run(
      line.replacing("apnscope ", with: "apnscope --color always ", maxReplacements: 1), in: GuidePage.root)
    let lines = output.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("? ") }
    let svg = TerminalPicture(of: line, output: lines.joined(separator: "\n")).svg
    let file = GuidePage.root.appending(path: "docs/images/frame.svg")
    if Self.isGolden {
      try svg.write(to: file, atomically: true, encoding: .utf8)
    } else {
      let written = try String(contentsOf: file, encoding: .utf8)
      #expect(svg == written, "make golden draws docs/images/frame.svg again")
    }
  }
}
