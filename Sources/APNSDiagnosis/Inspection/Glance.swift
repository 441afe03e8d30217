import APNSPayload
import APNSWire

/// A quick look at frames as most senders write them. What passes it draws no finding whatever the rules, but for notes
/// that it counts, and for what the frames before it say; whatever does not pass is judged by all rules, one after the
/// other. It allocates nothing.
struct Glance {
  // Of the frame that was looked at. Its end is known, too, where it did not pass for what it says; else that is 0.
  private(set) var end = 0
  private(set) var identifier: UInt32?
  private(set) var notes = 0
  /// Index in the catalog.
  private(set) var schema: UInt8 = 0

  private let layouts: FrameLayouts
  private let edition: Edition
  private let knownKeys: PayloadOutline.Keys
  private let asksForIdentifier: Bool
  private var payload = PlainPayload()
  /// Of a payload at the end of the bytes, with others behind it.
  private var copy: [UInt8] = []
  private let weights: NoteWeights

  init(_ catalog: Catalog, _ policy: RulePolicy) {
    edition = policy.edition
    layouts = FrameLayouts(catalog, edition)
    knownKeys = Keys.known(in: edition)
    asksForIdentifier = edition >= ErrorResponse.schema.since
    weights = NoteWeights(policy)
  }

  /// Whether the provider's frame at `start` is whole, and all rules about one frame have nothing to say about it but
  /// `notes`.
  /// - Parameter time: when it was captured, in seconds since 1970.
  mutating func passes(_ bytes: Span<UInt8>, at start: Int, time: Int?) -> Bool {
    end = 0
    guard let frame = layouts.frame(at: start, in: bytes) else { return false }
    (end, schema, notes) = (frame.end, frame.schema, 0)
    // The order is that of their costs.
    guard passesIdentifier(frame[.identifier], bytes), passesExpiry(frame[.expiry], bytes, time),
      passesPriority(frame[.priority], bytes), passesToken(frame[.token], bytes)
    else { return false }
    return passesPayload(frame, bytes)
  }

  /// Looks for a place from `start` on where frames follow each other, and sets `end` to it.
  mutating func findStart(in bytes: Span<UInt8>, from start: Int) -> Bool {
    var place = start
    while place < bytes.count {
      if let first = layouts.frame(at: place, in: bytes), layouts.frame(at: first.end, in: bytes) != nil {
        end = place
        return true
      }
      place += 1
    }
    return false
  }

  @inline(__always)
  private mutating func passesIdentifier(_ place: FramePlaces.Place, _ bytes: Span<UInt8>) -> Bool {
    guard place.isThere else {
      identifier = nil
      return !asksForIdentifier || tell(weights.identifierMissing)
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
    return TokenShape(of: place.range, in: bytes).isOrdinary(place.count) && !HexText.isText(bytes, place.range)
  }

  @inline(__always)
  private mutating func passesPayload(_ frame: FramePlaces, _ bytes: Span<UInt8>) -> Bool {
    let place = frame[.payload]
    guard place.isThere, ordinaryPayloads.contains(place.count), isPlain(place.range, bytes) else { return false }
    let present = payload.present
    guard present.isSubset(of: knownKeys), present.intersection(Keys.ofActivities).isEmpty, !payload.hasSoundObject,
      passesApsRules(payload, edition)
    else { return false }
    if present.intersection(Keys.actions).count > 1, !tell(weights.severalActions) { return false }
    if payload.hasEscapes, !tell(weights.escapedText) { return false }
    guard present.contains(Keys.contentAvailable), payload.membersOfAps == 1, edition >= .year2013 else { return true }
    let priority = frame[.priority]
    return priority.isThere ? bytes[priority.start] != 10 : tell(weights.immediateSilent)
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
    for index in range { copy.append(bytes[index]) }
    for _ in 0..<PlainPayload.slack { copy.append(0) }
    return payload.read(copy.span, 0..<range.count)
  }

  /// Counts a note, or not; false where it weighs more.
  private mutating func tell(_ weight: Finding.Severity?) -> Bool {
    guard let weight else { return true }
    notes += 1
    return weight == .note
  }
}

/// What notes weigh that are only counted; nil where nobody wants to hear of them.
private struct NoteWeights {
  let identifierMissing: Finding.Severity?
  let severalActions: Finding.Severity?
  let escapedText: Finding.Severity?
  let immediateSilent: Finding.Severity?

  init(_ policy: RulePolicy) {
    identifierMissing = policy.severity(of: APNSDiagnosis.identifierMissing, .note)
    severalActions = policy.severity(of: APNSDiagnosis.severalActions, .note)
    escapedText = policy.severity(of: APNSDiagnosis.escapedText, .note)
    immediateSilent = policy.severity(of: APNSDiagnosis.immediateSilent, .note)
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
