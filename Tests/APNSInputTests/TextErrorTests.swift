import APNSInput
import APNSWire
import Testing

/// A text that cannot be read on: what was read until then, and what the error says.
struct TextMistake: CustomTestStringConvertible {
  let text: String
  var format: TextFormat?
  let hex: String
  let code: ReadError.Code
  let place: String?

  init(
    _ text: String, as format: TextFormat? = nil, gives hex: String, _ code: ReadError.Code,
    at place: String?
  ) {
    self.text = text
    self.format = format
    self.hex = hex
    self.code = code
    self.place = place
  }

  var testDescription: String { text.debugDescription }
}

private let mistakes: [TextMistake] = [
  TextMistake("0808 080", gives: "080808", .oddDigits, at: "1:8"),
  TextMistake("0808 0 8", gives: "0808", .oddDigits, at: "1:6"),
  TextMistake("0808\n0g08", gives: "0808", .notHex, at: "2:2"),
  TextMistake("08:08-08", gives: "0808", .notHex, at: "1:6"),
  TextMistake("08::08", gives: "08", .notHex, at: "1:4"),
  TextMistake("0808 0x08", as: .plain, gives: "0808", .notHex, at: "1:7"),
  TextMistake("0x0000:  4500 006f  E..q", gives: "", .contradictingCharacters, at: "1:8"),
  TextMistake("0808 \u{1b}08", gives: "0808", .notHex, at: "1:6"),

  TextMistake("hello, world", gives: "", .unknownText, at: nil),
  TextMistake(#"{"schema":1,"type":"gap"}"#, gives: "", .unknownText, at: nil),
  TextMistake("dead letters are not hex", gives: "", .unknownText, at: nil),
  TextMistake("<feed>x</feed>", gives: "", .unknownText, at: nil),
  TextMistake("unsigned char x;", as: .c, gives: "", .unknownText, at: "1:17"),

  TextMistake("0x08, 0x100", gives: "08", .notHex, at: "1:9"),
  TextMistake("{0x08, 9O}", gives: "08", .notHex, at: "1:8"),
  TextMistake("{0x08, O}", gives: "08", .notHex, at: "1:8"),
  TextMistake("{0x08, 0x09, x = 3}", gives: "0809", .notHex, at: "1:14"),
  TextMistake("{0x08, 0x09, [1, 2]}", gives: "0809", .unknownText, at: "1:14"),
  TextMistake("[300, 0x09]", gives: "", .notHex, at: "1:2"),
  TextMistake("[0x08, 010]", gives: "08", .ambiguousText, at: "1:8"),
  TextMistake("{0x08,,0x09}", gives: "08", .notHex, at: "1:7"),
  TextMistake("{0x08, 0x", gives: "08", .cutText, at: "1:10"),
  TextMistake("{0x08", gives: "08", .cutText, at: "1:6"),
  TextMistake("{0x08 /* 0x09}", gives: "08", .cutText, at: "1:15"),

  TextMistake("00000000: 0808  ..\n00000003: 09  .\n", gives: "0808", .contradictingOffset, at: "2:1"),
  TextMistake("00000004: 0808  ..\n00000002: 09  .\n", gives: "0808", .contradictingOffset, at: "2:1"),
  TextMistake("00000000: 0808  ..\n00000001: 09  .\n", gives: "0808", .contradictingOffset, at: "2:1"),
  TextMistake("00000000: 08g8  ..\n", gives: "08", .notHex, at: "1:13"),
  TextMistake("00000000: 0808 0  ...\n", gives: "0808", .oddDigits, at: "1:16"),
  TextMistake("00000000: 0808  ..\n*\n", gives: "0808", .contradictingOffset, at: "2:1"),
  TextMistake("00000000: 0808  ..\n*\n00000005: 01  .", gives: "0808", .contradictingOffset, at: "3:1"),
  TextMistake("00000000: 0808  ..\n*\n*\n", gives: "0808", .notHex, at: "3:1"),
  TextMistake("*\n00000000: 0808  ..\n", as: .xxd, gives: "", .notHex, at: "1:1"),
  TextMistake("00000000: 00  .\n*\nfffffff0: 00  .\n", gives: "00", .oversizedText, at: "2:1"),
  TextMistake("00000000: 00  .\n*\n00080000: 00  .\n", gives: "00", .oversizedText, at: "2:1"),
  TextMistake("00000000: 00  .\n*\n1fffffffffffffff0: 00  .\n", gives: "00", .notHex, at: "3:17"),
  TextMistake("00000000: 0808 0909\n00000002: 0a\n", gives: "08080909", .contradictingOffset, at: "2:1"),

  TextMistake("00000000  08 08  |..|\n00000003\n", gives: "0808", .contradictingOffset, at: "2:1"),
  TextMistake("00000000  08 08 09  |...|\n00000002\n", gives: "080809", .contradictingOffset, at: "2:1"),
  TextMistake("00000000  08 8  |..|\n00000002\n", gives: "08", .oddDigits, at: "1:14"),
  TextMistake("00000000  08 0x  |..|\n00000002\n", gives: "08", .notHex, at: "1:15"),

  TextMistake("<b4bc e>", gives: "b4bc", .oddDigits, at: "1:7"),
  TextMistake("<b4bce12f 9d", gives: "b4bce12f9d", .cutText, at: "1:13"),
  TextMistake("<b4bx>", as: .nsdata, gives: "b4", .notHex, at: "1:5"),
  TextMistake("<bebx1>", as: .nsdata, gives: "", .unknownText, at: "1:8"),
  TextMistake("{length = 32, bytes = 0xb4bce12f ... 9d34}", gives: "b4bce12f", .lossyText, at: "1:34"),
  TextMistake("<Buffer 08 08 ... 10 more bytes>", gives: "0808", .lossyText, at: "1:15"),
  TextMistake("b4bce12f 9d", as: .nsdata, gives: "", .unknownText, at: "1:12"),

  TextMistake(#""\x08\x9""#, gives: "08", .oddDigits, at: "1:8"),
  TextMistake(#""\x08\u1""#, gives: "08", .notHex, at: "1:9"),
  TextMistake(#""\x08\400""#, gives: "08", .notHex, at: "1:9"),
  TextMistake("\"\\x08\u{e9}\"", gives: "08", .notHex, at: "1:6"),
  TextMistake("\"\\x08\n\"", gives: "08", .cutText, at: "1:1"),
  TextMistake(#""\x08"#, gives: "08", .cutText, at: "1:1"),
  TextMistake(#"\x08\"#, gives: "08", .cutText, at: "1:6"),

  TextMistake("{length = 3, bytes = 0x0808}", gives: "0808", .contradictingOffset, at: "1:28"),
  TextMistake("00000000: 4142 4344  ABCE\n", gives: "", .contradictingCharacters, at: "1:10"),
  TextMistake("00000000: 41424344  ABCD", as: .words, gives: "", .contradictingCharacters, at: "1:10"),
  TextMistake("00000000  41 42  |AC|\n00000002\n", gives: "", .contradictingCharacters, at: "1:9"),
  TextMistake("00000000: 08080000  ....", gives: "", .ambiguousText, at: nil),
  TextMistake("0000000 0808 0700\n0000003\n", gives: "08080007", .contradictingOffset, at: "2:1"),
  TextMistake("0000000 0808 0007\n", gives: "08080700", .cutText, at: "1:18"),
  TextMistake("0000000 0808 07\n", as: .words, gives: "0808", .oddDigits, at: "1:14"),
  TextMistake("0000000 002 001\n0000001\n", gives: "0201", .contradictingOffset, at: "2:1"),
  TextMistake("0000000   2   0  78\n", as: .octal, gives: "02004e", .cutText, at: "1:20"),
  TextMistake("[2, 0, 256]", gives: "0200", .notHex, at: "1:8"),
  TextMistake("[2, 0, ... 3 more items]", gives: "0200", .lossyText, at: "1:8"),
  TextMistake("[2, 0", as: .decimal, gives: "0200", .cutText, at: "1:6"),
  TextMistake("[12 00 34]", gives: "", .ambiguousText, at: nil),
  TextMistake("10 bytes", gives: "", .lossyText, at: nil),
  TextMistake(#""\u00e9""#, gives: "", .ambiguousText, at: nil),
  TextMistake(
    "write to 0x1 [0x2] (6 bytes => 6 (0x6))\n0000 - 08 08   ..\n0002 - <SPACES/NULS>\n", gives: "0808", .lossyText,
    at: "3:1"),
  TextMistake(
    "write to 0x1 [0x2] (3 bytes => 3 (0x3))\n0000 - 08 08   ..\n---\n", gives: "0808", .contradictingOffset, at: "1:1"),
  TextMistake(
    "Frame (3 bytes):\n0000  08 08   ..\nDecrypted TLS (1 byte):\n0000  08   .\n", gives: "", .contradictingOffset,
    at: "1:1"),
  TextMistake("packets:\n  - peer: 2\n    data: !!binary |\n", gives: "", .unknownText, at: "4:1"),

  TextMistake("CAje!", as: .base64, gives: "0808de", .notHex, at: "1:5"),
  TextMistake("CAjeC", as: .base64, gives: "0808de", .oddDigits, at: "1:5"),
  TextMistake("CA=e", as: .base64, gives: "08", .notHex, at: "1:4"),
  TextMistake("+A-A", as: .base64, gives: "f8", .notHex, at: "1:3"),
  TextMistake("Hello2World", gives: "", .unknownText, at: nil),

  TextMistake("bytes.fromhex('0808g0')", gives: "0808", .notHex, at: "1:20"),
  TextMistake("bytes.fromhex('0808 0')", as: .literal, gives: "0808", .oddDigits, at: "1:21"),
  TextMistake("X'0808", as: .literal, gives: "0808", .cutText, at: "1:1"),
  TextMistake(#"\x080800000007g"#, as: .literal, gives: "080800000007", .notHex, at: "1:15"),
  TextMistake(#"Buffer.from("0808")"#, gives: "", .unknownText, at: nil),
  TextMistake(#"{"hex":"0808","data":"dead"}"#, gives: "", .unknownText, at: nil),
  TextMistake("x = 0808", as: .literal, gives: "", .unknownText, at: "1:9"),
  TextMistake("<<2,0,78,...>>", gives: "02004e", .lossyText, at: "1:10"),
  TextMistake("<<2,0,780>>", gives: "0200", .notHex, at: "1:7"),
  TextMistake("<<2,0", as: .decimal, gives: "0200", .cutText, at: "1:6"),

  TextMistake(#"write(3, "\2\0"..., 83) = 83"#, gives: "0200", .lossyText, at: "1:1"),
  TextMistake(#"write(3, "\2\0", 2)"#, gives: "", .cutText, at: "1:20"),
  TextMistake(#"read(3, "\2\0, 2) = 2"#, gives: "", .cutText, at: "1:9"),
  TextMistake(#"read(3, "\2\x0g", 2) = 2"#, gives: "", .oddDigits, at: "1:14"),
  TextMistake(
    "> 2013/11/19 00:00:00.1  length=3 from=0 to=2\n 08 08\n--\n", gives: "0808", .contradictingOffset, at: "1:1"),
  TextMistake(
    "> 2013/11/19 00:00:00.1  length=3 from=0 to=2\n 08 0g 09\n--\n", gives: "08", .notHex, at: "2:6"),
  TextMistake(
    "> 2013/11/19 00:00:00.1  length=2 from=0 to=1\n 41 42    AC\n--\n", gives: "", .contradictingCharacters, at: "2:2"),
  TextMistake("> 2013/11/19 00:00:00.1  length=2 from=0 to=1\n..", gives: "", .lossyText, at: "1:1"),
  TextMistake("|00000000| 41 42  |AB|\n|00000010| 41  |A|\n", gives: "4142", .contradictingOffset, at: "2:2"),
  TextMistake("|00000000| 41 42  |AC|\n", gives: "", .contradictingCharacters, at: "1:11"),
  TextMistake("|00000000| 41 4  |A|\n", gives: "41", .oddDigits, at: "1:15"),
  TextMistake("00|0 - 41 42   AB\n0002 - 41   A\n", gives: "", .unknownText, at: nil),
  TextMistake("  08 08 00 00 04 d2 ...\n", gives: "", .lossyText, at: "1:21"),
  TextMistake(
    "<Buffer 08 08 00 00 04 d2 08 08 00 00 04 d3 08 08 00 0 04 d4>\n", gives: "0808000004d20808000004d3080800",
    .oddDigits, at: "1:54"),
  TextMistake("08 08 00|00 04 d2 08 08 00 00 04 d3\n", gives: "", .unknownText, at: nil),
  TextMistake("08,08,00,00,04,d2,08,08,00,00;04,d3\n", gives: "0808000004d208080000", .notHex, at: "1:30"),
  TextMistake(#"write(3, "\10\10\0\0\4\322x", 6) = 6"#, gives: "", .contradictingOffset, at: "1:1"),
  TextMistake(#"write(3, "\10\10\0\0\4\322", 12) = 6"#, gives: "", .contradictingOffset, at: "1:1"),
  TextMistake(#"["000010000000100000000000000000000000010011010010"]"#, gives: "", .ambiguousText, at: nil),
  TextMistake("000010000000100000000000\n000000000000010011010010\n", gives: "", .ambiguousText, at: nil),
  TextMistake("(\n [0] => 8\n [1] => 8\n [3] => 0\n [2] => 0\n)\n", gives: "0808", .contradictingOffset, at: "4:2"),
  TextMistake("{0x08, 0x08 0x00, 0x00}\n", gives: "0808", .notHex, at: "1:15"),
  TextMistake("0x10:\t0x08\t0x08\n0x13:\t0x00\n", gives: "0808", .contradictingOffset, at: "2:3"),
  TextMistake("0x10:\t0x08\t08\n", gives: "08", .notHex, at: "1:12"),
  TextMistake("0x10 <a+3>:\t0x08000009\n", gives: "", .ambiguousText, at: nil),

  TextMistake("12:00:01 08:08\n", gives: "", .ambiguousText, at: nil),
  TextMistake("10:0808000000\n", gives: "", .ambiguousText, at: nil),
  TextMistake("2013-11-19 00:00:01 sent 0808\n", gives: "", .unknownText, at: nil),
  TextMistake("1:0808\n1:0808\n", gives: "", .unknownText, at: nil),
  // The last line of a dump alone, and dumps that were cut in the middle of a line.
  TextMistake("0050  00 01 0a 0b\n", gives: "", .ambiguousText, at: nil),
  TextMistake("0000000 0002 0000 014e 2000 13fc ff", gives: "020000004e010020fc13", .oddDigits, at: "1:34"),
  TextMistake(
    "000000 00000002 2000014e\n000008 ffad13fc b4225178\n00001", gives: "020000004e010020fc13adff785122b4",
    .contradictingOffset, at: "3:1"),
  TextMistake("Offset(h) 00 01 02 03 04 05 06 0", gives: "", .unknownText, at: nil),

  TextMistake("0808080808\u{2014}08", gives: "0808080808", .notHex, at: "1:11"),
]

@Suite struct TextErrorTests {
  @Test(arguments: mistakes)
  func namesTheMistakeAfterWhatWasRead(_ mistake: TextMistake) {
    let reading = TextReading(mistake.text, as: mistake.format)
    #expect(reading.code == mistake.code)
    #expect(reading.errorPlace == mistake.place)
    #expect(reading.hex == mistake.hex)
    #expect(!reading.isOpen)
  }

  @Test(arguments: mistakes)
  func chunkBoundariesChangeNoMistake(_ mistake: TextMistake) {
    let text = Array(mistake.text.utf8)
    let whole = TextReading(text, as: mistake.format)
    for cut in 0...text.count {
      #expect(TextReading(text, as: mistake.format, pieces: [cut]) == whole, "cut at \(cut)")
    }
  }

  @Test func showsNoControlCharacters() throws {
    for byte in UInt8.min...UInt8.max where !(0x20...0x7e).contains(byte) {
      var reader = TextReader(.standard, format: .base64)
      var sink = CollectingSink()
      let text = [byte]
      do throws(ReadError) {
        try reader.read(text.span, into: &sink)
        try reader.finish(into: &sink)
      } catch {
        #expect(error.description.utf8.allSatisfy { (0x20...0x7e).contains($0) })
      }
    }
  }

  @Test func boundsTheLinesOfDumps() {
    let reading = TextReading("00000000: 08  .\n00000001: " + String(repeating: "08", count: 40_000))
    #expect(reading.code == .oversizedText)
    #expect(reading.errorPlace == "2:1")
    #expect(reading.hex == "08")
  }
}
