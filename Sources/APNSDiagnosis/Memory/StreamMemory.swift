/// The memory of the rules for one stream. It is small, because there may be thousands of streams.
struct StreamMemory {
  /// The last frames, used to detect repeated batches.
  var run = RepeatedRun()
  /// The last ordinary expiry; nil if there is none.
  var lastExpiry: UInt32?

  /// Contains one element, or none before the first identifier. A stream without identifiers uses only a word of
  /// memory.
  private var identifiers: [IdentifierHistory] = []

  /// Adds a frame and compares its identifier with earlier ones. Frames without an identifier count too.
  mutating func see(_ identifier: UInt32?, within budget: inout MemoryBudget) -> IdentifierSighting {
    if identifiers.isEmpty {
      guard identifier != nil else { return IdentifierSighting() }
      identifiers.append(IdentifierHistory())
    }
    return identifiers[0].see(identifier, within: &budget)
  }

  /// Returns its memory to the budget.
  mutating func forget(_ budget: inout MemoryBudget) {
    guard !identifiers.isEmpty else { return }
    identifiers[0].forget(&budget)
    identifiers = []
  }
}

/// How an identifier relates to those before it on its stream.
package struct IdentifierSighting {
  /// How many frames ago it was last sent; 0 if it was not.
  package var framesAgo = 0
  package var byteOrder = ByteOrder.network

  package enum ByteOrder {
    case network
    /// It is 1234 in little-endian order, as Apple's sample code sends it.
    case asInListing
    /// It is in little-endian order.
    case reversed
  }

  /// Whether the identifier is neither repeated nor in another byte order.
  var isOrdinary: Bool { framesAgo == 0 && byteOrder == .network }
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
