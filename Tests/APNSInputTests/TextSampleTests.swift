import APNSInput
import APNSWire
import Foundation
import TestSupport
import Testing

/// A text of samples/text, and what must come of it, as `manifest.tsv` says.
struct TextFile: CustomTestStringConvertible {
  let name: String
  let format: TextFormat?
  /// Hex of stream 0 and, behind a slash, of stream 1; or the code of an error.
  let outcome: String

  var testDescription: String { name + (format.map { " --from \($0.rawValue)" } ?? "") }

  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "samples/text")

  static let all: [TextFile] = {
    let manifest = (try? String(contentsOf: folder.appending(path: "manifest.tsv"), encoding: .utf8)) ?? ""
    return manifest.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      let format = cells[1].isEmpty ? nil : TextFormat(rawValue: cells[1].replacing("--from ", with: ""))
      return TextFile(name: cells[0], format: format, outcome: cells[2])
    }
  }()

  func bytes() throws -> [UInt8] { Array(try Data(contentsOf: Self.folder.appending(path: name))) }
}

@Suite struct TextSampleTests {
  @Test(arguments: TextFile.all)
  func readsAsTheManifestSays(_ file: TextFile) throws {
    let reading = StreamReading(try file.bytes(), as: file.format)
    if file.outcome.contains("-") {
      #expect(reading.code?.rawValue == file.outcome)
    } else {
      #expect(reading.code == nil)
      #expect(reading.outcome == file.outcome)
    }
    #expect(reading.isClosed)
  }

  @Test(arguments: TextFile.all)
  func chunksChangeNothing(_ file: TextFile) throws {
    let text = try file.bytes()
    let whole = StreamReading(text, as: file.format)
    for size in [1, 7, 16, 61, 100, 1000] {
      #expect(StreamReading(text, as: file.format, chunk: size) == whole, "in chunks of \(size)")
    }
  }

  /// What is left of a text that was cut is the beginning of what the whole one gives, or nothing is read at all.
  @Test(arguments: TextFile.all)
  func cutTextGivesNoOtherBytes(_ file: TextFile) throws {
    let text = try file.bytes()
    let whole = StreamReading(text, as: file.format)
    let withOffsets: [TextFormat] = [
      .xxd, .hexdump, .words, .octal, .tcpdump, .follow, .openssl, .yaml, .plain, .base64,
    ]
    guard whole.code == nil, let format = whole.format, withOffsets.contains(format),
      let firstEnd = text.firstIndex(of: UInt8(ascii: "\n"))
    else { return }
    for end in stride(from: firstEnd, to: text.count, by: max(1, text.count / 200)) {
      let cut = StreamReading(Array(text[..<end]), as: format)
      for (stream, bytes) in cut.streams where cut.code == nil {
        #expect(whole.streams[stream]?.starts(with: bytes) == true, "cut at \(end)")
      }
      #expect(cut.isClosed)
    }
  }

  /// Where offsets or characters tell, a damaged digit is never read as another byte without a word.
  @Test(
    arguments: TextFile.all.filter {
      ["xxd", "hexdump-canonical", "tcpdump-x-chars", "tshark-x", "wireshark-hex-ascii"].contains($0.stem)
    })
  func damagedOffsetsAreNoticed(_ file: TextFile) throws {
    let text = try file.bytes()
    let whole = StreamReading(text)
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() where index > 1 {
      guard let place = line.firstIndex(where: { $0 != UInt8(ascii: "\t") }), lines[index - 1].count > 60 else {
        continue
      }
      for digit in "1f7 zx".utf8 {
        var damaged = text
        damaged[place + (file.stem == "tcpdump-x-chars" ? 4 : 2)] = digit
        let reading = StreamReading(damaged, as: whole.format)
        #expect(damaged == text || reading.code != nil || reading.streams == whole.streams, "line \(index + 1)")
      }
    }
  }

  @Test func everyTextIsInTheManifest() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: TextFile.folder.path)
    #expect(Set(names.filter { $0.hasSuffix(".txt") }) == Set(TextFile.all.map(\.name)))
  }

  @Test func saysWhatItTookTheTextFor() throws {
    let words = StreamReading(Array("0000000 0808 0000 0700\n0000006\n".utf8))
    #expect(words.account?.contains("little-endian") == true && words.isAssumed)
    let xxd = StreamReading(Array("00000000: 0808  ..\n".utf8))
    #expect(xxd.account?.contains("xxd") == true && !xxd.isAssumed)
    #expect(StreamReading([]).account == nil)
  }
}

/// Texts that were not made with the readers in mind.
@Suite struct PasteTests {
  /// A text of samples/pastes, and what `manifest.tsv` says about it.
  struct Paste: CustomTestStringConvertible {
    let name: String
    /// Hex of stream 0 and, after a slash, of stream 1; or "refused".
    let outcome: String

    var testDescription: String { name }
    var text: [UInt8] { get throws { try Samples.bytes(Self.folder.appending(path: name)) } }

    static let folder = TextFile.folder.deletingLastPathComponent().appending(path: "pastes")
    static let all: [Paste] = {
      let manifest = (try? String(contentsOf: folder.appending(path: "manifest.tsv"), encoding: .utf8)) ?? ""
      return manifest.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
        let cells = line.split(separator: "\t").map(String.init)
        return Paste(name: cells[0], outcome: cells[1])
      }
    }()
  }

  @Test func thereAreTexts() { #expect(Paste.all.count == 125) }

  @Test(arguments: Paste.all) func readsAsTheManifestSays(_ paste: Paste) throws {
    let reading = StreamReading(try paste.text)
    guard paste.outcome != "refused" else {
      #expect(reading.code != nil)
      return
    }
    #expect(reading.code == nil)
    // A table may hold further frames.
    #expect(reading.outcome.hasPrefix(paste.outcome))
    #expect(reading.isClosed)
  }

  @Test(arguments: Paste.all) func orderAndChunksChangeNothing(_ paste: Paste) throws {
    let text = try paste.text
    let whole = StreamReading(text)
    #expect(StreamReading(text, among: TextFormat.allCases.reversed()) == whole)
    #expect(StreamReading(text, chunk: 100) == whole)
  }

  /// Lines that were not pasted give an error, or leave bytes of the whole text: the last ones if its beginning is
  /// missing, otherwise the first ones. Which side sent them may be lost.
  @Test(arguments: Paste.all) func missingLinesGiveNoOtherBytes(_ paste: Paste) throws {
    let text = try paste.text
    let whole = StreamReading(text)
    guard whole.code == nil else { return }
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for count in 1...max(1, min(lines.count / 2, 8)) {
      let head = StreamReading(Array(lines.dropLast(count).joined(separator: [UInt8(ascii: "\n")])))
      let tail = StreamReading(Array(lines.dropFirst(count).joined(separator: [UInt8(ascii: "\n")])))
      for bytes in head.streams.values where head.code == nil {
        #expect(whole.streams.values.contains { $0.starts(with: bytes) }, "without the last \(count) lines")
      }
      for bytes in tail.streams.values where tail.code == nil {
        #expect(
          whole.streams.values.contains { $0.suffix(bytes.count).elementsEqual(bytes) },
          "without the first \(count) lines")
      }
    }
  }
}

extension TextFile {
  fileprivate var stem: String { name.replacing(".txt", with: "") }
}

/// What reading a text gave, stream by stream.
struct StreamReading: Equatable, StreamSink {
  var streams: [Int: [UInt8]] = [:]
  var code: ReadError.Code?
  var format: TextFormat?
  var account: String?
  var isAssumed = false
  private var open: Set<Int> = []
  private var isDirected: [Int: Bool] = [:]
  private var wasOrderly = true

  init(
    _ text: [UInt8], as format: TextFormat? = nil, chunk: Int? = nil, among formats: [TextFormat] = TextFormat.allCases
  ) {
    var reader = TextReader(.standard, format: format, among: formats)
    do throws(ReadError) {
      for start in stride(from: 0, to: text.count, by: chunk ?? max(text.count, 1)) {
        try reader.read(text.span.extracting(start..<min(start + (chunk ?? text.count), text.count)), into: &self)
      }
      try reader.finish(into: &self)
    } catch {
      code = error.code
    }
    self.format = reader.format
    account = reader.interpretation
    isAssumed = reader.isAssumed
  }

  var isClosed: Bool { open.isEmpty && wasOrderly }
  /// Both streams in hex; of a second one it must be known that it answers.
  var outcome: String {
    guard isDirected[1] != false else { return "not directed" }
    return streams.keys.sorted().map { stream in
      streams[stream, default: []].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }.joined(separator: "/")
  }

  var wantsMore: Bool { true }
  mutating func open(_ stream: ByteStream) {
    wasOrderly = wasOrderly && streams[stream.number] == nil
    open.insert(stream.number)
    streams[stream.number] = []
    isDirected[stream.number] = stream.isDirected
  }
  mutating func append(_ bytes: Span<UInt8>, from origin: Origin, to stream: Int) {
    wasOrderly = wasOrderly && open.contains(stream)
    for index in bytes.indices { streams[stream, default: []].append(bytes[index]) }
  }
  mutating func gap(of count: Int, in stream: Int) {}
  mutating func close(_ stream: Int, _ ending: StreamEnding) { wasOrderly = wasOrderly && open.remove(stream) != nil }
}
