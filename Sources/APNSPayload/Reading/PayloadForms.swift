/// Known forms of payloads. The form of a payload is its text without the values.
///
/// Payloads of one form have the same keys in the same order and values of the same types. If a documented key allows
/// only some values, the value is valid or identical in all of them. No string is empty or damaged, unless it is
/// identical in all of them. Forms do not depend on the rules.
public struct PayloadForms: Sendable {
  private var forms = JSONForms()
  /// The note of a value that its key does not restrict.
  private static let noKey = UInt8.max

  /// Creates an empty set of forms.
  package init() {}

  /// A payload with a known form.
  public struct Reading: Sendable, Hashable, BitwiseCopyable {
    /// The number of the form, which is never 0. Payloads of the same form have the same number.
    package let form: UInt32
    /// Whether a value has `\uXXXX` escapes for characters that UTF-8 could represent directly.
    package let hasEscapes: Bool
  }

  /// Reads the payload at `range`, an offset range in bytes.
  ///
  /// - Returns: nil if the form of the payload is not known.
  @inline(__always)
  public func read(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Reading? {
    var hasEscapes = false
    let form = forms.read(bytes, range) { token, key in
      Self.isOrdinary(token, ofKey: key, in: bytes, &hasEscapes)
    }
    return form.map { Reading(form: UInt32(truncatingIfNeeded: $0), hasEscapes: hasEscapes) }
  }

  /// Whether to learn the form of a payload that was not known. Returns false for most payloads if nearly every payload
  /// has a different form.
  package mutating func wantsToLearn() -> Bool { forms.wantsToLearn() }

  /// Learns the form of a payload, and reads it.
  ///
  /// - Parameters:
  ///   - outline: the outline of this payload, which is valid JSON.
  ///   - bytes: the bytes from which the outline was read.
  ///   - range: the range of the payload in `bytes`.
  /// - Returns: nil if there are too many forms.
  package mutating func learn(
    _ outline: borrowing PayloadOutline, _ bytes: Span<UInt8>, _ range: Range<Int>
  ) -> Reading? {
    _ = forms.learn(Self.values(of: outline, bytes, range), of: bytes, range)
    return read(bytes, range)
  }

  /// The strings and numbers that can differ in the next payload of the form. Their notes are the keys that allow only
  /// some values. All other values belong to the text of the form.
  private static func values(
    of outline: borrowing PayloadOutline, _ bytes: Span<UInt8>, _ range: Range<Int>
  ) -> [JSONForms.Value] {
    var values: [JSONForms.Value] = []
    var members = outline.members[...]
    var scanner = JSONScanner(range)
    var hasEscapes = false
    while let token = try? scanner.next(in: bytes) {
      var note = Self.noKey
      if let member = members.first, member.value.range.lowerBound == token.start {
        members.removeFirst()
        if let key = member.key, PayloadKey.all[key].types.contains(member.value.kind),
          PayloadKey.all[key].allowed != .any
        {
          note = UInt8(key)
        }
      }
      guard token.kind == .string || token.kind == .number, isOrdinary(token, ofKey: note, in: bytes, &hasEscapes)
      else { continue }
      values.append((token.kind, note, token.range))
    }
    return values
  }

  /// Whether a string has text that is not damaged, and the key at this index allows the value.
  @inline(__always)
  private static func isOrdinary(
    _ value: JSONScanner.Token, ofKey key: UInt8, in bytes: Span<UInt8>, _ hasEscapes: inout Bool
  ) -> Bool {
    if key != noKey, !isValid(value, ofKey: key, in: bytes) { return false }
    guard value.kind == .string else { return true }
    if value.isASCII, !value.hasEscapes { return value.range.count > 2 }
    var text = TextTraits()
    text.read(value, in: bytes)
    guard !text.isDamaged else { return false }
    if text.escapes > 0 { hasEscapes = true }
    return true
  }

  @inline(never)
  private static func isValid(_ value: JSONScanner.Token, ofKey key: UInt8, in bytes: Span<UInt8>) -> Bool {
    let value = PayloadOutline.Value(kind: PayloadOutline.Kind(value.kind), range: value.range)
    return PayloadKey.all[Int(key)].allowed.fault(in: value, bytes) == nil
  }
}
