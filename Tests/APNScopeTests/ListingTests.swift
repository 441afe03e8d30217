import Foundation
import TestSupport
import Testing

/// What is added is listed where it is looked for.
@Suite struct ListingTests {
  private static let root = Samples.folder.deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  private static let subcommands: [String] = {
    let help = (try? TranscriptTests.run("apnscope --help", in: Samples.folder)) ?? ""
    let list = help.components(separatedBy: "SUBCOMMANDS:\n").last ?? ""
    return list.matches(of: #/(?m)^ {2}([a-z]+) /#).map { String($0.1) }
  }()

  @Test func thereAreSubcommands() { #expect(Self.subcommands.contains("dissect") && Self.subcommands.count > 10) }

  @Test(arguments: subcommands) func subcommandsAreShown(_ name: String) throws {
    let transcript = try Self.text("samples/transcripts/help.golden")
    #expect(
      transcript.contains("$ apnscope help \(name)\n") || transcript.contains("$ apnscope \(name) --help\n"),
      "samples/transcripts/help.golden shows no help of \(name)")
    let readme = try Self.text("README.md")
    #expect(readme.contains("apnscope \(name)") || readme.contains("`\(name)`"), "README.md does not name \(name)")
    let help = try TranscriptTests.run("apnscope help \(name)", in: Samples.folder)
    #expect(help.hasPrefix("EXAMPLES:\n"), "the help of \(name) does not begin with examples")
  }

  /// The first one is the default, which need not be named.
  @Test(arguments: subcommands) func formatsAreShown(_ name: String) throws {
    let help = try TranscriptTests.run("apnscope help \(name)", in: Samples.folder)
    guard let option = help.components(separatedBy: "--format <format>").dropFirst().first else { return }
    let values = try #require(option.firstMatch(of: /\(values:([^;)]*)/))
    let readme = try Self.text("README.md")
    let formats = values.1.split { !$0.isLetter && !$0.isNumber }
    #expect(formats.count > 1)
    for format in formats.dropFirst() {
      #expect(
        readme.contains("-T \(format)") || readme.contains("`\(format)`"), "README.md does not name -T \(format)")
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
