/// The forms of payloads: what stays of a text once its values are taken out. Senders fill in forms, so most payloads were
/// there before but for their values, and only those need to be read.
///
/// It knows no rule. Two payloads of one form have the same keys in the same order and values of the same types; values of
/// which a documented key takes only some are right in both, or the same.
public struct PayloadForms: Sendable {
  /// A tree of texts and values; the first step is its root, without a text.
  private var steps = [Step()]
  /// Of the last form, counted from 1. Numbers are not used again.
  private var count: UInt32 = 0
  /// Payloads of other forms since the tree began to grow, and those in a row for which there was no room.
  private var misses = 0
  private var failures = 0
  /// The payload that was read last has characters written as `\uXXXX` that UTF-8 could hold as they are.
  var hasEscapes = false

  /// Bytes that must follow a payload, whatever they are: text is compared in pieces that may reach past its end.
  public static let slack = 32

  public init() {}

  /// A payload whose form is known.
  public struct Reading: Sendable, Hashable, BitwiseCopyable {
    /// The same number for the same form; never 0.
    public let form: UInt32
    /// A value has characters written as `\uXXXX` that UTF-8 could hold as they are.
    public let hasEscapes: Bool
  }

  /// A text, and the value after it.
  private struct Step: Sendable, BitwiseCopyable {
    var text = Text()
    var mask = Text()
    var count = 0
    var value = FormValue.nothing
    /// The step after it; for the last one, the number of the form. 0 for none.
    var next = 0
    /// Another in place of this one. 0 for none.
    var other = 0
  }

  private static let most = 1024
  /// Steps in one place.
  private static let mostChoices = 8
  /// Misses after which the tree is emptied and grown again.
  private static let patience = 4096
  /// Failures in a row after which only one payload in 16 is tried.
  private static let mostFailures = 64

  /// Reads the payload at `range`; nil where its form is not known.
  ///
  /// - Precondition: ``slack`` bytes follow it.
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

  /// The step that leads on from `last` with the text at `index`; nil where none does.
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
  /// Whether the form of a payload is to be learnt, which was not known. Where nearly every payload has a form of its own,
  /// few are tried.
  public mutating func wantsToLearn() -> Bool {
    misses += 1
    return failures < Self.mostFailures || misses & 15 == 0
  }

  /// Learns the form of a payload, and reads it; nil where there are too many forms.
  ///
  /// - Parameter outline: of this payload, which is JSON.
  /// - Precondition: ``slack`` bytes follow it.
  public mutating func learn(
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

  /// The values that may be others in the next payload of its form, each with what is asked of it.
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
      // The quotation mark before a string belongs to the text.
      let start = token.kind == .string ? token.start + 1 : token.start
      if end(of: value, bytes, from: start, end: range.upperBound) == token.end {
        values.append((value, start..<token.end))
      }
    }
    return values
  }

  /// Leads from a step over a text to a value, by the steps that are there, or by new ones; false where it takes too many.
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
    guard choices < Self.mostChoices else { return nil }
    if place == 0 { steps[last].next = steps.count } else { steps[place].other = steps.count }
    steps.append(step)
    return steps.count - 1
  }
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
