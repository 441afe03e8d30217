import Octets

/// An index of the values of one JSON object: its members, and the members of objects in its lists, in order of their
/// start. It reuses its storage, so that it reads many texts without allocating.
///
/// Most texts of a stream have the *form* of an earlier text: the same bytes around values of the same kinds. In this
/// case the index compares those bytes and scans only the values. The text is then known to be well-formed.
public struct JSONIndex: Sendable {
  /// The indexed values. The first one is the text's root value.
  public private(set) var values: [Value] = []

  /// The form of a text with more values is not remembered.
  private static let maxValues = 256

  private var forms = [Form](repeating: Form(), count: 32)
  private let key: @Sendable (Span<UInt8>) -> Key

  /// Creates an index.
  ///
  /// - Parameter key: returns what is known about the key with these characters.
  package init(_ key: @escaping @Sendable (Span<UInt8>) -> Key) { self.key = key }

  /// The properties of a key. `isList` says that its value is an array of objects whose members are indexed.
  package typealias Key = (id: UInt16, isList: Bool)

  /// The id of every key that is not known. Only the first member with such a key is indexed in each object.
  public static let unknown = UInt16.max
  private static let otherKey: Key = (unknown, false)

  /// A value and its position in the text.
  public struct Value: Sendable, BitwiseCopyable {
    /// The kind of the value. For an object or array, the kind of its opening bracket.
    public let kind: JSONScanner.Kind
    /// Whether the value is a string that contains a backslash.
    public fileprivate(set) var hasEscapes: Bool
    /// The id of the value's key; ``unknown`` outside objects.
    public let key: UInt16
    fileprivate var start: UInt32
    fileprivate var end: UInt32
    fileprivate var keyStart: UInt32
    fileprivate var following: UInt32 = 0

    /// The offsets of the value, with its brackets or quotes. The range is empty if the value's contents are indexed.
    public var range: Range<Int> { Int(start)..<Int(end) }
    /// The offset of the value's key; 0 outside objects.
    package var keyOffset: Int { Int(keyStart) }
    /// The index of the first value that is not inside this one.
    public var next: Int { Int(following) }

    fileprivate init(_ token: JSONScanner.Token, _ key: UInt16, keyStart: Int) {
      kind = token.kind
      hasEscapes = token.hasEscapes
      self.key = key
      start = UInt32(truncatingIfNeeded: token.start)
      end = start
      self.keyStart = UInt32(truncatingIfNeeded: keyStart)
    }
  }

  /// Reads a text and replaces the values of the preceding one.
  ///
  /// - Precondition: the text is shorter than 4 GiB.
  /// - Throws: ``JSONError`` at the first violation of RFC 8259.
  public mutating func read(_ text: [UInt8]) throws(JSONError) {
    precondition(text.count < UInt32.max)
    let slot = Self.slot(of: text.span)
    values.removeAll(keepingCapacity: values.count < 1 << 16)
    if readWithForm(forms[slot], text.span) {
      forms[slot].credit = Form.maxCredit
      return
    }
    values.removeAll(keepingCapacity: true)
    try readAll(text.span)
    // A common form survives a few texts of other forms.
    forms[slot].credit -= 1
    guard forms[slot].credit < 0, values.count <= Self.maxValues, text.count < 1 << 14 else { return }
    forms[slot] = Form(text: text, values: values)
  }

  private mutating func readAll(_ text: Span<UInt8>) throws(JSONError) {
    var scanner = JSONScanner(0..<text.count)
    if let token = try scanner.next(in: text) { try add(token, Self.otherKey, at: 0, &scanner, text) }
    // Check that nothing follows.
    _ = try scanner.next(in: text)
  }

  /// Adds the value that begins with `token`; `keyStart` is 0 outside objects.
  /// - Returns: whether it is an indexed object with a known key.
  @discardableResult
  private mutating func add(
    _ token: JSONScanner.Token, _ key: Key, at keyStart: Int, _ scanner: inout JSONScanner, _ text: Span<UInt8>
  ) throws(JSONError) -> Bool {
    let index = values.count
    values.append(Value(token, key.id, keyStart: keyStart))
    var (isOpen, isKnown) = (true, false)
    switch token.kind {
    case .beginObject where keyStart == 0: isKnown = try addMembers(&scanner, text)
    case .beginArray where key.isList: try addElements(&scanner, text)
    default: isOpen = false
    }
    try scanner.close(to: token.depth, in: text)
    if !isOpen { values[index].end = UInt32(truncatingIfNeeded: scanner.position) }
    values[index].following = UInt32(truncatingIfNeeded: values.count)
    return isKnown
  }

  private mutating func addMembers(_ scanner: inout JSONScanner, _ text: Span<UInt8>) throws(JSONError) -> Bool {
    var (known, others) = (0, 0)
    while let name = try scanner.next(in: text), name.kind == .key, let token = try scanner.next(in: text) {
      let key = key(of: name, text)
      if key.id == Self.unknown { others += 1 } else { known += 1 }
      if key.id != Self.unknown || others == 1 {
        try add(token, key, at: name.start, &scanner, text)
      } else {
        try scanner.close(to: token.depth, in: text)
      }
    }
    return known > 0
  }

  /// Stops at the first element that is not an object with a known key. It is rejected, so the rest is not needed.
  private mutating func addElements(_ scanner: inout JSONScanner, _ text: Span<UInt8>) throws(JSONError) {
    while let token = try scanner.next(in: text), token.kind != .endArray {
      guard try add(token, Self.otherKey, at: 0, &scanner, text) else { return }
    }
  }

  private func key(of name: JSONScanner.Token, _ text: Span<UInt8>) -> Key {
    if !name.hasEscapes { return key(text.extracting((name.start + 1)..<(name.end - 1))) }
    return JSONValue.unescape(name.range, in: text).map { key($0.span) } ?? Self.otherKey
  }
}

// Remembering forms.
extension JSONIndex {
  /// A text that serves as an example of its form.
  private struct Form: Sendable {
    var text: [UInt8] = []
    var values: [Value] = []
    /// How many texts of other forms it survives in its slot.
    var credit = 0

    static let maxCredit = 8
  }

  /// Chooses a slot by a few bytes that differ between forms. In NDJSON records, these bytes contain the type.
  private static func slot(of text: Span<UInt8>) -> Int {
    guard text.count >= 32 else { return 0 }
    let mixed = (text.word(at: 16) ^ text.word(at: 24) &* 3) &* 0x9e37_79b9_7f4a_7c15
    return Int(mixed >> 59)
  }

  /// Reads the values if the text has this form; returns false otherwise.
  private mutating func readWithForm(_ form: Form, _ text: Span<UInt8>) -> Bool {
    guard !form.values.isEmpty else { return false }
    values.append(contentsOf: form.values)
    var moved = values.mutableSpan
    let formText = form.text.span
    // A form has at most this many containers around a value, and a text that is nested too deeply has no form.
    var scanner = JSONScanner(0..<text.count, depth: Self.maxValues)
    // `end` is the end of the last value in the form's text. `shift` is the distance from there to its end in this
    // text.
    var end = 0
    var shift = 0
    for index in moved.indices {
      var value = moved[index]
      let (start, formEnd) = (Int(value.start), Int(value.end))
      value.start &+= UInt32(truncatingIfNeeded: shift)
      value.end &+= UInt32(truncatingIfNeeded: shift)
      value.keyStart &+= UInt32(truncatingIfNeeded: shift)
      if start < formEnd {
        let (before, left) = (end..<start, text.count - end - shift)
        // Many values are the same in each text. The byte after a value shows where it ends.
        let withNext = end..<(formEnd + 1)
        if left < withNext.count || formEnd >= formText.count
          || !formText.isEqual(withNext, to: text, from: end + shift)
        {
          guard left > before.count, formText.isEqual(before, to: text, from: end + shift),
            let token = try? scanner.value(at: start + shift, in: text), token.kind == value.kind
          else { return false }
          shift = scanner.position - formEnd
          value.end = UInt32(truncatingIfNeeded: scanner.position)
          value.hasEscapes = token.hasEscapes
        }
        end = formEnd
      }
      moved[index] = value
    }
    return text.count - shift == formText.count
      && formText.isEqual(end..<formText.count, to: text, from: end + shift)
  }
}
