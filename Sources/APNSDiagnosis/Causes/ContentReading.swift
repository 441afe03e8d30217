import APNSWire
import Octets

/// A frame taken apart by what its bytes look like instead of by its lengths: the payload is the JSON object that stands
/// there, the token is what stands before it, numbers have the sizes of the format. What the lengths say is kept beside, so
/// that a bug is a simple statement about both.
struct ContentReading {
  let shape: Shape
  let start: Int
  /// Behind the last value, and behind what was written after it and belongs to the frame.
  private(set) var end: Int
  /// In the order of the wire.
  private(set) var values: [Value] = []
  /// What the length around the items says; nil where the format has none.
  private(set) var frameLength: Int?

  struct Value {
    let kind: Kind
    /// Index in the fields of the shape.
    let field: Int
    let item: ItemID?
    /// What its length says; nil where it has none.
    let declared: Int?
    let width: Int
    let range: Range<Int>
    /// Bytes behind it that are not part of it: a terminator.
    var terminator = 0

    var count: Int { range.count }
    var isTrue: Bool { declared == nil || declared == count }
  }

  enum Kind { case number, token, payload }

  /// The frame at the place, if all its values can be told.
  init?(_ place: borrowing Place, _ bytes: Span<UInt8>) {
    guard place.start < place.limit, let shape = place.shape(bytes[place.start]) else { return nil }
    place.work.add(64)
    self.shape = shape
    start = place.start
    end = place.start + shape.headerSize
    switch shape.body {
    case .flat(let flat): guard read(flat, place, bytes) else { return nil }
    case .list(let list): guard read(list, place, bytes) else { return nil }
    }
    if let token, holdsMore(token, bytes) { return nil }
  }

  /// What was taken for the token is more: it holds the beginning of a payload, or the head of another frame.
  private func holdsMore(_ token: Value, _ bytes: Span<UInt8>) -> Bool {
    let range = token.range
    // A length, right before as many bytes as it says, up to what was taken for the token's end.
    for size in 8..<max(8, min(101, range.count - 9))
    where bytes.number(at: range.upperBound - size - 2, width: 2) == size {
      return true
    }
    guard range.count > 1 else { return false }
    for index in range.lowerBound..<(range.upperBound - 1)
    where bytes[index] == UInt8(ascii: "{") && bytes[index + 1] == UInt8(ascii: "\"") {
      return true
    }
    return false
  }

  func field(of value: Value) -> Field { shape.fields[value.field] }

  var token: Value? { values.first { $0.kind == .token } }
  var payload: Value? { values.first { $0.kind == .payload } }

  private mutating func read(_ flat: Shape.Flat, _ place: borrowing Place, _ bytes: Span<UInt8>) -> Bool {
    for (index, field) in flat.fixed.enumerated() {
      let size = field.size ?? 0
      values.append(Value(kind: .number, field: index, item: nil, declared: nil, width: 0, range: end..<(end + size)))
      end += size
    }
    let first = end + flat.tokenWidth
    let least = first + flat.payloadWidth
    guard least < place.limit else { return false }
    for brace in least..<min(least + Place.longestToken + 1, place.limit) where bytes[brace] == UInt8(ascii: "{") {
      guard let close = place.objectEnd(at: brace, in: bytes) else { continue }
      let declared = bytes.number(at: brace - flat.payloadWidth, width: flat.payloadWidth)
      values.append(
        Value(
          kind: .token, field: flat.fixed.count, item: nil, declared: bytes.number(at: end, width: flat.tokenWidth),
          width: flat.tokenWidth, range: first..<(brace - flat.payloadWidth)))
      appendPayload(
        flat.fixed.count + 1, nil, brace..<close, declared: declared, width: flat.payloadWidth, place, bytes)
      return true
    }
    return false
  }

  private mutating func read(_ list: Shape.List, _ place: borrowing Place, _ bytes: Span<UInt8>) -> Bool {
    guard end < place.limit else { return false }
    frameLength = bytes.number(at: start + 1, width: list.width)
    var seen: [ItemID] = []
    while let index = itemHeader(at: end, in: list, besides: seen, place, bytes) {
      let item = list.items[index]
      let header = end
      let first = header + Item.headerSize
      let declared = bytes.number(at: header + 1, width: 2)
      seen.append(item.id)
      switch item.field.content {
      case .integer(let size, _):
        guard first + size <= place.limit else { return false }
        values.append(
          Value(
            kind: .number, field: index, item: item.id, declared: declared, width: 2, range: first..<(first + size)
          ))
        end = first + size
      case .json:
        guard let close = place.objectEnd(at: first, in: bytes) else { return false }
        appendPayload(index, item.id, first..<close, declared: declared, width: 2, place, bytes)
        if itemHeader(at: end, in: list, besides: seen, place, bytes) == nil {
          takeTerminator(before: list, besides: seen, place, bytes)
        }
      case .octets, .text:
        let others = seen
        guard let close = tokenEnd(from: first, declared: declared, in: list, besides: others, place, bytes) else {
          return false
        }
        values.append(
          Value(
            kind: item.field.role == .token ? .token : .number, field: index, item: item.id, declared: declared,
            width: 2,
            range: first..<close))
        end = close
      case .items:
        return false
      }
    }
    return token != nil && payload != nil
  }

  /// White space that the length counts is part of a JSON text; a terminator that it counts is none.
  private mutating func appendPayload(
    _ field: Int, _ item: ItemID?, _ object: Range<Int>, declared: Int, width: Int, _ place: borrowing Place,
    _ bytes: Span<UInt8>
  ) {
    var range = object
    var terminator = 0
    let claimed = object.lowerBound + declared
    if claimed > object.upperBound, claimed <= object.upperBound + 2, claimed <= place.limit {
      var isSpace = true
      for index in object.upperBound..<claimed
      where bytes[index] != 0x0a && bytes[index] != 0x0d && bytes[index] != 0x20 {
        isSpace = false
      }
      if isSpace {
        range = object.lowerBound..<claimed
      } else if claimed == object.upperBound + 1, bytes[object.upperBound] == 0 {
        terminator = 1
      }
    }
    values.append(
      Value(
        kind: .payload, field: field, item: item, declared: declared, width: width, range: range,
        terminator: terminator))
    end = range.upperBound + terminator
  }

  /// One that no length counts but perhaps that of the frame.
  private mutating func takeTerminator(
    before list: Shape.List, besides seen: [ItemID], _ place: borrowing Place, _ bytes: Span<UInt8>
  ) {
    let count = Terminator.length(at: end, in: bytes, limit: place.limit)
    guard count > 0 else { return }
    let isCounted = frameLength == end + count - start - shape.headerSize
    guard isCounted || itemHeader(at: end + count, in: list, besides: seen, place, bytes) != nil else { return }
    values[values.count - 1].terminator = count
    end += count
  }

  /// The index of the item whose id is at `start`, with a length and data that it may have with any sender's bug.
  private func itemHeader(
    at start: Int, in list: Shape.List, besides seen: [ItemID], _ place: borrowing Place, _ bytes: Span<UInt8>
  ) -> Int? {
    guard start + Item.headerSize <= place.limit else { return nil }
    let id = ItemID(rawValue: bytes[start])
    guard let index = list.index(of: id), !seen.contains(id) else { return nil }
    let item = list.items[index]
    let declared = bytes.number(at: start + 1, width: 2)
    switch item.field.content {
    case .integer(let size, _):
      let swapped = declared >> 8 | (declared & 0xff) << 8
      guard declared == size || swapped == size || list.items.contains(where: { $0.field.size == declared }) else {
        return nil
      }
    case .json:
      guard place.objectEnd(at: start + Item.headerSize, in: bytes) != nil else { return nil }
    case .octets, .text:
      let low = declared & 0xff
      let high = declared >> 8
      guard high == 0 && low <= Place.longestToken || low == 0 && high <= Place.longestToken else { return nil }
    case .items:
      return nil
    }
    return index
  }

  /// Where another item begins behind the token, or where the frame ends.
  private func tokenEnd(
    from first: Int, declared: Int, in list: Shape.List, besides seen: [ItemID], _ place: borrowing Place,
    _ bytes: Span<UInt8>
  ) -> Int? {
    let sizes = 0...Place.longestToken
    if sizes.contains(declared), itemHeader(at: first + declared, in: list, besides: seen, place, bytes) != nil {
      return first + declared
    }
    for size in sizes where itemHeader(at: first + size, in: list, besides: seen, place, bytes) != nil {
      return first + size
    }
    // It is the last item that can be told: nothing but its length says where it ends.
    guard payload != nil, sizes.contains(declared), first + declared <= place.limit else { return nil }
    return first + declared
  }
}

extension ContentReading {
  /// Bytes of the items, terminators included.
  var itemsSize: Int { end - start - shape.headerSize }

  var terminator: Int { values.reduce(0) { $0 + $1.terminator } }

  /// The length around the items is what the bytes take, or what the lengths of the items add up to.
  var isFrameLengthMeasuredOrSummed: Bool {
    frameLength == nil || frameLength == itemsSize || frameLength == summed { $0.declared ?? 0 }
  }

  /// What a sender's own sum of the lengths comes to.
  func summed(_ length: (Value) -> Int) -> Int {
    values.reduce(0) { $0 + Item.headerSize + length($1) }
  }

  /// The one value whose length is not its size; nil where none or several are, or where something stands behind one.
  var onlyLie: Value? {
    guard terminator == 0 else { return nil }
    let lies = values.filter { !$0.isTrue }
    return lies.count == 1 ? lies[0] : nil
  }

  /// The frame with these values as it should have been.
  func repaired(_ bytes: Span<UInt8>) -> [UInt8]? {
    var draft = FrameDraft(shape.schema)
    if case .list(let list) = shape.body {
      draft.values[list.field.name.member] = .items(
        values.map { value in ItemDraft(value.item ?? 0, data: .octets([UInt8](copying: bytes.extracting(value.range))))
        })
    } else {
      for value in values {
        draft.values[field(of: value).name.member] = .octets([UInt8](copying: bytes.extracting(value.range)))
      }
    }
    return try? draft.bytes()
  }
}

/// What C strings and lines of text end with.
enum Terminator {
  static func length(at start: Int, in bytes: Span<UInt8>, limit: Int) -> Int {
    guard start < limit else { return 0 }
    switch bytes[start] {
    case 0, 0x0a: return 1
    case 0x0d: return start + 1 < limit && bytes[start + 1] == 0x0a ? 2 : 0
    default: return 0
    }
  }
}
