/// Sixteen bytes of text, which are tested at once with SIMD instructions.
package typealias ByteBlock = SIMD16<UInt8>

extension ByteBlock {
  /// - Precondition: sixteen bytes follow `index`.
  @inlinable @inline(__always)
  package init(_ span: Span<UInt8>, at index: Int) {
    // Bounds are checked, and any sixteen bytes are valid numbers.
    self = unsafe span.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: Self.self)
  }

  /// Which bytes equal `byte`.
  @inlinable @inline(__always)
  package func equal(_ byte: UInt8) -> SIMDMask<SIMD16<Int8>> { self .== Self(repeating: byte) }

  /// Which bytes are in the range.
  @inline(__always)
  fileprivate func isIn(_ range: ClosedRange<UInt8>) -> SIMDMask<SIMD16<Int8>> {
    (self &- Self(repeating: range.lowerBound)) .<= Self(repeating: range.upperBound - range.lowerBound)
  }
}

extension SIMDMask<SIMD16<Int8>> {
  /// The index of the first set bit; 16 if none is set.
  @inlinable @inline(__always)
  package var first: Int {
    // Each byte of the mask has all bits set or none. Any bytes are valid numbers.
    let words = unsafe unsafeBitCast(self, to: SIMD2<UInt64>.self)
    let (low, high) = (UInt64(littleEndian: words[0]), UInt64(littleEndian: words[1]))
    // If no bit is set, `trailingZeroBitCount` is 64.
    return low != 0 ? low.trailingZeroBitCount / 8 : 8 + high.trailingZeroBitCount / 8
  }
}

extension Span<UInt8> {
  /// Whether the text of `range` is well-formed UTF-8. Returns false also for a short text at the end of the span, or
  /// if the bytes next to the range are not ASCII.
  @inline(__always)
  func isUTF8InBlocks(_ range: Range<Int>) -> Bool {
    guard range.lowerBound >= 4, uint32(at: range.lowerBound - 4) & 0x80_8080 == 0,
      range.upperBound < count, self[range.upperBound] < 0x80
    else { return false }
    var faults = SIMDMask<SIMD16<Int8>>(repeating: false)
    var index = range.lowerBound
    while index + ByteBlock.scalarCount <= range.upperBound {
      faults .|= faultsOfBlock(at: index)
      index += ByteBlock.scalarCount
    }
    // Include the byte after the range, which reveals a character that is cut.
    let last = Swift.min(index, count - ByteBlock.scalarCount)
    return last >= range.lowerBound && faults.first == ByteBlock.scalarCount
      && faultsOfBlock(at: last).first > range.upperBound - last
  }

  /// Which bytes are not valid after the three bytes before them.
  @inline(__always)
  private func faultsOfBlock(at index: Int) -> SIMDMask<SIMD16<Int8>> {
    let here = ByteBlock(self, at: index)
    let one = ByteBlock(self, at: index - 1)
    let two = ByteBlock(self, at: index - 2)
    let three = ByteBlock(self, at: index - 3)
    let belongs = one.isIn(0xc0...0xff) .| two.isIn(0xe0...0xff) .| three.isIn(0xf0...0xff)
    return (here.isIn(0x80...0xbf) .^ belongs)
      // Overlong forms, surrogates, and characters above U+10FFFF.
      .| here.isIn(0xc0...0xc1) .| here.isIn(0xf5...0xff)
      .| (one.equal(0xe0) .& here.isIn(0x80...0x9f)) .| (one.equal(0xed) .& here.isIn(0xa0...0xbf))
      .| (one.equal(0xf0) .& here.isIn(0x80...0x8f)) .| (one.equal(0xf4) .& here.isIn(0x90...0xbf))
  }
}
