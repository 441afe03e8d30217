/// What rules remember of a stream from one frame to the next. Small, since there may be many thousand streams.
struct StreamMemory {
  /// The last frames, to see whether they come again.
  var run = RepeatedRun()
  /// What may be spent on causes.
  var effort = CauseEffort()

  /// One, or none before the first identifier: a stream without any takes no more than a word for them.
  private var identifiers: [IdentifierHistory] = []

  /// Takes note of a frame, and says what its identifier is among those before it. Frames that have none count too.
  mutating func see(_ identifier: UInt32?, within budget: inout MemoryBudget) -> IdentifierSighting {
    if identifiers.isEmpty {
      guard identifier != nil else { return IdentifierSighting() }
      identifiers.append(IdentifierHistory())
    }
    return identifiers[0].see(identifier, within: &budget)
  }

  /// Gives back what it took of the budget.
  mutating func forget(_ budget: inout MemoryBudget) {
    guard !identifiers.isEmpty else { return }
    identifiers[0].forget(&budget)
    identifiers = []
  }
}

/// What an identifier is among those before it on its stream.
struct IdentifierSighting {
  /// How many frames ago it was last sent; 0 where it was not.
  var framesAgo = 0
  /// It makes certain that this stream writes identifiers with their lowest byte first. Said once for a stream.
  var isByteSwapped = false

  /// There is nothing to say about it.
  var isOrdinary: Bool { framesAgo == 0 && !isByteSwapped }
}

/// Memory that all streams share.
struct MemoryBudget {
  private var left: Int

  init(bytes: Int) { left = bytes }

  mutating func reserve(_ bytes: Int) -> Bool {
    guard bytes <= left else { return false }
    left -= bytes
    return true
  }

  mutating func release(_ bytes: Int) { left += bytes }
}
