import Octets

extension Catalog {
  /// Decoding pass 2: visits the leaves of one frame in order. Their ranges tile the frame; bytes that no field claims
  /// are visited as `.gap`.
  ///
  /// `frame` must have been found in `bytes`. If its type is not in this catalog, all of its bytes are one gap. The
  /// walk allocates nothing.
  @inlinable
  public func forEachField(of frame: FrameRef, in bytes: Span<UInt8>, _ visit: (FieldRef) -> Void) {
    walkFields(of: frame, in: bytes) { leaf in
      visit(leaf)
      return true
    }
  }

  /// Visits the leaves of one frame in order until `visit` returns false.
  ///
  /// - Returns: false if `visit` did, otherwise true.
  @inlinable @discardableResult
  package func walkFields(of frame: FrameRef, in bytes: Span<UInt8>, while visit: (FieldRef) -> Bool) -> Bool {
    let next = Int(frame.schema) + 1
    guard next < tables.plan.bounds.count else {
      return visit(FieldRef(.gap, frame.start, frame.end, declared: frame.count))
    }
    var position = frame.start
    for index in tables.plan.bounds[next - 1]..<tables.plan.bounds[next] {
      let step = tables.plan.steps[index]
      let head = min(step.width, frame.end - position)
      let kind: FieldRef.Kind =
        step.isCounted ? .length : step.field == FieldRef.none ? .command : .value
      let state: FieldRef.State = head == step.width ? .whole : .cut
      if head > 0 || state == .whole {
        let leaf = FieldRef(kind, position, position + head, declared: step.width, field: step.field, state: state)
        guard visit(leaf) else { return false }
      }
      position += head
      if state == .cut { return true }
      guard step.isCounted else { continue }

      let declared = Int(bytes.bigEndian(position - step.width, width: step.width))
      let end = min(position + declared, frame.end)
      let isWhole = end - position == declared
      if step.list != FieldRef.none {
        guard walkItems(of: step.list, from: position, to: end, isWhole: isWhole, depth: 1, in: bytes, visit)
        else { return false }
      } else {
        let state: FieldRef.State = isWhole ? .whole : .cut
        guard visit(FieldRef(.value, position, end, declared: declared, field: step.field, state: state))
        else { return false }
      }
      if !isWhole { return true }
      position = end
    }
    return true
  }

  /// Visits the items between `from` and `to`. If `isWhole` is false, the bytes ended early: what is missing is then
  /// cut, not an overrun.
  @inlinable @inline(__always)
  func walkItems(
    of list: UInt16, from: Int, to limit: Int, isWhole: Bool, depth: UInt8, in bytes: Span<UInt8>,
    _ visit: (FieldRef) -> Bool
  ) -> Bool {
    let short: FieldRef.State = isWhole ? .overrun : .cut
    var position = from
    while position < limit {
      if limit - position < Item.headerSize {
        return visit(FieldRef(.gap, position, limit, declared: Item.headerSize, state: short, depth: depth))
      }
      let item = tables.plan.itemTable[Int(list) << 8 | Int(bytes[position])]
      let declared = Int(bytes.bigEndian(position + 1, width: 2))
      let start = position + Item.headerSize
      let end = min(start + declared, limit)
      let state: FieldRef.State = end - start == declared ? .whole : short
      guard visit(FieldRef(.itemID, position, position + 1, declared: 1, item: item, depth: depth)),
        visit(FieldRef(.itemLength, position + 1, start, declared: 2, item: item, state: state, depth: depth)),
        walkData(from: start, to: end, declared: declared, item: item, state: state, depth: depth, in: bytes, visit)
      else { return false }
      position = end
    }
    return true
  }

  @inlinable @inline(__always)
  func walkData(
    from start: Int, to end: Int, declared: Int, item: UInt16, state: FieldRef.State, depth: UInt8,
    in bytes: Span<UInt8>, _ visit: (FieldRef) -> Bool
  ) -> Bool {
    guard item != FieldRef.none else {
      let state = state == .whole ? .unknown : state
      return visit(FieldRef(.value, start, end, declared: declared, state: state, depth: depth))
    }
    let step = tables.plan.itemSteps[Int(item)]
    if step.list != FieldRef.none, state == .whole {
      return walkNestedItems(of: step.list, from: start, to: end, depth: depth + 1, in: bytes, visit)
    }
    let hasDocumentedSize = state != .whole || step.isCounted || step.width == declared
    return visit(
      FieldRef(
        .value, start, end, declared: declared, field: step.field, item: item,
        state: hasDocumentedSize ? state : .wrongSize, depth: depth))
  }

  /// Nested lists are rare. They are handled out of line to keep the walk of ordinary frames compact.
  @inlinable @inline(never)
  func walkNestedItems(
    of list: UInt16, from: Int, to limit: Int, depth: UInt8, in bytes: Span<UInt8>, _ visit: (FieldRef) -> Bool
  ) -> Bool {
    walkItems(of: list, from: from, to: limit, isWhole: true, depth: depth, in: bytes, visit)
  }

  /// The first value with this role, in the frame itself or in an item; nil if there is none.
  public func leaf(_ role: Field.Role, of frame: FrameRef, in bytes: Span<UInt8>) -> FieldRef? {
    var found: FieldRef?
    let expectations = expectations
    walkFields(of: frame, in: bytes) { leaf in
      if leaf.kind == .value, leaf.field != FieldRef.none, expectations[Int(leaf.field)].role == role { found = leaf }
      return found == nil
    }
    return found
  }
}

extension FieldRef {
  /// Reads the leaf as a big-endian number. Returns nil if it is cut, longer than 8 bytes, or not of its documented
  /// size.
  @inlinable
  public func integer(in bytes: Span<UInt8>) -> UInt64? {
    guard count <= 8, state != .cut, state != .wrongSize else { return nil }
    return bytes.bigEndian(start, width: count)
  }
}
