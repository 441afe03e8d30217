/// A payload taken apart once: what rules and views ask of it, each with its place. It keeps its storage, so that one
/// payload after the other costs no allocation.
public struct PayloadOutline: Sendable {
  /// The first violation of RFC 8259; what stands before it was read.
  public private(set) var error: JSONError?
  /// The one value that the payload is. Where the error is inside it, it ends there.
  public private(set) var root: Value?
  /// Of the root, of aps, of its alert and of its sound, in wire order.
  public private(set) var members: [Member] = []
  /// Which documented keys it has.
  public private(set) var present = Keys()
  /// The first of the keys that stand a second time in one object, anywhere; at most ``mostRepeatedKeys``.
  public private(set) var repeatedKeys: [RepeatedKey] = []
  /// All of them.
  public private(set) var repeatedKeyCount = 0
  public private(set) var text = TextTraits()
  /// Bytes between tokens, before the first and behind the last one, that could be left out.
  public private(set) var whiteSpace = 0
  public private(set) var firstWhiteSpace: Int?

  public static let mostRepeatedKeys = 16

  private let table = KeyTable.standard
  private var seen = SeenKeys()
  private var resolved: [UInt8] = []
  private var stack: [Open] = []
  private var current = Open()
  private var objects = 0
  private var occurrences = [Int](repeating: 0, count: PayloadKey.Container.allCases.count)
  private var pendingKey = KeyTable.none
  private var pendingKeyRange = 0..<0

  public init() {}

  public struct Member: Sendable, Hashable {
    public let container: PayloadKey.Container
    /// Which object of that name it is in, from 0: a repeated key makes a second one.
    public let occurrence: Int
    fileprivate let index: UInt8
    /// Quotes included.
    public let keyRange: Range<Int>
    public fileprivate(set) var value: Value

    /// Index in ``PayloadKey/all``; nil where the key is not documented for that object.
    public var key: Int? { index == KeyTable.none ? nil : Int(index) }
  }

  public struct Value: Sendable, Hashable {
    public let kind: Kind
    /// Quotes and brackets included.
    public fileprivate(set) var range: Range<Int>
  }

  public enum Kind: UInt8, Sendable, Hashable, BitwiseCopyable {
    case object, array, string, number, bool, null
  }

  public struct RepeatedKey: Sendable, Hashable {
    /// Quotes included.
    public let keyRange: Range<Int>
    /// Where it stood before.
    public let first: Range<Int>
  }

  /// A set of documented keys, by their index in ``PayloadKey/all``.
  @frozen public struct Keys: Sendable, Hashable, BitwiseCopyable {
    @usableFromInline var bits: UInt64 = 0
    @inlinable public init() {}
    public init(_ indices: [Int]) { for index in indices { insert(index) } }
    @inlinable public mutating func insert(_ index: Int) { bits |= 1 &<< UInt64(index) }
    @inlinable public func contains(_ index: Int) -> Bool { bits & 1 &<< UInt64(index) != 0 }
    @inlinable public func intersection(_ other: Keys) -> Keys {
      var keys = self
      keys.bits &= other.bits
      return keys
    }
    @inlinable public var isEmpty: Bool { bits == 0 }
    @inlinable public var count: Int { bits.nonzeroBitCount }
  }

  /// The first member with a documented key.
  public func first(_ key: Int) -> Member? {
    present.contains(key) ? members.first { $0.index == UInt8(key) } : nil
  }

  /// Takes the payload at `range` in place of the one before.
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
    /// Counted through the payload.
    var object = -1
    var container: PayloadKey.Container?
    var occurrence = 0
    /// Its place in ``members``, -1 where it has none.
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
    let hash: KeyHash
    if token.hasEscapes {
      bytes.resolve(range, into: &resolved)
      hash = KeyHash(resolved.span, 0..<resolved.count)
      pendingKey = index(resolved.span, 0..<resolved.count, hash)
    } else {
      let content = (range.lowerBound + 1)..<(range.upperBound - 1)
      hash = KeyHash(bytes, content)
      pendingKey = index(bytes, content, hash)
    }
    let key = SeenKeys.Key(
      hash: hash.mixed(with: UInt64(current.object)), object: current.object, range: range,
      hasEscapes: token.hasEscapes)
    guard let first = seen.first(like: key, in: bytes) else { return }
    repeatedKeyCount += 1
    if repeatedKeys.count < Self.mostRepeatedKeys {
      repeatedKeys.append(RepeatedKey(keyRange: range, first: first))
    }
  }

  @inline(__always)
  private func index(_ bytes: Span<UInt8>, _ key: Range<Int>, _ hash: KeyHash) -> UInt8 {
    guard let container = current.container else { return KeyTable.none }
    return table.index(in: container, bytes, key, hash)
  }

  /// A value, or the beginning of one.
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

  /// Behind an error nothing closes what is open.
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

  /// Colons and commas between two tokens.
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
