import APNSWire
import Octets

/// A single change to a stream of frames, for coverage-guided fuzzers: they make millions of changes, each from a seed.
///
/// Half of the changes keep all lengths correct, so that the bytes after the changed value are still reached. The
/// others imitate senders' bugs: false lengths, limits of numbers, and frames that are cut, repeated or swapped.
struct FrameMutation {
  private let catalog: Catalog
  private let role: StreamRole
  private var chance: Chance
  private var bytes: [UInt8]

  /// Returns the changed stream.
  /// - Parameter limit: The maximum size of the result in bytes; at least 1.
  static func mutated(
    _ bytes: [UInt8], seed: UInt64, limit: Int, role: StreamRole = .provider, catalog: Catalog
  ) -> [UInt8] {
    var mutation = FrameMutation(catalog: catalog, role: role, chance: Chance(seed: seed), bytes: bytes)
    mutation.change()
    return Array(mutation.bytes.prefix(limit))
  }

  private mutating func change() {
    let frames = frames()
    guard let frame = chance.element(of: frames) else {
      bytes = template()
      return
    }
    var leaves: [FieldRef] = []
    catalog.forEachField(of: frame, in: bytes.span) { leaves.append($0) }
    switch chance.below(10) {
    case 0...3: resize(chance.element(of: leaves.filter { $0.kind == .value }), leaves)
    case 4: falsify(chance.element(of: leaves.filter { $0.kind == .length || $0.kind == .itemLength }), in: frame)
    case 5: overwrite(chance.element(of: leaves))
    case 6: bytes.removeSubrange((chance.element(of: leaves)?.start ?? frame.start)...)
    case 7: bytes.insert(contentsOf: bytes[frame.range], at: frame.end)
    case 8: bytes.insert(contentsOf: template(), at: frame.start)
    default: swap(frame, chance.element(of: frames) ?? frame)
    }
  }

  private func frames() -> [FrameRef] {
    var framer = Framer(catalog, role: role)
    var frames: [FrameRef] = []
    while frames.count < 64, let frame = framer.next(at: frames.last?.end ?? 0, in: bytes.span, isFinal: true) {
      frames.append(frame)
    }
    return frames
  }

  /// A frame of a random type of the role.
  private mutating func template() -> [UInt8] {
    guard let schema = chance.element(of: catalog.schemas.filter { $0.role == role }) else { return [0] }
    var draft = FrameDraft(schema)
    for path in schema.paths where !path.isList { draft[path] = path.field.map { value(of: $0) } }
    return (try? draft.bytes()) ?? [0]
  }

  private mutating func value(of field: Field) -> FieldDraft {
    switch field.content {
    case .integer(let size, _): .integer(chance.next() >> UInt64(64 - size * 8))
    case .json: .octets(Array(#"{"aps":{"alert":"Hi"}}"#.utf8))
    case .text: .octets(Array("text".utf8))
    case .octets, .items: .octets((0..<32).map { _ in UInt8(chance.below(256)) })
    }
  }

  /// Removes bytes from a value or inserts some, and corrects all enclosing lengths.
  private mutating func resize(_ leaf: FieldRef?, _ leaves: [FieldRef]) {
    guard let leaf else { return }
    let position = leaf.start + chance.below(leaf.count + 1)
    let before = bytes.count
    if chance.below(2) == 0, position < leaf.end {
      bytes.removeSubrange(position..<min(leaf.end, position + 1 + chance.below(8)))
    } else {
      bytes.insert(contentsOf: chance.element(of: Self.pieces) ?? [], at: position)
    }
    let difference = bytes.count - before
    for length in leaves where length.end <= leaf.start {
      let isOwn = length.end == leaf.start && (length.kind == .length || length.kind == .itemLength)
      let isAround = length.kind == .length && leaf.depth > length.depth
      if isOwn || isAround { write(number(length) &+ UInt64(bitPattern: Int64(difference)), to: length) }
    }
  }

  /// Bytes that break JSON, UTF-8 or the counting of characters.
  private static let pieces: [[UInt8]] =
    [
      "\"", "{", "}", "[", "]", ",", ":", "\\u00e9", "\\ud83c", "é", "🎉", "\u{0}", "\n", #""aps":{"badge":1},"#,
      "null", #""alert":{"loc-args":["a"]}"#, "1e999", "-0", "true",
    ].map { Array($0.utf8) } + [[0xff], [0xc3], [0, 0, 0, 0], [0xfe, 0xff], Array(repeating: 0x61, count: 300)]

  private mutating func falsify(_ leaf: FieldRef?, in frame: FrameRef) {
    guard let leaf else { return }
    let truth = number(leaf)
    switch chance.below(9) {
    case 0: write(truth &+ 1, to: leaf)
    case 1: write(truth &- 1, to: leaf)
    case 2: write(truth << 1, to: leaf)
    case 3: bytes.replaceSubrange(leaf.range, with: bytes[leaf.range].reversed())
    case 4: write(0, to: leaf)
    case 5: write(.max, to: leaf)
    case 6: write(1 << UInt64(leaf.count * 8 - 1), to: leaf)
    // Read as signed, this length leads back to the start of its frame or item.
    case 7: write(0 &- UInt64(leaf.end - (leaf.kind == .itemLength ? leaf.start - 1 : frame.start)), to: leaf)
    default: write(chance.next() & 0x3ff, to: leaf)
    }
  }

  /// Replaces a leaf by a limit of its size or by a random number, or one byte of a long leaf by a random one.
  private mutating func overwrite(_ leaf: FieldRef?) {
    guard let leaf, leaf.count > 0 else { return }
    if leaf.count <= 8 {
      let bounds: [UInt64] = [0, 1, .max, .max >> 1, 1 << UInt64(leaf.count * 8 - 1), 2, 8, chance.next()]
      write(chance.element(of: bounds) ?? 0, to: leaf)
    } else {
      bytes[leaf.start + chance.below(leaf.count)] = UInt8(chance.below(256))
    }
  }

  private mutating func swap(_ one: FrameRef, _ other: FrameRef) {
    let (first, second) = one.start < other.start ? (one, other) : (other, one)
    guard first.end <= second.start else { return }
    let moved = Array(bytes[second.range])
    bytes.removeSubrange(second.range)
    bytes.insert(contentsOf: moved, at: first.start)
  }

  /// The leaf as a big-endian number.
  private func number(_ leaf: FieldRef) -> UInt64 {
    bytes[leaf.range].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Writes the lowest bytes of a number, big-endian.
  private mutating func write(_ value: UInt64, to leaf: FieldRef) {
    for (index, position) in leaf.range.reversed().enumerated() where index < 8 {
      bytes[position] = UInt8(truncatingIfNeeded: value >> UInt64(index * 8))
    }
  }
}

/// Random choices for a mutation.
struct Chance {
  private var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  mutating func next() -> UInt64 { generator.next() }

  mutating func below(_ count: Int) -> Int { Int(next() % UInt64(max(count, 1))) }

  mutating func element<T>(of all: [T]) -> T? { all.isEmpty ? nil : all[below(all.count)] }
}
