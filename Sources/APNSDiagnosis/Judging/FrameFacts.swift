import APNSPayload
import APNSWire
import Octets

/// The facts that the rules need about one frame, determined once: its values, the outline of its payload, and facts
/// from outside its bytes.
public struct FrameFacts {
  /// The frame types.
  public let catalog: Catalog
  /// The edition of Apple's guide to apply.
  public let edition: Edition
  /// The frame. Its offsets, like all others here, count from its first byte.
  public private(set) var frame = FrameRef(start: 0, end: 0, schema: FrameRef.noSchema, condition: .tail)
  /// The type of the frame; nil for bytes that are not a frame.
  public private(set) var schema: FrameSchema?
  /// Whether its structure is defective.
  public private(set) var isMalformed = false
  /// Faults of items, which are indices in ``Catalog/items``.
  private(set) var itemFaults: [(fault: ItemFault, item: Int, range: Range<Int>)] = []
  /// Whether the edition does not document its type.
  var isNewer: Bool { schema.map { $0.since > edition } ?? false }
  /// Whether its lengths match but its payload is not JSON, its items are not those of one notification, or its token
  /// seems to be encoded.
  private(set) var isSuspicious = false
  /// Whether the next tuple of the feedback service may begin within the token of this one.
  private(set) var holdsTuple = false
  /// Whether a provider sent it to the service, which may refuse it.
  public var isSent: Bool { schema?.role == .provider }

  // Facts that its own bytes do not show.

  /// The sender of its stream; nil if it is not known.
  public internal(set) var role: StreamRole?
  /// The time at which its first packet was captured, in seconds since 1970 UTC; nil outside captures.
  public internal(set) var time: Int?
  var position = Position.afterFrame
  /// Why no bytes follow the frame, if none do.
  var ending = RunEnding.over
  /// The last ordinary expiry of another frame of the stream; nil if there is none.
  var otherExpiry: Int?
  /// How its identifier relates to those before it on the stream.
  var sighting = FrameSighting()
  /// The offset at which the JSON of the payload ends, if that is after the payload's declared end. It may also be
  /// after the frame's end.
  private(set) var payloadClose: Int?

  /// The first complete value of each role, by its raw value.
  private var firsts = [FieldRef?](repeating: nil, count: Field.Role.allCases.count)

  /// The first complete token, in the frame or in an item; nil if there is none.
  public var token: FieldRef? { first(.token) }
  /// The first complete payload; nil if there is none.
  public var payload: FieldRef? { first(.payload) }
  /// The first complete identifier; nil if there is none.
  public var identifier: FieldRef? { first(.identifier) }
  /// The first complete expiry; nil if there is none.
  public var expiry: FieldRef? { first(.expiry) }
  /// The first complete priority; nil if there is none.
  public var priority: FieldRef? { first(.priority) }
  /// The first complete status; nil if there is none.
  public var status: FieldRef? { first(.status) }
  /// The first complete timestamp; nil if there is none.
  public var timestamp: FieldRef? { first(.timestamp) }
  private func first(_ role: Field.Role) -> FieldRef? { firsts[Int(role.rawValue)] }

  /// Other complete JSON values: a second payload, and JSON fields of custom frame types.
  private(set) var otherJSON: [FieldRef] = []
  /// The outline of the payload; empty if the frame has none.
  private(set) var outline = PayloadOutline()

  /// The item may appear only once; the edition documents the frame type without it; or a complete frame omits it.
  enum ItemFault { case repeated, newer, missing }

  /// The kind of bytes that precede the frame in its stream.
  enum Position { case streamStart, afterFrame, afterDamage }

  private let items: [Item]
  /// The items that must appear in each frame type, as indices into `items`.
  private let required: [[Int]]
  private var seenItems: [Bool]

  init(_ catalog: Catalog, _ edition: Edition) {
    self.catalog = catalog
    self.edition = edition
    items = catalog.items
    required = catalog.schemas.indices.map { type in
      catalog.items(ofType: type).filter { catalog.items[$0].isRequired && catalog.items[$0].since <= edition }
    }
    seenItems = [Bool](repeating: false, count: catalog.items.count)
  }

  /// Whether its lengths divide it into items.
  var isList: Bool { !isMalformed && schema?.hasList == true }
  /// Whether it has only one item, which is hardly all of a notification.
  var isPart: Bool { seenItems.count { $0 } == 1 }

  /// Whether a documented item is not in its list.
  var omitsItems: Bool { !omitted.isEmpty }

  /// Whether this byte after the frame may begin an item that its frame length does not count.
  func mayGoOn(with byte: UInt8) -> Bool {
    omitted.contains { items[$0].id.rawValue == byte } && !catalog.knows(byte, from: .provider)
  }

  private var omitted: [Int] {
    guard frame.condition == .complete, schema?.hasList == true else { return [] }
    return catalog.items(ofType: Int(frame.schema)).filter { !seenItems[$0] }
  }

  /// Whether the frame has a token and a payload.
  public var isNotification: Bool { token != nil && payload != nil }

  /// Whether it is a notification with valid lengths and a payload that is JSON.
  var isSound: Bool { !isMalformed && isNotification && outline.error == nil }

  /// Whether it is such a notification, or a complete error response with a documented status.
  func isValid(in bytes: Span<UInt8>) -> Bool {
    isSound || !isMalformed && status.map { ErrorResponse.title(of: bytes[$0.start]) != nil } ?? false
  }

  /// The expiry of a complete frame if it is ordinary.
  func ordinaryExpiry(in bytes: Span<UInt8>) -> UInt32? {
    guard !isMalformed, let expiry, expiry.count == 4 else { return nil }
    let value = bytes.uint32(at: expiry.start)
    return Expiry(Int(value), sent: time).isOrdinary ? value : nil
  }

  /// The identifier by which an error response would name the notification; nil for other frames.
  func sentIdentifier(in bytes: Span<UInt8>) -> UInt32? {
    guard isSent, isNotification, let identifier, identifier.count == 4 else { return nil }
    return bytes.uint32(at: identifier.start)
  }
}

// MARK: - Reading

extension FrameFacts {
  /// Reads a frame that begins with the first byte of `bytes`.
  mutating func read(_ frame: FrameRef, _ bytes: Span<UInt8>) {
    if frame.schema != self.frame.schema { schema = catalog.schema(of: frame) }
    self.frame = frame
    payloadClose = nil
    isMalformed = frame.condition != .complete
    for index in firsts.indices { firsts[index] = nil }
    otherJSON.removeAll(keepingCapacity: true)
    if !itemFaults.isEmpty { itemFaults.removeAll(keepingCapacity: true) }
    for index in seenItems.indices { seenItems[index] = false }
    catalog.forEachField(of: frame, in: bytes) { leaf in
      switch (leaf.kind, leaf.state) {
      case (.itemID, _):
        guard leaf.item != FieldRef.none else { return }
        let item = Int(leaf.item)
        if leaf.depth == 1 {
          if seenItems[item], items[item].occurrence != .any { itemFaults.append((.repeated, item, leaf.range)) }
          seenItems[item] = true
        }
        if items[item].since > edition, !isNewer { itemFaults.append((.newer, item, leaf.range)) }
      case (.value, .whole):
        note(leaf)
      case (.value, .overrun), (.value, .wrongSize), (.value, .unknown), (.gap, .overrun):
        isMalformed = true
      default:
        break
      }
    }
    let missing = frame.condition == .complete ? required[Int(frame.schema)].filter { !seenItems[$0] } : []
    itemFaults += missing.map { (.missing, $0, frame.end..<frame.end) }
    if let payload { outline.read(bytes, payload.range) }
    holdsTuple = timestamp != nil && token.map { Evidence.holdsTuple(bytes.extracting($0.range)) } ?? false
    // In a string or a list, there may be an object.
    let kind = outline.root?.kind
    let isPayloadDoubtful = payload != nil && (outline.error != nil || kind == .string || kind == .array)
    isSuspicious =
      frame.condition == .complete
      && (isPayloadDoubtful || hasShiftedStatus(bytes) || itemFaults.contains { $0.fault == .repeated }
        || outline.text.mangled?.damage == .encodedTwice
        || isSent && !missing.isEmpty && (token == nil && payload == nil || isPart)
        || token.map { (payload ?? timestamp) != nil && TokenShape.mayBeCoded($0.range, in: bytes) } ?? false)
  }

  /// Whether its time or its priority is a number that no sender means. The bytes of an expiry that follows others in
  /// small `steps` are in order, whatever it means.
  func hasOddNumber(in bytes: Span<UInt8>, _ steps: inout ExpirySteps) -> Bool {
    guard frame.condition == .complete, let token, token.range.count < 256 else { return false }
    let isOdd =
      (expiry ?? timestamp)?.integer(in: bytes).map { !steps.areSmall(to: Int($0)) && Evidence.mayMeanAnother(Int($0)) }
      ?? false
      || priority.map { $0.count == 1 && Evidence.mayMeanAnother(priority: bytes[$0.start]) } ?? false
    return isOdd && Evidence.isToken(bytes.extracting(token.range))
  }

  /// Whether this could be an error response whose status or identifier is wider than the format allows. The last bytes
  /// of a number then appear as the first bytes of the next field, or after the frame.
  private func hasShiftedStatus(_ bytes: Span<UInt8>) -> Bool {
    guard let status = status?.integer(in: bytes), let identifier = identifier?.integer(in: bytes) else { return false }
    return status == 0 ? identifier >> 24 != 0 : identifier == 0
  }

  private mutating func note(_ leaf: FieldRef) {
    guard leaf.field != FieldRef.none else { return }
    let expected = catalog.expectations[Int(leaf.field)]
    let role = Int(expected.role.rawValue)
    if expected.role != .other, firsts[role] == nil {
      firsts[role] = leaf
    } else if expected.isJSON {
      otherJSON.append(leaf)
    }
  }

  /// Searches for the end of a payload that its length cuts. `ahead` are the bytes of the frame and those that follow
  /// it, as far as the search for causes needs them.
  mutating func findPayloadClose(in ahead: Span<UInt8>) {
    guard outline.error != nil, let payload else { return }
    let close = JSONScanner.objectEnd(at: payload.start, before: ahead.count, in: ahead)
    payloadClose = close.flatMap { $0 > payload.end ? $0 : nil }
  }
}
