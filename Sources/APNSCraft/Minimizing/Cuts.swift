import APNSPayload
import APNSWire

/// Places of a stream that can be left out, of one kind, in order. Made from the field walk, so a new frame type has them
/// without new code.
struct Cuts {
  private(set) var all: [Cut] = []

  struct Cut {
    let range: Range<Int>
    /// Where the lengths stand that count it.
    let lengths: [Range<Int>]
  }

  /// A length of a frame, and what it counts.
  private struct Length {
    let place: Range<Int>
    let counted: Range<Int>
  }

  init(_ catalog: Catalog, _ role: StreamRole, _ level: Minimizer.Level, _ bytes: [UInt8]) {
    let span = bytes.span
    var position = 0
    while position < span.count {
      let frame = catalog.frame(at: position, in: span, of: role)
      position = frame.end
      if level == .frame {
        all.append(Cut(range: frame.range, lengths: []))
      } else {
        add(level, of: frame, catalog, span)
      }
    }
  }

  private mutating func add(_ level: Minimizer.Level, of frame: FrameRef, _ catalog: Catalog, _ bytes: Span<UInt8>) {
    var leaves: [FieldRef] = []
    var lengths: [Length] = []
    catalog.forEachField(of: frame, in: bytes) { leaf in
      leaves.append(leaf)
      guard leaf.kind == .length || leaf.kind == .itemLength else { return }
      var claimed = 0
      for index in leaf.range { claimed = min(claimed << 8 | Int(bytes[index]), frame.count) }
      lengths.append(Length(place: leaf.range, counted: leaf.end..<min(leaf.end + claimed, frame.end)))
    }
    func cut(_ range: Range<Int>) -> Cut {
      let around = lengths.filter {
        $0.counted.lowerBound <= range.lowerBound && range.upperBound <= $0.counted.upperBound
      }
      return Cut(range: range, lengths: around.map(\.place))
    }
    switch level {
    case .frame: break
    case .item:
      for (index, leaf) in leaves.enumerated() where leaf.kind == .itemID {
        let next = leaves[(index + 1)...].first { ($0.kind == .itemID || $0.kind == .gap) && $0.depth <= leaf.depth }
        all.append(cut(leaf.start..<(next?.start ?? frame.end)))
      }
    case .key, .text:
      for leaf in leaves where leaf.kind == .value && leaf.count > 0 {
        guard case .json? = catalog.field(of: leaf)?.content else { continue }
        let parts = JSONParts(bytes, leaf.range)
        all += (level == .key ? parts.members : parts.characters).map(cut)
      }
    case .byte:
      for leaf in leaves where leaf.kind == .value || leaf.kind == .gap {
        all += leaf.range.map { cut($0..<($0 + 1)) }
      }
    }
  }
}

/// Parts of a JSON text that can be left out so that it stays one.
struct JSONParts {
  /// Members and elements with the comma that goes with them, the outer before the inner.
  private(set) var members: [Range<Int>] = []
  /// Of strings that are values.
  private(set) var characters: [Range<Int>] = []

  private struct Container {
    let isObject: Bool
    var parts: [Range<Int>] = []
    /// Where the member or element that is being read began.
    var open: Int?
  }

  init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    var scanner = JSONScanner(range)
    var containers: [Container] = []
    while let token = try? scanner.next(in: bytes) {
      switch token.kind {
      case .beginObject, .beginArray:
        begin(token.start, &containers)
        containers.append(Container(isObject: token.kind == .beginObject))
      case .endObject, .endArray:
        guard let closed = containers.popLast() else { return }
        members += Self.cuts(closed.parts)
        end(token.end, &containers)
      case .key:
        containers[containers.count - 1].open = token.start
      default:
        if token.kind == .string { characters += Self.characters(bytes, (token.start + 1)..<(token.end - 1)) }
        begin(token.start, &containers)
        end(token.end, &containers)
      }
    }
    members.sort { $0.lowerBound < $1.lowerBound || ($0.lowerBound == $1.lowerBound && $0.count > $1.count) }
  }

  private func begin(_ start: Int, _ containers: inout [Container]) {
    guard let last = containers.indices.last, !containers[last].isObject else { return }
    containers[last].open = start
  }

  private func end(_ end: Int, _ containers: inout [Container]) {
    guard let last = containers.indices.last, let start = containers[last].open else { return }
    containers[last].parts.append(start..<end)
    containers[last].open = nil
  }

  /// Up to the next one; the last one from the end of the one before.
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
