import Octets

/// Sixteen bytes of text, processed with SIMD instructions.
struct TextBlock {
  private let bytes: SIMD16<UInt8>

  static let size = 16

  /// - Precondition: at least ``size`` bytes follow `index`.
  @inline(__always)
  init(_ span: Span<UInt8>, at index: Int) {
    // Bounds are checked, and any sixteen bytes are valid numbers.
    bytes = unsafe span.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
  }

  /// The number of bytes before the first quote, backslash or control character. `all` receives the bits of those
  /// bytes.
  @inline(__always)
  func unescapedCount(_ all: inout UInt64) -> Int {
    let ends = (bytes.below(0x20) .| equal(UInt8(ascii: "\"")) .| equal(UInt8(ascii: "\\"))).words
    let words = bytes.words
    if ends.low != 0 {
      all |= words.low & ends.low.bitsBelow
      return ends.low.trailingZeroBitCount / 8
    }
    // If no bit is set, `trailingZeroBitCount` is 64.
    all |= words.low | words.high & ends.high.bitsBelow
    return 8 + ends.high.trailingZeroBitCount / 8
  }

  /// Whether the bits from `unescapedCount(_:)` include multibyte characters.
  @inline(__always)
  static func hasLong(_ all: UInt64) -> Bool { all & 0x8080_8080_8080_8080 != 0 }

  /// Whether the text of `range` is well-formed UTF-8 (RFC 3629) and shows no sign of being mangled: no U+FFFD, and
  /// none of U+00C0 to U+00FF before one of U+0080 to U+00BF or of U+2000 to U+2FFF.
  ///
  /// - Precondition: the bytes next to the range are ASCII; three bytes precede it, and ``size`` bytes follow it.
  @inline(__always)
  static func isUnmangled(_ range: Range<Int>, in span: Span<UInt8>) -> Bool {
    var index = range.lowerBound
    var faults = Mask(repeating: false)
    // Include the byte after the range, which reveals a character that is cut.
    while index <= range.upperBound {
      let count = UInt8(truncatingIfNeeded: min(range.upperBound - index, size) + 1)
      faults .|= faultsOfBlock(at: index, in: span) .& lanes.below(count)
      index += size
    }
    let (low, high) = faults.words
    return low | high == 0
  }

  /// The bytes that are not valid after the three bytes before them.
  @inline(__always)
  private static func faultsOfBlock(at index: Int, in span: Span<UInt8>) -> Mask {
    let here = TextBlock(span, at: index)
    let one = TextBlock(span, at: index - 1)
    let two = TextBlock(span, at: index - 2)
    let three = TextBlock(span, at: index - 3)
    let belongs = one.isFrom(0xc0) .| two.isFrom(0xe0) .| three.isFrom(0xf0)
    var faults = here.follows(below: 0xc0) .^ belongs
    // Overlong forms, surrogates, and characters above U+10FFFF. ASCII is already a fault there.
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
  /// The bytes as signed numbers, of which 0x80 is the lowest. Most processors compare these faster.
  @inline(__always)
  private var signed: SIMD16<Int8> {
    // The bit patterns are the same.
    unsafe unsafeBitCast(bytes, to: SIMD16<Int8>.self)
  }

  @inline(__always)
  private func equal(_ byte: UInt8) -> Mask { bytes.equal(byte) }

  @inline(__always)
  private func isFrom(_ byte: UInt8) -> Mask { bytes.from(byte) }

  /// Whether each byte is at least 0x80 and less than `byte`.
  @inline(__always)
  private func follows(below byte: UInt8) -> Mask { signed.below(Int8(bitPattern: byte)) }

  /// The opposite: whether each byte is ASCII or at least `byte`.
  @inline(__always)
  private func isASCII(orFrom byte: UInt8) -> Mask { signed.from(Int8(bitPattern: byte)) }
}

extension UInt64 {
  /// The bits below the lowest set bit; all bits if none is set.
  @inline(__always)
  fileprivate var bitsBelow: UInt64 { self & (0 &- self) &- 1 }
}

// The compiler emits the SIMD instruction instead of a loop only if the type of the vector is known.
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
  /// Each byte has all bits set or none.
  @inline(__always)
  fileprivate var words: (low: UInt64, high: UInt64) {
    // A mask is stored as this many integers.
    unsafe unsafeBitCast(self, to: SIMD16<UInt8>.self).words
  }
}

extension SIMD16<UInt8> {
  /// The first byte is the lowest.
  @inline(__always)
  fileprivate var words: (low: UInt64, high: UInt64) {
    // The bit patterns are the same.
    let words = unsafe unsafeBitCast(self, to: SIMD2<UInt64>.self)
    return (UInt64(littleEndian: words[0]), UInt64(littleEndian: words[1]))
  }
}
