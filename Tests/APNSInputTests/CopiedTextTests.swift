import APNSInput
import Foundation
import TestSupport
import Testing

/// What logs, terminals, mails and editors do to text on its way to the clipboard changes no byte.
@Suite struct CopiedTextTests {
  private static let frame = TextReading(
    "020000004e010020fc13adff785122b4ad289a80982341241421348097878e577c991de8f01c9fa3"
      + "0200167b22617073223a7b22616c657274223a224869227d7d03000400000007040004528aaa000500010a"
  ).bytes

  /// The frame in forms of several lines that a log may contain.
  private static let forms = [
    TextWriter.xxd(frame, columns: 16, group: 2), TextWriter.hexdump(frame, squeezed: false),
    TextWriter.words(frame, radix: 16), rows(of: 8) { TextWriter.pairs($0, separator: " ") },
    "(" + rows(of: 9) { TextWriter.escapes($0, quote: "\"") } + ")",
  ]
  /// Lists, which only numbers of lines may precede: their numbers look like others of a log.
  private static let lists = [
    "{\n" + rows(of: 8) { $0.map { "\(Int8(bitPattern: $0))," }.joined(separator: " ") } + "}",
    "[\n" + frame.map { "    \($0),\n" }.joined() + "]",
  ]

  private static func rows(of count: Int, _ write: ([UInt8]) -> String) -> String {
    stride(from: 0, to: frame.count, by: count).map { write(Array(frame[$0...].prefix(count))) + "\n" }.joined()
  }

  @Test(arguments: forms, ["2013-11-19 10:00:00,123 INFO wire - ", "web_1  | ", "D/Push( 88): "])
  func linesOfALogAreReadLikeThoseOfAFile(text: String, lead: String) { Self.check(text, after: lead) }

  @Test(arguments: forms + lists, ["%d\t", "  %d  ", "%d:"])
  func numbersOfLinesAreNoBytes(text: String, lead: String) { Self.check(text, after: lead) }

  private static func check(_ text: String, after lead: String) {
    let lines = text.split(separator: "\n").enumerated().map { number, line in
      lead.replacing("%d", with: "\(number + 1)") + line
    }
    let reading = TextReading(lines.joined(separator: "\n"))
    #expect(reading.code == nil, "\(lines.joined(separator: "\n"))")
    #expect(reading.bytes == frame, "\(lines.joined(separator: "\n"))")
  }

  /// Other lines of a long log are none of its frames, also where the beginning of the text does not have them.
  @Test(arguments: ["10:01:31 INFO heartbeat ok", "INFO retry 10", "INFO added cafe", "user logged in: bob"])
  func otherLinesOfALogAreSkipped(other: String) {
    for separator in ["", " "] {
      let frames = (0..<50).map { "10:00:\($0 + 10) INFO sent " + TextWriter.pairs(Self.frame, separator: separator) }
      let reading = StreamReading(Array((frames + [other] + frames).joined(separator: "\n").utf8))
      #expect(reading.streams == [0: Array(repeatElement(Self.frame, count: 100).joined())])
    }
  }

  /// Each byte keeps the place of its first digit.
  @Test(arguments: [72, 80, 132])
  func linesThatATerminalBrokeAreJoined(width: Int) {
    let texts = [
      TextWriter.decimal(Self.frame, separator: ", ", signed: true), TextWriter.pairs(Self.frame, separator: "-"),
      TextWriter.escapes(Self.frame, quote: "\""),
    ]
    for text in texts {
      let whole = TextReading(text)
      #expect(whole.bytes == Self.frame)
      let places = whole.positions.map { "\((Int($0.column) - 1) / width + 1):\((Int($0.column) - 1) % width + 1)" }
      for end in ["\n", "\r\n"] {
        let broken = stride(from: 0, to: text.count, by: width).map { text.dropFirst($0).prefix(width) }
        let reading = TextReading(broken.joined(separator: end))
        #expect(reading.bytes == Self.frame, "\(broken.joined(separator: end))")
        #expect(reading.places == places, "\(broken.joined(separator: end))")
      }
    }
  }

  @Test func coloursAndLineEndsOfTerminalsSayNothing() {
    let dump = TextWriter.xxd(Self.frame, columns: 16, group: 2)
    let colours = dump.split(separator: "\n").map { line in
      line.split(separator: " ").map { "\u{1b}[1;3\($0.count % 8)m\($0)\u{1b}[0m" }.joined(separator: " ")
    }
    #expect(TextReading("\u{1b}]0;title\u{7}" + colours.joined(separator: "\n")).bytes == Self.frame)
    #expect(TextReading(dump.replacing("\n", with: "\r")).bytes == Self.frame)
    let colour = Array(("\u{1b}[31m" + dump).utf8)
    #expect(TextReading(colour, pieces: Array(repeating: 1, count: colour.count)).bytes == Self.frame)
  }

  @Test(arguments: [true, false])
  func utf16NeedsNoMark(isBigEndian: Bool) {
    let units = TextWriter.xxd(Self.frame, columns: 16, group: 2).utf8
    #expect(TextReading(units.flatMap { isBigEndian ? [0, $0] : [$0, 0] }).bytes == Self.frame)
  }

  /// A prompt says nothing about the line below it, however long that is.
  @Test func longLinesBelowAPromptAreRead() {
    let frames = Array(repeatElement(Self.frame, count: 40).joined())
    let list = TextWriter.decimal(frames, separator: ", ", signed: false)
    #expect(TextReading(">>> list(frames)\n" + list).bytes == frames)
  }

  /// Feedback tuples in little-endian words are known by what they say.
  @Test func wordsOfFeedbackAreInOrder() {
    let tuple = [0x52, 0x8a, 0xaa, 0, 0, 32] + Self.frame[8..<40] + [0, 0]
    let words = stride(from: 0, to: 40, by: 4).map { start in
      "0x" + TextWriter.pairs(tuple[start..<start + 4].reversed(), separator: "")
    }
    let rows = [0..<4, 4..<8, 8..<10].map { "0x7ffe50\($0.lowerBound / 4)0:\t" + words[$0].joined(separator: "\t") }
    #expect(TextReading(rows.joined(separator: "\n")).bytes == tuple)
  }

  /// Frames in two forms are not read by halves.
  @Test func framesInTwoFormsAreRefused() {
    let text = "out " + TextWriter.pairs(Self.frame, separator: " ") + "\nin [8, 8, 0, 0, 0, 7]"
    #expect(TextReading(text).code == .ambiguousText)
  }

  /// What precedes the first line of a dump does not hide it.
  @Test(arguments: ["<pre>", "msg: ", "[12:00:01] frame="])
  func theFirstRowMayFollowOtherText(text: String) {
    for dump in [TextWriter.xxd(Self.frame, columns: 16, group: 2), TextWriter.hexdump(Self.frame, squeezed: false)] {
      #expect(TextReading(text + dump).bytes == Self.frame, "\(text + dump)")
    }
  }

  /// gdb leaves out bytes that repeat.
  @Test func repeatedBytesAreMissing() {
    #expect(TextReading(#"$1 = "\b\b", '\000' <repeats 19 times>, "\004\322""#).code == .lossyText)
  }

  /// That bytes were left out is seen far from the beginning of a text, too.
  @Test func omissionsAreSeenEverywhere() {
    let rows = Array(repeatElement(Self.frame, count: 30).joined())
    let lines = TextWriter.plain(rows, group: 2, lineLength: 40).split(separator: "\n")
    let log = lines.map { "10:00:00 INFO sent \($0)" }
    for lines in [log, TextWriter.xxd(rows, columns: 16, group: 2).split(separator: "\n").map(String.init)] {
      let copied: [String] = lines.dropLast(9) + ["[... 112 lines ...]"] + lines.suffix(9)
      let reading = TextReading(copied.joined(separator: "\n"))
      #expect(reading.code == .lossyText)
    }
  }

  /// A chunk of printable bytes in escapes is data like those before it.
  @Test func printableChunksOfEscapesAreRead() {
    let chunks = stride(from: 0, to: Self.frame.count, by: 9).map { start in
      let escapes = Self.frame[start...].prefix(9).map { "\\x" + TextWriter.pairs([$0], separator: "") }
      return "printf '\(escapes.joined())' >> f"
    }
    #expect(TextReading(chunks.joined(separator: "\n")).bytes == Self.frame)
  }

  @Test(arguments: [("C->S ", "S->C "), ("OUT: ", "IN:  "), ("client: ", "server: "), ("a --> ", "a <-- ")])
  func wordsNameTheSides(first: String, second: String) {
    let reading = StreamReading(Array((first + "08 08 00 00 04 d2\n" + second + "08 08 00 00 00 07").utf8))
    #expect(reading.streams == [0: [8, 8, 0, 0, 4, 0xd2], 1: [8, 8, 0, 0, 0, 7]])
  }

  /// A line of a dump that was lost or moved is an error, although other digits remain.
  @Test func offsetsAreNoWordsOfALog() {
    let lines = TextWriter.hexdump(Self.frame, squeezed: false).split(separator: "\n")
    for others in [Array(lines[2...]), lines[1...].reversed()] {
      let reading = TextReading(([lines[0]] + others).joined(separator: "\n"))
      #expect(reading.code == .contradictingOffset)
      #expect(reading.bytes == Array(Self.frame[..<16]))
    }
  }

  /// `db` may also be two digits.
  @Test func pairsOfDigitsAreNoDirective() {
    for text in ["43 dc 10 12 10", "E9 DB 99 07 99"] { #expect(TextReading(text).bytes.count == 5, "\(text)") }
  }

  /// The last line of a block is shorter, and ends in another way.
  @Test func lastLinesAreShorter() {
    let base64 = Array(Data(Self.frame).base64EncodedString())
    let lines = stride(from: 0, to: base64.count, by: 36).map { "web_1    | " + String(base64[$0...].prefix(36)) }
    #expect(lines.last?.count == 15)
    for more in [[], ["web_1    | done"], ["web_1    | retry in 5 s", "web_1    | done"]] {
      #expect(TextReading((lines + more).joined(separator: "\n")).bytes == Self.frame, "\(more)")
    }
    let digits = Self.rows(of: 20) { "DEBUG Push -  + \"" + TextWriter.pairs($0, separator: "") + "\"" }.dropLast()
    #expect(TextReading("10:00:01 hex = \"\"\n" + digits + ";").bytes == Self.frame)
  }

  /// Signed bytes in the columns of od, and of gdb, which shows each also as a character.
  @Test func decimalBytesMayBeNegative() {
    let rows = stride(from: 0, to: Self.frame.count, by: 16).map { start in
      String(start, radix: 8).leftPadded(to: 7)
        + Self.frame[start...].prefix(16).map { String(Int8(bitPattern: $0)).leftPadded(to: 5, with: " ") }.joined()
    }
    #expect(TextReading((rows + ["0000123", ""]).joined(separator: "\n")).bytes == Self.frame)
    let gdb = stride(from: 0, to: Self.frame.count, by: 8).map { start in
      let cells = Self.frame[start...].prefix(8).map { byte in
        let character =
          0x20...0x7e ~= byte
          ? byte == 0x27 ? "\\'" : String(UnicodeScalar(byte)) : "\\" + String(byte, radix: 8).leftPadded(to: 3)
        return "\t\(Int8(bitPattern: byte)) '\(character)'"
      }
      return "0x7fffffffe3\(String(start, radix: 16).leftPadded(to: 2)):" + cells.joined()
    }
    #expect(TextReading(gdb.joined(separator: "\n")).bytes == Self.frame)
  }

  /// The first line may begin with a printable byte, and a quoted mail is indented.
  @Test(arguments: ["", "    "])
  func linesOfQuotedPrintableGoOn(indent: String) {
    let bytes = Array("R".utf8) + [0x8a, 0xaa, 0, 0, 0x20] + Self.frame[8..<40]
    let escapes = bytes.map { 0x21...0x3c ~= $0 || 0x3e...0x7e ~= $0 ? String(UnicodeScalar($0)) : "=" + [$0].hexText }
    let lines = stride(from: 0, to: escapes.count, by: 12).map { indent + escapes[$0...].prefix(12).joined() }
    #expect(TextReading(lines.joined(separator: "=\n")).bytes == bytes)
  }

  /// What only looks like a list: a directive among pairs of digits, a count before a colon, an offset after numbers.
  @Test(arguments: [
    "10:00:01 Push[812:303] db c7 f5 87\n10:00:02 Push[812:303] 6a d4 00 20", "Typ=23 Len=6: 8,8,0,0,4,210",
    "0000000   8   8   0   0   4 210 0000006",
  ])
  func otherNumbersAreNoList(text: String) {
    #expect(TextReading(text).code != nil, "\(text)")
  }

  /// The words of a command before the string of a frame are none of its bytes.
  @Test func printableStringsBeforeAFrameAreNone() {
    let string = TextWriter.escapes(Self.frame, quote: "\"")
    #expect(TextReading("1384855201.123456 [0 127.0.0.1:40000] \"LPUSH\" \"apns\" \(string)").bytes == Self.frame)
  }

  /// In Rust, a digit after \0 is a byte. Frames decide; without frames, the string may be meant in two ways.
  @Test func digitsAfterANulAreBytes() {
    var frame = Self.frame
    frame[71] = UInt8(ascii: "7")
    let text = frame.map { byte in
      byte == 0 ? "\\0" : 0x20..<0x7f ~= byte && byte != 0x22 ? String(UnicodeScalar(byte)) : "\\x" + [byte].hexText
    }
    #expect(TextReading("frame=b\"\(text.joined())\"").bytes == frame)
    #expect(TextReading(#"frame=b"\0\00\xffabc""#).code == .ambiguousText)
  }

  /// Frames show that words are those of a big-endian machine, as does padding at their end.
  @Test func wordsMayBeBigEndian() {
    let rows = stride(from: 0, to: Self.frame.count, by: 16).map { start in
      let words = stride(from: start, to: min(start + 16, Self.frame.count), by: 2).map { index in
        [Self.frame[index], index + 1 < Self.frame.count ? Self.frame[index + 1] : 0].hexText
      }
      return String(start, radix: 8).leftPadded(to: 7) + " " + words.joined(separator: " ")
    }
    #expect(TextReading((rows + ["0000123", ""]).joined(separator: "\n")).bytes == Self.frame)
    #expect(TextReading("000000 0801f1ef 7b120000\n000006\n").bytes == [8, 1, 0xf1, 0xef, 0x7b, 0x12])
  }

  /// Decimal words of two bytes, as hexdump -d pads them with zeros, and od -d with blanks.
  @Test(arguments: ["0", " "] as [Character])
  func wordsMayBeDecimal(padding: Character) {
    let rows = stride(from: 0, to: Self.frame.count, by: 16).map { start in
      let words = stride(from: start, to: min(start + 16, Self.frame.count), by: 2).map { index in
        Int(Self.frame[index]) + (index + 1 < Self.frame.count ? Int(Self.frame[index + 1]) << 8 : 0)
      }
      return String(start, radix: 16).leftPadded(to: 7)
        + words.map { "   " + String($0).leftPadded(to: 5, with: padding) }.joined()
    }
    #expect(TextReading((rows + ["0000053", ""]).joined(separator: "\n")).bytes == Self.frame)
  }

  /// The headers of a packet that is cut are not the bytes of a stream.
  @Test func cutPacketsArePackets() {
    let rows = ["4500 007b 1234 4000 4006 0000 0a00 0001", "1195 230c 9c40 0893 0000 03e8 0000 1388"]
    let title = "10:00:01.123450 IP 10.0.0.1.40000 > 17.149.35.12.2195: Flags [P.], seq 1:84, length 83\n"
    let reading = TextReading(title + "\t0x0000:  \(rows[0])\n\t0x0010:  \(rows[1])\n")
    #expect(reading.format == .tcpdump)
    #expect(reading.bytes.isEmpty)
  }

  @Test func base32IsNoBase64() {
    #expect(TextReading("AIAAAAADAEACAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").code != nil)
  }

  /// A mark before the first line of a string is one before each of its lines.
  @Test(arguments: ["> ", "| ", ">> "])
  func quotedStringsGoOn(mark: String) {
    let escapes = Self.frame.map { "=" + [$0].hexText }
    let lines = stride(from: 0, to: escapes.count, by: 20).map { escapes[$0...].prefix(20).joined() }
    #expect(TextReading(mark + lines.joined(separator: "=\n" + mark)).bytes == Self.frame)
    let list = Self.rows(of: 20) { $0.map(String.init).joined(separator: ",") + "," }.dropLast(2)
    let erlang = "<<" + list.replacing("\n", with: "\n" + mark) + ">>"
    #expect(TextReading(mark + erlang).bytes == Self.frame, "\(erlang)")
  }

  /// Python chooses the quotes of each string by what is in it.
  @Test func stringsInSeveralQuotesAreOne() {
    var frame = Array(Self.frame[..<43]) + Array("{\"aps\":{\"alert\":\"it's\"}}".utf8) + Self.frame[65...]
    frame[4] += 2
    frame[42] += 2
    let chunks = [frame[..<50], frame[50..<62], frame[62...]].map { chunk in
      let quote: UInt8 = chunk.contains(0x27) ? 0x22 : 0x27
      let text = chunk.map { byte in
        0x20..<0x7f ~= byte && byte != quote && byte != 0x5c ? String(UnicodeScalar(byte)) : "\\x" + [byte].hexText
      }
      let mark = String(UnicodeScalar(quote))
      return "b" + mark + text.joined() + mark
    }
    #expect(TextReading("(" + chunks.joined(separator: "\n ") + ")").bytes == frame)
  }

  /// Columns of od -An -c are four characters wide, blank ones among them.
  @Test func charactersNeedNoOffsets() {
    let letters: [UInt8: String] = [0: "\\0", 7: "\\a", 10: "\\n"]
    let text = Self.rows(of: 16) { row in
      row.map { byte in
        let octal = String(byte, radix: 8).leftPadded(to: 3)
        let cell = letters[byte] ?? (0x20..<0x7f ~= byte ? String(UnicodeScalar(byte)) : octal)
        return cell.leftPadded(to: 4, with: " ")
      }.joined()
    }
    #expect(TextReading(text).bytes == Self.frame)
  }

  /// Digits of a database are no escape and no base64 where they are cut inside a byte.
  @Test func digitsOfADatabaseAreHex() {
    let digits = TextWriter.pairs(Self.frame, separator: "").dropLast()
    let reading = TextReading(" id |  frame\n----+------\n  1 | \\x\(digits)")
    #expect(reading.code != nil)
  }
}

extension String {
  fileprivate func leftPadded(to width: Int, with character: Character = "0") -> String {
    String(repeating: character, count: max(0, width - count)) + self
  }
}

extension [UInt8] {
  fileprivate var hexText: String { TextWriter.pairs(self, separator: "").uppercased() }
}
