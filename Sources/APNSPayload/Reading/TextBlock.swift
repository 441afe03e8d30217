import Octets

/// Sixteen bytes of a text at once.
struct TextBlock {
  private let bytes: SIMD16<UInt8>

  static let size = 16

  /// - Precondition: so many bytes stand there, whatever they are.
  @inline(__always)
  init(_ span: Span<UInt8>, at index: Int) {
    // The bounds are checked, and any sixteen bytes are numbers.
    bytes = unsafe span.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
  }

  /// How many bytes stand before the first that a string of JSON does not take as it is, longer characters aside; of
  /// those, `all` gets the bits.
  @inline(__always)
  func unescapedCount(_ all: inout UInt64) -> Int {
    let ends = (bytes.below(0x20) .| equal(UInt8(ascii: "\"")) .| equal(UInt8(ascii: "\\"))).words
    let words = bytes.words
    if ends.low != 0 {
      all |= words.low & ends.low.bitsBelow
      return ends.low.trailingZeroBitCount / 8
    }
    // Of no bits set, 64 are zero.
    all |= words.low | words.high & ends.high.bitsBelow
    return 8 + ends.high.trailingZeroBitCount / 8
  }

  /// Whether bits of ``unescapedCount(_:)`` are of longer characters.
  @inline(__always)
  static func hasLong(_ all: UInt64) -> Bool { all & 0x8080_8080_8080_8080 != 0 }

  /// Whether the text of `range`, with ASCII before and behind it, is well-formed UTF-8 (RFC 3629) in which nothing may be
  /// mangled: no U+FFFD, and none of U+00C0 to U+00FF before one of U+0080 to U+00BF or of U+2000 to U+2FFF.
  ///
  /// - Precondition: three bytes stand before it, and ``size`` behind.
  @inline(__always)
  static func isUnmangled(_ range: Range<Int>, in span: Span<UInt8>) -> Bool {
    var index = range.lowerBound
    var faults = Mask(repeating: false)
    // With the byte behind it, which shows what is cut.
    while index <= range.upperBound {
      let count = UInt8(truncatingIfNeeded: min(range.upperBound - index, size) + 1)
      faults .|= faultsOfBlock(at: index, in: span) .& lanes.below(count)
      index += size
    }
    let (low, high) = faults.words
    return low | high == 0
  }

  /// Bytes that do not go with the three before them.
  @inline(__always)
  private static func faultsOfBlock(at index: Int, in span: Span<UInt8>) -> Mask {
    let here = TextBlock(span, at: index)
    let one = TextBlock(span, at: index - 1)
    let two = TextBlock(span, at: index - 2)
    let three = TextBlock(span, at: index - 3)
    let belongs = one.isFrom(0xc0) .| two.isFrom(0xe0) .| three.isFrom(0xf0)
    var faults = here.follows(below: 0xc0) .^ belongs
    // Longer forms than needed, surrogates, and what is above U+10FFFF. ASCII is a fault there anyway.
    faults .|= here.isFrom(0xf5) .| (here.isFrom(0xc0) .& here.follows(below: 0xc2))
    faults .|= (one.equal(0xe0) .& here.follows(below: 0xa0))
    faults .|= (one.equal(0xed) .& here.isASCII(orFrom: 0xa0))
    faults .|= (one.equal(0xf0) .& here.follows(below: 0x90))
    faults .|= (one.equal(0xf4) .& here.isASCII(orFrom: 0x90))
    let mayBeMangled =
      (two.equal(0xc3) .& (here.equal(0xc2) .| here.equal(0xe2)))
      .| (two.equal(0xef) .& one.equal(0xbf) .& here.equal(0xbd))
    return faults .| mayBeMangled
  }

  private static var lanes: SIMD16<UInt8> { SIMD16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) }
}

// MARK: - Comparing

private typealias Mask = SIMDMask<SIMD16<Int8>>

extension TextBlock {
  /// As numbers of which 0x80 is the lowest, which most processors compare faster.
  @inline(__always)
  private var signed: SIMD16<Int8> {
    // The same bits.
    unsafe unsafeBitCast(bytes, to: SIMD16<Int8>.self)
  }

  @inline(__always)
  private func equal(_ byte: UInt8) -> Mask { bytes.equal(byte) }

  @inline(__always)
  private func isFrom(_ byte: UInt8) -> Mask { bytes.from(byte) }

  /// One of 0x80 to `byte`.
  @inline(__always)
  private func follows(below byte: UInt8) -> Mask { signed.below(Int8(bitPattern: byte)) }

  /// None of those.
  @inline(__always)
  private func isASCII(orFrom byte: UInt8) -> Mask { signed.from(Int8(bitPattern: byte)) }
}

extension UInt64 {
  /// Those below the lowest that is set: all where none is.
  @inline(__always)
  fileprivate var bitsBelow: UInt64 { self & (0 &- self) &- 1 }
}

// With the type of the vector at hand, the compiler finds the instruction instead of a loop.
extension SIMD16<UInt8> {
  @inline(__always)
  fileprivate func equal(_ byte: UInt8) -> Mask { self .== SIMD16(repeating: byte) }
  @inline(__always)
  fileprivate func below(_ byte: UInt8) -> Mask { self .< SIMD16(repeating: byte) }
  @inline(__always)
  fileprivate func from(_ byte: UInt8) -> Mask { self .>= SIMD16(repeating: byte) }
}

extension SIMD16<Int8> {
  @inline(__always)
  fileprivate func below(_ byte: Int8) -> Mask { self .< SIMD16(repeating: byte) }
  @inline(__always)
  fileprivate func from(_ byte: Int8) -> Mask { self .>= SIMD16(repeating: byte) }
}

extension SIMDMask<SIMD16<Int8>> {
  /// All bits of a byte, or none.
  @inline(__always)
  fileprivate var words: (low: UInt64, high: UInt64) {
    // A mask has the storage of as many integers.
    unsafe unsafeBitCast(self, to: SIMD16<UInt8>.self).words
  }
}

extension SIMD16<UInt8> {
  /// The first byte is the lowest.
  @inline(__always)
  fileprivate var words: (low: UInt64, high: UInt64) {
    // The same bits.
    let words = unsafe unsafeBitCast(self, to: SIMD2<UInt64>.self)
    return (UInt64(littleEndian: words[0]), UInt64(littleEndian: words[1]))
  }
}
