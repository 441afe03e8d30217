extension Catalog {
  /// Structural faults of one frame, in wire order; these checks come from the schema alone, for every frame type.
  public func forEachDefect(of frame: FrameRef, in bytes: Span<UInt8>, _ visit: (DecodeError) -> Void) {
    switch frame.condition {
    case .complete:
      forEachDefectInside(frame, in: bytes, visit)
    case .truncated:
      forEachDefectInside(frame, in: bytes, visit)
      visit(truncation(of: frame, in: bytes))
    case .oversized:
      // Its length is the one thing wrong: what it claims need not be items at all.
      visit(oversize(of: frame, in: bytes))
    case .overruled:
      visit(overruling(of: frame, in: bytes))
      forEachDefectInside(frame, in: bytes, visit)
    case .unknownCommand:
      visit(DecodeError(.unknownCommand, frame.start..<(frame.start + 1), needed: 1, available: 1, .format))
    case .tail, .unaligned, .foreign:
      break
    }
  }

  /// Strict decoding: throws the first structural fault.
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
    let limit: DecodeError.Limit = leaf.depth > 1 ? .itemLength : .frameLength
    let field = field(of: leaf)
    switch (leaf.kind, leaf.state) {
    case (.value, .overrun):
      return DecodeError(
        .itemOverrun, (leaf.start - 2)..<leaf.start, needed: leaf.declared, available: leaf.count, limit,
        field: field?.name, item: item)
    case (.value, .wrongSize):
      return DecodeError(
        .wrongItemSize, leaf.range, needed: field?.size ?? 0, available: leaf.count, .format, field: field?.name,
        item: item)
    case (.value, .unknown):
      return DecodeError(
        .unknownItem, (leaf.start - 3)..<leaf.end, needed: 0, available: leaf.count, .format, item: item)
    case (.gap, .overrun):
      return DecodeError(.spareBytes, leaf.range, needed: leaf.declared, available: leaf.count, limit)
    default:
      return nil
    }
  }

  /// Where the bytes of a frame end: inside a part, before one, or before the items that a length claims.
  private func truncation(of frame: FrameRef, in bytes: Span<UInt8>) -> DecodeError {
    var cut: FieldRef?
    var list: FieldRef?
    var partsBegun = 0
    forEachField(of: frame, in: bytes) { leaf in
      if leaf.state == .cut, cut == nil { cut = leaf }
      if leaf.kind == .length, self.field(of: leaf)?.isList == true { list = leaf }
      // A value behind its own length belongs to the part that the length began.
      if leaf.depth == 0, leaf.kind != .value || self.lengthName(of: leaf) == nil { partsBegun += 1 }
    }
    var limit = DecodeError.Limit.stream
    var field: FrameSchema.Name?
    if let cut {
      field = name(of: cut)
    } else if let list {
      field = lengthName(of: list)
      limit = .frameLength
    } else if let parts = schema(of: frame)?.parts, partsBegun < parts.count {
      field = parts[partsBegun].leadName
    }
    return DecodeError(
      .truncated, frame.end..<frame.end, needed: frame.count + frame.needed, available: frame.count, limit,
      field: field)
  }

  /// The length that claims what others begin in: that of the first value which is not whole, else that of the list.
  private func overruling(of frame: FrameRef, in bytes: Span<UInt8>) -> DecodeError {
    var lengths: [FieldRef] = []
    var cut: FieldRef?
    walkFields(of: frame, in: bytes) { leaf in
      if leaf.kind == .length || leaf.kind == .itemLength { lengths.append(leaf) }
      if leaf.state == .cut { cut = leaf }
      return cut == nil
    }
    let length = (cut == nil ? lengths.first : lengths.last) ?? cut
    let field = length.flatMap { lengthName(of: $0) ?? self.field(of: $0)?.name } ?? cut.flatMap { name(of: $0) }
    let declared = cut?.declared ?? length.flatMap { $0.integer(in: bytes).map { Int(clamping: $0) } } ?? 0
    return DecodeError(
      .overruledLength, length?.range ?? frame.range, needed: declared,
      available: frame.end - (length?.end ?? frame.start), .stream, field: field)
  }

  private func oversize(of frame: FrameRef, in bytes: Span<UInt8>) -> DecodeError {
    var length: FieldRef?
    forEachField(of: frame, in: bytes) { if $0.kind == .length { length = $0 } }
    return DecodeError(
      .oversizedFrame, length?.range ?? frame.range, needed: frame.count + frame.needed, available: frame.count,
      .format,
      field: length.flatMap { lengthName(of: $0) })
  }

  private func name(of leaf: FieldRef) -> FrameSchema.Name? {
    switch leaf.kind {
    case .length: lengthName(of: leaf)
    case .gap, .itemID, .itemLength: FrameSchema.Name("items", "header of an item")
    case .command, .value: field(of: leaf)?.name
    }
  }
}
