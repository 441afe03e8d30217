import Foundation
import TestSupport
import Testing

/// Golden transcripts: what the command prints, says and returns. Each `.golden` file holds `$ ` command lines, run by
/// `bash` in the file's folder, and after each its standard output, its standard error (`! `) and its status (`? `).
/// `make golden` rewrites them, and adds one for each sample that has none.
@Suite struct TranscriptTests {
  static let rewrites = Samples.rewritesGoldens

  static let files: [URL] = {
    let found = (try? Samples.files(in: "", endingWith: ".golden")) ?? []
    guard rewrites else { return found }
    let samples = ["frames", "malformed", "captures"].flatMap { folder in
      [".hex", ".pcap", ".pcapng"].flatMap { (try? Samples.files(in: folder, endingWith: $0)) ?? [] }
    }.filter { !$0.path.contains("/tools/") }  // those have a table of their own
    return Array(Set(found + samples.map { $0.appendingPathExtension("golden") }))
  }()

  /// Transcripts that have every view, the filters, the encoder and what else asks for frame types.
  private static let views = files.filter { file in
    ["views", "check", "dialogue", "diff", "encode", "explain", "query", "mutate", "values"].contains(
      file.deletingPathExtension().lastPathComponent)
  }

  /// The frame types of `export frames`, which change nothing, are those of the catalog.
  @Test(arguments: rewrites ? [] : views) func isTheSameWithExportedFrames(_ file: URL) throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let frames = scratch.folder.appending(path: "frames.json").path
    #expect(try Self.run("apnscope export frames -w \(frames)", in: scratch.folder) == "")
    let written = try String(contentsOf: file, encoding: .utf8)
    let seen = try Self.transcript(of: written, for: file, ["APNSCOPE_FRAMES": frames])
    #expect(seen == written, "differs from \(file.lastPathComponent)")
  }

  @Test(arguments: files) func isAsWritten(_ file: URL) throws {
    let name = file.deletingPathExtension().lastPathComponent
    let written =
      (try? String(contentsOf: file, encoding: .utf8)) ?? "$ apnscope \(name)\n$ apnscope -T ndjson \(name)\n"
    let seen = try Self.transcript(of: written, for: file)
    if Self.rewrites {
      try seen.write(to: file, atomically: true, encoding: .utf8)
    } else {
      #expect(
        seen == written, "differs from \(file.lastPathComponent); see the difference with make golden && git diff")
    }
  }

  private static func transcript(
    of written: String, for file: URL, _ environment: [String: String] = [:]
  ) throws -> String {
    var seen = ""
    for line in written.split(separator: "\n") where line.hasPrefix("$ ") {
      seen += line + "\n"
      seen += try run(String(line.dropFirst(2)), in: file.deletingLastPathComponent(), environment)
    }
    return seen
  }

  @Test func thereAreTranscripts() { #expect(Self.files.count > 20) }

  /// The folder the tests were built into also holds the command.
  static let binFolder: URL = {
    var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    while !FileManager.default.isExecutableFile(atPath: folder.appending(path: "apnscope").path), folder.path != "/" {
      folder.deleteLastPathComponent()
    }
    return folder
  }()

  /// The status of a pipe is that of the last command in it that failed.
  static func run(_ line: String, in folder: URL, _ environment: [String: String] = [:]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = ["-o", "pipefail", "-c", line]
    process.currentDirectoryURL = folder
    // What commands leave in it is removed.
    let scratch = try Scratch()
    defer { scratch.remove() }
    process.environment = [
      "PATH": binFolder.path + ":/usr/bin:/bin", "LC_ALL": "C", "TERM": "xterm", "TMPDIR": scratch.folder.path,
    ].merging(environment) { $1 }
    let output = Pipe()
    let talk = scratch.folder.appending(path: UUID().uuidString)
    _ = FileManager.default.createFile(atPath: talk.path, contents: nil)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: talk)
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    var text = String(decoding: data, as: UTF8.self)
    if !text.isEmpty, !text.hasSuffix("\n") { text += "\n" }
    for said in String(decoding: try Data(contentsOf: talk), as: UTF8.self).split(separator: "\n") {
      text += "! \(said)\n"
    }
    if process.terminationStatus != 0 { text += "? \(process.terminationStatus)\n" }
    return text
  }
}

/// What the help shows can be pasted as it is.
@Suite struct ExampleTests {
  @Test(arguments: [
    "--help", "dissect --help-hidden", "check --help-hidden", "encode --help-hidden", "explain --help-hidden",
    "mutate --help-hidden",
  ])
  func examplesWork(
    _ help: String
  ) throws {
    let text = try TranscriptTests.run("apnscope " + help, in: Samples.folder)
    let examples = text.split(separator: "\n").dropFirst().prefix { $0.hasPrefix("  ") }
    #expect(text.hasPrefix("EXAMPLES:") && examples.count > 2)
    for example in examples {
      let result = try TranscriptTests.run(String(example), in: Samples.folder)
      // Findings are what some of them show.
      #expect(!result.isEmpty && !result.contains("\n? 2") && !result.contains("\n? 3"), "\(example): \(result)")
    }
  }

  /// Each line that `-T command` prints makes the bytes it was printed for.
  @Test func commandLinesMakeTheirBytes() throws {
    for folder in ["frames", "malformed"] {
      for file in try Samples.files(in: folder, endingWith: ".hex") {
        let script =
          "apnscope -q --fail-on never -T command \(file.path) | while read -r line; do eval \"$line -T raw\"; done "
          + "| od -An -v -tx1"
        let expected = try TranscriptTests.run(
          "apnscope -q --fail-on never -T raw \(file.path) | od -An -v -tx1", in: Samples.folder)
        #expect(try TranscriptTests.run(script, in: Samples.folder) == expected, "\(file.lastPathComponent)")
      }
    }
  }
}

/// However a session was captured, its two streams are the same.
@Suite struct CaptureTests {
  @Test(arguments: [
    "swapped-and-repeated.pcap", "no-handshake.pcap", "vlan.pcap", "ipv6.pcap", "cooked-v1.pcap", "cooked-v2.pcap",
    "null.pcap",
    "raw-ip.pcap", "nanoseconds.pcap", "push-session.pcapng", "dumpcap.pcapng", "wireshark-export.pcapng",
    "push-session.pcap.gz", "pktap.pcap", "pktap-user2.pcap",
  ])
  func holdsTheSameStreams(_ name: String) throws {
    for stream in [0, 1] {
      let streams = try ["push-session.pcap", name].map { file in
        try TranscriptTests.run("apnscope -q -T hex --stream \(stream) captures/\(file)", in: Samples.folder)
      }
      #expect(streams[0] == streams[1] && streams[0].contains("00000000: "))
    }
  }

  /// Records come back with findings that need both directions of a connection.
  @Test func recordsOfAConnectionComeBack() throws {
    let records = try TranscriptTests.run(
      "apnscope -q -T ndjson --fail-on never dialogue/written-after.pcap", in: Samples.folder)
    #expect(records.contains("sent-after-answer"))
    let back = "apnscope -q -T ndjson --fail-on never dialogue/written-after.pcap | apnscope encode -T ndjson"
    #expect(try TranscriptTests.run(back, in: Samples.folder) == records)
  }

  /// Each stream comes back from its records byte for byte, whatever the capture lacks.
  @Test(arguments: ["push-session.pcap", "missing-segment.pcap", "feedback.pcap", "ipv6.pcap"])
  func comesBackFromItsRecords(_ name: String) throws {
    for stream in [0, 1] {
      let file = "--stream \(stream) captures/\(name)"
      let raw = try TranscriptTests.run("apnscope -q -T raw \(file) | od -v -tx1", in: Samples.folder)
      let back = try TranscriptTests.run(
        "apnscope -q -T ndjson \(file) | apnscope encode -T raw | od -v -tx1", in: Samples.folder)
      #expect(raw == back)
    }
  }
}
