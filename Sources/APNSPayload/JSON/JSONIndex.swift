import Octets

/// An index of the values of one JSON object: its members, and the members of objects in its lists, in order of their
/// start. It reuses its storage, so that it reads many texts without allocating.
///
/// In a text whose form is known, only the values are read.
public struct JSONIndex: Sendable {
  /// The indexed values. The first one is the text's root value.
  public private(set) var values: [Value] = []

  private var forms = JSONForms()
  /// The values of a text of each form, from ``JSONForms/first`` on.
  private var examples: [[Value]] = []
  private var found: [JSONScanner.Token] = []
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
    /// The offset of the value's key; 0 outside objects.
    package fileprivate(set) var keyOffset: Int
    fileprivate var start: Int
    fileprivate var end: Int
    /// The index of the first value that is not inside this one.
    public fileprivate(set) var next = 0

    /// The offsets of the value, with its brackets or quotes. The range is empty if the value's contents are indexed.
    public var range: Range<Int> { start..<end }
  }

  /// Reads a text and replaces the values of the preceding one.
  ///
  /// - Throws: ``JSONError`` at the first violation of RFC 8259.
  public mutating func read(_ text: [UInt8]) throws(JSONError) {
    values.removeAll(keepingCapacity: values.count < 1 << 16)
    if readWithForm(text.span) { return }
    var scanner = JSONScanner(text.indices)
    if let token = try scanner.next(in: text.span) { try add(token, Self.otherKey, at: 0, &scanner, text.span) }
    // Check that nothing follows.
    _ = try scanner.next(in: text.span)
    learnForm(of: text.span)
  }

  /// Adds the value that begins with `token`; `keyOffset` is 0 outside objects.
  ///
  /// - Returns: whether it is an indexed object with a known key.
  @discardableResult
  private mutating func add(
    _ token: JSONScanner.Token, _ key: Key, at keyOffset: Int, _ scanner: inout JSONScanner, _ text: Span<UInt8>
  ) throws(JSONError) -> Bool {
    let index = values.count
    values.append(
      Value(
        kind: token.kind, hasEscapes: token.hasEscapes, key: key.id, keyOffset: keyOffset, start: token.start,
        end: token.start))
    var (isOpen, isKnown) = (true, false)
    switch token.kind {
    case .beginObject where keyOffset == 0: isKnown = try addMembers(&scanner, text)
    case .beginArray where key.isList: try addElements(&scanner, text)
    default: isOpen = false
    }
    try scanner.close(to: token.depth, in: text)
    if !isOpen { values[index].end = scanner.position }
    values[index].next = values.count
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

// Reading texts of known forms.
extension JSONIndex {
  /// Moves the values of an example to their places in the text. Returns false if the form of the text is not known.
  private mutating func readWithForm(_ text: Span<UInt8>) -> Bool {
    var found: [JSONScanner.Token] = []
    swap(&found, &self.found)
    defer { swap(&found, &self.found) }
    found.removeAll(keepingCapacity: true)
    let form = forms.read(text, 0..<text.count) { token, _ in
      found.append(token)
      return true
    }
    guard let form else { return false }
    values.append(contentsOf: examples[form - forms.first])
    var moved = values.mutableSpan
    // The distance from the end of a value in the example to its end in this text.
    var shift = 0
    var next = 0
    for index in moved.indices {
      var value = moved[index]
      let isOpen = value.range.isEmpty
      if value.keyOffset > 0 { value.keyOffset += shift }
      value.start += shift
      if !isOpen {
        shift = found[next].end - value.end
        value.hasEscapes = found[next].hasEscapes
        next += 1
      }
      value.end += shift
      moved[index] = value
    }
    return true
  }

  private mutating func learnForm(of text: Span<UInt8>) {
    guard forms.wantsToLearn() else { return }
    let read = values.filter { !$0.range.isEmpty }.map { (kind: $0.kind, note: 0 as UInt8, range: $0.range) }
    guard let form = forms.learn(read, of: text, 0..<text.count) else { return }
    if form == forms.first { examples.removeAll() }
    examples.append(values)
  }
}
