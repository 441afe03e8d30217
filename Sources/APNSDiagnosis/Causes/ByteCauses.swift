import APNSPayload
import APNSWire
import Octets

/// One byte of the stream is missing, or there is one too many: with that undone, the frame is complete.
let byteCauses = [byteLost, byteAdded]

private let byteLost = RootCause(
  .byteLost, "one byte is missing, or a length is one too large",
  why: "The rest of the stream is read from the wrong byte on.",
  fix:
    "check how bytes are written: a short write whose count is one too large, a read that consumes "
    + "the first byte to see if there is one. If the capture or dump was edited, capture again",
  source: "inferred from the bytes: with one more byte, or a length of one less, the frame is complete", recurs: false,
  isLastResort: true
) { place, _, bytes in
  EditSearch(place, bytes, isLost: true)?.explanation
}

private let byteAdded = RootCause(
  .byteAdded, "there is one byte too many, or a length is one too small",
  why: "The rest of the stream is read from the wrong byte on.",
  fix:
    "find the write that sends the byte: a leftover debugging write, a keep-alive byte, a "
    + "buffer that is written from one byte before its start",
  source: "inferred from the bytes: with one byte less, or a length of one more, the frame is complete", recurs: false,
  isLastResort: true
) { place, _, bytes in
  EditSearch(place, bytes, isLost: false)?.explanation
}

/// A change of one byte that makes a complete frame of the bytes at an offset.
private struct EditSearch {
  private(set) var explanation: Explanation?

  private let start: Int
  private let isLost: Bool
  /// The bytes at the offset, unchanged.
  private let written: [UInt8]
  /// The payload's first byte, and the byte after its closing brace, counted from the offset.
  private let brace: Int
  private let close: Int?

  init?(_ place: borrowing Place, _ bytes: Span<UInt8>, isLost: Bool) {
    self.isLost = isLost
    start = place.start
    // Without a payload nearby, no byte makes a frame of it.
    var brace = place.start
    let horizon = min(place.limit - 2, place.start + 2 * Place.longestToken)
    while brace < horizon, !(bytes[brace] == UInt8(ascii: "{") && bytes[brace + 1] == UInt8(ascii: "\"")) { brace += 1 }
    guard brace < horizon else { return nil }
    let close = place.objectEnd(at: brace, in: bytes)
    let end = min(place.limit, close.map { $0 + 40 } ?? (place.start + 4400))
    written = [UInt8](copying: bytes.extracting(place.start..<end))
    self.brace = brace - place.start
    self.close = close.map { $0 - place.start }
    search(place, bytes)
    if explanation == nil { return nil }
  }

  private mutating func search(_ place: borrowing Place, _ bytes: Span<UInt8>) {
    let values = isLost ? insertable(place, bytes) : [0]
    // In the order of places, each shifts one byte more back to where it was written.
    let positions = positions
    var edited = EditedBytes(written, isLost: isLost)
    for value in values {
      var order = 0
      while let next = nextOrder(from: order, of: positions, isLost ? value : nil, place) {
        let index = positions[next]
        order = next + 1
        edited.move(to: ByteEdit(index: index, value: isLost ? value : nil), written)
        guard let found = frame(edited.bytes, at: index, value, place) else { continue }
        if explanation == nil || found.isExact {
          explanation = found.explanation
          if found.isExact { return }
        }
      }
    }
  }

  /// The index of the first position, from `order` on, at which the edit could yield a frame. Hardly any does, and reading
  /// the bytes costs more.
  private func nextOrder(
    from order: Int, of positions: [Int], _ value: UInt8?, _ place: borrowing Place
  ) -> Int? {
    var order = order
    while order < positions.count {
      // An edit of the first byte changes the command.
      let isFirst = positions[order] == 0
      let command = isFirst ? value ?? written[1] : written[0]
      let places = isFirst ? [0] : positions
      place.work.add(16)
      guard !place.work.isSpent else { return nil }
      if let sketch = place.sketch(command) {
        if let next = sketch.first(of: places, from: order, value: value, in: written.span, place.work) { return next }
      } else if place.catalog.knows(command, from: place.role) {
        return order
      }
      guard isFirst else { return nil }
      order += 1
    }
    return nil
  }

  /// Before the payload, one inside it, and in what may follow it.
  private var positions: [Int] {
    var all = Array(0...(brace + 1))
    if let close { all += close..<max(close, min(close + 24, written.count - 1)) }
    return all
  }

  /// Bytes that may be missing in lengths, ids and commands. A byte of a value may be any.
  private func insertable(_ place: borrowing Place, _ bytes: Span<UInt8>) -> [UInt8] {
    var values: [UInt8] = [0, 32]
    for shape in place.shapes {
      values.append(shape.command)
      if case .list(let list) = shape.body {
        for item in list.items { values += [item.id.rawValue, UInt8(clamping: item.field.size ?? 0)] }
      }
    }
    if let close {
      let size = close - brace
      values += [UInt8(truncatingIfNeeded: size), UInt8(truncatingIfNeeded: size >> 8)]
    }
    // The low byte of a length around items: they show how long it is.
    for shape in place.shapes where shape.command == written.first {
      guard case .list(let list) = shape.body, written.count > shape.headerSize else { continue }
      var fixed = written
      fixed.insert(0, at: list.width)
      if let reading = Self.reading(of: fixed, place) {
        values += [UInt8(truncatingIfNeeded: reading.itemsSize), UInt8(truncatingIfNeeded: reading.itemsSize >> 8)]
      }
    }
    var unique: [UInt8] = []
    for value in values where !unique.contains(value) { unique.append(value) }
    return unique
  }

  private static func reading(of bytes: [UInt8], _ place: borrowing Place) -> ContentReading? {
    let at = Place(
      catalog: place.catalog, shapes: place.shapes, role: place.role, start: 0, limit: bytes.count, isEnd: false,
      followsFrame: false, work: place.work)
    return ContentReading(at, bytes.span)
  }

  private func frame(
    _ edited: [UInt8], at index: Int, _ value: UInt8, _ place: borrowing Place
  ) -> (explanation: Explanation, isExact: Bool)? {
    let span = edited.span
    let catalog = place.catalog
    place.work.add(128)
    let frame = catalog.frame(at: 0, in: span, of: place.role)
    guard frame.condition == .complete, frame.end > index, catalog.isPlausible(frame, in: span),
      let payload = catalog.leaf(.payload, of: frame, in: span), payload.count > 2,
      catalog.leaf(.token, of: frame, in: span) != nil
    else { return nil }
    let end = start + frame.end + (isLost ? -1 : 1)
    place.work.add(payload.count)
    let error = JSONScanner.firstError(in: span, range: payload.range)
    let isInside = payload.range.contains(index)
    if error != nil {
      // A wrong byte inside the payload breaks its JSON, or does not matter; at the end of the stream it may just be cut.
      guard isInside, index == brace + 1 else { return nil }
      if end == place.limit, unbroken(payload, index) { return nil }
    }
    var changed = payload
    var length: FieldRef?
    var last: FieldRef?
    catalog.forEachField(of: frame, in: span) { leaf in
      if leaf.range.contains(index) {
        changed = leaf
        length = last.flatMap { $0.kind == .length || $0.kind == .itemLength ? $0 : nil }
      }
      last = leaf
    }
    let repaired = changed.kind == .value ? nil : Array(edited[..<frame.end])
    let words = EditWords(Self.name(of: changed, catalog), changed, length, payload.count, isLost: isLost)
    if !isLost, index == 0 {
      // It precedes the frame, which is shown unchanged.
      let extra = written[0]
      return (
        Explanation(
          end: start + 1, weight: .edit, isFrame: false,
          evidence: { "there is one extra byte, \(hex(extra)), before this frame" }, repaired: { _ in [] }),
        error == nil
      )
    }
    return (
      Explanation(
        end: end, weight: .edit,
        evidence: { words.evidence }, correction: { words.correction }, repaired: { _ in repaired }), error == nil
    )
  }

  /// The payload, as written, is JSON so far.
  private func unbroken(_ payload: FieldRef, _ index: Int) -> Bool {
    let end = min(payload.end + (isLost ? -1 : 1), written.count)
    let error = JSONScanner.firstError(in: written.span, range: payload.start..<end)
    return error?.code == .unexpectedEnd
  }

  private static func name(of leaf: FieldRef, _ catalog: Catalog) -> String {
    switch leaf.kind {
    case .command: "the command"
    case .length: "the " + (catalog.lengthName(of: leaf)?.title ?? "length")
    case .itemID: "an item's id"
    case .itemLength: "an item's length"
    case .value: "the " + (catalog.field(of: leaf)?.name.title ?? "data")
    case .gap: "the frame"
    }
  }
}

/// What to say about an edit of the bytes of one field.
private struct EditWords: Sendable {
  /// `the payload`
  private let name: String
  private let isLost: Bool
  private let isValue: Bool
  /// The bytes of the field, as they should be and as they were written.
  private let meant: Int
  private let written: Int
  /// Of the length before the field; nil if its format fixes its size.
  private let lengthWidth: Int?
  private let payloadSize: Int

  init(_ name: String, _ leaf: FieldRef, _ length: FieldRef?, _ payloadSize: Int, isLost: Bool) {
    self.name = name
    self.isLost = isLost
    isValue = leaf.kind == .value
    meant = leaf.count
    written = leaf.count + (isLost ? -1 : 1)
    lengthWidth = length?.count
    self.payloadSize = payloadSize
  }

  var evidence: String {
    if isValue {
      return "\(name) has \(plural(written, "byte"))"
        + (lengthWidth == nil ? " instead of \(meant)" : ", and its length says \(meant)")
    }
    let change = written == 0 ? "\(name) is missing: with it" : "with one byte \(isLost ? "more" : "less") in \(name),"
    return "\(change) the frame is complete, with a payload of \(payloadSize) bytes"
  }

  /// Nil unless the length may be what is wrong.
  var correction: String? {
    guard isValue, let lengthWidth else { return nil }
    return "if \(name) is complete, write \(wireBytes(written, width: lengthWidth)) as its length; otherwise"
  }
}

/// The bytes with one inserted or removed. Kept from one try to the next: only the bytes between both indices move.
private struct EditedBytes {
  private(set) var bytes: [UInt8]
  private var index = 0

  init(_ written: [UInt8], isLost: Bool) {
    bytes = written
    if isLost { bytes.insert(0, at: 0) } else { bytes.removeFirst() }
  }

  mutating func move(to edit: ByteEdit, _ written: [UInt8]) {
    for place in stride(from: index, to: edit.index, by: 1) { bytes[place] = written[place] }
    let behind = edit.value == nil ? 0 : 1
    for place in stride(from: edit.index, to: index, by: 1) {
      bytes[place + behind] = written[place + 1 - behind]
    }
    if let value = edit.value { bytes[edit.index] = value }
    index = edit.index
  }
}
