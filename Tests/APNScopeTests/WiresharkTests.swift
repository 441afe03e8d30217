import Foundation
import TestSupport
import Testing

/// The dissector that `export wireshark` writes.
@Suite(.endedIfItHangs) struct WiresharkTests {
  private static let comparison = GuidePage.root.appending(path: ".ci/wireshark").path

  /// tshark shows the same frames and fields as apnscope: of samples, damaged streams, and frame types of one's own.
  @Test func tsharkAgrees() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.need("python3")
    try scratch.need("tshark")
    let apnscope = TranscriptTests.binFolder.appending(path: "apnscope").path
    let said = try scratch.run("python3 \(Self.comparison) --apnscope \(apnscope) --seed \(runSeed)")
    let counts = said.prefix { $0 != "\n" }.matches(of: #/\d+/#).compactMap { Int($0.output) }
    try #require(counts.count == 6, "\(said)")
    // Streams, frames, fields, filters; differences.
    #expect(counts[0] > 3000 && counts[1] > 5000 && counts[2] > 80_000 && counts[3] > 100, "\(said)")
    #expect(counts[4] == 0 && !said.contains("\n? "), "\(said)")
  }

  @Test func isInstalledWhereWiresharkLoadsIt() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let path = ".local/lib/wireshark/plugins/apnscope.lua"
    let said = try scratch.run("HOME=$PWD apnscope export wireshark --install 2>&1")
    #expect(said.contains("wrote \(scratch.path(path))"), "\(said)")
    let written = try scratch.run("apnscope export wireshark | cmp - \(path)")
    #expect(written.isEmpty, "\(written)")
    // An earlier dissector is replaced; no other file is, whatever its kind.
    #expect(try scratch.run("echo >>\(path); HOME=$PWD apnscope export wireshark --install 2>/dev/null").isEmpty)
    #expect(try scratch.run("apnscope export wireshark | cmp - \(path)").isEmpty)
    for other in ["echo 'local mine' >\(path)", "ln -sf missing \(path)", "rm \(path); mkfifo \(path)"] {
      let said = try scratch.run("\(other); HOME=$PWD apnscope export wireshark --install")
      #expect(said.contains("was not written by apnscope") && said.hasSuffix("? 3\n"), "\(other): \(said)")
    }
  }

  @Test(arguments: [
    "HOME= apnscope export wireshark --install", "apnscope export frames --install",
    "apnscope export wireshark --install -w dissector.lua",
  ])
  func refusesToInstall(_ command: String) throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    #expect(try scratch.run(command).hasSuffix("? 2\n"))
  }
}
