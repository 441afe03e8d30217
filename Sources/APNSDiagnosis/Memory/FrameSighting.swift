/// How a frame relates to those before it on its stream.
package struct FrameSighting {
  /// How many frames ago its identifier was last sent; 0 if it was not.
  package var framesAgo = 0
  package var byteOrder = ByteOrder.network
  /// The length of the run that it repeats.
  var run: Int?

  package enum ByteOrder {
    case network
    /// It is 1234 in little-endian order, as Apple's sample code sends it.
    case asInListing
    /// It is in little-endian order.
    case reversed
  }

  /// Whether it repeats nothing, and its identifier is in network order.
  var isOrdinary: Bool { framesAgo == 0 && byteOrder == .network && run == nil }
}
