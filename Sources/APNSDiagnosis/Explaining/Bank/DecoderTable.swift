extension Decoder {
  /// The rows of the bank: title, price in bits, uses, how the text begins, coding, traits.
  static func table(inflate: Inflate?) -> [Decoder] { plain + (inflate.map(compressed) ?? []) }

  static let plain = digits + escapes + characters + bytes

  /// The titles to which bugs refer.
  enum Title: String {
    case hexDigits = "hex digits"
    case decimalNumbers = "decimal numbers"
    case base64 = "base64"
    case hexReadAsBase64 = "hex digits read as base64"
    case percentSigns = "percent-encoded text"
    case stringLiteral = "a string in quotes"
    case relaxedJSON = "relaxed JSON"
    case sizeBefore = "text after its size"
    case latin1AsUTF8 = "Latin-1 written as UTF-8"
    case latin1InsteadOfUTF8 = "Latin-1 instead of UTF-8"
    case lfAsCRLF = "LF as CR LF"
    case pairsSwapped = "bytes swapped in pairs"

    /// The index in ``Decoder/plain``, and so in each bank.
    var row: Int { Decoder.plain.firstIndex { $0.title == rawValue } ?? 0 }
  }

  private static let (binary, other): (Uses, Uses) = ([.token, .frames], [.payload, .frames])
  private static let twoBytes = Opening.contains("\u{c2}\u{c3}", "\u{80}-\u{bf}", within: 81)
  private static let (blank, assignment): (ByteSet, ByteSet) = ("\0\t-\r ", "\t-\r =(:")
  private static let (base64, zlibLevels): (ByteSet, ByteSet) = ("A-Za-z0-9+/_\r\n-", "\u{1}^\u{9c}\u{da}")

  private static let digits: [Decoder] = [
    Decoder("hex digits", 8, .all, .begins("0-9A-Fa-f\t-\r :,;<>[]{}()\"'\\-"), .hexDigits),
    Decoder("decimal numbers", 9, .all, .begins("0-9\t-\r [({<,;-"), .decimalNumbers),
    Decoder("binary digits", 9, .all, .begins("01\t-\r ", "01\t-\r "), .binaryDigits),
    Decoder("hex digits as numbers", 9, binary, .begins("\0-\u{f}", "\0-\u{f}"), .nibbles),
    Decoder("base64", 8, .all, .begins(base64, base64), .base64),
    Decoder(
      "base64 with blanks in place of plus signs", 9, .token, .begins("A-Za-z0-9/ ", "A-Za-z0-9/ "), .base64InForm),
    Decoder("base32", 9, .all, .begins("A-Za-z2-7", "A-Za-z2-7"), .base32),
    Decoder("hex digits read as base64", 9, .token, .any, .hexReadAsBase64, .single),
    Decoder("hex dump", 9, .frames, .begins(.hex, .hex), .hexDump),
    Decoder("base85", 10, binary, .begins("!-~", "!-~"), .base85),
    Decoder("Ascii85", 10, binary, .begins("!-u", "!-u"), .ascii85),
    Decoder("uuencoded", 10, .frames, .begins("!-M", " -`"), .uuencoded),
  ]

  private static let escapes: [Decoder] = [
    Decoder("percent-encoded text", 8, .all, .escapes("%", .hex), .percentSigns),
    Decoder("quoted-printable", 9, .all, .escapes("=", "0-9A-F"), .quotedPrintable),
    Decoder("a string in quotes", 8, .all, .begins("Obu\"'`"), .stringLiteral),
    Decoder("text with backslash escapes", 9, .all, .escapes("\\"), .backslashEscapes),
    Decoder("text with HTML entities", 9, .payload, .contains("&", within: 61), .entities),
    Decoder("text with doubled quotes", 9, .payload, .contains("\"", "\"", within: 3), .doubledQuotes),
    Decoder("relaxed JSON", 10, .payload, .begins("{\"[%"), .relaxedJSON, .single),
    Decoder(
      "an object in brackets or quotes", 8, .payload, .begins("[(\"'<\u{2}", "{\t-\r "),
      .after("[") { $0.next() != nil }),
    Decoder(
      "text after a name", 9, .payload, .begins("A-Za-z_", "0-9A-Za-z_.\t-\r =(:"),
      .after("payload=") { $0.skip(.name, atMost: 20) > 0 && $0.skip(assignment) > 0 }),
    Decoder("text after its size", 9, .payload, .contains("{", within: 10), .afterSize, .single),
    Decoder(
      "text after a byte order mark", 6, .payload, .begins("\u{ef}", "\u{bb}"),
      .after("\u{feff}") { $0.take("\u{feff}") }),
    Decoder(
      "text after a zero-width space", 9, .payload, .begins("\u{e2}", "\u{80}"),
      .after("\u{200b}") { $0.take("\u{200b}") }),
    Decoder(
      "text after NUL", 7, .payload, .begins("\0", "\0\t-\r {"), .after("\0") { $0.skip(blank) > 0 }),
  ]

  private static let characters: [Decoder] = [
    Decoder("UTF-16, high byte first", 7, .payload, .begins("\0\u{fe}", "{\u{ff}"), .utf(2, isBigEndian: true)),
    Decoder("UTF-16, low byte first", 7, .payload, .begins("{\u{ff}", "\0\u{fe}"), .utf(2, isBigEndian: false)),
    Decoder("UTF-32, high byte first", 8, .payload, .begins("\0", "\0"), .utf(4, isBigEndian: true)),
    Decoder("UTF-32, low byte first", 8, .payload, .begins("{\u{ff}", "\0\u{fe}"), .utf(4, isBigEndian: false)),
    Decoder("each byte in 2, high first", 9, binary, .begins("\0"), .widened(to: 2, at: 1)),
    Decoder("each byte in 2, low first", 9, binary, .begins(.all, "\0"), .widened(to: 2, at: 0)),
    Decoder("each byte in 4, high first", 10, .all, .begins("\0", "\0"), .widened(to: 4, at: 3)),
    Decoder("each byte in 4, low first", 10, .all, .begins(.all, "\0"), .widened(to: 4, at: 0)),
    Decoder("Latin-1 written as UTF-8", 8, .all, twoBytes, .latin1AsUTF8),
    Decoder("cp1252 written as UTF-8", 9, .all, twoBytes, .windows1252AsUTF8),
    Decoder("Latin-1 instead of UTF-8", 9, .payload, .begins("{"), .latin1InsteadOfUTF8),
    Decoder("CESU-8", 9, .payload, .contains("\u{ed}", "\u{a0}-\u{af}"), .cesu8),
  ]

  private static func compressed(_ inflate: @escaping Inflate) -> [Decoder] {
    [
      Decoder("gzip", 8, other, .begins("\u{1f}", "\u{8b}"), .deflated(windowBits: 31, inflate), .complete),
      Decoder(
        "zlib", 8, other, .begins("\u{8}\u{18}(8HXhx", zlibLevels), .deflated(windowBits: 15, inflate), .complete),
      Decoder("raw deflate", 11, .payload, .any, .deflated(windowBits: -15, inflate), [.complete, .single]),
    ]
  }

  private static let sqlEscapes: [UInt8: [UInt8]] =
    ([0: "0", 10: "n", 13: "r", 0x1a: "Z", 0x22: "\"", 0x27: "'", 0x5c: "\\"] as [UInt8: String])
    .mapValues { Array("\\\($0)".utf8) }

  private static let bytes: [Decoder] = [
    Decoder("LF as CR LF", 8, .all, .contains("\r", "\n"), .stuffed([10: [13, 10]])),
    Decoder("CR with NUL", 9, .all, .contains("\r", "\0"), .stuffed([13: [13, 0]])),
    Decoder("LF as CR", 12, .frames, .contains("\r", within: 41), .stuffed([10: [13]])),
    Decoder("0xFF doubled", 9, .all, .contains("\u{ff}", "\u{ff}"), .stuffed([0xff: [0xff, 0xff]])),
    Decoder("0x10 doubled", 9, .all, .contains("\u{10}", "\u{10}"), .stuffed([0x10: [0x10, 0x10]])),
    Decoder("a byte doubled", 10, .frames, .any, .firstByteDoubled, .single),
    Decoder("bytes with the escapes of SQL", 9, binary, .contains("\\", "0"), .stuffed(sqlEscapes)),
    Decoder("NUL as C0 80", 9, .all, .contains("\u{c0}", "\u{80}"), .stuffed([0: [0xc0, 0x80]])),
    Decoder("SLIP", 9, .frames, .contains("\u{db}", "\u{dc}\u{dd}"), .slip),
    Decoder("0x7D escapes", 10, .frames, .contains("}", " -\"]^"), .hdlc),
    Decoder("COBS", 10, .frames, .any, .cobs, .single),
    Decoder("an XOR mask of 1 byte", 12, .frames, .any, .masked(0x55), .single),
    Decoder("an XOR mask of 4 bytes", 36, .frames, .any, .masked(0x37, 0xfa, 0x21, 0x3d), .single),
    Decoder("bytes swapped in pairs", 9, .all, .any, .reordered(1, 0), .blind),
    Decoder("bytes swapped in fours", 9, .all, .any, .reordered(3, 2, 1, 0), .blind),
    Decoder("words swapped", 10, .all, .any, .reordered(2, 3, 0, 1), .blind),
    Decoder("nibbles swapped", 10, .all, .any, .mapped { $0 << 4 | $0 >> 4 }, .blind),
    Decoder("bits reversed", 10, .all, .any, .bitsReversed, .blind),
    Decoder("bits inverted", 10, .all, .any, .mapped { ~$0 }, .blind),
  ]
}
