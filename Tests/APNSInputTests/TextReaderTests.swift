import APNSInput
import APNSWire
import Testing

@Suite struct TextReaderTests {
  @Test(arguments: ["", " \n\t\r\n", "# only a comment", "\u{FEFF}", "\u{FEFF}\n# a\n"])
  func nothingGivesNothing(text: String) {
    for format in [nil, TextFormat.plain, .xxd, .hexdump, .c] {
      let reading = TextReading(text, as: format)
      #expect(reading.code == nil)
      #expect(!reading.wasOpened)
    }
  }

  @Test func keepsBatchesSmallAndCallsInOrder() throws(ReadError) {
    let digits = Array(String(repeating: "0808deadbeef\n", count: 50_000).utf8)
    var reader = TextReader(.standard)
    var sink = CollectingSink()
    try reader.read(digits.span, into: &sink)
    try reader.finish(into: &sink)
    #expect(sink.bytes.count == 300_000)
    #expect(sink.isOrderly && sink.opens == 1 && !sink.isOpen)
    #expect(sink.largestBatch <= 64 << 10)
  }

  @Test func repeatsInSmallBatchesAndInOrder() throws(ReadError) {
    let text = Array("00000000: 0102 03  ...\n*\n0003fff9: 09  .\n*\n0003fffb: 0a  .".utf8)
    var reader = TextReader(.standard)
    var sink = CollectingSink()
    try reader.read(text.span, into: &sink)
    try reader.finish(into: &sink)
    #expect(sink.bytes.count == 0x3fffc)
    #expect(sink.bytes.suffix(6) == [1, 2, 3, 9, 9, 10])
    #expect(sink.isOrderly && sink.largestBatch <= 64 << 10)
  }

  @Test(arguments: [1, 100, 70_000])
  func stopsWhenNobodyWantsMore(limit: Int) throws(ReadError) {
    let text = Array("00000000: 0102 03  ...\n*\n0003fff9: 09  .\nnot a line".utf8)
    var reader = TextReader(.standard, format: .xxd)
    var sink = CollectingSink(limit: limit)
    try reader.read(text.span, into: &sink)
    try reader.read(text.span, into: &sink)
    try reader.finish(into: &sink)
    #expect(sink.isOrderly && !sink.isOpen)
    #expect(sink.bytes.count >= limit && sink.bytes.count < limit + (64 << 10))
  }

  /// Also where the limit is reached before the text ends.
  @Test func closesStreamsAtTheLimit() throws(ReadError) {
    let text = Array(String(repeating: "0808\n", count: 2_000).utf8)
    var reader = TextReader(.standard, format: .plain)
    var sink = CollectingSink(limit: 1)
    try reader.read(text.span, into: &sink)
    #expect(sink.isOpen)
    try reader.finish(into: &sink)
    #expect(sink.isOrderly && !sink.isOpen)
  }

  @Test func saysNothingAfterAnError() throws {
    let text = Array("0808 zz".utf8)
    var reader = TextReader(.standard, format: .plain)
    var sink = CollectingSink()
    try reader.read(text.span, into: &sink)
    var hasThrown = false
    do { try reader.finish(into: &sink) } catch { hasThrown = true }
    #expect(hasThrown)
    try reader.read(text.span, into: &sink)
    try reader.finish(into: &sink)
    #expect(sink.bytes == [8, 8])
    #expect(sink.isOrderly && !sink.isOpen)
  }

  @Test func recognisesBehindMoreBlankAndCommentsThanTheHeadHolds() {
    let lead = String(repeating: "# a comment with 0x08\n\n", count: 1000)
    let reading = TextReading(lead + "00000000: 0808  ..\n")
    #expect(reading.format == .xxd)
    #expect(reading.places == ["2001:11", "2001:13"])
  }

  /// A mark ends somewhere, so that no line is held for its end. Quadratic time would not end here.
  @Test(arguments: [">", "|"]) func marksAreShort(character: Character) {
    let mark = String(repeating: character, count: 255)
    #expect(TextReading(mark + " 0808", as: .plain).hex == "0808")
    #expect(TextReading(mark + String(character) + " 0808", as: .plain).code == .notHex)
    #expect(TextReading(String(repeating: character, count: 1 << 18), as: .plain).code == .notHex)
  }

  @Test func recognitionLooksAtTheHeadAlone() {
    let reading = TextReading(String(repeating: "08", count: 3000) + " hello")
    #expect(reading.format == .plain)
    #expect(reading.errorPlace == "1:6002")
  }

  @Test(arguments: [
    ("", true), ("0808 dead\r\n\t", true), ("\u{FEFF}08", true), ("08\0", false), ("08\u{7f}", false),
    ("\u{e9}", false), ("08\u{a0}08", true), ("# \u{fc}ber\n0808", true), ("\u{e9}\0", false),
  ])
  func tellsTextFromBytes(head: String, isText: Bool) {
    let head = Array(head.utf8)
    #expect(TextReader.isText(head.span) == isText)
  }

  @Test(
    arguments: [
      ([0xff, 0xfe, 0x30, 0, 0x38, 0], true), ([0xfe, 0xff, 0, 0x30, 0, 0x38], true),
      ([0xff, 0xfe, 1, 0, 2, 0], false),
      ([0xff, 0xfe], false), ([0xfe, 0xff, 0x12, 0x34, 0x56, 0x78], false),
      (Array("# Ger".utf8) + [0xe4] + Array("t: 0808 0000".utf8), true), ([0x30, 0xe4, 0xf6, 0xfc], false),
    ] as [([UInt8], Bool)])
  func tellsTextOfOtherEncodingsFromBytes(head: [UInt8], isText: Bool) {
    #expect(TextReader.isText(head.span) == isText)
  }

  /// A column counts characters, whatever they take in the file.
  @Test(arguments: [
    ("08\u{a0}\u{a0}09", ["1:1", "1:5"]), ("\u{201c}\\x08\\x09\u{201d}", ["1:4", "1:8"]),
    ("12:00:01 out 080800000007", ["1:14", "1:16", "1:18", "1:20", "1:22", "1:24"]),
    ("bytes.fromhex('08 09')", ["1:16", "1:19"]), ("<<2,\n13>>", ["1:3", "2:1"]),
    ("write(3, \"\\2N\\x08\", 3) = 3", ["1:12", "1:13", "1:16"]), ("0x10:\t0x08\t0x09", ["1:9", "1:14"]),
  ])
  func placesCountCharacters(text: String, places: [String]) {
    #expect(TextReading(text).places == places)
  }

  @Test func namesFormatsOnce() {
    #expect(
      TextFormat.allCases.map(\.rawValue) == [
        "openssl", "ssldump", "strace", "socat", "netty", "gdb", "yaml", "follow", "tcpdump", "tshark", "bits", "words",
        "xxd", "octal", "radare2", "hexdump", "records", "nsdata", "literal", "escapes", "percent", "c", "decimal",
        "plain",
        "pairs",
        "base64", "log",
      ])
    #expect(TextFormat.allCases.allSatisfy { TextFormat(rawValue: $0.rawValue) == $0 })
    #expect(Set(TextFormat.allCases.map(\.title)).count == TextFormat.allCases.count)
  }
}
