import APNSWire

/// A value of a notification that rules ask for.
enum FrameValue: Int, CaseIterable {
  case token, payload, identifier, expiry, priority
}

/// Where the values of a frame stand that is as its type wants it: whole, each item documented and there once, each
/// value of a size that senders write.
struct FramePlaces: BitwiseCopyable {
  /// Index in the catalog.
  let schema: UInt8
  fileprivate(set) var end = 0
  private var places = InlineArray<5, Place>(repeating: Place(start: 0, count: -1))

  fileprivate init(_ schema: UInt8) { self.schema = schema }

  struct Place: BitwiseCopyable {
    let start: Int
    let count: Int

    var isThere: Bool { count >= 0 }
    var range: Range<Int> { start..<(start + count) }
  }

  @inline(__always)
  fileprivate(set) subscript(value: FrameValue) -> Place {
    get { places[value.rawValue] }
    set { places[value.rawValue] = newValue }
  }
}

/// Finds those values, for the frame types of providers that have no others. Compiled from the schemas.
struct FrameLayouts {
  /// Index in `layouts` by first byte.
  private var byCommand = [UInt8](repeating: none, count: 256)
  private var layouts: [Layout] = []
  private var steps: [Step] = []
  /// Index in `items` by list and id.
  private var itemTable: [UInt8] = []
  private var items: [Step] = []

  private static let none = UInt8.max

  private struct Layout {
    var schema: UInt8 = 0
    /// In `steps`.
    let range: Range<Int>
    /// Bytes of the length around its items; 0 where it has none, and else no other parts.
    var listWidth = 0
    /// Where the list stands in `itemTable`.
    var list = 0
    /// Items that it must have, a bit for each.
    var required: UInt64 = 0
  }

  private struct Step {
    let value: FrameValue
    /// Bytes of the length before it, where one stands there.
    let lengthWidth: Int
    let sizes: ClosedRange<Int>
  }

  init(_ catalog: Catalog, _ edition: Edition) {
    for (index, schema) in catalog.schemas.enumerated() where schema.role == .provider && schema.since <= edition {
      guard let command = schema.command, var layout = add(schema) else { continue }
      layout.schema = UInt8(index)
      byCommand[Int(command.rawValue)] = UInt8(layouts.count)
      layouts.append(layout)
    }
  }

  /// The frame at `start`, if it is such a one.
  @inline(__always)
  func frame(at start: Int, in bytes: Span<UInt8>) -> FramePlaces? {
    let limit = bytes.count
    guard start < limit else { return nil }
    let index = byCommand[Int(bytes[start])]
    guard index != Self.none else { return nil }
    let layout = layouts[Int(index)]
    var position = start + 1
    var frame = FramePlaces(layout.schema)
    if layout.listWidth > 0 {
      guard position + layout.listWidth <= limit else { return nil }
      let count = bytes.length(at: position, width: layout.listWidth)
      position += layout.listWidth
      guard count <= limit - position, readItems(position..<(position + count), of: layout, bytes, &frame) else {
        return nil
      }
      position += count
    } else {
      for index in layout.range {
        let step = steps[index]
        var count = step.sizes.lowerBound
        if step.lengthWidth > 0 {
          guard position + step.lengthWidth <= limit else { return nil }
          count = bytes.length(at: position, width: step.lengthWidth)
          position += step.lengthWidth
        }
        guard step.sizes.contains(count), count <= limit - position else { return nil }
        frame[step.value] = FramePlaces.Place(start: position, count: count)
        position += count
      }
    }
    guard position - start <= Catalog.longestFrame else { return nil }
    frame.end = position
    return frame
  }

  @inline(__always)
  private func readItems(
    _ range: Range<Int>, of layout: Layout, _ bytes: Span<UInt8>, _ frame: inout FramePlaces
  ) -> Bool {
    var position = range.lowerBound
    var seen: UInt64 = 0
    while position < range.upperBound {
      guard range.upperBound - position >= 3 else { return false }
      let index = itemTable[layout.list + Int(bytes[position])]
      guard index != Self.none, seen & 1 << UInt64(index) == 0 else { return false }
      seen |= 1 << UInt64(index)
      let item = items[Int(index)]
      let count = bytes.length(at: position + 1, width: 2)
      position += 3
      guard item.sizes.contains(count), count <= range.upperBound - position else { return false }
      frame[item.value] = FramePlaces.Place(start: position, count: count)
      position += count
    }
    return seen & layout.required == layout.required
  }
}

// MARK: - Compiling

extension FrameLayouts {
  /// Nil where it has more to it than the values that are known here.
  private mutating func add(_ schema: FrameSchema) -> Layout? {
    var added: [Step] = []
    for part in schema.parts.dropFirst() {
      switch part {
      case .command:
        return nil
      case .fixed(let field):
        guard let step = Self.step(field, lengthWidth: 0) else { return nil }
        added.append(step)
      case .counted(let field, let width, _):
        if case .items(let rows) = field.content {
          return schema.parts.count == 2 ? addList(rows, width) : nil
        }
        guard let step = Self.step(field, lengthWidth: width) else { return nil }
        added.append(step)
      }
    }
    guard Set(added.map(\.value)).count == added.count else { return nil }
    steps += added
    return Layout(range: (steps.count - added.count)..<steps.count)
  }

  private mutating func addList(_ rows: [Item], _ width: Int) -> Layout? {
    let added = rows.compactMap { Self.step($0.field, lengthWidth: 2) }
    guard Set(added.map(\.value)).count == rows.count, items.count + added.count <= 64 else { return nil }
    var layout = Layout(range: 0..<0, listWidth: width, list: itemTable.count)
    itemTable += [UInt8](repeating: Self.none, count: 256)
    for (row, step) in zip(rows, added) {
      itemTable[layout.list + Int(row.id.rawValue)] = UInt8(items.count)
      if row.isRequired { layout.required |= 1 << UInt64(items.count) }
      items.append(step)
    }
    return layout
  }

  private static func step(_ field: Field, lengthWidth: Int) -> Step? {
    let value: FrameValue
    switch (field.name, field.content) {
    case (Field.deviceToken.name, .octets): value = .token
    case (Field.payload.name, .json): value = .payload
    case (Field.identifier.name, .integer(4, .identifier)): value = .identifier
    case (Field.expiry.name, .integer(4, .unixSeconds)): value = .expiry
    case (Field.priority.name, .integer(1, .code(let names, _))) where names[5] != nil && names[10] != nil:
      value = .priority
    default: return nil
    }
    var sizes = field.plausible ?? 0...Int.max
    if let size = field.size ?? field.usual { sizes = size...size }
    return Step(value: value, lengthWidth: lengthWidth, sizes: sizes)
  }
}

extension Span<UInt8> {
  /// The most significant byte first.
  @inline(__always)
  fileprivate func length(at start: Int, width: Int) -> Int {
    var number = Int(self[start])
    for index in (start + 1)..<(start + width) { number = number << 8 | Int(self[index]) }
    return number
  }
}
