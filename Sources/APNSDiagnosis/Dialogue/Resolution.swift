import APNSInput
import APNSWire

// Determines what an answer refers to, or what a missing answer means, when nothing more can follow.

extension Conversation {
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

  /// Whether the service closed the connection without an answer, and before the provider did.
  public var closedInSilence: Bool {
    answer == nil && brokenBytes == 0 && !isForeign && (gatewayEnding == .reset || gatewayEnding == .finished)
  }

  /// Whether the capture contains the answer before the notification that it names.
  var isOutOfOrder: Bool {
    guard let search = search.first else { return false }
    return search.same.isOnlyAfter || (search.same.chosen.count == 0 && search.swapped.isOnlyAfter)
  }

  /// Whether the fates of the notifications differ from the default.
  var needsFates: Bool { count(of: .accepted) + zones.accepted.doubtful < notifications || answer != nil }

  private func findMatch() -> Match {
    if isMisdirected { return .none }
    guard let search = search.first else {
      let isRefused = answer == nil && (closedInSilence || brokenBytes > 0)
      return isRefused ? firstFault.map { .presumed($0) } ?? .none : .none
    }
    if let match = search.same.chosen.match { return match }
    if search.swapped.chosen.count == 1, let named = search.swapped.chosen.first { return .byteSwapped(named) }
    guard search.answer.status != 0 else { return .none }
    if search.answer.identifier != 0, notifications > 0 {
      if holes != nil { return .lost }
      if beginning == .midway { return .earlier }
    }
    guard search.answer.status != ErrorResponse.shutdown else { return .none }
    return [search.faulty, firstFault].compactMap { $0 }.first(where: wasSentBeforeAnswer).map { .presumed($0) }
      ?? .none
  }

  private func wasSentBeforeAnswer(_ named: Named) -> Bool { answered.map { named.after <= $0 } ?? true }

  private func findZones() -> Zones {
    guard let status = search.first?.answer.status ?? answer?.status else { return zonesOfSilence }
    var zones = Zones(accepted: Point(), rejected: nil, discarded: sent)
    switch match {
    case .exact(let named), .byteSwapped(let named), .presumed(let named):
      if status == 0 {
        zones.accepted = closedInSilence ? named.after : sent
        return zones
      }
      let isShutdown = status == ErrorResponse.shutdown
      zones.accepted = isShutdown ? named.after : named.before
      if !isShutdown, named.ordinal != nil { zones.rejected = named }
      zones.discarded = named.after
    case .several:
      if status == 0 { return zonesOfSilence }
      guard let named = search.first?.severalBounds else { break }
      zones.accepted = status == ErrorResponse.shutdown ? named.first.after : named.first.before
      zones.discarded = named.last
    case .lost:
      zones.accepted = beginning == .midway ? Point() : holes?.first ?? Point()
      zones.discarded = holes?.last ?? sent
    case .earlier: zones.discarded = Point()
    case .none: if status == 0 { return zonesOfSilence }
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
    var zones = Zones(accepted: Point(), rejected: nil, discarded: sent)
    if !isMisdirected, !closedInSilence, !isOneSided, brokenBytes == 0 { zones.accepted = firstRefused?.before ?? sent }
    return zones
  }
}

extension AnswerSearch {
  /// The first and the last of the notifications that the answer may refer to.
  var severalBounds: (first: Conversation.Named, last: Conversation.Point)? {
    same.chosen.first.map { ($0, same.chosen.end) }
  }
}
