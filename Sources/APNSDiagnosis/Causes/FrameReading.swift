/// A frame split according to a writing: the ranges of its values, and what its lengths claim. Values are recognized by
/// their contents, so that the lengths may be invalid.
struct FrameReading {
  let start: Int
  /// The offset after the last byte.
  var end: Int
  /// The values, in the order of the writing's fields.
  var values = PerField<Value>(repeating: Value())
  /// The fields that are present, in wire order.
  private(set) var order = PerField<UInt8>(repeating: 0)
  private(set) var count = 0
  /// The value of the length around the items; nil if there is none.
  var frameLength: Int?
  /// The offset of the first item.
  var itemsStart = 0
  var slip: Slip?

  /// The number of elements is ``Writing/maxFields``.
  typealias PerField<Element> = InlineArray<12, Element>

  struct Value: BitwiseCopyable {
    var start = 0
    var end = 0
    /// The value of its length; nil if there is none, or if the length lost or gained a byte.
    var declared: Int?
    /// The number of bytes after it that are not part of it, such as a terminator.
    var rest = 0

    var size: Int { end - start }
    var range: Range<Int> { start..<end }
    /// Whether its length is correct. It may include the bytes after the value.
    var isTrue: Bool { declared == nil || declared == size || declared == size + rest }
  }

  /// A byte that is missing or extra.
  struct Slip {
    let isLost: Bool
    let part: Part
    /// The offset of the affected part.
    let at: Int

    enum Part: Equatable {
      case command, frameLength
      case id(Int)
      case length(Int)
      case value(Int)
    }
  }

  init(at start: Int) { (self.start, end) = (start, start) }

  func has(_ field: Int) -> Bool {
    for index in 0..<count where order[index] == UInt8(field) { return true }
    return false
  }

  mutating func add(_ field: Int, _ value: Value) {
    values[field] = value
    order[count] = UInt8(field)
    count += 1
  }

  /// Removes the last value that was added.
  mutating func removeLast(_ before: Value) {
    count -= 1
    values[Int(order[count])] = before
  }

  /// The size of all items in bytes.
  var itemsSize: Int { end - itemsStart }
}
