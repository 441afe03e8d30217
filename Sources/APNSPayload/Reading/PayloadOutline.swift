/// The structure of a payload, which rules and views query. It reuses its storage, so that it reads many payloads
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
  /// The first keys that repeat another key of the same object, at most ``maxRepeatedKeys`` of them.
  package private(set) var repeatedKeys: [RepeatedKey] = []
  /// The number of all repeated keys.
  package private(set) var repeatedKeyCount = 0
  /// The properties of the payload's strings that reveal how they were encoded.
  public private(set) var text = TextTraits()
  /// The number of bytes before, between and after tokens that could be left out.
  package private(set) var whiteSpace = 0
  /// The offset of the first byte that could be left out; nil if there is none.
  package private(set) var firstWhiteSpace: Int?

  /// The maximum number of ``repeatedKeys``.
  package static let maxRepeatedKeys = 16

  private let table = KeyTable.standard
  private var seen = SeenKeys()
  private var resolved: [UInt8] = []
  private var stack: [Open] = []
  private var current = Open()
  private var objects = 0
  private var occurrences = [Int](repeating: 0, count: PayloadKey.Container.allCases.count)
  private var pendingKey = KeyTable.none
  private var pendingKeyRange = 0..<0

  /// Creates an empty outline.
  public init() {}

  /// A member of an object: its key and its value.
  public struct Member: Sendable, Hashable {
    /// The object that contains it.
    public let container: PayloadKey.Container
    /// Which object with this name contains it, counted from 0. A repeated key creates a second one.
    package let occurrence: Int
    fileprivate let index: UInt8
    /// The offsets of the key, quotes included.
    public let keyRange: Range<Int>
    /// The value.
    public fileprivate(set) var value: Value

    /// The index in ``PayloadKey/all``; nil if the key is not documented for this object.
    public var key: Int? { index == KeyTable.none ? nil : Int(index) }
  }

  /// A value and its position.
  public struct Value: Sendable, Hashable {
    /// The JSON type of the value.
    public let kind: Kind
    /// The offsets of the value, with its quotes or brackets.
    public fileprivate(set) var range: Range<Int>
  }

  /// The JSON types.
  public enum Kind: UInt8, Sendable, Hashable, BitwiseCopyable {
    /// The type that RFC 8259 calls by this name; `bool` is `true` or `false`.
    case object, array, string, number, bool, null
  }

  /// A key that occurs more than once in an object.
  package struct RepeatedKey: Sendable, Hashable {
    /// The offsets of the later occurrence, quotes included.
    package let keyRange: Range<Int>
    /// The offsets of the first occurrence, quotes included.
    package let first: Range<Int>
  }

  /// A set of documented keys by their index in ``PayloadKey/all``.
  @frozen package struct Keys: Sendable, Hashable, BitwiseCopyable {
    @usableFromInline var bits: UInt64 = 0
    /// Creates an empty set.
    @inlinable package init() {}
    /// Creates a set of these indices.
    package init(_ indices: [Int]) { for index in indices { insert(index) } }
    /// Adds the key at this index.
    @inlinable package mutating func insert(_ index: Int) { bits |= 1 &<< UInt64(index) }
    /// Whether the set contains the key at this index.
    @inlinable package func contains(_ index: Int) -> Bool { bits & 1 &<< UInt64(index) != 0 }
    /// The keys that both sets contain.
    @inlinable package func intersection(_ other: Keys) -> Keys {
      var keys = self
      keys.bits &= other.bits
      return keys
    }
    /// Whether the set contains no keys.
    @inlinable package var isEmpty: Bool { bits == 0 }
    /// The number of keys in the set.
    @inlinable package var count: Int { bits.nonzeroBitCount }
  }

  /// The first member with a documented key, which is given by its index in ``PayloadKey/all``; nil if there is none.
  public func first(_ key: Int) -> Member? {
    present.contains(key) ? members.first { $0.index == UInt8(key) } : nil
  }

  /// Reads the payload at `range`, an offset range in bytes, and replaces the preceding payload. It never throws: the
  /// first violation of RFC 8259 is in ``error``.
  public mutating func read(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    reset()
    var scanner = JSONScanner(range)
    var end = range.lowerBound
    var previous: JSONScanner.Kind?
    do throws(JSONError) {
      while let token = try scanner.next(in: bytes) {
        addGap(end..<token.start, punctuation: Self.punctuation(previous, token.kind), bytes)
        readToken(token, bytes)
        (end, previous) = (token.end, token.kind)
      }
      addGap(end..<range.upperBound, punctuation: 0, bytes)
    } catch {
      self.error = error
      endOpenValues(at: error.offset)
    }
  }

  private mutating func reset() {
    error = nil
    root = nil
    members.removeAll(keepingCapacity: true)
    present = Keys()
    repeatedKeys.removeAll(keepingCapacity: true)
    repeatedKeyCount = 0
    text = TextTraits()
    whiteSpace = 0
    firstWhiteSpace = nil
    seen.reset()
    stack.removeAll(keepingCapacity: true)
    current = Open()
    objects = 0
    for index in occurrences.indices { occurrences[index] = 0 }
  }
}

extension PayloadOutline {
  /// A container that is being read.
  private struct Open {
    /// The number of the object in the payload.
    var object = -1
    var container: PayloadKey.Container?
    var occurrence = 0
    /// Its index in ``members``; -1 if it is not one of them.
    var member = -1
  }

  @inline(__always)
  private mutating func readToken(_ token: JSONScanner.Token, _ bytes: Span<UInt8>) {
    switch token.kind {
    case .key: readKey(token, bytes)
    case .beginObject: open(.object, token)
    case .beginArray: open(.array, token)
    case .endObject, .endArray: close(token)
    case .string:
      text.read(token, in: bytes)
      add(.string, token)
    case .number: add(.number, token)
    case .true, .false: add(.bool, token)
    case .null: add(.null, token)
    }
  }

  @inline(__always)
  private mutating func readKey(_ token: JSONScanner.Token, _ bytes: Span<UInt8>) {
    let range = token.range
    text.read(token, in: bytes)
    pendingKeyRange = range
    let key: SeenKeys.Key
    if token.hasEscapes {
      bytes.resolve(range, into: &resolved)
      (pendingKey, key) = identify(token, resolved.span, 0..<resolved.count)
    } else {
      (pendingKey, key) = identify(token, bytes, (range.lowerBound + 1)..<(range.upperBound - 1))
    }
    guard let first = seen.first(like: key, in: bytes) else { return }
    repeatedKeyCount += 1
    if repeatedKeys.count < Self.maxRepeatedKeys {
      repeatedKeys.append(RepeatedKey(keyRange: range, first: first))
    }
  }

  /// The index of a key, whose characters are in `bytes` with escapes resolved, and what identifies it.
  @inline(__always)
  private func identify(
    _ token: JSONScanner.Token, _ bytes: Span<UInt8>, _ characters: Range<Int>
  ) -> (UInt8, SeenKeys.Key) {
    let index = current.container.map { table.index(in: $0, bytes, characters) } ?? KeyTable.none
    return (index, SeenKeys.Key(token, object: current.object, bytes, characters))
  }

  /// Adds a value, or the beginning of one.
  @inline(__always)
  private mutating func add(_ kind: Kind, _ token: JSONScanner.Token) {
    let value = Value(kind: kind, range: token.range)
    if token.depth == 0 { root = value }
    guard let container = current.container else { return }
    members.append(
      Member(
        container: container, occurrence: current.occurrence, index: pendingKey, keyRange: pendingKeyRange,
        value: value))
    if pendingKey != KeyTable.none { present.insert(Int(pendingKey)) }
  }

  private mutating func open(_ kind: Kind, _ token: JSONScanner.Token) {
    var inner = Open()
    let isMember = current.container != nil
    if isMember { inner.member = members.count }
    if kind == .object {
      inner.object = objects
      objects += 1
      inner.container =
        token.depth == 0 ? .root : isMember && pendingKey != KeyTable.none ? table.opens[Int(pendingKey)] : nil
      if let container = inner.container {
        inner.occurrence = occurrences[Int(container.rawValue)]
        occurrences[Int(container.rawValue)] += 1
      }
    }
    add(kind, token)
    stack.append(current)
    current = inner
  }

  @inline(__always)
  private mutating func close(_ token: JSONScanner.Token) {
    if current.member >= 0 { members[current.member].value.end(at: token.end) }
    if token.depth == 0 { root?.end(at: token.end) }
    current = stack.popLast() ?? Open()
  }

  /// Ends open containers at an error, since nothing closes them.
  private mutating func endOpenValues(at offset: Int) {
    while !stack.isEmpty {
      if current.member >= 0 { members[current.member].value.end(at: offset) }
      current = stack.removeLast()
      if stack.isEmpty { root?.end(at: offset) }
    }
  }

  private mutating func addGap(_ gap: Range<Int>, punctuation: Int, _ bytes: Span<UInt8>) {
    guard gap.count > punctuation else { return }
    whiteSpace += gap.count - punctuation
    if firstWhiteSpace == nil {
      firstWhiteSpace = gap.first { bytes[$0] <= 0x20 }
    }
  }

  /// The number of colons and commas between two tokens.
  private static func punctuation(_ previous: JSONScanner.Kind?, _ next: JSONScanner.Kind) -> Int {
    switch (previous, next) {
    case (nil, _), (.beginObject, _), (.beginArray, _): 0
    case (.key, _): 1
    case (_, .endObject), (_, .endArray): 0
    default: 1
    }
  }
}

extension PayloadOutline.Value {
  fileprivate mutating func end(at offset: Int) { range = range.lowerBound..<max(offset, range.upperBound) }
}
