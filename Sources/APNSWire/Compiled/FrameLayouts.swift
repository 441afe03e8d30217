import Octets

/// The offsets of the values in an ordinary frame. An ordinary frame is complete, has each item at most once and no
/// unknown ones, and each of its values has a size that senders use.
@usableFromInline
package struct FrameValues {
  /// The index in ``Catalog/schemas``.
  @usableFromInline package let schema: UInt8
  /// The offset after the frame's last byte.
  @usableFromInline package var end = 0
  /// Encodes which items the frame has and in which order; 0 for a frame without items.
  @usableFromInline package var order: UInt64 = 0
  // By role, in half the memory, because each frame has several.
  @usableFromInline var ranges = InlineArray<8, (Int32, Int32)>(repeating: (0, 0))

  @inlinable @inline(__always)
  init(_ schema: UInt8) { self.schema = schema }

  /// The offsets of the value with this role; empty if the frame has none.
  @inlinable @inline(__always)
  package subscript(role: Field.Role) -> Range<Int> {
    get {
      let (lower, upper) = ranges[Int(role.rawValue)]
      return Int(lower)..<Int(upper)
    }
    set {
      let (lower, upper) = (newValue.lowerBound, newValue.upperBound)
      ranges[Int(role.rawValue)] = (Int32(truncatingIfNeeded: lower), Int32(truncatingIfNeeded: upper))
    }
  }
}

/// Finds the values of ordinary frames by the steps of the catalog. It skips frame types with other values that the
/// rules need.
@usableFromInline
package struct FrameLayouts {
  @usableFromInline let plan: Plan
  /// The frame type by first byte, or ``FrameRef/noSchema`` if frames that begin with it are not ordinary.
  @usableFromInline var byCommand = [UInt8](repeating: FrameRef.noSchema, count: 256)
  /// By frame type: the bits of the items that each frame has.
  @usableFromInline var required: [UInt32]
  /// In the order of `plan.steps`.
  @usableFromInline let steps: [Step]
  /// In the order of `plan.itemSteps`.
  @usableFromInline var items: [Step]

  /// A step of the plan with the sizes that are ordinary.
  @usableFromInline
  struct Step: BitwiseCopyable {
    @usableFromInline let part: Plan.Step
    @usableFromInline let role: Field.Role
    /// The bit of the item whose data it is; 0 if the item makes a frame not ordinary.
    @usableFromInline var bit: UInt32 = 0
    /// The smallest allowed size in bytes, and how many more bytes are allowed.
    @usableFromInline let least: UInt32
    @usableFromInline let more: UInt32

    init(_ part: Plan.Step, _ fields: [Field]) {
      let field = part.field == FieldRef.none ? nil : fields[Int(part.field)]
      var sizes = field?.plausible ?? 0...Field.largestSize
      if let size = field?.size ?? field?.usual { sizes = size...size }
      (self.part, role, least, more) = (part, field?.role ?? .other, UInt32(sizes.lowerBound), UInt32(sizes.count - 1))
    }

    @inlinable @inline(__always)
    func allows(_ count: UInt32) -> Bool { count &- least <= more }
  }

  package init(_ catalog: Catalog, _ edition: Edition) {
    let (rows, fields) = (catalog.items, catalog.fields)
    plan = catalog.tables.plan
    required = [UInt32](repeating: 0, count: catalog.schemas.count)
    steps = plan.steps.map { Step($0, fields) }
    items = plan.itemSteps.map { Step($0, fields) }
    for (type, schema) in catalog.schemas.enumerated() where schema.role == .provider && schema.since <= edition {
      // A newer or repeatable item makes a frame not ordinary.
      let list = catalog.items(ofType: type).filter { rows[$0].since <= edition && rows[$0].occurrence != .any }
      let held = schema.hasList ? list.map { rows[$0].field } : schema.parts.compactMap(\.field)
      // The rules inspect one value of each role, and `FrameValues.order` holds 12 items.
      let roles = held.map(\.role).filter { $0 != .other }
      guard let command = schema.command, !schema.hasList || schema.parts.count == 2, list.count <= 12,
        held.allSatisfy(\.isJudgedByRole), Set(roles).count == roles.count
      else { continue }
      byCommand[Int(command.rawValue)] = UInt8(type)
      for (index, item) in list.enumerated() {
        items[item].bit = 1 << UInt32(index)
        if rows[item].isRequired { required[type] |= items[item].bit }
      }
    }
  }

  /// The frame at `start`; nil if it is not ordinary.
  @inlinable @inline(__always)
  package func frame(at start: Int, in bytes: Span<UInt8>) -> FrameValues? {
    guard start < bytes.count, bytes.count <= Int(Int32.max) else { return nil }
    let schema = byCommand[Int(bytes[start])]
    guard schema != FrameRef.noSchema else { return nil }
    var frame = FrameValues(schema)
    var position = start + 1
    for index in (plan.bounds[Int(schema)] + 1)..<plan.bounds[Int(schema) + 1] {
      let step = steps[index]
      var count = step.least
      if step.part.isCounted {
        guard let length = bytes.length(at: position, width: step.part.width), step.allows(length) else { return nil }
        count = length
        position += step.part.width
      }
      guard Int(count) <= bytes.count - position else { return nil }
      let range = position..<(position + Int(count))
      if step.part.list == FieldRef.none {
        frame[step.role] = range
      } else {
        guard readItems(range, of: step.part.list, bytes, &frame) else { return nil }
      }
      position = range.upperBound
    }
    guard position - start <= Catalog.longestFrame else { return nil }
    frame.end = position
    return frame
  }

  @inlinable @inline(__always)
  func readItems(_ range: Range<Int>, of list: UInt16, _ bytes: Span<UInt8>, _ frame: inout FrameValues) -> Bool {
    var position = range.lowerBound
    var seen: UInt32 = 0
    while position < range.upperBound {
      // The item's id, its length, and the first byte of its value, which has at least one.
      guard range.upperBound - position >= 4 else { return false }
      let head = bytes.uint32(at: position)
      let item = plan.itemTable[Int(list) << 8 | Int(head >> 24)]
      guard item != FieldRef.none else { return false }
      let step = items[Int(item)]
      let count = head >> 8 & 0xffff
      position += Item.headerSize
      guard step.bit & ~seen != 0, count > 0, step.allows(count), Int(count) <= range.upperBound - position
      else { return false }
      seen |= step.bit
      frame.order = frame.order << 5 | UInt64(truncatingIfNeeded: step.bit.trailingZeroBitCount + 1)
      frame[step.role] = position..<(position + Int(count))
      position += Int(count)
    }
    let required = required[Int(frame.schema)]
    return seen & required == required
  }
}

extension Field {
  /// Whether the rules judge the value by nothing but its role.
  fileprivate var isJudgedByRole: Bool {
    switch role {
    case .token, .payload, .identifier, .expiry, .priority: true
    case .status, .timestamp: false
    case .other: !isJSON && !isList
    }
  }
}

extension Span<UInt8> {
  /// A big-endian length; nil if fewer than four bytes are left, because no value fits then.
  @inlinable @inline(__always)
  func length(at start: Int, width: Int) -> UInt32? {
    guard count - start >= 4 else { return nil }
    return uint32(at: start) &>> (32 &- 8 &* UInt32(truncatingIfNeeded: width))
  }
}
