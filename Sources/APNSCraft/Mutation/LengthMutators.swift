import APNSDiagnosis
import APNSWire

/// Mutators that write false lengths: off by one, doubled, the maximum, negative if read as signed, in the other byte
/// order, or the length of another field. A case is only made if its outcome follows from the bytes alone.
func lengthMutators(of schema: FrameSchema) -> [Mutator] {
  let counted = schema.paths.filter { $0.lengthWidth > 0 }
  var all: [Mutator] = []
  for target in counted {
    all += FalseLength.all.map { falseLength(target, $0) }
    if target.isItem, !target.isList { all.append(shortItem(target)) }
    if !target.isItem, target.isList { all.append(shortList(target)) }
  }
  if let last = schema.topLevelPaths.last, last.lengthWidth > 0, last.field?.isJSON == true {
    all.append(shortText(last))
  }
  if schema.role == .provider || schema.role == .feedback, let first = counted.first, !first.isItem {
    all.append(swallowing(first))
  }
  if let list = schema.lists.first(where: { $0.lengthWidth == 4 }) {
    all.append(oversized(list))
  }
  return all
}

/// A false value of a length.
private struct FalseLength: Sendable {
  let name: String
  let words: String
  /// The value for a correct length; nil if it does not apply.
  let make: @Sendable (_ size: UInt64, _ target: FieldPath, _ context: inout MutationContext) -> UInt64?

  static let all = [
    FalseLength(name: "plus-one", words: "a length is one too high") { size, _, _ in size + 1 },
    FalseLength(name: "minus-one", words: "a length is one too low") { size, _, _ in size > 0 ? size - 1 : nil },
    FalseLength(name: "doubled", words: "a length is doubled") { size, _, _ in size * 2 },
    FalseLength(name: "highest", words: "a length has its highest possible value") { _, target, _ in
      target.highestLength
    },
    FalseLength(name: "top-bit", words: "a length has only its top bit set: the lowest value if read as signed") {
      _, target, _ in (target.highestLength >> 1) + 1
    },
    FalseLength(
      name: "minus-header",
      words: "a length is minus the bytes before the value: read as signed, it leads back to their start"
    ) { _, target, context in
      let start =
        target.isItem ? Item.headerSize : context.frame.range(of: target).map { $0.lowerBound + target.lengthWidth }
      guard let header = start.map(UInt64.init), header <= target.highestLength >> 1 else { return nil }
      return target.highestLength - header + 1
    },
    FalseLength(name: "byte-swapped", words: "a length is little-endian") { size, target, _ in
      size.byteSwapped >> UInt64(64 - target.lengthWidth * 8)
    },
    FalseLength(name: "of-another", words: "a length is replaced by that of another field") { size, target, context in
      let sizes = target.schema.paths.compactMap {
        $0.lengthWidth > 0 ? context.frame.size(of: $0).map(UInt64.init) : nil
      }
      .filter { $0 != size }
      return sizes.isEmpty ? nil : context.maker.chance.pick(sizes)
    },
  ]

  /// Returns nil if the value does not fit the field or is correct.
  func value(about target: FieldPath, in context: inout MutationContext) -> UInt64? {
    guard let size = context.frame.size(of: target),
      let claimed = make(UInt64(size), target, &context), claimed <= target.highestLength, claimed != size
    else { return nil }
    return claimed
  }
}

private func falseLength(_ target: FieldPath, _ falseLength: FalseLength) -> Mutator {
  Mutator("length-\(falseLength.name)", falseLength.words, rule: target.isItem ? .itemOverrun : .truncated, of: target)
  {
    context in
    guard let claimed = falseLength.value(about: target, in: &context) else { return nil }
    return try target.isItem ? context.overrun(target, claimed) : context.overrunFrame(target, claimed)
  }
}

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
      if !target.schema.tokenSizes(in: edition).contains(Int(claimed)) { change.follows = [.tokenLength] }
    }
    return change
  }

  /// A length of an item that claims more bytes than its list has.
  fileprivate mutating func overrun(_ target: FieldPath, _ claimed: UInt64) -> Change? {
    guard let size = frame.size(of: target) else { return nil }
    if claimed <= UInt64(size) + 4, claimed > UInt64(size), !moveLast(target) { return nil }
    guard let list = target.list, let items = frame[items: list], let around = frame.range(of: list),
      let range = frame.range(of: target), claimed > UInt64(size + around.upperBound - range.upperBound),
      let done = falsify(about: target, claimed)
    else { return nil }
    var change = Change(sentence: done)
    let following = items.drop { $0.id != target.items.last }.dropFirst()
    if target.items.count == 1, following.contains(where: { list.item($0.id).item?.isRequired == true }) {
      change.follows = [.missingItem]
    }
    return change
  }
}

/// The last item's length is one too low, so its last byte belongs to no item.
private func shortItem(_ target: FieldPath) -> Mutator {
  let field = target.field
  let isNumber = field?.size != nil
  return Mutator(
    "length-short", "the length of the last item is one byte short", rule: isNumber ? Rule.wrongItemSize : .spareBytes,
    of: target
  ) {
    context in
    guard context.moveLast(target), let size = context.frame.size(of: target), size > 2 || isNumber else {
      return nil
    }
    let claimed = size - 1
    context.frame.setLength(of: target, to: UInt64(claimed))
    var follows: [Rule] = []
    if isNumber { follows = [.spareBytes] }
    if field?.isJSON == true { follows = [.jsonCut] }
    if field?.role == .token, !target.schema.tokenSizes(in: context.edition).contains(claimed) {
      follows = [.tokenLength]
    }
    return Change(
      sentence: "the \(target.lengthTitle), the last item, was changed from \(size) to \(claimed)",
      follows: follows)
  }
}

/// The frame's length is one too low: the last item claims more.
private func shortList(_ target: FieldPath) -> Mutator {
  Mutator("length-short", "the length of the item list is one byte short", rule: .itemOverrun, of: target) { context in
    guard let size = context.frame.size(of: target), target == target.schema.topLevelPaths.last,
      let last = context.frame[items: target]?.last.map({ target.item($0.id) }), !last.isList,
      let left = try context.frame.octets(at: last)?.last, !context.catalog.knows(left, from: target.schema.role)
    else { return nil }
    return context.falsify(about: target, UInt64(size - 1)).map { Change(sentence: $0) }
  }
}

/// The frame ends with a text whose length is too low.
private func shortText(_ target: FieldPath) -> Mutator {
  Mutator("length-short", "the length of the text at the end of the frame is too low", rule: .jsonCut, of: target) {
    context in
    guard let value = try context.frame.octets(at: target), value.count > 12, value.last == UInt8(ascii: "}") else {
      return nil
    }
    // If the length is one too low, there could also be an extra byte before it; if it is the number of characters, the
    // sender counts characters.
    let claimed = value.count - context.maker.chance.number(2...3)
    let text = String(decoding: value, as: UTF8.self)
    guard value[claimed] == UInt8(ascii: "}") || value[claimed] == UInt8(ascii: "\""),
      claimed != text.unicodeScalars.count, claimed != text.utf16.count
    else { return nil }
    return context.falsify(about: target, UInt64(claimed)).map { Change(sentence: $0) }
  }
}

/// A length that also covers the following frames.
private func swallowing(_ target: FieldPath) -> Mutator {
  Mutator("swallowing", "a length also covers the frames that follow", rule: .overruledLength, of: target) { context in
    let claimed = min(target.highestLength, 0x7fff_ffff)
    guard let followingBytes = try context.twoFrames(),
      claimed > UInt64(try context.frame.bytes().count + followingBytes.count),
      let done = context.falsify(about: target, claimed)
    else { return nil }
    return Change(sentence: "\(done); two complete frames follow", followingBytes: followingBytes)
  }
}

private func oversized(_ target: FieldPath) -> Mutator {
  Mutator(
    "oversized", "the frame claims more bytes than any frame has, and more than 1 MiB follows", rule: .oversizedFrame,
    of: target, isRare: true
  ) {
    context in
    let claimed = UInt64(context.maker.chance.number((1 << 21)...0x7fff_ffff))
    return context.falsify(about: target, claimed).map {
      Change(sentence: "\($0); more than 1 MiB follows", followingBytes: [UInt8](repeating: 0, count: 1 << 20))
    }
  }
}
