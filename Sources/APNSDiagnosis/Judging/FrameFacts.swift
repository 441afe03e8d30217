import APNSPayload
import APNSWire
import Octets

/// What rules ask of one frame, found once: its values, its payload taken apart, and what is known beside its bytes.
public struct FrameFacts {
  public let catalog: Catalog
  public let edition: Edition
  /// Its offsets count from the frame's first byte, as all here do.
  public private(set) var frame = FrameRef(start: 0, end: 0, schema: FrameRef.noSchema, condition: .tail)
  /// Its type; nil for bytes that are no frame.
  public private(set) var schema: FrameSchema?
  /// Why the bytes end after the frame.
  private(set) var ending = RunEnding.over
  /// When its first packet was captured, in seconds since 1970 UTC; nil outside captures.
  public private(set) var time: Int?
  /// Whose stream it is in; nil if that is not known.
  public private(set) var role: StreamRole?
  private(set) var position = Position.afterDamage
  /// Where the JSON of the payload is closed, if that is past the payload's length. It may be past the frame's end, too.
  private(set) var payloadClose: Int?
  /// Something is wrong with its structure.
  public private(set) var isMalformed = false
  /// What is wrong with which items it has.
  private(set) var itemFaults: [ItemFault] = []
  /// The edition does not document its type.
  private(set) var isNewer = false
  /// Its lengths fit, but its payload is no JSON, or its token is in another form.
  private(set) var isSuspicious = false
  /// A provider sent it to the service, which may refuse it.
  public private(set) var isSent = false
  /// What its identifier is among those before it on the stream.
  private(set) var sighting = IdentifierSighting()

  // The first whole value of each role, in the frame or in an item.
  public private(set) var token: FieldRef?
  public private(set) var payload: FieldRef?
  public private(set) var identifier: FieldRef?
  public private(set) var expiry: FieldRef?
  public private(set) var priority: FieldRef?
  public private(set) var status: FieldRef?
  public private(set) var timestamp: FieldRef?

  /// Other whole values that are JSON: a second payload, fields of other frame types.
  private(set) var otherJSON: [FieldRef] = []
  /// Of the payload; empty where the frame has none.
  private(set) var outline = PayloadOutline()

  enum ItemFault {
    /// The id of an item that may appear only once, where it appears again.
    case repeated(FieldRef)
    /// The id of an item that the edition does not document.
    case newer(FieldRef)
    /// An item that a complete frame omits, by its place in ``Catalog/items``.
    case missing(Int)
  }

  /// What precedes the frame in its stream.
  enum Position { case streamStart, afterFrame, afterDamage }

  private let items: ItemRows
  private var seenItems: [Bool]

  init(_ catalog: Catalog, _ edition: Edition) {
    self.catalog = catalog
    self.edition = edition
    items = ItemRows(catalog, edition)
    seenItems = [Bool](repeating: false, count: catalog.items.count)
  }

  /// It says what to deliver, and to whom.
  public var isNotification: Bool { token != nil && payload != nil }

  /// A notification with nothing wrong in its lengths, nor in its payload.
  var isSound: Bool { !isMalformed && isNotification && outline.error == nil }

  /// The payload is no JSON.
  var isPayloadBroken: Bool { payload != nil && outline.error != nil }

  /// The identifier of a notification, by which an error response names it; nil for all other frames.
  func sentIdentifier(in bytes: Span<UInt8>) -> UInt32? {
    guard isSent, isNotification, let identifier, identifier.count == 4 else { return nil }
    return bytes.uint32(at: identifier.start)
  }
}

// MARK: - Reading

extension FrameFacts {
  /// Takes apart a frame that begins with the first byte of `bytes`.
  mutating func read(_ frame: FrameRef, _ bytes: Span<UInt8>) {
    if frame.schema != self.frame.schema { schema = catalog.schema(of: frame) }
    self.frame = frame
    isMalformed = frame.condition != .complete
    isNewer = (schema?.since ?? edition) > edition
    (token, payload, identifier, expiry) = (nil, nil, nil, nil)
    (priority, status, timestamp) = (nil, nil, nil)
    otherJSON.removeAll(keepingCapacity: true)
    if !itemFaults.isEmpty { itemFaults.removeAll(keepingCapacity: true) }
    var missing = frame.isFrame ? items.required[Int(frame.schema)].count : 0
    isSent = schema?.role == .provider
    for index in seenItems.indices { seenItems[index] = false }
    catalog.forEachField(of: frame, in: bytes) { leaf in
      switch (leaf.kind, leaf.state) {
      case (.itemID, _):
        guard leaf.item != FieldRef.none else { return }
        let item = items.all[Int(leaf.item)]
        defer { if item.isNewer { itemFaults.append(.newer(leaf)) } }
        guard leaf.depth == 1 else { return }
        if !seenItems[Int(leaf.item)] {
          if item.isRequired { missing -= 1 }
        } else if !item.isRepeatable {
          itemFaults.append(.repeated(leaf))
        }
        seenItems[Int(leaf.item)] = true
      case (.value, .whole):
        note(leaf)
      case (.value, .overrun), (.value, .wrongSize), (.value, .unknown), (.gap, .overrun):
        isMalformed = true
      default:
        break
      }
    }
    if frame.condition == .complete, missing > 0 {
      for item in items.required[Int(frame.schema)] where !seenItems[item] { itemFaults.append(.missing(item)) }
    }
    if let payload { outline.read(bytes, payload.range) }
    isSuspicious =
      frame.condition == .complete
      && (isPayloadBroken || isNotification && hasCodedToken(bytes) || hasShiftedStatus(bytes))
  }

  /// An error response in which the status, or the identifier, may have more bytes than the format gives it: what belongs
  /// into the last bytes of a number comes in its first ones, or after the frame.
  private func hasShiftedStatus(_ bytes: Span<UInt8>) -> Bool {
    guard let status = status?.integer(in: bytes), let identifier = identifier?.integer(in: bytes) else { return false }
    return status == 0 ? identifier >> 24 != 0 : identifier == 0
  }

  /// Its token may be text, or bytes in another form.
  private func hasCodedToken(_ bytes: Span<UInt8>) -> Bool {
    token.map { TokenShape.mayBeCoded($0.range, in: bytes) } ?? false
  }

  private mutating func note(_ leaf: FieldRef) {
    guard leaf.field != FieldRef.none else { return }
    switch catalog.fieldRoles[Int(leaf.field)] {
    case .token: if token == nil { token = leaf }
    case .payload: if payload == nil { payload = leaf } else { otherJSON.append(leaf) }
    case .identifier: if identifier == nil { identifier = leaf }
    case .expiry: if expiry == nil { expiry = leaf }
    case .priority: if priority == nil { priority = leaf }
    case .status: if status == nil { status = leaf }
    case .timestamp: if timestamp == nil { timestamp = leaf }
    case .other: if catalog.expectations[Int(leaf.field)].isJSON { otherJSON.append(leaf) }
    }
  }

  /// Takes note of what its own bytes do not say.
  /// - Parameters:
  ///   - ahead: the bytes of the frame, and those that follow it as far as causes are looked for.
  ///   - role: whose stream it is.
  ///   - time: in seconds since 1970 UTC.
  mutating func note(
    ahead: Span<UInt8>, _ role: StreamRole?, _ position: Position, _ ending: RunEnding, time: Int?,
    _ sighting: IdentifierSighting
  ) {
    (self.role, self.position, self.ending, self.time, self.sighting) = (role, position, ending, time, sighting)
    payloadClose = nil
    if outline.error != nil, let payload {
      payloadClose = JSONScanner.objectEnd(at: payload.start, before: ahead.count, in: ahead)
      if let close = payloadClose, close <= payload.end { payloadClose = nil }
    }
  }
}
