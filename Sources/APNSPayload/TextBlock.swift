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

  /// How many bytes stand before the first that a string of JSON does not take as it is, longer characters aside; and
  /// whether some of these belong to longer characters.
  @inline(__always)
  var plain: (count: Int, hasLong: Bool) {
    let ends = bytes.below(0x20) .| bytes.equal(UInt8(ascii: "\"")) .| bytes.equal(UInt8(ascii: "\\"))
    let (low, high) = ends.words
    let (longLow, longHigh) = bytes.from(0x80).words
    if low != 0 { return (low.trailingZeroBitCount / 8, longLow & (low &- 1) & ~low != 0) }
    // Of no bits set, 64 are zero.
    return (8 + high.trailingZeroBitCount / 8, longLow | longHigh & (high &- 1) & ~high != 0)
  }

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
      let last = UInt8(truncatingIfNeeded: Swift.min(range.upperBound - index, size))
      faults = faults .| faultsOfBlock(at: index, in: span) .& (lanes .<= SIMD16(repeating: last))
      index += size
    }
    let (low, high) = faults.words
    return low | high == 0
  }

  /// Bytes that do not go with the three before them.
  @inline(__always)
  private static func faultsOfBlock(at index: Int, in span: Span<UInt8>) -> Mask {
    let here = TextBlock(span, at: index).bytes
    let one = TextBlock(span, at: index - 1).bytes
    let two = TextBlock(span, at: index - 2).bytes
    let three = TextBlock(span, at: index - 3).bytes
    let follows = here.from(0x80) .& here.below(0xc0)
    var faults = follows .^ (one.from(0xc0) .| two.from(0xe0) .| three.from(0xf0))
    // Longer forms than needed, surrogates, and what is above U+10FFFF.
    faults = faults .| (here.from(0xc0) .& here.below(0xc2)) .| here.from(0xf5)
    faults = faults .| (one.equal(0xe0) .& here.below(0xa0)) .| (one.equal(0xed) .& here.from(0xa0))
    faults = faults .| (one.equal(0xf0) .& here.below(0x90)) .| (one.equal(0xf4) .& here.from(0x90))
    // What may be mangled.
    faults = faults .| (two.equal(0xc3) .& (here.equal(0xc2) .| here.equal(0xe2)))
    return faults .| (two.equal(0xef) .& one.equal(0xbf) .& here.equal(0xbd))
  }

  private static var lanes: SIMD16<UInt8> { SIMD16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) }
}

private typealias Mask = SIMDMask<SIMD16<Int8>>

extension SIMD16<UInt8> {
  @inline(__always)
  fileprivate func equal(_ byte: UInt8) -> Mask { self .== SIMD16(repeating: byte) }
  @inline(__always)
  fileprivate func below(_ byte: UInt8) -> Mask { self .< SIMD16(repeating: byte) }
  @inline(__always)
  fileprivate func from(_ byte: UInt8) -> Mask { self .>= SIMD16(repeating: byte) }
}

extension SIMDMask<SIMD16<Int8>> {
  /// All bits of a byte, or none.
  @inline(__always)
  fileprivate var words: (low: UInt64, high: UInt64) {
    // A mask has the storage of as many integers.
    let words = unsafe unsafeBitCast(self, to: SIMD2<UInt64>.self)
    return (UInt64(littleEndian: words[0]), UInt64(littleEndian: words[1]))
  }
}
