extension Catalog {
  /// Visits the structural defects of one frame, in wire order. The checks follow from the schema alone and apply to
  /// every frame type. `frame` must have been found in `bytes`.
  package func forEachDefect(of frame: FrameRef, in bytes: Span<UInt8>, _ visit: (DecodeError) -> Void) {
    switch frame.condition {
    case .complete:
      forEachDefectInside(frame, in: bytes, visit)
    case .truncated:
      forEachDefectInside(frame, in: bytes, visit)
      visit(truncation(of: frame, in: bytes))
    case .oversized:
      // The items are not checked: the length is wrong, so the bytes that it claims need not be items.
      visit(oversize(of: frame, in: bytes))
    case .overruled:
      visit(overruling(of: frame, in: bytes))
      forEachDefectInside(frame, in: bytes, visit)
    case .unknownCommand:
      let first = frame.start..<(frame.start + 1)
      visit(DecodeError(code: .unknownCommand, range: first, needed: 1, available: 1))
    case .tail, .unaligned, .foreign:
      break
    }
  }

  /// Decodes strictly.
  ///
  /// - Throws: the first structural defect of the frame.
  public func check(_ frame: FrameRef, in bytes: Span<UInt8>) throws(DecodeError) {
    var first: DecodeError?
    forEachDefect(of: frame, in: bytes) { if first == nil { first = $0 } }
    if let first { throw first }
  }

  private func forEachDefectInside(_ frame: FrameRef, in bytes: Span<UInt8>, _ visit: (DecodeError) -> Void) {
    var item: ItemID?
    forEachField(of: frame, in: bytes) { leaf in
      if leaf.kind == .itemID { item = ItemID(rawValue: bytes[leaf.start]) }
      if let defect = self.defect(of: leaf, item: item) { visit(defect) }
    }
  }

  private func defect(of leaf: FieldRef, item: ItemID?) -> DecodeError? {
    if leaf.state == .whole || leaf.state == .cut { return nil }
    let isNested = leaf.depth > 1
    let field = field(of: leaf)
    switch (leaf.kind, leaf.state) {
    case (.value, .overrun):
      return DecodeError(
        code: .itemOverrun, range: (leaf.start - 2)..<leaf.start, needed: leaf.declared, available: leaf.count,
        isNested: isNested, field: field?.name, item: item)
    case (.value, .wrongSize):
      return DecodeError(
        code: .wrongItemSize, range: leaf.range, needed: field?.size ?? 0, available: leaf.count,
        field: field?.name, item: item)
    case (.value, .unknown):
      return DecodeError(
        code: .unknownItem, range: (leaf.start - 3)..<leaf.end, needed: 0, available: leaf.count, item: item)
    case (.gap, .overrun):
      return DecodeError(
        code: .spareBytes, range: leaf.range, needed: leaf.declared, available: leaf.count, isNested: isNested)
    default:
      return nil
    }
  }

  /// Describes where a truncated frame ends: inside a part, before a part, or before items that a length claims.
  private func truncation(of frame: FrameRef, in bytes: Span<UInt8>) -> DecodeError {
    let leaves = leaves(of: frame, in: bytes)
    // A value after its own length belongs to the part that the length began.
    let partsBegun = leaves.count { $0.depth == 0 && ($0.kind != .value || lengthName(of: $0) == nil) }
    var field: FrameSchema.Name?
    if let cut = leaves.first(where: { $0.state == .cut }) {
      field = name(of: cut)
    } else if let list = leaves.last(where: isLengthOfList) {
      field = lengthName(of: list)
    } else if let parts = schema(of: frame)?.parts, partsBegun < parts.count {
      field = parts[partsBegun].lengthName ?? parts[partsBegun].field?.name
    }
    return DecodeError(
      code: .truncated, range: frame.end..<frame.end, needed: frame.count + frame.needed, available: frame.count,
      field: field)
  }

  /// The length that claims bytes in which the next frames begin.
  private func overruling(of frame: FrameRef, in bytes: Span<UInt8>) -> DecodeError {
    let length = openLength(of: frame, in: bytes)
    return DecodeError(
      code: .overruledLength, range: length?.range ?? frame.range, needed: length?.declared ?? 0,
      available: length?.available ?? frame.count, field: length?.name, item: length?.item)
  }

  /// The length that claims more bytes than an incomplete frame has. This is the length of the value in which the frame
  /// ends, or otherwise the length around the items. Returns nil if the frame ends before such a length.
  package func openLength(of frame: FrameRef, in bytes: Span<UInt8>) -> OpenLength? {
    let leaves = leaves(of: frame, in: bytes)
    let lengths = leaves.filter { $0.kind == .itemLength || $0.kind == .length && $0.state == .whole }
    let cut = leaves.first { $0.state == .cut && $0.kind != .itemLength }
    if let cut, cut.kind == .value, let last = lengths.last, last.end == cut.start,
      last.kind == .itemLength || last.field == cut.field
    {
      return OpenLength(
        range: last.range, declared: cut.declared, available: frame.end - last.end, endsInside: true,
        name: lengthName(of: last), field: field(of: cut),
        item: last.kind == .itemLength ? ItemID(rawValue: bytes[last.start - 1]) : nil)
    }
    return listLength(of: frame, in: bytes)
  }

  /// The last length around items that begins before `offset`; nil if there is none.
  package func listLength(of frame: FrameRef, before offset: Int = .max, in bytes: Span<UInt8>) -> OpenLength? {
    let leaves = leaves(of: frame, in: bytes)
    let list = leaves.last { $0.start < offset && $0.state == .whole && isLengthOfList($0) }
    guard let list, let declared = list.integer(in: bytes) else { return nil }
    return OpenLength(
      range: list.range, declared: Int(clamping: declared), available: frame.end - list.end,
      endsInside: leaves.contains { $0.state == .cut && $0.kind != .itemLength },
      name: lengthName(of: list), field: field(of: list), item: nil)
  }

  private func oversize(of frame: FrameRef, in bytes: Span<UInt8>) -> DecodeError {
    let length = leaves(of: frame, in: bytes).last { $0.kind == .length }
    return DecodeError(
      code: .oversizedFrame, range: length?.range ?? frame.range, needed: frame.count + frame.needed,
      available: frame.count, field: length.flatMap { lengthName(of: $0) })
  }

  private func leaves(of frame: FrameRef, in bytes: Span<UInt8>) -> [FieldRef] {
    var leaves: [FieldRef] = []
    forEachField(of: frame, in: bytes) { leaves.append($0) }
    return leaves
  }

  private func isLengthOfList(_ leaf: FieldRef) -> Bool { leaf.kind == .length && field(of: leaf)?.isList == true }

  private func name(of leaf: FieldRef) -> FrameSchema.Name? {
    switch leaf.kind {
    case .length: lengthName(of: leaf)
    case .gap, .itemID, .itemLength: FrameSchema.Name("items", "header of an item")
    case .command, .value: field(of: leaf)?.name
    }
  }
}

/// A length that may claim more bytes than its frame has.
package struct OpenLength: Sendable {
  /// The range of the length itself.
  package let range: Range<Int>
  /// The number of bytes that it claims.
  package let declared: Int
  /// The number of bytes between the length and the frame's end.
  package let available: Int
  /// Whether the frame ends inside the value, or inside an item of the list.
  package let endsInside: Bool
  /// The name of the length; nil for the length of an item.
  package let name: FrameSchema.Name?
  /// The field that the length counts; nil for the data of an unknown item.
  package let field: Field?
  /// The item whose length it is; nil for a length of the frame itself.
  package let item: ItemID?
}
