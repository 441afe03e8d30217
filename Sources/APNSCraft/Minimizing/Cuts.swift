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
      cuts += level == .frame ? [Cut(range: frame.range, lengths: [])] : self.cuts(at: level, of: frame, bytes.span)
    }
    return cuts
  }

  private func cuts(at level: Minimizer.Level, of frame: FrameRef, _ bytes: Span<UInt8>) -> [Cut] {
    var cuts: [Cut] = []
    var leaves: [FieldRef] = []
    forEachField(of: frame, in: bytes) { leaves.append($0) }
    // The length fields that count the current leaf. Ended ones are removed, so this stays short however many items
    // there are.
    var counting: [(range: Range<Int>, counted: Range<Int>)] = []
    for (index, leaf) in leaves.enumerated() {
      counting.removeAll { $0.counted.upperBound <= leaf.start && leaf.count > 0 }
      var parts: [Range<Int>] = []
      switch (level, leaf.kind) {
      case (.item, .itemID):
        let next = leaves[(index + 1)...].first { ($0.kind == .itemID || $0.kind == .gap) && $0.depth <= leaf.depth }
        parts = [leaf.start..<(next?.start ?? frame.end)]
      case (.key, .value), (.text, .value):
        guard leaf.count > 0, field(of: leaf)?.isJSON == true else { break }
        let json = JSONParts(bytes, leaf.range)
        parts = level == .key ? json.members : json.characters
      case (.byte, .value), (.byte, .gap):
        parts = leaf.range.map { $0..<($0 + 1) }
      case (_, .length), (_, .itemLength):
        let claimed = min(Int(clamping: bytes.bigEndian(leaf.start, width: leaf.count)), frame.count)
        counting.append((leaf.range, leaf.end..<min(leaf.end + claimed, frame.end)))
      default: break
      }
      guard let first = parts.first else { continue }
      let lengths = counting.filter { $0.counted.contains(first) }.map(\.range)
      cuts += parts.map { Cut(range: $0, lengths: lengths) }
    }
    return cuts
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
    var open: [(start: Int, parts: [Range<Int>])] = []
    var key: Int?
    // Of invalid JSON, the values before the first error have parts.
    while let token = try? scanner.next(in: bytes) {
      if token.kind == .string { characters += Self.characters(bytes, (token.start + 1)..<(token.end - 1)) }
      var start = key ?? token.start
      key = token.kind == .key ? token.start : nil
      if token.kind == .key { continue }
      if token.kind == .beginObject || token.kind == .beginArray {
        open.append((start, []))
        continue
      }
      if token.kind == .endObject || token.kind == .endArray {
        let closed = open.removeLast()
        members += Self.cuts(closed.parts)
        start = closed.start
      }
      if !open.isEmpty { open[open.count - 1].parts.append(start..<token.end) }
    }
    members.sort { $0.lowerBound < $1.lowerBound || ($0.lowerBound == $1.lowerBound && $0.count > $1.count) }
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
      let size =
        bytes[start] == UInt8(ascii: "\\")
        ? bytes[start + 1] == UInt8(ascii: "u") ? 6 : 2 : bytes.lengthOfCharacter(at: start, end: range.upperBound)
      all.append(start..<(start + size))
      start += size
    }
    return all
  }
}
