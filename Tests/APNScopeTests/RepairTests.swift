import Foundation
import TestSupport
import Testing

/// `--repair`: the stream as it should have been.
@Suite struct RepairTests {
  private let scratch: Scratch
  private let broken = Samples.folder.appending(path: "malformed/length-counts-characters.hex").path
  private let whole = Samples.folder.appending(path: "frames/notification.hex").path
  private let cut = Samples.folder.appending(path: "malformed/frame-cut.hex").path

  init() throws { scratch = try Scratch() }

  @Test func writesBytesAndShowsChangesApart() throws {
    defer { scratch.remove() }
    let said = try scratch.run(
      "apnscope --repair - \(broken) >stream 2>changes; echo $?; grep -c payload-length changes")
    #expect(said == "0\n1\n")
    #expect(try scratch.run("apnscope --repair file \(broken) >shown; cmp file stream").contains("! apnscope: 1 place"))
    #expect(try scratch.run("apnscope -q --from raw --role provider stream >all && grep -c error all") == "0\n? 1\n")
    #expect(try scratch.run("apnscope -q --repair - \(broken) | cmp - stream").isEmpty)
    #expect(try scratch.run("apnscope -q --repair - -w out \(broken) | cmp - stream; cmp out shown").isEmpty)
  }

  @Test(arguments: ["2>/dev/full", "2>&-"]) func writesBytesIfChangesCannotBeShown(_ redirection: String) throws {
    defer { scratch.remove() }
    _ = try scratch.run("apnscope -q --repair file \(broken)")
    #expect(try scratch.run("apnscope --repair - \(broken) \(redirection) >stream; echo $?; cmp file stream") == "0\n")
  }

  @Test(arguments: ["hex", "ndjson", "c", "raw"]) func everyFormatHasTheSameBytes(_ format: String) throws {
    defer { scratch.remove() }
    _ = try scratch.run("apnscope -q --repair bytes \(broken); apnscope -q -T \(format) --repair file \(broken)")
    let bytes = format == "ndjson" ? "apnscope encode -T raw file" : "apnscope -q -T raw file"
    #expect(try scratch.run("\(bytes) | cmp - bytes").isEmpty)
    #expect(try scratch.run("apnscope -q -T \(format) --repair - \(broken) 2>/dev/null | cmp - file").isEmpty)
  }

  /// The file is written even if nothing had to be, or could be, repaired.
  @Test func writesWhatNeedsNoRepair() throws {
    defer { scratch.remove() }
    #expect(try scratch.run("apnscope -q --repair file \(whole); apnscope -q -T raw \(whole) | cmp - file").isEmpty)
    #expect(try scratch.run("apnscope -q --repair rest \(cut)").hasSuffix("? 1\n"))
    #expect(try scratch.run("apnscope -q --fail-on never -T raw \(cut) | cmp - rest").isEmpty)
    #expect(try scratch.run(": >empty; apnscope -q --repair none empty; ls none") == "none\n")
  }

  @Test(arguments: ["--repair x -w x", "--repair x -c 1", "--repair x -Y 'command == 2'", "--repair x.pcap"])
  func refusesWhatItWouldIgnore(_ flags: String) throws {
    defer { scratch.remove() }
    #expect(try scratch.run("apnscope \(flags) \(broken)").hasSuffix("? 2\n"))
    #expect(try scratch.run("ls").isEmpty)
  }

  /// The command that the last line suggests, pasted.
  @Test func isSuggestedIfItHelps() throws {
    defer { scratch.remove() }
    let said = try scratch.run("cp \(broken) 'a b.hex'; apnscope -T line 'a b.hex' 2>&1 >/dev/null")
    let next = try #require(said.firstMatch(of: /next: (apnscope .*)/)).1
    #expect(try scratch.run("\(next) >/dev/null; ls").contains("repaired.bin"))
    #expect(!(try scratch.run("apnscope \(cut)")).contains("--repair"))
  }

  /// The length that the cause blames is marked like the fault that it led to.
  @Test func treeMarksTheLength() throws {
    defer { scratch.remove() }
    let lines = try scratch.run("apnscope -q \(broken)").split(separator: "\n")
    let length = try #require(lines.firstIndex { $0.contains("payload length") })
    #expect(lines[length + 1].contains("^^") && lines[length + 1].contains("cause: payload-length-in-characters"))
  }
}
