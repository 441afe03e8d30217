/// A frame taken apart by a writing: the ranges of its values, and what its lengths say. Values are recognised by their
/// contents, so the lengths may say anything.
struct FrameReading {
  let start: Int
  /// After the last byte.
  var end: Int
  /// In the order of the writing's fields.
  var values = PerField<Value>(repeating: Value())
  /// The fields that are there, in the order of the wire.
  private(set) var order = PerField<UInt8>(repeating: 0)
  private(set) var count = 0
  /// What the length around the items says; nil where there is none.
  var frameLength: Int?
  /// Where the items begin.
  var itemsStart = 0
  var slip: Slip?

  /// As many as ``Writing/mostFields``.
  typealias PerField<Element> = InlineArray<12, Element>

  struct Value: BitwiseCopyable {
    var start = 0
    var end = 0
    /// What its length says; nil where it has none, or where that is what lost or gained a byte.
    var declared: Int?
    /// Bytes after it that are not part of it: a terminator.
    var rest = 0

    var size: Int { end - start }
    var range: Range<Int> { start..<end }
    /// Its length is correct; it may include the bytes after it.
    var isTrue: Bool { declared == nil || declared == size || declared == size + rest }
  }

  /// A byte that is missing, or one too many.
  struct Slip {
    let isLost: Bool
    let part: Part
    /// Where the part begins.
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

  /// Takes back the value that was added last.
  mutating func removeLast(_ before: Value) {
    count -= 1
    values[Int(order[count])] = before
  }

  /// Bytes of the items.
  var itemsSize: Int { end - itemsStart }
}
