import APNSPayload
import APNSWire

/// A quick look at frames as most senders write them. What passes it draws no finding whatever the rules, but for what
/// the frames before it say; whatever does not pass is judged by all rules, one after the other. It allocates nothing.
struct Glance {
  /// Of the frame that passed.
  private(set) var end = 0
  private(set) var identifier: UInt32?
  /// Index in the catalog.
  private(set) var schema: UInt8 = 0

  private let layouts: FrameLayouts
  private let edition: Edition
  private let knownKeys: PayloadOutline.Keys
  private let asksForIdentifier: Bool
  private var payload = PlainPayload()

  init(_ catalog: Catalog, _ edition: Edition) {
    self.edition = edition
    layouts = FrameLayouts(catalog, edition)
    knownKeys = Keys.known(in: edition)
    asksForIdentifier = edition >= ErrorResponse.schema.since
  }

  /// Whether the provider's frame at `start` is whole, and all rules about one frame have nothing to say about it. Frames
  /// right before the end of `bytes` never pass.
  /// - Parameter time: when it was captured, in seconds since 1970.
  mutating func passes(_ bytes: Span<UInt8>, at start: Int, time: Int?) -> Bool {
    let limit = bytes.count - PlainPayload.slack
    guard start < limit, let frame = layouts.frame(at: start, in: bytes, limit: limit) else { return false }
    (end, schema) = (frame.end, frame.schema)
    // The order is that of their costs.
    guard passesIdentifier(frame[.identifier], bytes), passesExpiry(frame[.expiry], bytes, time),
      passesPriority(frame[.priority], bytes), passesToken(frame[.token], bytes)
    else { return false }
    return passesPayload(frame[.payload], bytes)
  }

  private mutating func passesIdentifier(_ place: FramePlaces.Place, _ bytes: Span<UInt8>) -> Bool {
    guard place.isThere else {
      identifier = nil
      return !asksForIdentifier
    }
    let number = bytes.number(at: place.start)
    identifier = number
    return number != 0
  }

  private func passesExpiry(_ place: FramePlaces.Place, _ bytes: Span<UInt8>, _ time: Int?) -> Bool {
    !place.isThere || Expiry(Int(bytes.number(at: place.start)), sent: time).isOrdinary
  }

  private func passesPriority(_ place: FramePlaces.Place, _ bytes: Span<UInt8>) -> Bool {
    !place.isThere || isDocumentedPriority(bytes[place.start])
  }

  private func passesToken(_ place: FramePlaces.Place, _ bytes: Span<UInt8>) -> Bool {
    guard place.isThere else { return false }
    return TokenShape(of: place.range, in: bytes).isOrdinary(place.count) && !HexText.isText(bytes, place.range)
  }

  private mutating func passesPayload(_ place: FramePlaces.Place, _ bytes: Span<UInt8>) -> Bool {
    guard place.isThere, ordinaryPayloads.contains(place.count), payload.read(bytes, place.range) else { return false }
    let present = payload.present
    return present.isSubset(of: knownKeys) && !payload.hasSoundObject && !payload.hasEscapes
      && present.intersection(Keys.ofActivities).isEmpty && present.intersection(Keys.actions).count <= 1
      && passesApsRules(payload, edition)
  }
}

extension Span<UInt8> {
  /// Four bytes, the most significant first.
  @inline(__always)
  func number(at start: Int) -> UInt32 {
    UInt32(self[start]) << 24 | UInt32(self[start + 1]) << 16 | UInt32(self[start + 2]) << 8 | UInt32(self[start + 3])
  }
}
