import APNSPayload
import APNSWire

/// A part of a stream that can be removed.
struct Cut {
  let range: Range<Int>
  /// The ranges of the length fields that count it.
  let lengths: [Range<Int>]
}

extension Catalog {
  /// The parts of a stream that can be removed at one level, in order. They are derived from the field walk, so new
  /// frame types need no code here.
  func cuts(at level: Minimizer.Level, in bytes: [UInt8], of role: StreamRole) -> [Cut] {
    if level == .cut { return bytes.indices.map { Cut(range: $0..<($0 + 1), lengths: []) } }
    var cuts: [Cut] = []
    forEachFrame(in: bytes.span, of: role) { frame in
      if level == .frame {
        cuts.append(Cut(range: frame.range, lengths: []))
      } else {
        addCuts(at: level, of: frame, bytes.span, to: &cuts)
      }
    }
    return cuts
  }

  private func addCuts(
    at level: Minimizer.Level, of frame: FrameRef, _ bytes: Span<UInt8>, to cuts: inout [Cut]
  ) {
    var leaves: [FieldRef] = []
    forEachField(of: frame, in: bytes) { leaves.append($0) }
    // The length fields that count the current leaf. Ended ones are removed, so this stays short however many items
    // there are.
    var counting: [(range: Range<Int>, counted: Range<Int>)] = []
    func add(_ range: Range<Int>) {
      let lengths = counting.filter { $0.counted.contains(range) }.map(\.range)
      // The parts of a value share the memory.
      let isSame = cuts.last?.lengths == lengths
      cuts.append(Cut(range: range, lengths: isSame ? cuts[cuts.endIndex - 1].lengths : lengths))
    }
    for (index, leaf) in leaves.enumerated() {
      counting.removeAll { $0.counted.upperBound <= leaf.start && leaf.count > 0 }
      switch (level, leaf.kind) {
      case (.item, .itemID):
        let next = leaves[(index + 1)...].first { ($0.kind == .itemID || $0.kind == .gap) && $0.depth <= leaf.depth }
        add(leaf.start..<(next?.start ?? frame.end))
      case (.key, .value), (.text, .value):
        guard leaf.count > 0, field(of: leaf)?.isJSON == true else { break }
        let parts = JSONParts(bytes, leaf.range)
        for part in level == .key ? parts.members : parts.characters { add(part) }
      case (.byte, .value), (.byte, .gap):
        for index in leaf.range { add(index..<(index + 1)) }
      case (_, .length), (_, .itemLength):
        var claimed = 0
        for index in leaf.range { claimed = min(claimed << 8 | Int(bytes[index]), frame.count) }
        counting.append((leaf.range, leaf.end..<min(leaf.end + claimed, frame.end)))
      default: break
      }
    }
  }
}

/// The parts of a JSON text that can be removed without making it invalid.
struct JSONParts {
  /// Members and elements, each with one comma. Outer ones come before inner ones.
  private(set) var members: [Range<Int>] = []
  /// Characters of strings that are values.
  private(set) var characters: [Range<Int>] = []

  init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    var scanner = JSONScanner(range)
    // Of invalid JSON, the values before the first error have parts.
    if let first = try? scanner.next(in: bytes) { _ = try? add(first, &scanner, bytes) }
    members.sort { $0.lowerBound < $1.lowerBound || ($0.lowerBound == $1.lowerBound && $0.count > $1.count) }
  }

  /// Adds the parts of the value that begins with `token` and returns its end. The recursion is bounded, because the
  /// scanner rejects deep nesting.
  private mutating func add(
    _ token: JSONScanner.Token, _ scanner: inout JSONScanner, _ bytes: Span<UInt8>
  ) throws(JSONError) -> Int {
    if token.kind == .string { characters += Self.characters(bytes, (token.start + 1)..<(token.end - 1)) }
    guard token.kind == .beginObject || token.kind == .beginArray else { return token.end }
    var parts: [Range<Int>] = []
    while let part = try scanner.next(in: bytes), part.depth > token.depth {
      guard let value = part.kind == .key ? try scanner.next(in: bytes) : part else { break }
      parts.append(part.start..<(try add(value, &scanner, bytes)))
    }
    members += Self.cuts(parts)
    return scanner.position
  }

  /// Each part up to the next one; the last part from the end of the preceding one.
  private static func cuts(_ parts: [Range<Int>]) -> [Range<Int>] {
    parts.indices.map { index in
      if index + 1 < parts.count { return parts[index].lowerBound..<parts[index + 1].lowerBound }
      return index > 0 ? parts[index - 1].upperBound..<parts[index].upperBound : parts[index]
    }
  }

  private static func characters(_ bytes: Span<UInt8>, _ range: Range<Int>) -> [Range<Int>] {
    var all: [Range<Int>] = []
    var start = range.lowerBound
    while start < range.upperBound {
      var end = start + 1
      if bytes[start] == UInt8(ascii: "\\") {
        end += bytes[start + 1] == UInt8(ascii: "u") ? 5 : 1
      } else {
        while end < range.upperBound, bytes[end] & 0xc0 == 0x80 { end += 1 }
      }
      all.append(start..<min(end, range.upperBound))
      start = end
    }
    return all
  }
}
