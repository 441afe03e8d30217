import APNSWire
import TestSupport
import Testing

/// What framing says of frames that lie, and of streams with holes.
@Suite struct FramingTests {
  private func frame(_ bytes: [UInt8], _ role: StreamRole = .provider) -> FrameRef {
    Catalog.standard.frame(at: 0, in: bytes.span, of: role)
  }

  private func defects(_ bytes: [UInt8]) -> [DecodeError] {
    var defects: [DecodeError] = []
    Catalog.standard.forEachDefect(of: frame(bytes), in: bytes.span) { defects.append($0) }
    return defects
  }

  @Test func claimOfFourGigabytesIsTruncated() {
    let found = frame([2, 0xff, 0xff, 0xff, 0xff, 1, 0])
    #expect(found.condition == .truncated)
    #expect(found.needed == 0xffff_ffff - 2)
    #expect(found.count == 7)
  }

  @Test func longClaimHoldsOnlyItsBeginning() {
    let bytes: [UInt8] = [2, 0, 0x20, 0, 0] + [UInt8](repeating: 0, count: 3 << 20)
    var framer = Framer(.standard, role: .provider)
    var frames: [FrameRef] = []
    while let next = framer.next(at: frames.last?.end ?? 0, in: bytes.span, isFinal: true) { frames.append(next) }
    #expect(frames.first?.condition == .oversized)
    #expect(frames.allSatisfy { $0.count <= Catalog.longestPiece })
    // Behind the declared end framing goes on: five zero bytes are an empty command 0 frame.
    let resumed = frames.first { $0.start == 5 + 0x200000 }
    #expect(resumed?.condition == .complete)
    #expect(resumed?.count == 5)
  }

  @Test func itemPastItsFrameIsHeldAgainstTheFrame() {
    let found = defects([2, 0, 0, 0, 8, 1, 0, 32, 1, 2, 3, 4, 5])
    #expect(found.map(\.code) == [.itemOverrun])
    #expect(found.first?.isNested == false)
    #expect(found.first?.range == 6..<8)
    #expect(found.first?.needed == 32)
    #expect(found.first?.available == 5)
  }

  @Test func faultsInsideAFrame() {
    #expect(defects([2, 0, 0, 0, 2, 5, 0]).map(\.code) == [.spareBytes])
    #expect(defects([2, 0, 0, 0, 7, 5, 0, 4, 0, 0, 0, 10]).map(\.code) == [.wrongItemSize])
    #expect(defects([2, 0, 0, 0, 4, 77, 0, 1, 0]).map(\.code) == [.unknownItem])
    #expect(defects([3]).map(\.code) == [.unknownCommand])
    #expect(defects([2, 0, 0, 0, 0]).isEmpty)
  }

  @Test func strictDecodingThrowsTheFirstFault() {
    let bytes: [UInt8] = [2, 0, 0, 0, 7, 5, 0, 4, 0, 0, 0, 10]
    #expect(throws: DecodeError.self) { try Catalog.standard.check(frame(bytes), in: bytes.span) }
    let whole: [UInt8] = [8, 8, 0, 0, 4, 210]
    #expect(throws: Never.self) { try Catalog.standard.check(frame(whole, .gateway), in: whole.span) }
  }

  @Test func leafReadsAFieldWhereverItStands() {
    let flat: [UInt8] = [1, 0, 0, 4, 210, 0, 0, 0, 9, 0, 1, 0xaa, 0, 2, 0x7b, 0x7d]
    let items: [UInt8] = [2, 0, 0, 0, 7, 3, 0, 4, 0, 0, 4, 210]
    for bytes in [flat, items] {
      let leaf = Catalog.standard.leaf(.identifier, of: frame(bytes), in: bytes.span)
      #expect(leaf?.integer(in: bytes.span) == 1234)
    }
  }

  // MARK: Behind missing bytes

  // The expiry must not end in zero: with its head lost, such a frame reads as one of command 0 from there on.
  private let frames: [[UInt8]] = (1...4).map { id in
    [1, 0, 0, 0, UInt8(id), 0, 0, 0, 9, 0, 32] + [UInt8](repeating: 0xaa, count: 32) + [0, 8]
      + Array(#"{"aps":1"#.utf8).prefix(7) + [0x7d]
  }

  /// Frames found whole when `lost` bytes of four frames in a row are missing.
  private func wholeFrames(without lost: Range<Int>) -> [Int] {
    let stream = frames.flatMap { $0 }
    var framer = Framer(.standard, role: .provider)
    var found: [Int] = []
    let before = Array(stream[..<lost.lowerBound])
    let after = Array(stream[lost.upperBound...])
    var last: FrameRef?
    var position = 0
    while let next = framer.next(at: position, in: before.span, isFinal: true) {
      if next.condition == .complete { found.append(position) }
      last = next
      position = next.end
    }
    framer.gap(of: lost.count, after: last)
    position = 0
    while let next = framer.next(at: position, in: after.span, isFinal: true) {
      if next.condition == .complete { found.append(lost.upperBound + position) }
      position = next.end
    }
    return found
  }

  @Test func everyWholeFrameIsFoundWhereverBytesAreMissing() {
    let size = frames[0].count
    for start in 0..<(size * 3) {
      for count in 1...(size * 2) where start + count <= size * 3 {
        let lost = start..<(start + count)
        let whole = (0..<4).map { $0 * size }.filter { !(lost.overlaps($0..<($0 + size))) }
        #expect(wholeFrames(without: lost) == whole, "\(lost) missing")
      }
    }
  }
}
