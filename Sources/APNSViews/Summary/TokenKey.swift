/// A device token of any length as a key of fixed size, made without allocation: its first 32 bytes, and of a longer
/// one a digest. The digest is keyed anew for each run, so that no sender can make two tokens look the same.
struct TokenKey: Hashable, Sendable {
  private let head: SIMD4<UInt64>
  let count: Int
  private let digest: Int

  init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    var head = SIMD4<UInt64>()
    for place in 0..<4 {
      let start = min(range.lowerBound + place * 8, range.upperBound)
      let end = min(start + 8, range.upperBound)
      var word: UInt64 = 0
      for index in start..<end { word = word << 8 | UInt64(bytes[index]) }
      head[place] = word << UInt64((8 - (end - start)) * 8)
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

  /// Hexadecimal; of a long one the beginning and how long it is.
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
