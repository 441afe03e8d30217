import APNSDiagnosis
import APNSWire

/// Mutators that write false lengths: off by one, doubled, the maximum, or negative if read as signed. A case is only
/// made if its outcome follows from the bytes alone.
func lengthMutators(of schema: FrameSchema) -> [Mutator] {
  schema.paths.filter { $0.lengthWidth > 0 }.flatMap { target in
    falseLengths.map { name, words, value in
      Mutator("length-\(name)", words, rule: target.isItem ? .itemOverrun : .truncated, of: target) { context in
        guard let size = context.frame.size(of: target), let claimed = value(UInt64(size), target, context.frame),
          claimed <= target.highestLength, claimed != size
        else { return nil }
        return try target.isItem ? context.overrun(target, claimed) : context.overrunFrame(target, claimed)
      }
    }
  }
}

/// False lengths: the name, the fault in words, and the value for a correct length; nil if there is none.
private let falseLengths:
  [(name: String, words: String, value: @Sendable (_ size: UInt64, FieldPath, FrameDraft) -> UInt64?)] = [
    ("plus-one", "a length is one too high", { size, _, _ in size + 1 }),
    ("minus-one", "a length is one too low", { size, _, _ in size > 0 ? size - 1 : nil }),
    ("doubled", "a length is doubled", { size, _, _ in size * 2 }),
    ("highest", "a length has its highest possible value", { _, target, _ in target.highestLength }),
    (
      "top-bit", "a length has only its top bit set: the lowest value if read as signed",
      { _, target, _ in (target.highestLength >> 1) + 1 }
    ),
    (
      "minus-header", "a length is minus the bytes before the value: read as signed, it leads back to their start",
      { _, target, frame in
        let start = target.isItem ? Item.headerSize : frame.range(of: target).map { $0.lowerBound + target.lengthWidth }
        guard let header = start.map(UInt64.init), header <= target.highestLength >> 1 else { return nil }
        return target.highestLength - header + 1
      }
    ),
  ]

extension MutationContext {
  /// A length of a field that claims more bytes than the frame has; nil unless the frame is cut then.
  fileprivate mutating func overrunFrame(_ target: FieldPath, _ claimed: UInt64) throws -> Change? {
    guard let range = frame.range(of: target), let done = falsify(about: target, claimed) else { return nil }
    let bytes = try frame.bytes()
    let start = range.lowerBound + target.lengthWidth
    var change = Change(sentence: done)
    // With a false length, the fields after a list would be read as items.
    if target.isList, target != target.schema.topLevelPaths.last { return nil }
    if claimed > UInt64(bytes.count - start) { return change }
    // The frame contains this many bytes, so a following length must claim more than there are. Otherwise the frame is
    // complete with another meaning, and the outcome is unknown.
    guard case .octets? = target.field?.content,
      catalog.frame(at: 0, in: bytes.span, of: target.schema.role).condition == .truncated
    else { return nil }
    if target.field?.role == .token {
      guard claimed > 0, claimed != 32 else { return nil }
      // Feedback tuples are judged by the last edition.
      let sizes = (target.schema.role == .provider ? edition : .year2017).tokenSizes
      if !sizes.contains(Int(claimed)) { change.follows = [.tokenLength] }
    }
    return change
  }

  /// A length of an item that claims more bytes than its list has.
  fileprivate mutating func overrun(_ target: FieldPath, _ claimed: UInt64) -> Change? {
    guard let list = target.list, let item = target.item, let size = frame.size(of: target), claimed > size else {
      return nil
    }
    if claimed <= size + 4 {
      // Fewer bytes follow the last item. Any order is allowed.
      let data = frame[target]
      frame[target] = nil
      frame[items: list]?.append(ItemDraft(item.id, data: data))
    }
    guard let items = frame[items: list], let around = frame.range(of: list), let range = frame.range(of: target),
      claimed > size + around.upperBound - range.upperBound, let done = falsify(about: target, claimed)
    else { return nil }
    var change = Change(sentence: done)
    let following = items.drop { $0.id != item.id }.dropFirst()
    if target.items.count == 1, following.contains(where: { list.item($0.id).item?.isRequired == true }) {
      change.follows = [.missingItem]
    }
    return change
  }
}
