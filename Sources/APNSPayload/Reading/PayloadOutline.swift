/// The structure of a payload, which rules and views query. It reuses its storage, so that it reads most payloads
/// without allocating.
public struct PayloadOutline: Sendable {
  /// The first violation of RFC 8259; nil if there is none. Everything before it was read.
  public private(set) var error: JSONError?
  /// The payload's root value; nil if the payload has none. If it contains the error, it ends there.
  package private(set) var root: Value?
  /// The members of the root, of `aps` and of its `alert`, in wire order.
  public private(set) var members: [Member] = []
  /// The documented keys that the payload has.
  package private(set) var present = Keys()
  /// The keys that repeat another key of the same object, in order.
  package private(set) var repeatedKeys: [RepeatedKey] = []
  /// The properties of the payload's strings that reveal how they were encoded.
  public private(set) var text = TextTraits()
  /// The number of bytes before, between and after tokens that could be left out.
  package private(set) var whiteSpace = 0
  /// The offset of the first byte that could be left out; nil if there is none.
  package private(set) var firstWhiteSpace: Int?

  private var seen = SeenKeys()
  private var objects = 0

  /// Creates an empty outline.
  public init() {}

  /// A member of an object: its key and its value.
  public struct Member: Sendable, Hashable {
    /// The object that contains it.
    public let container: PayloadKey.Container
    /// The index in ``PayloadKey/all``; nil if the key is not documented for this object.
    public let key: Int?
    /// The offsets of the key, quotes included.
    public let keyRange: Range<Int>
    /// The value.
    public fileprivate(set) var value: Value
  }

  /// A value and its position.
  public struct Value: Sendable, Hashable {
    /// The JSON type of the value.
    public let kind: Kind
    /// The offsets of the value, with its quotes or brackets.
    public fileprivate(set) var range: Range<Int>
  }

  /// The JSON types.
  public enum Kind: UInt8, Sendable, Hashable, CaseIterable, BitwiseCopyable {
    /// The type that RFC 8259 calls by this name; `bool` is `true` or `false`.
    case string, number, object, array, bool, null
  }

  /// A key that occurs more than once in an object.
  package struct RepeatedKey: Sendable, Hashable {
    /// The offsets of the later occurrence, quotes included.
    package let keyRange: Range<Int>
    /// The offsets of the first occurrence, quotes included.
    package let first: Range<Int>
  }

  /// A set of documented keys by their index in ``PayloadKey/all``.
  @frozen package struct Keys: OptionSet, Sendable, Hashable, BitwiseCopyable {
    package var rawValue: UInt64
    /// Creates a set of keys, each of which is a bit.
    @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }
    /// Creates a set of these indices.
    package init(_ indices: [Int]) { self.init(rawValue: indices.reduce(0) { $0 | 1 &<< UInt64($1) }) }
    /// Adds the key at this index.
    @inlinable package mutating func insert(_ index: Int) { rawValue |= 1 &<< UInt64(index) }
    /// Whether the set contains the key at this index.
    @inlinable package func contains(_ index: Int) -> Bool { rawValue & 1 &<< UInt64(index) != 0 }
    /// The number of keys in the set.
    @inlinable package var count: Int { rawValue.nonzeroBitCount }
  }

  /// The first member with a documented key, which is given by its index in ``PayloadKey/all``; nil if there is none.
  public func first(_ key: Int) -> Member? {
    present.contains(key) ? members.first { $0.key == key } : nil
  }

  /// Reads the payload at `range`, an offset range in bytes, and replaces the preceding payload. It never throws: the
  /// first violation of RFC 8259 is in ``error``.
  public mutating func read(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    (error, root, present, text, objects) = (nil, nil, Keys(), TextTraits(), 0)
    members.removeAll(keepingCapacity: true)
    seen.reset()
    var scanner = JSONScanner(range)
    do throws(JSONError) {
      if let token = try scanner.next(in: bytes) {
        root = Value(kind: Kind(token.kind), range: token.range)
        let end = try readValue(token, .root, &scanner, bytes)
        root?.range = token.start..<end
      }
      // Check that nothing follows.
      _ = try scanner.next(in: bytes)
    } catch {
      self.error = error
      root?.endIfOpen(at: error.offset)
      for index in members.indices { members[index].value.endIfOpen(at: error.offset) }
    }
    repeatedKeys = seen.repeated(in: bytes)
    (whiteSpace, firstWhiteSpace) = (scanner.whiteSpace, scanner.firstWhiteSpace)
  }
}

extension PayloadOutline {
  /// Reads the value that begins with `token` and returns its end. The recursion is bounded, because the scanner
  /// rejects deep nesting.
  ///
  /// - Parameter container: what the value is if it is an object; nil if it has no documented keys.
  private mutating func readValue(
    _ token: JSONScanner.Token, _ container: PayloadKey.Container?, _ scanner: inout JSONScanner, _ bytes: Span<UInt8>
  ) throws(JSONError) -> Int {
    switch token.kind {
    case .beginObject: try readMembers(of: container, &scanner, bytes)
    case .beginArray:
      while let element = try scanner.next(in: bytes), element.kind != .endArray {
        _ = try readValue(element, nil, &scanner, bytes)
      }
    default: if token.kind == .string { text.read(token, in: bytes) }
    }
    return scanner.position
  }

  private mutating func readMembers(
    of container: PayloadKey.Container?, _ scanner: inout JSONScanner, _ bytes: Span<UInt8>
  ) throws(JSONError) {
    objects += 1
    let object = objects
    while let name = try scanner.next(in: bytes), name.kind == .key {
      let key = readKey(name, in: container, object: object, bytes)
      guard let token = try scanner.next(in: bytes) else { return }
      guard let container else {
        _ = try readValue(token, nil, &scanner, bytes)
        continue
      }
      let member = members.count
      let value = Value(kind: Kind(token.kind), range: token.range)
      members.append(Member(container: container, key: key, keyRange: name.range, value: value))
      if let key { present.insert(key) }
      let end = try readValue(token, key.flatMap { KeyTable.keys[$0].opens }, &scanner, bytes)
      members[member].value.range = token.start..<end
    }
  }

  /// Adds a key and returns its index.
  @inline(__always)
  private mutating func readKey(
    _ token: JSONScanner.Token, in container: PayloadKey.Container?, object: Int, _ bytes: Span<UInt8>
  ) -> Int? {
    text.read(token, in: bytes)
    if token.hasEscapes {
      var characters: [UInt8] = []
      bytes.resolve(token.range, into: &characters)
      seen.add(token.range, object: object, characters.span, characters.indices)
      return container.flatMap { KeyTable.index(in: $0, characters.span, characters.indices) }
    }
    let characters = (token.start + 1)..<(token.end - 1)
    seen.add(token.range, object: object, bytes, characters)
    return container.flatMap { KeyTable.index(in: $0, bytes, characters) }
  }
}

extension PayloadOutline.Value {
  /// Ends a container at an error, since nothing closes it. Only its bracket was read.
  fileprivate mutating func endIfOpen(at offset: Int) {
    if kind == .object || kind == .array, range.count == 1 { range = range.lowerBound..<max(offset, range.upperBound) }
  }
}
