import APNSWire

// What an answer refers to, or what a missing answer means, once nothing more can follow.

extension Conversation {
  /// The fates that follow from the match: notifications are accepted up to a point, one is rejected, and they are
  /// discarded after another point. All others are unknown. Partly captured notifications are always unknown, and so
  /// are refused ones before the named one.
  struct Zones: Sendable {
    var accepted = Point()
    var rejected: Named?
    var discarded = Point()

    /// The fate of a notification by its ordinal or by the number of its record: whichever `key` is.
    func fate(of place: Int, by key: KeyPath<Point, Int>, isCut: Bool, isRefused: Bool) -> Fate {
      if place == rejected?.after[keyPath: key] { return .rejected }
      if place <= accepted[keyPath: key] { return isCut || isRefused ? .unknown : .accepted }
      return place > discarded[keyPath: key] && !isCut ? .discarded : .unknown
    }
  }

  mutating func resolve() {
    match = findMatch()
    zones = findZones()
  }

  /// The frame that the answer refers to; nil if it is not known.
  public var named: Named? {
    switch match {
    case .exact(let named), .byteSwapped(let named), .presumed(let named): named
    case .several, .earlier, .lost, .none: nil
    }
  }

  private func findMatch() -> Match {
    if isMisdirected { return .none }
    guard let known else {
      return closedInSilence || brokenBytes > 0 ? firstFault.map { .presumed($0) } ?? .none : .none
    }
    if let match = candidates.match { return match }
    if swapped.count == 1, let named = swapped.first { return .byteSwapped(named) }
    guard known.status != 0 else { return .none }
    if known.identifier != 0, notifications > 0 {
      if holes != nil { return .lost }
      if beginning == .midway { return .earlier }
    }
    guard known.status != ErrorResponse.shutdown else { return .none }
    let faults = [faulty, firstFault].compactMap(\.self)
    return faults.first { fault in answered.map { fault.after <= $0 } ?? true }.map { .presumed($0) } ?? .none
  }

  private func findZones() -> Zones {
    // An answer of status 0 refuses nothing.
    guard let status = known?.status, status != 0 || named != nil else { return zonesOfSilence }
    if status == 0, let named { return Zones(accepted: closedInSilence ? named.after : sent, discarded: sent) }
    let isShutdown = status == ErrorResponse.shutdown
    var zones = Zones(discarded: sent)
    switch match {
    case .exact(let named), .byteSwapped(let named), .presumed(let named):
      zones.accepted = isShutdown ? named.after : named.before
      if !isShutdown, named.ordinal != nil { zones.rejected = named }
      zones.discarded = named.after
    case .several(let first, _):
      zones.accepted = isShutdown ? first.after : first.before
      zones.discarded = candidates.end
    case .lost:
      zones.accepted = beginning == .midway ? Point() : holes?.first ?? Point()
      zones.discarded = holes?.last ?? sent
    case .earlier: zones.discarded = Point()
    case .none: break
    }
    if let answered, !isOutOfOrder, answered < zones.discarded, answered >= zones.accepted {
      zones.discarded = answered
    }
    return zones
  }

  private var zonesOfSilence: Zones {
    if case .presumed(let fault) = match {
      return Zones(accepted: fault.before, rejected: fault.ordinal == nil ? nil : fault, discarded: fault.after)
    }
    let isKnown = !isMisdirected && !closedInSilence && !isOneSided && !hasUnknownBytes
    return Zones(accepted: isKnown ? firstRefused?.before ?? sent : Point(), discarded: sent)
  }

  /// The number of notifications with this fate.
  public func count(of fate: Fate) -> Int {
    switch fate {
    case .accepted: zones.accepted.ordinal - zones.accepted.doubtful
    case .rejected: zones.rejected == nil ? 0 : 1
    case .discarded: sent.ordinal - sent.cut - (zones.discarded.ordinal - zones.discarded.cut)
    case .unknown: notifications - count(of: .accepted) - count(of: .rejected) - count(of: .discarded)
    }
  }

  /// The ordinals of the notifications with this fate, as ascending ranges. Doubtful notifications beyond the limit are
  /// treated like their neighbors.
  package func ordinals(of fate: Fate) -> [ClosedRange<Int>] {
    // The ordinals at which the fate may change.
    var starts: Set = [1, zones.accepted.ordinal + 1, zones.discarded.ordinal + 1, sent.ordinal + 1]
    for ordinal in doubts.map(\.ordinal) + [zones.rejected?.ordinal ?? 0] { starts.formUnion([ordinal, ordinal + 1]) }
    let sorted = starts.filter { (1...(sent.ordinal + 1)).contains($0) }.sorted()
    var found: [ClosedRange<Int>] = []
    for (start, end) in zip(sorted, sorted.dropFirst()) {
      let doubt = doubts.first { $0.ordinal == start }
      let isCut = doubt.map { $0.fault == nil } ?? false
      guard zones.fate(of: start, by: \.ordinal, isCut: isCut, isRefused: doubt != nil) == fate else { continue }
      let joined = found.last.map { $0.upperBound + 1 == start } ?? false ? found.removeLast() : nil
      found.append((joined?.lowerBound ?? start)...(end - 1))
    }
    return found
  }
}
