import Foundation
import TestSupport
import Testing

/// Output that cannot be written: status 3, one sentence, and no file that is not complete.
@Suite(.endedIfItHangs) struct WriteErrorTests {
  private static let zeros = "head -c 3000 /dev/zero >zeros;"
  private static let frames =
    "apnscope encode --command 1 --identifier 7 --expiry 0 --token b4bce12f9d --payload '{\"aps\":{\"alert\":\"Hi\"}}' -T raw"
    + " >one; cat one one one one one one one one >8; cat 8 8 8 8 8 8 8 8 >64; cat 64 64 64 64 64 64 64 64 >512;"
    + " cat 512 512 512 >frames; apnscope -q --fail-on never -T ndjson frames >records;"

  static let commands =
    ["tree", "line", "hex", "raw", "ndjson", "json", "command"].map { "apnscope --from raw -T \($0) frames" } + [
      "apnscope --from raw -e identifier -e payload frames", "apnscope --jobs 1 --from raw -T ndjson frames",
      "apnscope --from raw -T ndjson <frames", "apnscope --from raw -T ndjson zeros", "apnscope --hex 08080000000000",
      "apnscope check --from raw -T ndjson zeros", "apnscope check --from raw frames",
      "apnscope check --from raw -T sarif zeros", "apnscope check --from raw -T junit zeros",
      "apnscope check --from raw -T github zeros", "apnscope summary --from raw frames", "apnscope dialogue frames",
      "apnscope diff --from raw zeros frames", "apnscope diff --from raw -T ndjson zeros frames",
      "apnscope report --from raw frames",
      "apnscope redact --from raw frames", "apnscope minimize -q --keep empty-payload --tries 5 zeros",
      "apnscope mutate -c 300", "apnscope mutate -c 300 -T raw", "apnscope mutate --list", "apnscope explain --list",
      "apnscope --help", "apnscope --version",
    ] + ["hex", "raw", "base64", "c", "ndjson", "pcap"].map { "apnscope encode -T \($0) records" }

  @Test(arguments: commands) func isReported(_ command: String) throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let said = try scratch.run(Self.zeros + Self.frames + command + " >/dev/full")
    #expect(said.contains("! apnscope: standard output: No space left on device"), "\(said)")
    #expect(said.hasSuffix("? 3\n") && said.split(separator: "\n").count == 2, "\(said)")
  }

  /// A file that grows too large, as on a full disk.
  @Test(
    arguments: commands.filter {
      !$0.contains("<frames") && !$0.hasPrefix("apnscope --h") && !$0.hasSuffix("--version")
    })
  func leavesNoFile(_ command: String) throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let takesFile = !["summary", "explain"].contains { command.contains($0) }
    guard takesFile else { return }
    let said = try scratch.run(
      "\(Self.zeros)\(Self.frames) mkdir to; ulimit -f 1; TMPDIR=$PWD/to \(command) -w to/out; echo status $?; ls -A to"
    )
    // Some results are small enough.
    if said.hasPrefix("status 3\n") {
      #expect(
        said.contains(": File too large"))
      #expect(!said.contains("part") && !said.contains("\nout"), "\(said)")
    } else {
      #expect(said.contains("\nout\n"), "\(said)")
    }
  }

  /// The reader is gone before everything is written.
  @Test func aClosedPipeChangesNoStatus() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let said = try scratch.run(
      """
      head -c 20000 /dev/zero >zeros; \
      (apnscope --from raw -T ndjson zeros; echo $? >status) | (exec <&-; until [ -s status ]; do :; done; cat status)
      """)
    #expect(said == "1\n")
  }

  /// No other file gets the number of a standard stream.
  @Test func closedStandardStreams() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let hex = "--hex '0808 0000 04d2 ff'"
    let said = try scratch.run(
      """
      apnscope -T raw -w one \(hex) 2>&-; echo $?; od -An -tx1 one; \
      apnscope -T raw -w two \(hex) 2>&- >&- <&-; echo $?; od -An -tx1 two; \
      apnscope \(hex) >&-; echo $?; apnscope <&-; echo $?
      """)
    #expect(
      said == """
        1
         08 08 00 00 04 d2 ff
        1
         08 08 00 00 04 d2 ff
        3
        3
        ! apnscope: standard output: Bad file descriptor; nothing more was written
        ! apnscope: standard input: Bad file descriptor

        """)
  }
}

/// Nothing that is read is overwritten, and nothing is written where the user does not expect it.
@Suite struct OverwriteTests {
  @Test(arguments: [
    "apnscope --from raw -T hex -w x x", "apnscope --from raw -T hex -w x <x", "apnscope check --from raw -w x x",
    "apnscope check --baseline empty -w empty /dev/null", "apnscope dialogue -w x x", "apnscope dialogue -w x <x",
    "apnscope dialogue --emit accepted -w x <x", "apnscope redact --from raw -w x x", "apnscope encode -w x x",
    "apnscope encode -w x <x", "apnscope encode --command 0 --token 00 --payload @x -w x", "apnscope mutate -w x x",
    "apnscope minimize --keep truncated -w x x", "apnscope minimize -w x x -- false",
    "apnscope --from raw --repair x x", "apnscope --from raw -w link x", "apnscope --from raw -w hard x",
    "apnscope --from raw -T raw x >>x",
  ])
  func isRefused(_ command: String) throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let said = try scratch.run(
      """
      apnscope encode --command 0 --token 00 --payload '{}' -T raw >x; ln -s x link; ln x hard; cp x before; : >empty; \
      \(command); echo status $?; cmp x before; ls -A
      """)
    #expect(said.hasPrefix("status 2\nbefore\nempty\nhard\nlink\nx\n! apnscope: "), "\(said)")
    #expect(said.contains(" would replace "), "\(said)")
    #expect(said.contains("; write to another file"), "\(said)")
  }

  /// In `-w -`, `-` is standard output.
  @Test func aFileOnStandardInputIsNoOutput() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    #expect(try scratch.run("echo 0808000004d2 >x; apnscope -q -T raw -w - <x | od -An -tx1") == " 08 08 00 00 04 d2\n")
  }

  /// Each option that writes a file beside each that reads one, as the parser defines them.
  @Test func noOptionReplacesTheFileOfAnother() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let help = try scratch.run("apnscope --experimental-dump-help")
    var pairs = 0
    for subcommand in try JSONDecoder().decode(DumpedHelp.self, from: Data(help.utf8)).command.subcommands {
      let options = subcommand.arguments ?? []
      for output in options where output.valueName == "outfile" {
        for input in options where input.readsFile && !Self.mayBeTheSame.contains([input.word, output.word]) {
          let others = options.filter { $0.kind == "positional" && !$0.isOptional && $0.valueName != input.valueName }
          var words = [subcommand.commandName, input.word, "x", output.word, "x"].filter { !$0.isEmpty }
          words += others.map { $0.allValues?.first ?? "other" } + (Self.needs[input.word] ?? [])
          words += Self.needs[subcommand.commandName] ?? []
          let line = "apnscope " + words.joined(separator: " ")
          let said = try scratch.run("echo mine >x; \(line) </dev/null; echo status $?; cat x")
          let read = input.word.isEmpty ? "an input file" : "the file of \(input.word)"
          #expect(
            said == "status 2\nmine\n! apnscope: \(output.word) x would replace \(read); write to another file\n",
            "\(line)")
          pairs += 1
        }
      }
    }
    #expect(pairs > 40)
  }

  private static let mayBeTheSame = [["--baseline", "--update-baseline"]]

  /// What else an option or a subcommand needs to be read.
  private static let needs = [
    "minimize": ["--keep", "truncated"]
  ]

  @Test func aBaselineMayBeUpdatedInItsFile() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let said = try scratch.run(
      """
      : >b; apnscope check -q --hex 08080000 --baseline b --update-baseline b; echo $?; \
      apnscope check --hex 08080000 --baseline b -T ndjson -q; echo $?; cp b before; \
      apnscope check -q --from raw b --baseline b --update-baseline b; echo $?; cmp b before
      """)
    #expect(
      said.hasSuffix("0\n2\n! apnscope: --update-baseline b would replace an input file; write to another file\n"))
  }

  /// Neither beside it nor in a folder of PATH.
  @Test func serveNeedsItsProgram() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let said = try scratch.run("cp \"$(command -v apnscope)\" alone; PATH=/usr/bin:/bin ./alone serve --listen 0")
    #expect(said.contains("serve needs the program apnscope-serve") && said.hasSuffix("? 2\n"), "\(said)")
  }

  /// The user named the folder, not what is in it.
  @Test func filesInAFolderOfOurs() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let said = try scratch.run(
      """
      apnscope mutate -c 1 --out to; name=$(ls to | grep bin); rm -r to; mkdir to; echo mine >mine; \
      ln -s ../mine to/$name; apnscope mutate -c 1 --out to; cat mine; test -L to/$name; echo $?; \
      apnscope mutate -c 1 --out to; rm to/manifest.ndjson; \
      apnscope encode --command 0 --token $(printf %064d 7) --payload '{"aps":{}}' -T raw -w to/$name; \
      cp to/$name before; \
      apnscope mutate -c 1 --role provider --from raw --out to to/$name; cmp before to/$name; ls to | grep -c .
      """)
    #expect(said.hasPrefix("mine\n1\n1\n! apnscope: to already contains cases (manifest.ndjson)"), "\(said)")
    #expect(said.contains("would replace an input file"), "\(said)")
  }

  /// A decoder may put anything in the place of the file that it was given.
  @Test(arguments: ["ln -sf \"$PWD/mine\" \"$1\"", "rm \"$1\"; mkdir \"$1\"; echo >\"$1/.x\""])
  func whatADecoderDoes(_ body: String) throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.write(body, to: "decoder")
    let said = try scratch.run(
      """
      echo mine >mine; mkdir to; TMPDIR=$PWD/to apnscope fuzz -q -c 20 --ignore-status -- sh ./decoder @@; echo $?; \
      cat mine; ls -A to
      """)
    #expect(said == "0\nmine\n")
  }

  @Test(arguments: [
    "--from raw -T raw x", "mutate -c 1 -T raw", "encode --command 0 --token 00 --payload '{}' -T raw",
    "encode --command 0 --token 00 --payload '{}' -T pcap", "dialogue --emit unknown -T raw x",
    "redact --from raw x", "redact --from raw -T raw x", "redact -T pcap x", "minimize --keep identifier-missing x",
  ])
  func bytesGoToATerminalOnlyWhenAsked(_ arguments: String) throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.write("apnscope \(arguments)", to: "unasked")
    try scratch.write("apnscope \(arguments.replacing(" x", with: " -w - x"))", to: "asked")
    let said = try scratch.run(
      """
      apnscope encode --command 0 --token 00 --payload '{}' -T raw >x; \
      script -qec 'sh ./unasked' /dev/null; echo $?; script -qec 'sh ./asked' /dev/null | grep -c 'go to the terminal'
      """)
    #expect(said.contains("would go to the terminal; choose a file with -w, or write -w - to allow it"), "\(said)")
    #expect(said.contains("\n2\n"), "\(said)")
    if arguments.hasSuffix(" x") { #expect(said.contains("\n0\n"), "\(said)") }
  }
}

/// What `--experimental-dump-help` says, as far as tests need it.
struct DumpedHelp: Decodable {
  struct Command: Decodable {
    let commandName: String
    let subcommands: [Subcommand]
  }

  struct Subcommand: Decodable {
    let commandName: String
    let arguments: [Argument]?
  }

  struct Argument: Decodable {
    struct Name: Decodable {
      let kind: String
      let name: String
    }

    struct Completion: Decodable {
      struct File: Decodable {}
      let file: File?
    }

    let kind: String
    let names: [Name]?
    let valueName: String?
    let isOptional: Bool
    let allValues: [String]?
    let completionKind: Completion?

    /// `-w`, or empty for an argument without a name.
    var word: String {
      guard let name = names?.first else { return "" }
      return (name.kind == "long" ? "--" : "-") + name.name
    }

    /// Whether it names a file to read.
    var readsFile: Bool { kind == "positional" ? completionKind?.file != nil : valueName == "file" }
  }

  let command: Command
}
