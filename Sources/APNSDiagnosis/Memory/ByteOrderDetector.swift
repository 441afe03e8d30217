/// Recognizes identifiers in little-endian order, which a provider writes that copies its own numbers from memory.
///
/// An identifier is judged by itself and by those before it, never by later ones. A number below 256 that is written
/// with its lowest byte first ends in three zeros, which is hardly chance. A longer number counts if those before it
/// count up to it.
struct ByteOrderDetector {
  private var last: UInt32 = 0
  /// How often in a row the reversed numbers counted up.
  private var confirmations = 0

  /// The identifier 1234 of Apple's sample code, as it is in memory.
  private static let listing: UInt32 = 0xd204_0000
  /// Reversed numbers that count up rise by no more, also if some of them are sent on other connections.
  private static let widestStep: UInt32 = 0xff
  /// Numbers in network order rise by no more. A batch number in the upper half makes them rise by 65536.
  private static let widestGap: UInt32 = 1 << 20
  /// A connection number in the first byte, before a counter, can also seem to count up.
  private static let enough = 3

  mutating func next(_ identifier: UInt32) -> FrameSighting.ByteOrder {
    let (number, previous) = (identifier.byteSwapped, last)
    last = identifier
    let isRising = previous > 0 && identifier > previous && identifier - previous <= Self.widestGap
    let isRisingReversed = previous > 0 && 1...Self.widestStep ~= number &- previous.byteSwapped
    confirmations =
      isRisingReversed && (number < identifier || confirmations >= Self.enough) ? confirmations + 1 : 0
    let needed =
      switch number {
      // A counter may begin in the middle of all numbers.
      case 0x80, 0x100..<0x1_0000: 1
      case 1..<0x100: 0
      case 0x1_0000..<0x100_0000: Self.enough
      default: Int.max
      }
    guard !isRising, confirmations >= needed else { return identifier == Self.listing ? .asInListing : .network }
    confirmations = max(confirmations, Self.enough)
    return .reversed
  }
}
