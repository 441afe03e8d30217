import APNSInput
import APNSPayload
import APNSWire

/// Judges frames by all rules, one after the other. It keeps its storage, so that a frame without a fault costs no
/// allocation.
struct Inspector {
  let policy: RulePolicy
  private let catalog: Catalog
  private var facts: FrameFacts
  private let roles: [Field.Role]
  /// By frame type: how the gateway replies to it; nil for types that the gateway does not read.
  private let replies: [ReplyPolicy?]
  /// How the gateway replies to bytes that are no frame.
  private let unframedReplies: ReplyPolicy
  /// By frame type: whether a provider sends it.
  private let isSent: [Bool]
  /// By frame type: the items that it must have, as indices in the catalog.
  private let requiredItems: [[Int]]
  private var seenItems: [Bool]
  /// What was counted of a frame.
  private(set) var counted: [CountedFinding] = []
  /// For what all streams together remember.
  private var budget = MemoryBudget(bytes: 16 << 20)

  init(_ catalog: Catalog, _ policy: RulePolicy) {
    self.catalog = catalog
    self.policy = policy
    self.facts = FrameFacts(catalog, policy.edition)
    roles = catalog.fields.map(\.role)
    replies = catalog.schemas.map { $0.role == .provider ? ReplyPolicy($0, in: policy.edition) : nil }
    unframedReplies = ReplyPolicy(nil, in: policy.edition)
    isSent = catalog.schemas.map { $0.role == .provider }
    requiredItems = catalog.schemas.map { schema in
      schema.parts.flatMap { part -> [Int] in
        guard case .items(let items)? = part.field?.content else { return [] }
        return items.filter(\.isRequired).compactMap { item in
          catalog.items.firstIndex { $0.id == item.id && $0.name == item.name }
        }
      }
    }
    seenItems = [Bool](repeating: false, count: catalog.items.count)
  }

  /// Takes a frame apart, whose first byte is that of `bytes`. Whether something in it is as no right sender writes it,
  /// though its lengths fit.
  mutating func read(_ frame: FrameRef, _ bytes: Span<UInt8>) -> Bool {
    gather(frame, bytes)
    guard frame.condition == .complete, facts.isNotification else { return false }
    if facts.outline.error != nil { return true }
    return facts.token.map { TokenShape(of: $0.range, in: bytes).holdsDigits } ?? false
  }

  /// Nothing is wrong with the lengths of the notification that was read last, nor with its payload.
  var hasReadWhole: Bool { !facts.isMalformed && facts.isNotification && facts.outline.error == nil }

  /// What the identifier of the frame that was judged last is among those before it.
  var sighting: IdentifierSighting { facts.sighting }

  /// What there is to say about the frame that was read last, whose first byte is at `offset` in the stream.
  /// - Parameters:
  ///   - ahead: the bytes of the frame, and those that follow it as far as causes are looked for.
  ///   - role: whose stream it is.
  ///   - sighting: where its identifier was looked up before.
  mutating func judge(
    _ frame: FrameRef, _ bytes: Span<UInt8>, ahead: Span<UInt8>, of role: StreamRole?, at offset: Int,
    _ position: FrameFacts.Position, ending: RunEnding, time: CaptureTime?, _ sighting: IdentifierSighting?,
    countsNotes: Bool, _ memory: inout StreamMemory
  ) -> (findings: [Finding], countedNotes: Int, isMalformed: Bool) {
    note(frame, bytes, ahead, role, position, ending, time, sighting, &memory)
    let replies = frame.isFrame ? replies[Int(frame.schema)] : role == .provider ? unframedReplies : nil
    var report = Report(policy, at: offset, replies: replies, countsNotes: countsNotes)
    for family in Rules.families { family.check(facts, bytes, &memory, &report) }
    let findings = report.close(at: frame.end)
    return (findings, report.countedNotes, facts.isMalformed)
  }

  /// The same where findings need only be counted. Whether they all could be: they are in `counted` then, and else the
  /// frame has to be judged.
  mutating func count(
    _ frame: FrameRef, _ bytes: Span<UInt8>, ahead: Span<UInt8>, of role: StreamRole?,
    _ position: FrameFacts.Position, ending: RunEnding, time: CaptureTime?, _ sighting: IdentifierSighting?,
    countsNotes: Bool, _ enough: EnoughFindings, _ memory: inout StreamMemory
  ) -> Bool {
    note(frame, bytes, ahead, role, position, ending, time, sighting, &memory)
    var report = Report(policy, at: 0, countsNotes: countsNotes, enough: enough)
    counted.removeAll(keepingCapacity: true)
    swap(&counted, &report.counted)
    for family in Rules.families where report.areCounted { family.check(facts, bytes, &memory, &report) }
    _ = report.close(at: frame.end)
    swap(&counted, &report.counted)
    return report.areCounted
  }

  private mutating func note(
    _ frame: FrameRef, _ bytes: Span<UInt8>, _ ahead: Span<UInt8>, _ role: StreamRole?,
    _ position: FrameFacts.Position, _ ending: RunEnding, _ time: CaptureTime?, _ sighting: IdentifierSighting?,
    _ memory: inout StreamMemory
  ) {
    facts.ending = ending
    facts.role = role
    facts.position = position
    facts.payloadClose = nil
    if facts.outline.error != nil, let payload = facts.payload {
      facts.payloadClose = JSONScanner.objectEnd(at: payload.start, before: ahead.count, in: ahead)
      if let close = facts.payloadClose, close <= payload.end { facts.payloadClose = nil }
    }
    facts.time = time?.seconds
    if let sighting {
      facts.sighting = sighting
    } else if frame.isFrame {
      facts.sighting = see(notificationIdentifier(in: bytes), &memory)
    }
  }

  /// Takes note of a frame's identifier.
  mutating func see(_ identifier: UInt32?, _ memory: inout StreamMemory) -> IdentifierSighting {
    memory.see(identifier, within: &budget)
  }

  /// The stream is over: what was remembered of it is given back.
  mutating func forget(_ memory: inout StreamMemory) {
    memory.forget(&budget)
  }

  /// Of notifications alone: what answers them repeats their identifiers.
  private func notificationIdentifier(in bytes: Span<UInt8>) -> UInt32? {
    guard facts.isSent, facts.isNotification, let identifier = facts.identifier, identifier.count == 4 else {
      return nil
    }
    return identifier.integer(in: bytes).map { UInt32(truncatingIfNeeded: $0) }
  }

  private mutating func gather(_ frame: FrameRef, _ bytes: Span<UInt8>) {
    facts.frame = frame
    facts.isMalformed = frame.condition != .complete
    facts.hasWrongItems = false
    (facts.token, facts.payload, facts.identifier, facts.expiry) = (nil, nil, nil, nil)
    (facts.priority, facts.status, facts.timestamp) = (nil, nil, nil)
    facts.otherJSON.removeAll(keepingCapacity: true)
    let schema = frame.isFrame ? Int(frame.schema) : nil
    facts.isSent = schema.map { isSent[$0] } ?? false
    facts.sighting = IdentifierSighting()
    let required = schema.map { requiredItems[$0] } ?? []
    let hasItems = !required.isEmpty
    if hasItems { for index in seenItems.indices { seenItems[index] = false } }
    var isMalformed = facts.isMalformed
    var hasWrongItems = false
    catalog.forEachField(of: frame, in: bytes) { leaf in
      switch (leaf.kind, leaf.state) {
      case (.itemID, _):
        guard hasItems, leaf.depth == 1, leaf.item != FieldRef.none else { return }
        if seenItems[Int(leaf.item)] { hasWrongItems = true }
        seenItems[Int(leaf.item)] = true
      case (.value, .whole):
        note(leaf)
      case (.value, .overrun), (.value, .wrongSize), (.value, .unknown), (.gap, .overrun):
        isMalformed = true
      default:
        break
      }
    }
    if frame.condition == .complete, required.contains(where: { !seenItems[$0] }) { hasWrongItems = true }
    facts.isMalformed = isMalformed
    facts.hasWrongItems = hasWrongItems
    if let payload = facts.payload { facts.outline.read(bytes, payload.range) }
  }

  private mutating func note(_ leaf: FieldRef) {
    guard leaf.field != FieldRef.none else { return }
    switch roles[Int(leaf.field)] {
    case .token: if facts.token == nil { facts.token = leaf }
    case .payload: if facts.payload == nil { facts.payload = leaf } else { facts.otherJSON.append(leaf) }
    case .identifier: if facts.identifier == nil { facts.identifier = leaf }
    case .expiry: if facts.expiry == nil { facts.expiry = leaf }
    case .priority: if facts.priority == nil { facts.priority = leaf }
    case .status: if facts.status == nil { facts.status = leaf }
    case .timestamp: if facts.timestamp == nil { facts.timestamp = leaf }
    case .other: if catalog.expectations[Int(leaf.field)].isJSON { facts.otherJSON.append(leaf) }
    }
  }
}
