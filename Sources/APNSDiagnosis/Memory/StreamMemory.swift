/// The memory of the rules for one stream. It is small, because there may be thousands of streams.
struct StreamMemory {
  /// The last frames, used to detect repeated batches.
  var run = RepeatedRun()
  /// The last ordinary expiry; nil if there is none.
  var lastExpiry: UInt32?

  /// Contains one element, or none before the first identifier. A stream without identifiers uses only a word of
  /// memory.
  private var identifiers: [IdentifierHistory] = []

  /// Adds a frame and compares it with earlier ones. Frames without an identifier count too. Each frame is added once,
  /// in stream order.
  ///
  /// - Parameters:
  ///   - mark: the mark of a complete notification.
  ///   - time: the time of capture in seconds.
  mutating func see(
    _ identifier: UInt32?, mark: UInt32?, _ time: Int?, within budget: inout MemoryBudget
  ) -> FrameSighting {
    if identifiers.isEmpty, identifier != nil { identifiers.append(IdentifierHistory()) }
    var sighting = identifiers.isEmpty ? FrameSighting() : identifiers[0].see(identifier, within: &budget)
    if let mark { sighting.run = run.add(mark, framesAgo: sighting.framesAgo, time: time) }
    return sighting
  }

  /// Returns its memory to the budget.
  mutating func forget(_ budget: inout MemoryBudget) {
    guard !identifiers.isEmpty else { return }
    identifiers[0].forget(&budget)
    identifiers = []
  }
}

/// How a frame relates to those before it on its stream.
package struct FrameSighting {
  /// How many frames ago its identifier was last sent; 0 if it was not.
  package var framesAgo = 0
  /// How its identifier is written.
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

/// A limit for memory that all streams share.
package struct MemoryBudget {
  /// In bytes.
  package private(set) var left: Int

  package init(bytes: Int) { left = bytes }

  mutating func reserve(_ bytes: Int) -> Bool {
    guard bytes <= left else { return false }
    left -= bytes
    return true
  }

  mutating func release(_ bytes: Int) { left += bytes }
}
