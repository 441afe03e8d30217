import APNSPayload
import APNSWire

/// One byte of the stream is gone, or one is too many: with it back, or gone, the frame is whole.
let byteCauses = [byteLost, byteAdded]

private let byteLost = RootCause(
  "byte-lost", "one byte of the stream is missing",
  why: "All that stands behind it is read from one byte too late.",
  fix:
    "look at how bytes are written: a short write whose count is taken for one more, a read that takes the first byte "
    + "away to see whether there is one; where the capture was cut, capture again",
  source: "senders found in public; a capture or a dump that was edited", recurs: false, effort: 512
) { place, _, bytes in
  EditSearch(place, bytes, isLost: true)?.explanation
}

private let byteAdded = RootCause(
  "byte-added", "one byte too many stands in the stream",
  why: "All that stands behind it is read from one byte too early.",
  fix:
    "look for a second writer: a debugging write left in, a keep-alive byte, a buffer that is written from one byte "
    + "before its start",
  source: "senders found in public; a capture or a dump that was edited", recurs: false, effort: 512
) { place, _, bytes in
  EditSearch(place, bytes, isLost: false)?.explanation
}

/// A change of one byte that makes a whole frame of the bytes at a place.
private struct EditSearch {
  private(set) var explanation: Explanation?

  private let start: Int
  private let isLost: Bool
  /// The bytes at the place, as they are.
  private let written: [UInt8]
  /// The payload's first byte, and the byte behind it where it closes, counted from the place.
  private let brace: Int
  private let close: Int?

  init?(_ place: borrowing Place, _ bytes: Span<UInt8>, isLost: Bool) {
    self.isLost = isLost
    start = place.start
    // Where nothing like a payload comes soon, no byte makes a frame of it.
    var brace = place.start
    let horizon = min(place.limit - 2, place.start + 2 * Place.longestToken)
    while brace < horizon, !(bytes[brace] == UInt8(ascii: "{") && bytes[brace + 1] == UInt8(ascii: "\"")) { brace += 1 }
    guard brace < horizon else { return nil }
    let close = place.objectEnd(at: brace, in: bytes)
    let end = min(place.limit, close.map { $0 + 40 } ?? (place.start + 4400))
    written = bytes.octets(place.start..<end)
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

  /// Of the positions from `order` on, the first where a frame may begin with the changed bytes. Nearly none does, and
  /// taking bytes apart costs more.
  private func nextOrder(
    from order: Int, of positions: [Int], _ value: UInt8?, _ place: borrowing Place
  ) -> Int? {
    var order = order
    while order < positions.count {
      // An edit of the first byte changes the command.
      let isFirst = positions[order] == 0
      let command = isFirst ? value ?? written[1] : written[0]
      let places = isFirst ? [0] : positions
      if let sketch = place.sketch(command) {
        if let next = sketch.first(of: places, from: order, value: value, in: written.span) { return next }
      } else if place.catalog.knows(command, from: place.role) {
        return order
      }
      guard isFirst else { return nil }
      order += 1
    }
    return nil
  }

  /// In front of the payload, once inside of it, and in what may stand behind it.
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
      followsFrame: false)
    return ContentReading(at, bytes.span)
  }

  private func frame(
    _ edited: [UInt8], at index: Int, _ value: UInt8, _ place: borrowing Place
  ) -> (explanation: Explanation, isExact: Bool)? {
    let span = edited.span
    let catalog = place.catalog
    let frame = catalog.frame(at: 0, in: span, of: place.role)
    guard frame.condition == .complete, frame.end > index, catalog.isPlausible(frame, in: span),
      let payload = catalog.leaf(.payload, of: frame, in: span), payload.count > 2,
      catalog.leaf(.deviceToken, of: frame, in: span) != nil
    else { return nil }
    let end = start + frame.end + (isLost ? -1 : 1)
    let error = JSONScanner.firstError(in: span, range: payload.range)
    let isInside = payload.range.contains(index)
    if error != nil {
      // A wrong byte inside the payload leaves no JSON, or what does not matter; at the end of all it may just be cut.
      guard isInside, index == brace + 1 else { return nil }
      if end == place.limit, unbroken(payload, index) { return nil }
    }
    var name = "the payload"
    var isValue = isInside
    catalog.forEachField(of: frame, in: span) { leaf in
      guard leaf.range.contains(index) else { return }
      isValue = leaf.kind == .value
      name = Self.name(of: leaf, catalog)
    }
    let place = name
    let repaired = isValue ? nil : Array(edited[..<frame.end])
    let isLost = isLost
    let size = payload.count
    if !isLost, index == 0 {
      // It stands before the frame, which is shown as it is.
      return (
        Explanation(
          end: start + 1, weight: .edit, isFrame: false,
          evidence: { "without one byte here a whole frame begins" }, repaired: { _ in [] }), error == nil
      )
    }
    return (
      Explanation(
        end: end, weight: .edit,
        evidence: {
          isLost
            ? "with one byte more in \(place) the frame is whole, its payload of \(size) bytes included"
            : "with one byte less in \(place) the frame is whole, its payload of \(size) bytes included"
        },
        repaired: { _ in repaired }), error == nil
    )
  }

  /// The payload, as it was written, is JSON so far.
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

/// The bytes with one put in or taken out, kept from one try to the next: only what stands between both places moves.
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
