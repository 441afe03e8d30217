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

  /// Where bytes are missing, the lengths before them say where the next frame begins, or the caller has to.
  @Test func framesFollowAGap() {
    let cut: [UInt8] = [0, 0, 2, 1, 2, 0, 2]
    let next: [UInt8] = [0x7d, 0, 0, 1, 7, 0, 2, 0x7b, 0x7d]
    for (count, isKnown) in [(1, true), (9, false)] {
      var framer = Framer(.standard, role: .provider)
      let last = framer.next(at: 0, in: cut.span, isFinal: true)
      framer.gap(of: count, after: last)
      #expect(framer.loss == (isKnown ? nil : .unaligned))
      if !isKnown { framer.resume(after: 1) }
      let rest = framer.next(at: 0, in: next.span, isFinal: true)
      #expect(rest?.range == 0..<1)
      #expect(rest?.condition == (isKnown ? .tail : .unaligned))
      let frame = framer.next(at: 1, in: next.span, isFinal: true)
      #expect(frame?.range == 1..<9)
      #expect(frame?.condition == .complete)
    }
  }
}
