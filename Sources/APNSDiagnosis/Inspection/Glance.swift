import APNSPayload
import APNSWire

/// A quick look at frames as most senders write them. What passes it draws no finding whatever the rules, but for a few
/// that it knows, and for what the frames before it say; whatever does not pass is judged by all rules, one after the
/// other.
struct Glance {
  // Of the frame that was looked at. Its end is known, too, where it did not pass for what it says; else that is 0.
  private(set) var end = 0
  private(set) var identifier: UInt32?
  private(set) var said = Said()
  /// Index in the catalog.
  private(set) var schema: UInt8 = 0

  private let layouts: FrameLayouts
  private let edition: Edition
  private let knownKeys: PayloadOutline.Keys
  private let ofActivities = Keys.ofActivities
  private let aps: ApsGlance
  /// By schema: frames without an identifier trigger a note.
  private let asksForIdentifier: [Bool]
  /// By schema: priority 10 is assumed.
  private let impliesImmediate: [Bool]
  private var payload = PlainPayload()
  /// Of a payload at the end of the bytes, with others behind it.
  private var copy: [UInt8] = []
  private let weights: Said.Weights

  init(_ catalog: Catalog, _ policy: RulePolicy) {
    edition = policy.edition
    layouts = FrameLayouts(catalog, edition)
    knownKeys = Keys.known(in: edition)
    aps = ApsGlance(edition)
    let isAnswered = edition >= ErrorResponse.schema.since
    asksForIdentifier = catalog.schemas.map { isAnswered && $0.identifierItem != nil }
    impliesImmediate = catalog.schemas.map(\.impliesImmediate)
    weights = Said.Weights(policy)
  }

  /// Whether the provider's frame at `start` is whole, and all rules about one frame have nothing to say about it but
  /// what is in `said`.
  /// - Parameter time: when it was captured, in seconds since 1970.
  mutating func passes(_ bytes: Span<UInt8>, at start: Int, time: Int?) -> Bool {
    end = 0
    guard let frame = layouts.frame(at: start, in: bytes) else { return false }
    (end, schema, said) = (frame.end, frame.schema, Said())
    // The order is that of their costs.
    guard passesIdentifier(frame[.identifier], bytes), passesExpiry(frame[.expiry], bytes, time),
      passesPriority(frame[.priority], bytes), passesToken(frame[.token], bytes)
    else { return false }
    return passesPayload(frame, bytes)
  }

  /// Looks for a place from `start` on where frames follow each other, and sets `end` to it.
  mutating func findStart(in bytes: Span<UInt8>, from start: Int) -> Bool {
    start < bytes.count && findStart(in: bytes, start..<bytes.count)
  }

  /// The same for a part of `bytes`; there the last frame may stand alone.
  mutating func findStart(in bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    for place in range {
      guard let first = layouts.frame(at: place, in: bytes), first.end <= range.upperBound else { continue }
      if first.end == range.upperBound && first.end < bytes.count || layouts.frame(at: first.end, in: bytes) != nil {
        end = place
        return true
      }
    }
    return false
  }

  @inline(__always)
  private mutating func passesIdentifier(_ place: FramePlaces.Place, _ bytes: Span<UInt8>) -> Bool {
    guard place.isThere else {
      identifier = nil
      return !asksForIdentifier[Int(schema)] || tell(.identifierMissing)
    }
    let number = bytes.number(at: place.start)
    identifier = number
    return number != 0
  }

  @inline(__always)
  private func passesExpiry(_ place: FramePlaces.Place, _ bytes: Span<UInt8>, _ time: Int?) -> Bool {
    !place.isThere || Expiry(Int(bytes.number(at: place.start)), sent: time).isOrdinary
  }

  @inline(__always)
  private func passesPriority(_ place: FramePlaces.Place, _ bytes: Span<UInt8>) -> Bool {
    !place.isThere || isDocumentedPriority(bytes[place.start])
  }

  @inline(__always)
  private func passesToken(_ place: FramePlaces.Place, _ bytes: Span<UInt8>) -> Bool {
    // Text has no byte like this, and what is filled up no such end.
    if place.count == 32, bytes[place.start + 31] != 0, bytes.number(at: place.start) & 0x8080_8080 != 0 { return true }
    guard place.isThere else { return false }
    return TokenShape(of: place.range, in: bytes).isOrdinary(place.count)
  }

  @inline(__always)
  private mutating func passesPayload(_ frame: FramePlaces, _ bytes: Span<UInt8>) -> Bool {
    let place = frame[.payload]
    guard place.isThere, ordinaryPayloads.contains(place.count), isPlain(place.range, bytes) else { return false }
    let members = payload.members
    let present = members.present
    guard present.isSubset(of: knownKeys), present.intersection(ofActivities).isEmpty, aps.passes(members)
    else { return false }
    let actions = present.intersection(aps.actions)
    if actions.count > 1, edition < .year2017, !tell(.severalActions) { return false }
    if payload.hasEscapes, !tell(.escapedText) { return false }
    guard edition >= .year2013, actions.isEmpty else { return true }
    return passesSilent(frame[.priority], members, bytes)
  }

  /// The push triggers no alert, sound or badge.
  @inline(__always)
  private mutating func passesSilent(
    _ priority: FramePlaces.Place, _ members: PlainPayload.Members, _ bytes: Span<UInt8>
  ) -> Bool {
    if priority.isThere { return bytes[priority.start] != 10 }
    let isImmediate = impliesImmediate[Int(schema)]
    guard members.ofAps == 1, members.present.contains(aps.contentAvailable) else { return !isImmediate }
    return tell(isImmediate ? .impliedImmediate : .immediateSilent)
  }

  @inline(__always)
  private mutating func isPlain(_ range: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
    range.upperBound + PlainPayload.slack <= bytes.count ? payload.read(bytes, range) : isPlainAtEnd(range, bytes)
  }

  @inline(never)
  private mutating func isPlainAtEnd(_ range: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
    var copy: [UInt8] = []
    swap(&copy, &self.copy)
    defer { swap(&copy, &self.copy) }
    copy.removeAll(keepingCapacity: true)
    copy.append(contentsOf: bytes.extracting(range))
    copy.append(contentsOf: repeatElement(0, count: PlainPayload.slack))
    return payload.read(copy.span, 0..<range.count)
  }

  /// Says it, or not, where nobody wants to hear of it; false where it is not what is usually said.
  private mutating func tell(_ rule: Said) -> Bool {
    if weights.unheard.contains(rule) { return true }
    said.insert(rule)
    return weights.usual.contains(rule)
  }
}

extension Span<UInt8> {
  /// Four bytes, the most significant first.
  @inline(__always)
  func number(at start: Int) -> UInt32 {
    // The bounds are checked, and any four bytes are a number.
    UInt32(bigEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: start, as: UInt32.self))
  }
}
