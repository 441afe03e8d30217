import Octets

/// The offsets of the values in an ordinary frame. An ordinary frame is complete, has each item at most once and no
/// unknown ones, and each of its values has a size that senders use.
@usableFromInline
package struct FrameValues: BitwiseCopyable {
  /// The index in ``Catalog/schemas``.
  @usableFromInline package let schema: UInt8
  /// The offset after the frame's last byte.
  @usableFromInline package var end = 0
  /// Encodes which items the frame has and in which order; 0 for a frame without items.
  @usableFromInline package var order: UInt64 = 0
  // By role.
  @usableFromInline var ranges = InlineArray<8, ValueRange>(repeating: ValueRange(start: 0, count: -1))

  @inlinable @inline(__always)
  init(_ schema: UInt8) { self.schema = schema }

  /// The value with this role.
  @inlinable @inline(__always) package subscript(role: Field.Role) -> ValueRange { ranges[Int(role.rawValue)] }
}

/// A range in half the memory, because each frame has several.
@usableFromInline
package struct ValueRange: BitwiseCopyable {
  @usableFromInline let first: Int32
  @usableFromInline let size: Int32

  @inlinable @inline(__always)
  init(start: Int, count: Int) {
    (first, size) = (Int32(truncatingIfNeeded: start), Int32(truncatingIfNeeded: count))
  }

  /// Whether the frame has this value.
  @inlinable @inline(__always) package var isPresent: Bool { size >= 0 }
  @inlinable @inline(__always) package var start: Int { Int(first) }
  @inlinable @inline(__always) package var count: Int { Int(size) }
  @inlinable @inline(__always) package var range: Range<Int> { start..<(start + count) }
}

/// Finds the values of ordinary frames. It skips frame types with other values that the rules need.
@usableFromInline
package struct FrameLayouts {
  /// An index into `layouts`, by first byte.
  @usableFromInline var byCommand = [UInt8](repeating: none, count: 256)
  @usableFromInline var layouts: [Layout] = []
  @usableFromInline var steps: [Step] = []
  /// 256 entries for each list, by item id.
  @usableFromInline var items: [Step] = []

  @inlinable static var none: UInt8 { .max }

  @usableFromInline
  struct Layout {
    @usableFromInline var schema: UInt8 = 0
    /// The range in `steps`.
    @usableFromInline let range: Range<Int>
    /// The size in bytes of the length around the items, which are then the frame's only part; 0 for a frame without
    /// items.
    @usableFromInline var listWidth: UInt8 = 0
    /// The start of the list in `items`.
    @usableFromInline var list = 0
    /// The required items, one bit each. A list has at most 12 items, because `FrameValues.order` holds no more.
    @usableFromInline var required: UInt32 = 0
  }

  @usableFromInline
  struct Step: BitwiseCopyable {
    @usableFromInline var role = Field.Role.other
    /// The size in bytes of the length before the value; 0 if it has none.
    @usableFromInline var lengthWidth: UInt8 = 0
    /// This item's bit; 0 for an unknown item.
    @usableFromInline var bit: UInt32 = 0
    /// The smallest allowed size in bytes, and how many more bytes are allowed.
    @usableFromInline var least: UInt32 = 0
    @usableFromInline var more: UInt32 = 0

    @inlinable @inline(__always)
    func allows(_ count: UInt32) -> Bool { count &- least <= more }

    /// Requires at least one byte: an empty item is not ordinary, because an item's header and first byte are read
    /// together.
    mutating func becomeItem(_ index: Int) {
      bit = 1 << UInt32(index)
      if least == 0 { (least, more) = (1, max(more, 1) - 1) }
    }
  }

  package init(_ catalog: Catalog, _ edition: Edition) {
    for (index, schema) in catalog.schemas.enumerated() where schema.role == .provider && schema.since <= edition {
      guard let command = schema.command, var layout = add(schema, edition) else { continue }
      layout.schema = UInt8(index)
      byCommand[Int(command.rawValue)] = UInt8(layouts.count)
      layouts.append(layout)
    }
  }

  /// The frame at `start`; nil if it is not ordinary.
  @inlinable @inline(__always)
  package func frame(at start: Int, in bytes: Span<UInt8>) -> FrameValues? {
    let limit = bytes.count
    guard start < limit, limit <= Int(Int32.max) else { return nil }
    let index = byCommand[Int(bytes[start])]
    guard index != Self.none else { return nil }
    let layout = layouts[Int(index)]
    var position = start + 1
    var frame = FrameValues(layout.schema)
    if layout.listWidth > 0 {
      guard let count = bytes.length(at: position, width: layout.listWidth) else { return nil }
      position += Int(layout.listWidth)
      guard Int(count) <= limit - position, readItems(position..<(position + Int(count)), of: layout, bytes, &frame)
      else { return nil }
      position += Int(count)
    } else {
      for index in layout.range {
        let step = steps[index]
        var count = step.least
        if step.lengthWidth > 0 {
          guard let length = bytes.length(at: position, width: step.lengthWidth), step.allows(length) else {
            return nil
          }
          count = length
          position += Int(step.lengthWidth)
        }
        guard Int(count) <= limit - position else { return nil }
        frame.ranges[Int(step.role.rawValue)] = ValueRange(start: position, count: Int(count))
        position += Int(count)
      }
    }
    guard position - start <= Catalog.longestFrame else { return nil }
    frame.end = position
    return frame
  }

  @inlinable @inline(__always)
  func readItems(
    _ range: Range<Int>, of layout: Layout, _ bytes: Span<UInt8>, _ frame: inout FrameValues
  ) -> Bool {
    var position = range.lowerBound
    var seen: UInt32 = 0
    while position < range.upperBound {
      // The item's id, its length, and the first byte of its value.
      guard range.upperBound - position >= 4 else { return false }
      let head = bytes.uint32(at: position)
      let item = items[layout.list + Int(head >> 24)]
      let count = head >> 8 & 0xffff
      position += 3
      guard item.bit & ~seen != 0, item.allows(count), Int(count) <= range.upperBound - position else { return false }
      seen |= item.bit
      frame.order = frame.order << 5 | UInt64(truncatingIfNeeded: item.bit.trailingZeroBitCount + 1)
      frame.ranges[Int(item.role.rawValue)] = ValueRange(start: position, count: Int(count))
      position += Int(count)
    }
    return seen & layout.required == layout.required
  }
}

// MARK: - Compiling

extension FrameLayouts {
  /// Returns nil for a frame type with values that an ordinary frame cannot have.
  private mutating func add(_ schema: FrameSchema, _ edition: Edition) -> Layout? {
    var added: [Step] = []
    for part in schema.parts.dropFirst() {
      if let list = part.field, list.isList {
        // A newer or repeatable item makes a frame not ordinary.
        let rows = list.rows.filter { $0.since <= edition && $0.occurrence != .any }
        return schema.parts.count == 2 ? addList(rows, part.lengthWidth) : nil
      }
      guard let step = part.field.flatMap({ Self.step($0, lengthWidth: part.lengthWidth) }) else { return nil }
      added.append(step)
    }
    guard Self.isOnce(added) else { return nil }
    steps += added
    return Layout(range: (steps.count - added.count)..<steps.count)
  }

  private mutating func addList(_ rows: [Item], _ width: Int) -> Layout? {
    var added = rows.compactMap { Self.step($0.field, lengthWidth: 2) }
    guard added.count == rows.count, added.count <= 12, Self.isOnce(added) else { return nil }
    for index in added.indices { added[index].becomeItem(index) }
    var layout = Layout(range: 0..<0, listWidth: UInt8(width), list: items.count)
    items += [Step](repeating: Step(), count: 256)
    for (row, step) in zip(rows, added) {
      items[layout.list + Int(row.id.rawValue)] = step
      if row.isRequired { layout.required |= step.bit }
    }
    return layout
  }

  /// Whether each role occurs once, since the rules inspect one value of each role.
  private static func isOnce(_ steps: [Step]) -> Bool {
    let roles = steps.map(\.role).filter { $0 != .other }
    return Set(roles).count == roles.count
  }

  /// Returns nil for a value that the rules judge by more than its role.
  private static func step(_ field: Field, lengthWidth: Int) -> Step? {
    switch (field.role, field.content) {
    case (.token, .octets), (.payload, .json), (.identifier, .integer), (.expiry, .integer), (.priority, .integer),
      (.other, .octets), (.other, .text), (.other, .integer):
      break
    default: return nil
    }
    var sizes = field.plausible ?? 0...Int(Int32.max)
    if let size = field.size ?? field.usual { sizes = size...size }
    return Step(
      role: field.role, lengthWidth: UInt8(lengthWidth), least: UInt32(sizes.lowerBound), more: UInt32(sizes.count - 1))
  }
}

extension Span<UInt8> {
  /// A big-endian length; nil if fewer than four bytes are left, because no value fits then.
  @inlinable @inline(__always)
  func length(at start: Int, width: UInt8) -> UInt32? {
    guard count - start >= 4 else { return nil }
    return uint32(at: start) &>> (32 &- 8 &* UInt32(width))
  }
}
