import Foundation
import TestSupport
import Testing

/// What is added is listed where it is looked for.
@Suite struct ListingTests {
  private static let guide = GuidePage.all.map(\.text).joined()

  private static let root = Samples.folder.deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  static let subcommands: [String] = {
    let help = (try? TranscriptTests.run("apnscope --help", in: Samples.folder)) ?? ""
    let list = help.components(separatedBy: "SUBCOMMANDS:\n").last ?? ""
    return list.matches(of: #/(?m)^ {2}([a-z]+) /#).map { String($0.1) }
  }()

  @Test func thereAreSubcommands() { #expect(Self.subcommands.contains("dissect") && Self.subcommands.count > 10) }

  @Test(arguments: subcommands) func subcommandsAreShown(_ name: String) throws {
    let transcript = try Self.text("samples/transcripts/help.golden")
    #expect(
      transcript.contains("$ apnscope \(name) --help-hidden\n"),
      "samples/transcripts/help.golden shows no help of \(name)")
    #expect(Self.guide.contains("apnscope \(name)") || Self.guide.contains("`\(name)`"), "no page names \(name)")
    let help = try TranscriptTests.run("apnscope help \(name)", in: Samples.folder)
    #expect(help.hasPrefix("EXAMPLES:\n"), "the help of \(name) does not begin with examples")
    // Of a terminal with 80 columns, which breaks longer lines.
    let lines = help.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    #expect(lines.reduce(0) { $0 + max(1, ($1.count + 79) / 80) } <= 45, "the help of \(name) needs more than a screen")
    #expect(help.hasSuffix("apnscope \(name) --help-hidden\n"))
  }

  /// The manual page has what the help has.
  @Test(arguments: subcommands) func manualPagesAgreeWithHelp(_ name: String) throws {
    let help = try TranscriptTests.run("apnscope \(name) --help-hidden", in: Samples.folder)
    let page = try TranscriptTests.run(
      "d=$(mktemp -d) && packaging/manual \"$(dirname \"$(command -v apnscope)\")\" $d "
        + "&& cat $d/man1/apnscope-\(name).1 && rm -r $d",
      in: Self.root
    ).replacing("\\-", with: "-")
    let title = ".TH APNSCOPE-\(name.uppercased()) 1 "
    #expect(page.hasPrefix(title) && page.contains(".SH NAME\napnscope-\(name) - "))
    let usage = try #require(help.firstMatch(of: #/(?m)^USAGE: (.*)$/#)).1
    #expect(page.contains(".SH SYNOPSIS\n.B \(usage)\n"))
    let words = help.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    let status = try #require(words.firstMatch(of: /Exit status: (.*?)\. [A-Z]+:/)).1
    #expect(status.contains("2 wrong usage; 3 input"))
    for meaning in status.components(separatedBy: "; ") {
      #expect(page.contains(".B \(meaning.prefix(1))\n\(meaning.dropFirst(2))\n"), "\(meaning)")
    }
    for option in help.matches(of: #/(?m)^ {2}(-.*?)(?: {2}|$)/#) {
      #expect(page.contains(".B \(option.1)\n"), "\(option.1)")
    }
    let examples = help.split(separator: "\n").dropFirst().prefix { $0.hasPrefix("  ") }
    for example in examples {
      #expect(page.contains("\n\(example.dropFirst(2).replacing("\\", with: "\\e"))\n"), "\(example)")
    }
  }

  /// The first one is the default, which need not be named.
  @Test(arguments: subcommands) func formatsAreShown(_ name: String) throws {
    let help = try TranscriptTests.run("apnscope \(name) --help-hidden", in: Samples.folder)
    guard let option = help.components(separatedBy: "--format <format>").dropFirst().first else { return }
    let values = try #require(option.firstMatch(of: /\(values:([^;)]*)/))
    let formats = values.1.split { !$0.isLetter && !$0.isNumber }
    #expect(formats.count > 1)
    for format in formats.dropFirst() {
      #expect(
        Self.guide.contains("-T \(format)") || Self.guide.contains("`\(format)`"), "no page names -T \(format)")
    }
  }

  /// A value by itself compiles, and is never used.
  @Test(arguments: [
    ("FrameSchema", "APNSWire/Compiled/Catalog.swift"), ("TextFormat", "APNSInput/Text/TextFormat.swift"),
    ("LinkType", "APNSInput/Capture/LinkLayer.swift"), ("RuleFamily", "APNSDiagnosis/Rules/Rules.swift"),
  ])
  func valuesAreInTheirList(_ type: String, _ list: String) throws {
    let words = Set(try Self.text("Sources/" + list).split { !$0.isLetter && !$0.isNumber && $0 != "." })
    let files = try #require(
      FileManager.default.enumerator(at: Self.root.appending(path: "Sources"), includingPropertiesForKeys: nil))
    var count = 0
    for case let file as URL in files where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      let values = try Regex("(?m)^(?:let|.* static let) (\\w+) = \(type)\\(", as: (Substring, Substring).self)
      for value in text.matches(of: values) {
        count += 1
        let owner = file.deletingPathExtension().lastPathComponent
        #expect(
          !words.isDisjoint(with: [value.1, ".\(value.1)", "\(owner).\(value.1)"]),
          "\(owner).swift: \(value.1) is not listed in \(list)")
      }
    }
    #expect(count > 4)
  }
}
