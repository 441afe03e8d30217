import APNSCraft
import APNSWire
import TestSupport
import Testing

@Suite struct MinimizerTests {
  private static func notification(_ payload: String) -> [UInt8] {
    let token: [UInt8] = Array(1...32)
    let items: [UInt8] =
      [1, 0, 32] + token + [2, 0, UInt8(payload.utf8.count)] + payload.utf8 + [3, 0, 4, 0, 0, 0, 7, 5, 0, 1, 10]
    return [2, 0, 0, 0, UInt8(items.count)] + items
  }

  private func shrunk(_ bytes: [UInt8], while stays: ([UInt8]) -> Bool) -> [UInt8] {
    var minimizer = Minimizer(.standard, role: .provider)
    return minimizer.shrink(bytes, while: stays)
  }

  private func contains(_ text: String) -> ([UInt8]) -> Bool {
    { bytes in String(decoding: bytes, as: UTF8.self).contains(text) }
  }

  /// As a decoder sees it that takes frames of items with right lengths only.
  private func whole(_ bytes: [UInt8]) -> [FrameRef] {
    var frames: [FrameRef] = []
    var position = 0
    while position < bytes.count {
      let frame = Catalog.standard.frame(at: position, in: bytes.span, of: .provider)
      guard (try? Catalog.standard.check(frame, in: bytes.span)) != nil else { return [] }
      frames.append(frame)
      position = frame.end
    }
    return frames
  }

  @Test func framesItemsAndKeysGo() {
    let first = Self.notification(#"{"aps":{"alert":"one","badge":1}}"#)
    let second = Self.notification(#"{"x":[1,2,{"y":"keep"}],"aps":{"alert":"two"}}"#)
    let smallest = shrunk(first + second + first) { bytes in
      self.whole(bytes).count > 0 && self.contains(#""y":"keep""#)(bytes)
    }
    #expect(String(decoding: smallest.dropFirst(8), as: UTF8.self) == #""y":"keep""#)
    #expect(smallest.prefix(8) == [2, 0, 0, 0, 13, 2, 0, 10])
  }

  /// The length of the last item claims two bytes too many before and after.
  @Test func aLieStaysTheSameLie() {
    let payload = #"{"aps":{"alert":"hello keep there","badge":1}}"#
    let items: [UInt8] = [1, 0, 32] + Array(1...32) + [2, 0, UInt8(payload.utf8.count + 2)] + payload.utf8
    let smallest = shrunk([2, 0, 0, 0, UInt8(items.count)] + items) { bytes in
      guard self.contains("keep")(bytes) else { return false }
      var isLie = false
      let frame = Catalog.standard.frame(at: 0, in: bytes.span, of: .provider)
      Catalog.standard.forEachDefect(of: frame, in: bytes.span) {
        isLie = $0.code == .itemOverrun && $0.needed == $0.available + 2
      }
      return isLie
    }
    #expect(smallest == [2, 0, 0, 0, 7, 2, 0, 4 + 2] + Array("keep".utf8))
  }

  @Test func textGoesByCharacters() {
    let smallest = shrunk(Self.notification(#"{"aps":{"alert":"Привет é мир"}}"#)) { bytes in
      self.whole(bytes).count == 1 && [#"{"aps":{"alert":""#, "é", #""}}"#].allSatisfy { self.contains($0)(bytes) }
    }
    #expect(smallest.count == 8 + #"{"aps":{"alert":"é"}}"#.utf8.count)
  }

  /// Nothing is asked more often than allowed, and nothing comes back that was not asked about.
  @Test func triesAreBounded() {
    var random = RandomStream(seed: runSeed)
    for _ in 0..<200 {
      let bytes = random.any()
      var asked = 0
      var minimizer = Minimizer(.standard, role: .provider, maximumTries: 50)
      let byte = bytes.randomElement(using: &random.generator)
      let smallest = minimizer.shrink(bytes) { candidate in
        asked += 1
        return byte.map { candidate.contains($0) } ?? true
      }
      #expect(asked <= 50 && asked == minimizer.tries, "seed \(runSeed)")
      #expect(byte.map { smallest.contains($0) } ?? smallest.isEmpty, "seed \(runSeed)")
    }
  }

  /// A decoder that fails on a length needs nothing of what the length claims, and no length around it.
  @Test func bytesAreCutOutWhateverTheLengthsSay() {
    let head: [UInt8] = [2, 0xff, 0xff, 0xff, 0xfb]
    let smallest = shrunk(head + [1, 0, 32] + Array(1...32) + [2, 0, 2, 0x7b, 0x7d]) { $0.starts(with: head) }
    #expect(smallest == head)
  }

  @Test func noiseShrinksToTheByteThatCounts() {
    var random = RandomStream(seed: runSeed)
    for _ in 0..<50 {
      let bytes = random.generator.bytes(100) + [0xee] + random.generator.bytes(100)
      #expect(shrunk(bytes) { $0.contains(0xee) } == [0xee], "seed \(runSeed)")
    }
  }
}
