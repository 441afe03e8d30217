import Foundation
import TestSupport
import Testing

/// Mistakes on the command line: each ends in one sentence, with the status of wrong usage or of a file that cannot be read.
@Suite struct CommandLineTests {
  @Test(arguments: [
    ("--follow x", 2, "--follow was removed; pipe the file: tail -c +1 -f FILE | apnscope", "mean"),
    ("-e length -E header=n", 2, "header=n was removed; it is the default, so drop -E", "invalid"),
    ("report -o x y", 2, "-o was removed; use -w", "mean"),
    ("help nosuch", 2, #"there is no subcommand "nosuch""#, ""),
    ("help chekc", 2, #"did you mean "check"?"#, ""),
    ("repair x", 3, "there is an option --repair", "such file"),
    ("nosuch", 3, "the subcommands are dissect, check", "such file"),
    ("dissct x", 3, #"did you mean the subcommand "dissect"?"#, "such file"),
    ("nosuch --json", 3, #"there is no file or subcommand "nosuch""#, "json"),
    ("--json", 2, "'--json'", "mean"),
    ("--form raw", 2, "did you mean --from?", "'--from'"),
    ("--strict --hex 0808", 2, "--strict was removed; drop it", "apnscope help"),
    ("check --strict frames/notification.hex", 2, "--strict was removed; drop it", "mean"),
    ("--hex '0808 0000 04d2' -f nonsense", 2, "--hex is not a capture, so -f has no packets to filter", ""),
    ("--hex frames/notification.hex", 3, "frames/notification.hex is a file; drop --hex", "format"),
    ("--hex frames", 3, "frames is a directory; drop --hex", "format"),
    ("--hex frames/nosuch.hex", 3, "not in a known hex format", "drop --hex"),
    ("-x frames/notification.hex", 2, "-x works only with -T line", ""),
    ("-T ndjson -x frames/notification.hex", 2, "-x works only with -T line", ""),
    ("-Y 'jason == 1' frames/notification.hex", 2, "unknown field", "mean"),
    ("encode --command 1 --length payload=5", 2, "token_length, payload_length", ""),
    ("encode --command 2 --length payload=5", 2, "frame_length, 2.data_length for item 2", ""),
    ("encode --command 2 --item 2=7b7d --length data_length=5", 2, "needs the id of an item: 2.data_length", ""),
    ("encode --command 2 --item 2=7b7d --length 3.data_length=5", 2, "3.data_length names an item", ""),
    ("encode --command 2 --item 2=7b7d --length 2.data_length=65536", 2, "at most 65535", ""),
    ("encode nosuch", 3, "nosuch: No such file or directory", ""),
    ("encode frames", 3, "frames is a directory; name the files in it", ""),
    ("encode --set 2.data_length=x", 2, "2.data_length must be a number", ""),
  ])
  func mistakesGetOneSentence(_ line: String, _ status: Int, _ sentence: String, _ absent: String) throws {
    let said = try TranscriptTests.run("apnscope " + line, in: Samples.folder)
    #expect(said.split(separator: "\n").count == 2 && said.hasSuffix("\n? \(status)\n"), "\(said)")
    #expect(said.contains(sentence) && (absent.isEmpty || !said.contains(absent)), "\(said)")
  }

  /// What `dialogue` cannot read is no clean conversation.
  @Test(arguments: ["dialogue", "dialogue -T ndjson", "dialogue --emit accepted -T raw"])
  func dialogueNamesOtherProtocols(_ command: String) throws {
    for (file, streams) in [("malformed/tls.hex", ""), ("captures/secrets.pcapng", " (2 streams)")] {
      let said = try TranscriptTests.run("apnscope \(command) \(file)", in: Samples.folder)
      #expect(said.contains("! apnscope: \(file): these are TLS records: the stream is still encrypted\(streams); "))
      #expect(said.hasSuffix("\n? 3\n"), "\(said)")
    }
  }

  @Test func setsTheLengthOfAnItem() throws {
    let lie = "apnscope encode --command 2 --item 2=7b7d --item 3=00000007 --length 2.data_length=200"
    #expect(try TranscriptTests.run(lie, in: Samples.folder) == "020000000c0200c87b7d03000400000007\n")
    let changed = try TranscriptTests.run(
      "apnscope -q --fail-on never -T ndjson --hex 02000000050200027b7d | apnscope encode --set 2.data_length=200",
      in: Samples.folder)
    #expect(changed == "02000000050200c87b7d\n")
  }
}

/// A file is named because there should be bytes in it.
@Suite struct NothingReadTests {
  /// An error in a text file is followed by a command that shows the line, with what a terminal hides.
  @Test func theLineToLookAt() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.write("08 08 00 00 04\n d\u{a0}2 0\n", to: "two lines")
    let said = try scratch.run("apnscope --from hex 'two lines' >/dev/null")
    #expect(said.hasSuffix("\n!   next: sed -n 2l 'two lines'\n? 3\n"), "\(said)")
    #expect(said.split(separator: "next:").count == 2, "\(said)")
    for command in ["-q --from hex 'two lines'", "--from hex <'two lines'"] {
      #expect(try !scratch.run("apnscope \(command) >/dev/null").contains("sed"))
    }
  }

  /// The text is known, but no line of it has bytes.
  private static let text = "# a heading\n\n# and no bytes\n"

  @Test(arguments: [
    "", "check", "summary", "dialogue", "report -w page.html", "redact", "mutate", "minimize --keep truncated",
    "diff notes",
    "check --from strace", "check --from socat",
  ])
  func aNamedFileWithoutBytesCannotBeRead(_ command: String) throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.write(Self.text, to: "notes")
    let said = try scratch.run("apnscope \(command) notes")
    let sentence =
      command.hasSuffix("socat")
      ? "line 4, column 1: no line of this text can be read as transfers of socat -x"
      : "nothing in this text could be read as bytes; "
    #expect(said.contains("! apnscope: notes: \(sentence)"), "\(said)")
    #expect(said.hasSuffix("? 3\n"), "\(said)")
  }

  @Test(arguments: [
    "printf '# no bytes\\n' | apnscope check", ": >empty; apnscope check empty", "apnscope check --hex ''",
    "printf '\\n' | gzip >packed; : | gzip >packed; apnscope check packed",
    "apnscope encode --hex 0808000004d2 -T pcap | head -c 24 >none.pcap; apnscope check none.pcap",
  ])
  func whatIsEmptyIsNoError(_ line: String) throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let said = try scratch.run(line)
    #expect(!said.contains("? ") && !said.contains("nothing in this text"), "\(said)")
  }
}

/// Bytes on the command line are read like a file of the same text.
@Suite struct HexOptionTests {
  @Test(arguments: [
    "INFO sent 09000000000700000000", "CQD70+T1AAAAAA",
    "%09%00%00%00%00%07%00%00%00%00",
  ])
  func frameTypesOfOnesOwnAreRecognised(_ text: String) throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.write(text, to: "text")
    let options = "--frames \(Samples.folder.path)/frame-files/private-gateway.json --role gateway -q -T line"
    let (given, read) = (
      try scratch.run("apnscope \(options) --hex '\(text)'"), try scratch.run("apnscope \(options) text")
    )
    #expect(given.contains("batch-ack  10 bytes") && !given.contains("? "), "\(given)")
    #expect(given == read)
  }
}

/// A folder is read whole, whatever it holds.
@Suite struct FolderTests {
  private let scratch: Scratch

  /// A capture, a dump and raw bytes, of which each has one error.
  init() throws {
    scratch = try Scratch()
    _ = try scratch.run(
      """
      mkdir -p all/more; printf '08080000' >all/a.hex; printf '\\010\\010' >all/more/b.bin
      apnscope encode --hex 08080000 -T pcap -w all/c.pcap; mkdir empty
      """)
  }

  @Test(arguments: [
    "check -q -T ndjson all", "check -q --jobs 1 -T ndjson all", "-q -T ndjson all", "-q -T ndjson -r all",
  ])
  func everyFileIsRead(_ command: String) throws {
    defer { scratch.remove() }
    let said = try scratch.run("apnscope " + command)
    let files = said.matches(of: /"file":"([^"]*)"/).map { String($0.1) }
    #expect(Set(files) == ["all/a.hex", "all/more/b.bin", "all/c.pcap"] && files.first == "all/c.pcap", "\(said)")
    #expect(said.hasSuffix("? 1\n"))
  }

  @Test func whatCannotBeReadIsNamed() throws {
    defer { scratch.remove() }
    _ = try scratch.run("echo prose >all/notes.txt; mkfifo all/pipe; ln -s nowhere all/link; ln -s . all/more/loop")
    let said = try scratch.run("apnscope check -T ndjson all")
    for name in ["all/notes.txt", "all/pipe", "all/link"] { #expect(said.contains("! apnscope: \(name): ")) }
    #expect(said.matches(of: /"rule":"truncated"/).count == 3, "\(said)")
    #expect(said.hasSuffix("? 3\n"))
    #expect(try scratch.run("apnscope check empty").hasSuffix("? 3\n"))
  }

  /// Captures of a folder are one timeline, whatever other files sort between their names.
  @Test func capturesStayOneTimeline() throws {
    defer { scratch.remove() }
    let tools = Samples.folder.appending(path: "captures/tools").path
    let said = try scratch.run(
      """
      mkdir rotated; cp \(tools)/rotated-editcap-*.pcap rotated; echo 0808000000000007 >rotated/rotated-editcap-0.txt
      apnscope -q --fail-on never -T ndjson rotated | grep -c identifier
      apnscope -q --fail-on never -T ndjson rotated/*.pcap | grep -c identifier
      """)
    let counts = said.split(separator: "\n").compactMap { Int($0) }
    #expect(counts.count == 2 && counts[0] == counts[1] + 1, "\(said)")
  }
}
