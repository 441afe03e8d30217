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
      (#""\x08N\n\7\x09""#, nil, ["1:4", "1:6", "1:8", "1:10", "1:13"]),
      ("CAje\n rb7v", TextFormat.base64, ["1:1", "1:2", "1:3", "2:2", "2:3", "2:4"]),
    ] as [(String, TextFormat?, [String])])
  func bytesCarryTheirPlaces(text: String, format: TextFormat?, places: [String]) {
    #expect(TextReading(text, as: format).places == places)
  }
}

/// The order of the formats decides nothing.
@Suite struct TextOrderTests {
  private static let files = (try? Samples.files(in: "text", endingWith: ".txt")) ?? []

  @Test func thereAreFiles() { #expect(Self.files.count > 100) }

  @Test(arguments: files) func orderChangesNothing(_ file: URL) throws { check(try Samples.bytes(file)) }

  @Test(arguments: textSamples) func orderChangesNothing(_ sample: TextSample) { check(sample.bytes) }

  private func check(_ text: [UInt8]) {
    var generator = SeededGenerator(seed: runSeed)
    let shuffled = TextFormat.allCases.shuffled(using: &generator)
    for formats in [TextFormat.allCases.reversed(), shuffled] {
      #expect(StreamReading(text, among: formats) == StreamReading(text), "seed \(runSeed)")
    }
  }
}
