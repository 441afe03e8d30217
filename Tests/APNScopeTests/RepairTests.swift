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

  /// What is repaired first shows what the rest was meant to be: here, that of the first frame that of the last.
  @Test func repairsWhatItsRepairsShow() throws {
    defer { scratch.remove() }
    func frame(_ token: String, _ payload: String, says length: Int?, _ number: Int) -> String {
      let payload = payload.replacing("\"", with: #"\""#)
      return #"{"schema":1,"type":"notification",\#(length.map { #""frame_length":\#($0),"# } ?? "")"items":["#
        + #"{"id":1,"token":"\#(token)"},{"id":2,"payload":"\#(payload)"},{"id":3,"identifier":\#(number)},"#
        + #"{"id":4,"expiry":1384819384},{"id":5,"priority":10}]}"# + "\n"
    }
    func frames(_ first: Int?, _ last: Int?) -> String {
      frame(
        "54f6f55bb0aa82a1c3682c3c76bd4cf0a82f01bde10f935b907242561fa771f4",
        #"{"aps":{"content-available":1,"sound":""}}"#, says: first, 3_595_648_726)
        + frame(
          "4f4225b3dd338fbcd9906a46eac562c76ce7009ef872a202b89bcb55d0e89445",
          #"{"aps":{"alert":"Good morning","badge":3}}"#, says: nil, 3_570_542_498)
        + frame(
          "16bb7925f34bbb77cc7664ac01085d3ec2fb5a81d0551e23cd7377cebdaa8168",
          #"{"aps":{"alert":"x"},"u":"http://a.example/p?i=734"}"#, says: last, 3_955_225_898)
    }
    try scratch.write(frames(64, 97), to: "faulty")
    try scratch.write(frames(nil, nil), to: "meant")
    let said = try scratch.run(
      "apnscope encode -T raw meant >right; apnscope encode -T raw faulty | "
        + "apnscope --from raw --role provider --repair - 2>shown | cmp - right; grep -o 'at 0x.*' shown")
    #expect(said == "at 0x0\nat 0xce after 1 repair of the stream\n")
  }

  /// The head of a frame that the end of the stream cuts is no foreign byte.
  @Test(arguments: [4, 12, 40]) func keepsTheHeadOfACutFrame(_ size: Int) throws {
    defer { scratch.remove() }
    let said = try scratch.run(
      "apnscope -T raw \(whole) >frame; head -c \(size) frame >head; (for n in 1 2 3; do echo sent; cat frame; done; "
        + "echo sent; cat head) | apnscope --fail-on never --from raw --role provider --repair - >repaired 2>changes; "
        + "tail -c \(size) repaired | cmp - head; grep -c '^#' changes")
    #expect(said == "3\n")
  }

  /// A repaired stream is repaired to itself.
  @Test func leavesWhatItRepaired() throws {
    defer { scratch.remove() }
    let said = try scratch.run(
      "for file in \(Samples.folder.path)/malformed/*.hex; do apnscope -q --fail-on never --repair once $file >/dev/null; "
        + "apnscope -q --fail-on never --from raw --role provider --repair twice once >/dev/null; "
        + "cmp once twice || echo $file; rm once; done 2>&1")
    #expect(said.isEmpty)
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
    #expect(lines[length + 1].contains("^^") && lines[length + 1].contains("error"))
    #expect(lines[(length + 2)...].contains { $0.contains("cause: payload-length-in-characters") })
  }
}
