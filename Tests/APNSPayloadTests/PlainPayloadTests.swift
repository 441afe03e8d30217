import APNSPayload
import TestSupport
import Testing

@Suite struct PlainPayloadTests {
  private static func isPlain(_ text: [UInt8]) -> Bool {
    let bytes = text + [UInt8](repeating: 0xff, count: PlainPayload.slack)
    var plain = PlainPayload()
    return plain.read(bytes.span, 0..<text.count)
  }

  /// Bytes at the ends of what RFC 3629 has a range for.
  private static let bytes: [UInt8] = [
    0x20, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbd, 0xbf, 0xc0, 0xc1, 0xc2, 0xc3, 0xdf, 0xe0, 0xe1, 0xe2, 0xec, 0xed,
    0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff,
  ]

  /// Text is plain where it is well-formed UTF-8 and nothing in it looks mangled, wherever in a block it stands.
  @Test(arguments: [0, 1, 13, 14, 15, 16, 17, 31, 40])
  func takesWellFormedTextOnly(lead: Int) {
    for length in 1...3 {
      var indices = [Int](repeating: 0, count: length)
      repeat {
        let characters = indices.map { Self.bytes[$0] }
        check([UInt8](repeating: 0x78, count: lead) + characters)
        // What needs four bytes.
        if length == 3 { check([UInt8](repeating: 0x78, count: lead) + characters + [0x80]) }
      } while Self.advance(&indices)
    }
  }

  @Test func takesRandomTextAsTheOutlineDoes() {
    var generator = SeededGenerator(seed: 5)
    let parts = ["é", "Ã", "©", "â", "€", "\u{fffd}", "я", "新", "🎉", "\u{d7ff}", "a", " ", "ß", "\u{80}", "\u{10ffff}"]
    for _ in 0..<20_000 {
      let count = Int.random(in: 1..<40, using: &generator)
      var text = Array((0..<count).map { _ in parts.randomElement(using: &generator)! }.joined().utf8)
      if generator.chance(20) { text[Int.random(in: text.indices, using: &generator)] ^= 0x40 }
      check(text)
    }
  }

  private func check(_ text: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
    guard !text.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) else { return }
    let payload = Array(#"{"k":""#.utf8) + text + Array(#""}"#.utf8)
    var outline = PayloadOutline()
    outline.read(payload.span, payload.indices)
    let isFine = outline.error == nil && String(validating: text, as: UTF8.self) != nil
    #expect((outline.error == nil) == isFine, "\(text)", sourceLocation: sourceLocation)
    if Self.isPlain(payload) {
      #expect(isFine && outline.text.mangled == nil, "\(text)", sourceLocation: sourceLocation)
    } else {
      // What may be mangled is left to who looks closer.
      let mayBeMangled = String(decoding: text, as: UTF8.self).unicodeScalars.contains {
        $0 == "\u{fffd}" || 0xc0...0xff ~= $0.value
      }
      #expect(!isFine || mayBeMangled, "\(text)", sourceLocation: sourceLocation)
    }
  }

  /// The next combination; false behind the last.
  private static func advance(_ indices: inout [Int]) -> Bool {
    for place in indices.indices {
      indices[place] += 1
      if indices[place] < bytes.count { return true }
      indices[place] = 0
    }
    return false
  }
}
