import APNSInput
import APNSWire
import Foundation
import TestSupport
import Testing

@Suite struct TextFormatTests {
  @Test(arguments: textSamples)
  func readsWhenNamed(_ sample: TextSample) {
    let reading = TextReading(sample.text, as: sample.format)
    #expect(reading.code == nil)
    #expect(reading.hex == sample.hex)
    #expect(!reading.isOpen)
  }

  @Test(arguments: textSamples)
  func recognises(_ sample: TextSample) {
    let reading = TextReading(sample.text)
    guard sample.isRecognised else {
      #expect(reading.format != sample.format)
      return
    }
    #expect(reading.format == sample.format)
    #expect(reading.code == nil)
    #expect(reading.hex == sample.hex)
  }

  @Test(arguments: textSamples, [false, true])
  func chunkBoundariesChangeNothing(_ sample: TextSample, named: Bool) {
    let format = named ? sample.format : nil
    let whole = TextReading(sample.bytes, as: format)
    for cut in 0...sample.bytes.count {
      #expect(TextReading(sample.bytes, as: format, pieces: [cut]) == whole, "cut at \(cut)")
    }
    #expect(TextReading(sample.bytes, as: format, pieces: Array(repeating: 1, count: sample.bytes.count)) == whole)
  }

  @Test(
    arguments: [
      ("0808\n de:ad", nil, ["1:1", "1:3", "2:2", "2:5"]),
      ("\u{FEFF}08", nil, ["1:1"]),
      ("0x08, 0x8\r\n0x9", nil, ["1:3", "1:9", "2:3"]),
      ("00000000: 0808 de  ...\n00000003: ad  .\n", nil, ["1:11", "1:13", "1:16", "2:11"]),
      ("00000000: 00 .\n*\n00000003: ad  .", nil, ["1:11", "2:1", "2:1", "3:11"]),
      ("00000000  08 08  |..|", nil, ["1:11", "1:14"]),
      ("a <00000000 b4>", nil, ["1:4", "1:6", "1:8", "1:10", "1:13"]),
      ("<b4> <05>", nil, ["1:2", "1:7"]),
      (#""\x08N\n\12\x09""#, nil, ["1:4", "1:6", "1:8", "1:10", "1:14"]),
      ("CAje\n rb7v", TextFormat.base64, ["1:1", "1:2", "1:3", "2:2", "2:3", "2:4"]),
    ] as [(String, TextFormat?, [String])])
  func bytesCarryTheirPlaces(text: String, format: TextFormat?, places: [String]) {
    #expect(TextReading(text, as: format).places == places)
  }
}

/// Which formats claim a text.
@Suite struct TextClaimTests {
  /// They look for digits in whatever is left, and so are asked last.
  private static let general: Set<TextFormat> = [.plain, .pairs, .base64, .log]

  /// A text in the first format passes for one in the others as well, so the first one is asked first.
  private static let declared: [TextFormat: Set<TextFormat>] = [
    .bits: [.c], .follow: [.hexdump], .gdb: [.c], .hexdump: [.decimal], .literal: [.escapes], .netty: [.c],
    .octal: [.decimal, .escapes, .hexdump], .openssl: [.c], .pairs: [.base64], .plain: [.log, .pairs], .radare2: [.c],
    .strace: [.escapes],
    .tcpdump: [.c, .xxd],
    .tshark: [.decimal, .hexdump], .words: [.hexdump, .xxd], .xxd: [.c],
  ]

  private static let files = (try? Samples.files(in: "text", endingWith: ".txt")) ?? []

  @Test func thereAreFiles() { #expect(Self.files.count > 100) }

  @Test(arguments: files) func otherClaimsAreDeclared(_ file: URL) throws {
    check(TextReader.matchingFormats(for: try Samples.bytes(file), .standard))
  }

  @Test(arguments: textSamples) func otherClaimsAreDeclared(_ sample: TextSample) {
    check(TextReader.matchingFormats(for: sample.bytes, .standard))
  }

  private func check(_ claims: [TextFormat]) {
    guard let first = claims.first else { return }
    let later = Set(claims.dropFirst())
    let undeclared = later.subtracting(Self.declared[first] ?? []).subtracting(
      Self.general.contains(first) ? [] : Self.general)
    #expect(
      undeclared == [],
      "a text in \(first.rawValue) passes for \(undeclared.map(\.rawValue)): make these refuse it, or declare it here")
  }
}
