/// Known forms of payloads. The form of a payload is its text without the values. Senders fill in templates, so most
/// payloads repeat an earlier form, and then only their values need to be read.
///
/// Payloads of one form have the same keys in the same order and values of the same types. If a documented key allows
/// only some values, the value is valid or identical in all of them. Forms do not depend on the rules.
public struct PayloadForms: Sendable {
  /// A tree of texts and values. The first step is its root, which has no text.
  private var steps = [Step()]
  /// The number of the last form; the first form has number 1. Numbers are never reused.
  private var count: UInt32 = 0
  /// The number of unknown payloads since the tree was emptied, and of those in a row for which it had no space.
  private var misses = 0
  private var failures = 0
  /// Whether the last payload has `\uXXXX` escapes for characters that UTF-8 could represent directly.
  var hasEscapes = false

  /// The number of bytes that must follow a payload. Their values do not matter: text is compared in blocks that may
  /// extend past its end.
  package static let slack = 32

  /// Creates an empty set of forms.
  package init() {}

  /// A payload with a known form.
  public struct Reading: Sendable, Hashable, BitwiseCopyable {
    /// The number of the form, which is never 0. Payloads of the same form have the same number.
    package let form: UInt32
    /// Whether a value has `\uXXXX` escapes for characters that UTF-8 could represent directly.
    package let hasEscapes: Bool
  }

  /// A block of text, and the value after it.
  private struct Step: Sendable, BitwiseCopyable {
    var text = Text()
    var mask = Text()
    var count = 0
    var value = FormValue.nothing
    /// The step after it; for the last step, the number of the form. 0 for none.
    var next = 0
    /// An alternative to this step. 0 for none.
    var other = 0
  }

  private static let most = 1024
  /// The maximum number of alternatives at one point.
  private static let maxChoices = 8
  /// The number of misses after which the tree is emptied.
  private static let patience = 4096
  /// The number of failures in a row after which only one payload in 16 is learned.
  private static let maxFailures = 64

  /// Reads the payload at `range`, an offset range in bytes.
  ///
  /// - Returns: nil if the form of the payload is not known.
  /// - Precondition: at least `slack` bytes follow the payload.
  @inline(__always)
  public mutating func read(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Reading? {
    precondition(range.upperBound + Self.slack <= bytes.count)
    hasEscapes = false
    let end = range.upperBound
    var index = range.lowerBound
    var last = 0
    while index < end, let number = step(after: last, at: index, in: bytes) {
      last = number
      let step = steps[number]
      index += step.count
      switch step.value {
      case .nothing: break
      case .end:
        return index == end ? Reading(form: UInt32(truncatingIfNeeded: step.next), hasEscapes: hasEscapes) : nil
      default:
        index = self.end(of: step.value, bytes, from: index, end: end)
        guard index > 0 else { return nil }
      }
    }
    return nil
  }

  /// The step after `last` whose text is at `index`; nil if there is none.
  @inline(__always)
  private func step(after last: Int, at index: Int, in bytes: Span<UInt8>) -> Int? {
    let text = Text(bytes, at: index)
    let steps = steps.span
    var number = steps[last].next
    while number != 0 {
      if text.equals(steps[number].text, under: steps[number].mask) { return number }
      number = steps[number].other
    }
    return nil
  }
}

// MARK: - Learning

extension PayloadForms {
  /// Whether to learn the form of a payload that was not known. Returns false for most payloads if nearly every payload
  /// has a different form.
  package mutating func wantsToLearn() -> Bool {
    misses += 1
    return failures < Self.maxFailures || misses & 15 == 0
  }

  /// Learns the form of a payload, and reads it.
  ///
  /// - Parameters:
  ///   - outline: the outline of this payload, which is valid JSON.
  ///   - bytes: the bytes from which the outline was read.
  ///   - range: the range of the payload in `bytes`.
  /// - Returns: nil if there are too many forms.
  /// - Precondition: at least `slack` bytes follow the payload.
  package mutating func learn(
    _ outline: borrowing PayloadOutline, _ bytes: Span<UInt8>, _ range: Range<Int>
  ) -> Reading? {
    if misses > Self.patience { (steps, misses, failures) = ([Step()], 0, 0) }
    failures += 1
    var last = 0
    var start = range.lowerBound
    for (value, place) in values(of: outline, bytes, range) {
      guard lead(from: &last, over: start..<place.lowerBound, to: value, bytes) else { return nil }
      start = place.upperBound
    }
    let before = steps.count
    guard lead(from: &last, over: start..<range.upperBound, to: .end, bytes) else { return nil }
    if steps.count > before {
      count += 1
      steps[last].next = Int(count)
    }
    failures = 0
    return read(bytes, range)
  }

  /// The values that can differ in the next payload of the form, each with its requirement.
  private mutating func values(
    of outline: borrowing PayloadOutline, _ bytes: Span<UInt8>, _ range: Range<Int>
  ) -> [(FormValue, Range<Int>)] {
    var values: [(FormValue, Range<Int>)] = []
    var members = outline.members[...]
    var scanner = JSONScanner(range)
    while let token = try? scanner.next(in: bytes) {
      guard token.kind != .key, token.kind != .endObject, token.kind != .endArray else { continue }
      var key: Int?
      if let member = members.first, member.value.range.lowerBound == token.start {
        key = member.key
        members.removeFirst()
      }
      guard let value = FormValue(token.kind, ofKey: key) else { continue }
      // The opening quote belongs to the text of the form.
      let start = token.kind == .string ? token.start + 1 : token.start
      if end(of: value, bytes, from: start, end: range.upperBound) == token.end {
        values.append((value, start..<token.end))
      }
    }
    return values
  }

  /// Adds the steps over a text to a value, and reuses existing ones. Returns false if the tree has no space for them.
  private mutating func lead(
    from last: inout Int, over range: Range<Int>, to value: FormValue, _ bytes: Span<UInt8>
  ) -> Bool {
    var start = range.lowerBound
    while start < range.upperBound {
      let count = min(range.upperBound - start, Text.size)
      let mask = Text(first: count)
      let step = Step(
        text: Text(bytes, at: start).masked(by: mask), mask: mask, count: count,
        value: start + count == range.upperBound ? value : .nothing)
      guard let number = find(step, after: last) ?? append(step, after: last) else { return false }
      last = number
      start += count
    }
    return true
  }

  private func find(_ step: Step, after last: Int) -> Int? {
    var number = steps[last].next
    while number != 0 {
      let other = steps[number]
      if other.count == step.count, other.value == step.value, other.text == step.text { return number }
      number = other.other
    }
    return nil
  }

  private mutating func append(_ step: Step, after last: Int) -> Int? {
    guard steps.count < Self.most else { return nil }
    var choices = 0
    var place = steps[last].next
    while place != 0, steps[place].other != 0 {
      place = steps[place].other
      choices += 1
    }
    guard choices < Self.maxChoices else { return nil }
    if place == 0 { steps[last].next = steps.count } else { steps[place].other = steps.count }
    steps.append(step)
    return steps.count - 1
  }
}

/// A block of text that is compared at once.
private struct Text: Sendable, Equatable, BitwiseCopyable {
  private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

  static let size = 32

  init() {}

  @inline(__always)
  init(_ bytes: Span<UInt8>, at start: Int) {
    // Bounds are checked, and any bytes are valid numbers.
    self = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: start, as: Text.self)
  }

  /// A mask with all bits of the first `count` bytes.
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
