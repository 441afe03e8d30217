/// A device token as a key of fixed size, made without allocation: its first 32 bytes, and a digest if it is longer.
/// The digest is keyed randomly for each run, so that a sender cannot construct tokens with equal keys.
struct TokenKey: Hashable, Sendable {
  private let head: SIMD4<UInt64>
  let count: Int
  private let digest: Int

  init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    var head = SIMD4<UInt64>()
    for lane in 0..<4 {
      let start = min(range.lowerBound + lane * 8, range.upperBound)
      let end = min(start + 8, range.upperBound)
      var word: UInt64 = 0
      for index in start..<end { word = word << 8 | UInt64(bytes[index]) }
      head[lane] = word << UInt64((8 - (end - start)) * 8)
    }
    self.head = head
    count = range.count
    guard range.count > 32 else {
      digest = 0
      return
    }
    var hasher = Hasher()
    for index in range { hasher.combine(bytes[index]) }
    digest = hasher.finalize()
  }

  /// Hexadecimal digits; of a long token the first ones, and its size.
  var text: String {
    guard count > 0 else { return "(empty)" }
    var out = Output()
    for index in 0..<min(count, 32) {
      out.hex(UInt8(truncatingIfNeeded: head[index >> 3] >> UInt64(56 - (index & 7) * 8)))
    }
    let digits = String(decoding: out.bytes, as: UTF8.self)
    return count > 32 ? "\(digits.prefix(40))... (\(count) bytes)" : digits
  }
}
