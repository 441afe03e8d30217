import Octets

/// Known forms of JSON texts. The form of a text is what remains without its values. Programs fill in templates, so
/// most texts repeat an earlier form, and then only their values need to be read.
///
/// The bytes around the values are compared with those of an earlier text, and the scanner reads the values. So a text
/// with a known form is well-formed.
struct JSONForms: Sendable {
  /// A tree of the forms. The first step is its root, which has neither text nor value.
  private var steps = [Step()]
  /// The texts of all steps.
  private var text: [UInt8] = []
  /// The number of the first form in the tree. The first form of all has number 1. Numbers are never reused.
  private(set) var first = 1
  /// The number of forms in the tree.
  private var count = 0
  /// The number of unknown texts since the tree was emptied, and of those in a row for which it had no space.
  private var misses = 0
  private var failures = 0

  /// A value that differs between the texts of a form: its kind, what the caller of ``learn(_:of:_:)`` knows about it,
  /// and its offsets, with its brackets or quotes.
  typealias Value = (kind: JSONScanner.Kind, note: UInt8, range: Range<Int>)

  /// Text, and the value after it.
  private struct Step: Sendable, BitwiseCopyable {
    /// The first eight bytes of the text, and a mask for a text of fewer bytes.
    var head: UInt64 = 0
    var mask: UInt64 = 0
    /// The offset and size of the text in ``JSONForms/text``.
    var start = 0
    var count = 0
    /// The kind of the value; nil at the end of the form.
    var kind: JSONScanner.Kind?
    var note: UInt8 = 0
    /// The step after it; for the last step, the number of the form. 0 for none.
    var next = 0
    /// An alternative to this step. 0 for none.
    var other = 0
  }

  private static let maxSteps = 1024
  private static let maxText = 1 << 16
  /// The maximum number of alternatives at one point.
  private static let maxChoices = 8
  /// The number of misses after which the tree is emptied.
  private static let patience = 4096
  /// The number of failures in a row after which only one text in 16 is learned.
  private static let maxFailures = 64
  /// A form with more values is not learned, so no value of a form is inside more containers.
  private static let maxValues = 256

  /// Reads the text at `range`, an offset range in bytes.
  ///
  /// - Parameter accept: gets each value with its note. The token ends at the end of the value. If `accept` returns
  ///   false, the text does not have the form to which the value belongs.
  /// - Returns: the number of the text's form; nil if the form is not known.
  @inline(__always)
  func read(_ bytes: Span<UInt8>, _ range: Range<Int>, _ accept: (JSONScanner.Token, UInt8) -> Bool) -> Int? {
    let (steps, text) = (steps.span, text.span)
    var scanner = JSONScanner(range, depth: Self.maxValues)
    var index = range.lowerBound
    var head = bytes.paddedWord(at: index)
    var number = steps[0].next
    while number != 0 {
      let step = steps[number]
      number = step.other
      guard (head ^ step.head) & step.mask == 0, range.upperBound - index >= step.count,
        step.count <= 8 || text.isEqual(step.start..<(step.start + step.count), to: bytes, from: index)
      else { continue }
      let start = index + step.count
      guard let kind = step.kind else {
        if start == range.upperBound { return step.next }
        continue
      }
      guard start < range.upperBound, let token = scanner.value(of: kind, at: start, in: bytes),
        accept(token, step.note)
      else { continue }
      index = token.end
      head = bytes.paddedWord(at: index)
      number = step.next
    }
    return nil
  }
}

// Learning forms.
extension JSONForms {
  /// Whether to learn the form of a text that was not known. Returns false for most texts if nearly every text has a
  /// different form.
  mutating func wantsToLearn() -> Bool {
    misses += 1
    return failures < Self.maxFailures || misses & 15 == 0
  }

  /// Learns the form of a well-formed text from its values, which are in order.
  ///
  /// - Returns: the number of the new form; nil if the form is known or if there are too many forms.
  mutating func learn(_ values: [Value], of bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
    if misses > Self.patience {
      first += count
      (steps, text, count, misses, failures) = ([Step()], [], 0, 0, 0)
    }
    failures += 1
    guard values.count <= Self.maxValues else { return nil }
    let known = steps.count
    var (last, start) = (0, range.lowerBound)
    for value in values {
      guard let step = step(after: last, bytes.extracting(start..<value.range.lowerBound), value) else { return nil }
      (last, start) = (step, value.range.upperBound)
    }
    guard let end = step(after: last, bytes.extracting(start..<range.upperBound), nil) else { return nil }
    failures = 0
    guard steps.count > known else { return nil }
    steps[end].next = first + count
    count += 1
    return steps[end].next
  }

  /// The step after `last` over these bytes to the value, or to the end of the form. It is added if there is none. Nil
  /// if the tree has no space for it.
  private mutating func step(after last: Int, _ bytes: Span<UInt8>, _ value: Value?) -> Int? {
    var (previous, number, choices) = (0, steps[last].next, 0)
    while number != 0 {
      let step = steps[number]
      if step.kind == value?.kind, step.note == value?.note ?? 0, step.count == bytes.count,
        bytes.isEqual(0..<bytes.count, to: text.span, from: step.start)
      {
        return number
      }
      (previous, number, choices) = (number, step.other, choices + 1)
    }
    guard choices <= Self.maxChoices, steps.count < Self.maxSteps, text.count + bytes.count <= Self.maxText else {
      return nil
    }
    if previous == 0 { steps[last].next = steps.count } else { steps[previous].other = steps.count }
    let mask: UInt64 = bytes.count < 8 ? 1 << UInt64(bytes.count * 8) - 1 : .max
    steps.append(
      Step(
        head: bytes.firstWord(of: 0..<bytes.count), mask: mask, start: text.count, count: bytes.count,
        kind: value?.kind, note: value?.note ?? 0))
    text.append(contentsOf: bytes)
    return steps.count - 1
  }
}
