import APNSWire
import Octets

/// Where the lengths of a frame type stand, and what its values may be, as trivial values: enough to see that bytes are no
/// plausible frame of it before they are taken apart. Searches that try many edits ask it first.
struct Sketch: Sendable {
  let command: UInt8
  private let body: Body

  private enum Body: Sendable {
    /// The sizes of its numbers, and the bytes in front of the token's length, command included.
    case flat(numbers: [Int], tokenAt: Int, Value, payload: Value)
    case list(width: Int, [Item])
  }

  /// What may be in front of a value, as its length. Small, since it is looked at for every edit.
  private struct Value: BitwiseCopyable, Sendable {
    let least: UInt32
    let most: UInt32
    /// Of the length in front of it.
    let width: UInt8
    let isJSON: Bool

    init(_ field: Field, width: Int) {
      let expected = Expectation(field)
      least = UInt32(clamping: expected.sizes.lowerBound)
      most = UInt32(clamping: expected.sizes.upperBound)
      self.width = UInt8(width)
      isJSON = expected.isJSON
    }

    func allows(_ size: Int) -> Bool { size >= Int(least) && size <= Int(most) }
  }

  private struct Item: BitwiseCopyable, Sendable {
    let id: UInt8
    let isList: Bool
    let value: Value
  }

  init(command: UInt8, _ body: Shape.Body) {
    self.command = command
    switch body {
    case .flat(let flat):
      self.body = .flat(
        numbers: flat.fixed.map { $0.size ?? 0 }, tokenAt: 1 + flat.fixedSize,
        Value(flat.token, width: flat.tokenWidth),
        payload: Value(flat.payload, width: flat.payloadWidth))
    case .list(let list):
      self.body = .list(
        width: list.width,
        list.items.map { item in
          Item(id: item.id.rawValue, isList: item.field.isList, value: Value(item.field, width: 2))
        })
    }
  }

  /// Of places in rising order, the first from `order` on where a byte put in, or taken out where there is no `value`, may
  /// make a whole and plausible frame that holds the change. Its order; nil where none does.
  func first(
    of places: [Int], from order: Int, value: UInt8?, in written: Span<UInt8>, _ work: SearchWork
  ) -> Int? {
    for order in order..<places.count {
      work.add(8)
      switch holds(ByteEdit(index: places[order], value: value), in: written) {
      case .perhaps: return order
      case .no: continue
      case .noneBehind: return nil
      }
    }
    return nil
  }

  fileprivate enum Answer {
    case perhaps
    case no
    /// Nor where the edit stands further on.
    case noneBehind
  }

  private func holds(_ edit: ByteEdit, in written: Span<UInt8>) -> Answer {
    switch body {
    case .flat(_, let tokenAt, let token, let payload): flat(edit, tokenAt, token, payload, written)
    case .list(let width, let items): list(edit, width, items, written)
    }
  }

  /// Bytes of the number, the id or the length that begins behind so many bytes of a frame, the last of which ends a field.
  func nextField(behind count: Int) -> Int {
    switch body {
    case .flat(let numbers, let tokenAt, let token, let payload):
      var position = 1
      for size in numbers {
        if count == position { return size }
        position += size
      }
      return Int(count == tokenAt ? token.width : payload.width)
    case .list(let width, _):
      // An id, or, behind it, a length.
      return count == 1 ? width : 1
    }
  }

  private func flat(
    _ edit: ByteEdit, _ tokenAt: Int, _ token: Value, _ payload: Value, _ written: Span<UInt8>
  ) -> Answer {
    let count = edit.count(of: written)
    let first = tokenAt + Int(token.width)
    guard first <= count else { return .noneBehind }
    let size = edit.number(at: tokenAt, width: Int(token.width), in: written)
    let start = first + size + Int(payload.width)
    guard token.allows(size), start <= count else { return edit.answer(after: first) }
    let length = edit.number(at: start - Int(payload.width), width: Int(payload.width), in: written)
    let end = start + length
    guard payload.allows(length), end <= count, end > edit.index else { return edit.answer(after: start) }
    return edit.mayBeObject(start..<end, in: written) ? .perhaps : .no
  }

  private func list(_ edit: ByteEdit, _ width: Int, _ items: [Item], _ written: Span<UInt8>) -> Answer {
    var position = 1 + width
    guard position <= edit.count(of: written) else { return .noneBehind }
    let end = position + edit.number(at: 1, width: width, in: written)
    guard end <= edit.count(of: written), end > edit.index else { return edit.answer(after: position) }
    // What is longer is left to those who take it apart.
    for _ in 0...items.count where position < end {
      let start = position + APNSWire.Item.headerSize
      guard start <= end else { return edit.answer(after: position) }
      let id = edit.byte(at: position, in: written)
      guard let item = items.first(where: { $0.id == id }) else { return edit.answer(after: position + 1) }
      if item.isList { return .perhaps }
      let size = edit.number(at: position + 1, width: 2, in: written)
      position = start + size
      guard position <= end, item.value.allows(size) else {
        return edit.answer(after: start)
      }
      if item.value.isJSON, !edit.mayBeObject(start..<position, in: written) { return .no }
    }
    return .perhaps
  }
}

/// One byte that is put into bytes, or taken out of them.
struct ByteEdit {
  let index: Int
  /// What is put there; nil where one is taken out.
  let value: UInt8?

  @inline(__always)
  func count(of written: Span<UInt8>) -> Int { written.count + (value == nil ? -1 : 1) }

  @inline(__always)
  func byte(at place: Int, in written: Span<UInt8>) -> UInt8 {
    if place < index { return written[place] }
    guard let value else { return written[place + 1] }
    return place == index ? value : written[place - 1]
  }

  @inline(__always)
  fileprivate func number(at start: Int, width: Int, in written: Span<UInt8>) -> Int {
    var number = 0
    for place in start..<(start + width) { number = number << 8 | Int(byte(at: place, in: written)) }
    return number
  }

  /// Goes by the bytes before `end` alone: where all stand in front of the edit, they stay as they are.
  @inline(__always)
  fileprivate func answer(after end: Int) -> Sketch.Answer { end <= index ? .noneBehind : .no }

  @inline(__always)
  fileprivate func mayBeObject(_ range: Range<Int>, in written: Span<UInt8>) -> Bool {
    range.isEmpty
      || byte(at: range.lowerBound, in: written) == UInt8(ascii: "{")
        && byte(at: range.upperBound - 1, in: written) == UInt8(ascii: "}")
  }
}
