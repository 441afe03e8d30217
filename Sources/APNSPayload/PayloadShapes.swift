/// What plain payloads were like, as a tree: the text up to a value, the value, the text up to the next. Senders fill in
/// forms, so that most payloads were there before but for their values, and only those need to be read.
///
/// It knows no rule: a value may be what the one in its place had to be when the first payload of its shape was read.
struct PayloadShapes: Sendable {
  /// Of the tree; the first is its root, without a text.
  private var steps = [Step()]
  /// What the payloads of each shape have in common.
  private var members: [PlainPayload.Members] = []
  /// Payloads of other shapes since the tree began to grow.
  private var misses = 0

  /// Text that takes one step, and the value behind it.
  private struct Step: Sendable, BitwiseCopyable {
    var text = Text()
    var mask = Text()
    var count = 0
    var value = Value.nothing
    /// The step behind it; of the last one, its place in `members`. 0 for none.
    var next = 0
    /// Another in place of this one. 0 for none.
    var other = 0
  }

  enum Value: UInt8, Sendable, BitwiseCopyable {
    /// The quotation mark before it belongs to the text.
    case string
    case number
    /// A whole number.
    case count
    /// More text, or the end of the payload.
    case nothing
    case end
  }

  private static let most = 512
  /// Steps in one place.
  private static let mostChoices = 8
  /// So many other shapes later the tree is grown anew.
  private static let patience = 4096

  /// The step that leads on from `last` with the text at `index`; nil where none does. Payloads begin behind step 0.
  ///
  /// - Precondition: ``Text/size`` bytes stand there, whatever they are.
  @inline(__always)
  func step(from last: Int, at index: Int, in bytes: Span<UInt8>) -> (number: Int, count: Int, value: Value)? {
    let text = Text(bytes, at: index)
    let steps = steps.span
    var number = steps[last].next
    while number != 0 {
      if text.equals(steps[number].text, under: steps[number].mask) {
        return (number, steps[number].count, steps[number].value)
      }
      number = steps[number].other
    }
    return nil
  }

  /// What a payload has that ends with this step.
  @inline(__always)
  func members(at last: Int) -> PlainPayload.Members { members[steps[last].next] }
}

// MARK: - Growing

extension PayloadShapes {
  /// Takes up the shape of the payload at `range`, by what stands between its values.
  mutating func add(
    _ range: Range<Int>, _ values: borrowing PayloadValues, _ members: PlainPayload.Members, _ bytes: Span<UInt8>
  ) {
    misses += 1
    if misses > Self.patience { self = PayloadShapes() }
    var last = 0
    var start = range.lowerBound
    for index in 0..<values.count {
      let value = values[index]
      guard lead(from: &last, over: start..<value.range.lowerBound, to: value.value, bytes) else { return }
      start = value.range.upperBound
    }
    let count = steps.count
    guard lead(from: &last, over: start..<range.upperBound, to: .end, bytes), steps.count > count else { return }
    steps[last].next = self.members.count
    self.members.append(members)
  }

  /// Leads from a step over a text to a value, by the steps that are there, or by new ones; false where it takes too many.
  private mutating func lead(
    from last: inout Int, over range: Range<Int>, to value: Value, _ bytes: Span<UInt8>
  ) -> Bool {
    var start = range.lowerBound
    while start < range.upperBound {
      let count = min(range.upperBound - start, Text.size)
      let mask = Text(first: count)
      let step = Step(
        text: Text(bytes, at: start).masked(by: mask), mask: mask, count: count,
        value: start + count == range.upperBound ? value : .nothing)
      guard let number = find(step, behind: last) ?? append(step, behind: last) else { return false }
      last = number
      start += count
    }
    return true
  }

  private func find(_ step: Step, behind last: Int) -> Int? {
    var number = steps[last].next
    while number != 0 {
      let other = steps[number]
      if other.count == step.count, other.value == step.value, other.text == step.text { return number }
      number = other.other
    }
    return nil
  }

  private mutating func append(_ step: Step, behind last: Int) -> Int? {
    guard steps.count < Self.most else { return nil }
    var choices = 0
    var place = steps[last].next
    while place != 0, steps[place].other != 0 {
      place = steps[place].other
      choices += 1
    }
    guard choices < Self.mostChoices else { return nil }
    if place == 0 { steps[last].next = steps.count } else { steps[place].other = steps.count }
    steps.append(step)
    return steps.count - 1
  }
}

/// The values of a payload that may be others in the next of its shape, in their order.
struct PayloadValues: Sendable {
  private(set) var count = 0
  private var ranges = InlineArray<24, Range<Int>>(repeating: 0..<0)
  private var values = InlineArray<24, PayloadShapes.Value>(repeating: .nothing)
  /// There were more.
  private(set) var isFull = false

  mutating func removeAll() { (count, isFull) = (0, false) }

  @inline(__always)
  mutating func append(_ range: Range<Int>, _ value: PayloadShapes.Value) {
    guard count < ranges.count else {
      isFull = true
      return
    }
    ranges[count] = range
    values[count] = value
    count += 1
  }

  subscript(index: Int) -> (range: Range<Int>, value: PayloadShapes.Value) { (ranges[index], values[index]) }
}

/// Text that is compared at once.
private struct Text: Sendable, Equatable, BitwiseCopyable {
  private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

  static let size = 32

  init() {}

  @inline(__always)
  init(_ bytes: Span<UInt8>, at start: Int) {
    // The bounds are checked, and any bytes are numbers.
    self = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: start, as: Text.self)
  }

  /// All bits of the first bytes, and no other.
  init(first count: Int) {
    func part(_ start: Int) -> UInt64 {
      UInt64(littleEndian: ~(UInt64.max << UInt64(8 * min(max(count - start, 0), 8))))
    }
    words = (part(0), part(8), part(16), part(24))
  }

  func masked(by mask: Text) -> Text {
    var text = self
    text.words.0 &= mask.words.0
    text.words.1 &= mask.words.1
    text.words.2 &= mask.words.2
    text.words.3 &= mask.words.3
    return text
  }

  @inline(__always)
  func equals(_ other: Text, under mask: Text) -> Bool {
    let first = (words.0 ^ other.words.0) & mask.words.0 | (words.1 ^ other.words.1) & mask.words.1
    let second = (words.2 ^ other.words.2) & mask.words.2 | (words.3 ^ other.words.3) & mask.words.3
    return first | second == 0
  }

  static func == (one: Text, other: Text) -> Bool { one.words == other.words }
}
