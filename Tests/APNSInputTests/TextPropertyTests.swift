import APNSInput
import TestSupport
import Testing

struct Chance: RandomNumberGenerator {
  private var generator: SeededGenerator
  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func next() -> UInt64 { generator.next() }

  mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// Any bytes, or such as look like digits, spaces, bars and stars when shown beside themselves.
  mutating func bytes(upTo count: Int) -> [UInt8] {
    let alphabets: [[UInt8]] = [
      Array(0...255), Array("0123456789abcdef".utf8), Array("0123456789abcdef  ".utf8), Array(" .".utf8),
      Array("|*: \\\"'#<>".utf8), [0], [0, 0, 0, 0x20], Array("beef ".utf8),
    ]
    let alphabet = alphabets[int(0...alphabets.count - 1)]
    return (0..<int(1...count)).map { _ in alphabet[int(0...alphabet.count - 1)] }
  }
}

private let seeds = runSeed...(runSeed &+ 299)

@Suite struct TextPropertyTests {
  @Test func everyFormatReadsBackWhatWasWritten() {
    for seed in seeds {
      var chance = Chance(seed: seed)
      let bytes = chance.bytes(upTo: 100)
      let columns = chance.int(1...40)
      let texts: [(TextFormat, String)] = [
        (.plain, TextWriter.plain(bytes, group: chance.int(1...8), lineLength: chance.int(1...40))),
        (.c, TextWriter.c(bytes)),
        (.xxd, TextWriter.xxd(bytes, columns: columns, group: chance.int(1...columns))),
        (.xxd, TextWriter.xxd(bytes, columns: chance.int(1...8), group: 2, from: chance.int(0...99), squeezed: true)),
        (.hexdump, TextWriter.hexdump(bytes, squeezed: chance.int(0...1) == 1)),
        (.words, TextWriter.turnedXxd(bytes, columns: 16, group: 4)),
        (.words, TextWriter.words(bytes, radix: chance.int(0...1) == 1 ? 16 : 8)),
        (.decimal, TextWriter.decimal(bytes, separator: chance.int(0...1) == 1 ? ", " : " ", signed: true)),
        (.decimal, TextWriter.decimal(bytes, separator: ",", signed: false)),
        (.openssl, TextWriter.hyphened(bytes)), (.nsdata, TextWriter.nsdata(bytes)),
        (.escapes, TextWriter.escapes(bytes, quote: chance.int(0...1) == 1 ? "'" : "\"")),
        (.base64, TextWriter.base64(bytes, padded: true)), (.percent, TextWriter.percent(bytes)),
        (.pairs, TextWriter.pairs(bytes, separator: ["\", \"", ".", "/", "_", " | "][chance.int(0...4)])),
      ]
      // Digits as characters look like the decimal bytes of od -t u1.
      let areDigits = bytes.allSatisfy { 0x30...0x39 ~= $0 }
      for (format, text) in texts + (areDigits ? [] : [(.octal, TextWriter.cells(bytes))]) {
        let reading = TextReading(text, as: format)
        #expect(reading.code == nil, "seed \(seed), \(format.rawValue):\n\(text)")
        #expect(reading.bytes == bytes, "seed \(seed), \(format.rawValue):\n\(text)")
      }
      #expect(TextReading(TextWriter.base64(bytes, padded: false), as: .base64).bytes == bytes, "seed \(seed)")
    }
  }

  /// Lines too long to hold come in parts.
  @Test func linesOfAnyLengthAreRead() {
    var chance = Chance(seed: runSeed)
    let bytes =
      (0..<50_000).map { _ in UInt8(chance.int(0...255)) } + [UInt8](repeating: UInt8(ascii: "\\"), count: 40_001)
    let digits = TextWriter.pairs(bytes, separator: "")
    let texts: [(TextFormat, String)] = [
      (.plain, digits), (.base64, TextWriter.base64(bytes, padded: true).filter { $0 != "\n" }),
      (.decimal, TextWriter.decimal(bytes, separator: ", ", signed: true)),
      (.c, "{0x" + TextWriter.pairs(bytes, separator: ", 0x") + "}"),
      (.escapes, TextWriter.escapes(bytes, quote: "\"")), (.nsdata, TextWriter.nsdata(bytes)),
      (.literal, "bytes.fromhex('\(digits)')"), (.pairs, TextWriter.pairs(bytes, separator: ".")),
      (.bits, bytes.map { String(Int($0) + 256, radix: 2).dropFirst() }.joined(separator: " ")),
    ]
    for (format, text) in texts {
      let reading = TextReading(text, as: format)
      #expect(reading.code == nil, "\(format.rawValue), seed \(runSeed)")
      #expect(reading.bytes == bytes, "\(format.rawValue), seed \(runSeed)")
      #expect(reading.positions == reading.positions.sorted { $0.column < $1.column }, "\(format.rawValue)")
    }
  }

  /// Where a part ends, nothing is joined and nothing split.
  @Test func partsReadLikeTheWholeLine() {
    let long = String(repeating: "00 ", count: 10_922)
    #expect(TextReading(long + "0 8 00", as: .plain).code == .oddDigits)
    #expect(TextReading("<\(long)0 8 00>", as: .nsdata).code == .oddDigits)
    let ones = TextReading(String(repeating: "0b1 ", count: 8_196), as: .bits)
    #expect(ones.bytes == [UInt8](repeating: 1, count: 8_196))
    let braces = TextReading("\"" + String(repeating: "\\x{08}", count: 7_000) + "\"", as: .escapes)
    #expect(braces.bytes == [UInt8](repeating: 8, count: 7_000))
    let nim = TextReading("[" + String(repeating: "8'u8, ", count: 7_000) + "8'u8]", as: .c)
    #expect(nim.bytes == [UInt8](repeating: 8, count: 7_001))
    let comment = "/" + String(repeating: "*", count: 32_754) + "/"
    #expect(TextReading("{0x08, 0x00, \(comment) 0x01, /* x */ 0x03}", as: .c).hex == "08000103")
  }

  /// What is no hex around pairs, and a URL beside other digits, is not read as bytes.
  @Test(arguments: [
    ("0000| 08 08 00 00 00 d7\n0006| 08 08 00 00 00 d7\n", "0808000000d70808000000d7"),
    ("a=%08%08%00&b=%00%00%07", nil), ("%08%08%00 %00%00%07", nil),
  ])
  func whatStandsBesideBytesIsNone(text: String, hex: String?) {
    let reading = TextReading(text)
    #expect(reading.hex == hex ?? "")
    #expect((reading.code == nil) == (hex != nil))
  }

  /// Beside bytes may be their characters, or a comment.
  @Test(arguments: [
    "0x08, 0x08, 0x00, 0x00, 0x04, 0xd2 /* ...... */", "08 08 00 00 04 d2     ......",
    "I (1) apns: 0x3ffb0000   08 08 00 00 04 d2  |......|", #"#define FRAME "\x08\x08\x00\x00\x04\xd2""#,
    "#define F {0x08,0x08,0,0,4,0xd2}", #"$1 = {8 '\b', 8 '\b', 0 '\000', 0 '\000', 4 '\004', 210 '\322'}"#,
    "token <fc13adff 785122b4 ad289a80 98234124 14213480 97878e57 7c991de8 f01c9fa3>\nreply <08080000 04d2>",
  ])
  func whatIsBesideBytesIsUnderstood(text: String) { #expect(TextReading(text).hex == "0808000004d2") }

  /// The last line of a table ends as those before it.
  @Test func shortLinesOfATableAreRead() {
    #expect(TextReading("| 0000 | 08 08 00 00 04 d2 08 |\n| 0007 | 08 00 |").hex == "0808000004d2080800")
  }

  /// Of a line that is longer than the head of a text, only the end is not known yet.
  @Test func longLinesAreReadLikeShortOnes() {
    let frames = (0..<400).flatMap { [8, 8, 0, 0, 1, UInt8($0 & 0xff)] as [UInt8] }
    #expect(TextReading("DEBUG [" + frames.map(String.init).joined(separator: ", ") + "]").bytes == frames)
    for word in ["sent ", "I sent "] {
      #expect(TextReading(word + TextWriter.pairs(frames, separator: "")).bytes == frames)
    }
  }

  /// One damaged character of a dump is noticed, or changes nothing. Left out are dots, which stand for many bytes, and the
  /// first character of a line, which can make it a comment, a quotation or a command.
  @Test func damageIsNoticed() {
    for seed in seeds {
      var chance = Chance(seed: seed)
      let bytes = (0..<chance.int(2...60)).map { _ in UInt8(chance.int(0x21...0x7e)) }.map { $0 == 0x2e ? 0x2d : $0 }
      for (format, text) in [
        (TextFormat.xxd, TextWriter.xxd(bytes, columns: 16, group: 2)),
        (.hexdump, TextWriter.hexdump(bytes, squeezed: false)),
        (.words, TextWriter.turnedXxd(bytes, columns: 16, group: 4)), (.openssl, TextWriter.hyphened(bytes)),
      ] {
        var damaged = Array(text.utf8)
        let place = chance.int(0...damaged.count - 1)
        guard damaged[place] > 0x20, place > 0, damaged[place - 1] != UInt8(ascii: "\n") else { continue }
        damaged[place] = UInt8(chance.int(0x22...0x7e))
        let reading = TextReading(damaged, as: format)
        // Of the first offset only what follows says more than that it is a number.
        let isNoticed = reading.code != nil || reading.bytes == bytes
        #expect(isNoticed, "seed \(seed), \(format.rawValue):\n\(String(decoding: damaged, as: UTF8.self))")
      }
    }
  }

  @Test func dumpsAreRecognised() {
    for seed in seeds {
      var chance = Chance(seed: seed)
      let bytes = chance.bytes(upTo: 100)
      let texts = [
        TextWriter.xxd(bytes, columns: 16, group: 2), TextWriter.hexdump(bytes, squeezed: true), TextWriter.c(bytes),
      ]
      for text in texts {
        let reading = TextReading(text)
        // The digits of a single byte may be another number in octal or decimal: then the text is refused.
        let mayBeOther = bytes.count == 1 && bytes[0] & 15 < 10 && bytes[0] >> 4 < 10
        #expect(reading.bytes == bytes || mayBeOther && reading.code != nil, "seed \(seed):\n\(text)")
      }
    }
  }

  @Test func dumpsReadBackWithCollapsedSpaces() {
    for seed in seeds {
      var chance = Chance(seed: seed)
      let bytes = chance.bytes(upTo: 100)
      let columns = chance.int(1...20)
      let xxd = TextWriter.collapsed(TextWriter.xxd(bytes, columns: columns, group: chance.int(1...columns)))
      #expect(TextReading(xxd, as: .xxd).bytes == bytes, "seed \(seed):\n\(xxd)")
      let hexdump = TextWriter.collapsed(TextWriter.hexdump(bytes, squeezed: true))
      #expect(TextReading(hexdump, as: .hexdump).bytes == bytes, "seed \(seed):\n\(hexdump)")
    }
  }

  @Test func garbageIsReadTheSameInAnyPieces() {
    let alphabets = [Array(UInt8.min...UInt8.max), Array("0123456789abcdefx :*|\n<>{},/\\\"'=#".utf8)]
    for seed in seeds {
      var chance = Chance(seed: seed)
      var text: [UInt8]
      if chance.int(0...2) == 0 {
        let alphabet = alphabets[chance.int(0...1)]
        text = (0..<chance.int(0...200)).map { _ in alphabet[chance.int(0...alphabet.count - 1)] }
      } else {
        text = textSamples[chance.int(0...textSamples.count - 1)].bytes
        for _ in 0..<chance.int(1...4) where !text.isEmpty {
          let alphabet = alphabets[chance.int(0...1)]
          text[chance.int(0...text.count - 1)] = alphabet[chance.int(0...alphabet.count - 1)]
        }
      }
      for format in [nil] + TextFormat.allCases {
        let whole = TextReading(text, as: format)
        let pieces = (0..<20).map { _ in chance.int(0...30) }
        let other = TextReading(text, as: format, pieces: pieces)
        #expect(other == whole, "seed \(seed), \(format?.rawValue ?? "any")")
        #expect(whole.positions.count == whole.bytes.count && !whole.isOpen, "seed \(seed)")
      }
    }
  }
}
