import APNSDiagnosis
import APNSWire
import Octets

/// Lengths that lie: off by one, doubled, at their highest, negative if read as signed, in the other byte order, that of
/// another field. Only lies whose outcome is certain from the bytes are told.
func lengthMutators(of schema: FrameSchema) -> [Mutator] {
  let counted = schema.paths.filter { $0.lengthWidth > 0 }
  var all: [Mutator] = []
  for target in counted {
    for lie in Lie.allCases {
      all.append(target.isItem ? itemLie(target, lie, counted) : partLie(target, lie, counted))
    }
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

private enum Lie: String, CaseIterable, Sendable {
  case plusOne = "plus-one"
  case minusOne = "minus-one"
  case doubled
  case highest
  case topBit = "top-bit"
  case minusHeader = "minus-header"
  case byteSwapped = "byte-swapped"
  case ofAnother = "of-another"

  var words: String {
    switch self {
    case .plusOne: "a length is one too high"
    case .minusOne: "a length is one too low"
    case .doubled: "a length is doubled"
    case .highest: "a length has its highest possible value"
    case .topBit: "a length has only its top bit set: the lowest value if read as signed"
    case .minusHeader: "a length is minus the bytes before the value: read as signed, it leads back to their start"
    case .byteSwapped: "a length is little-endian"
    case .ofAnother: "a length is replaced by that of another field"
    }
  }
}

extension Bench {
  fileprivate mutating func told(_ lie: Lie, about target: FieldPath, _ counted: [FieldPath]) -> UInt64? {
    guard let size = frame.size(of: target) else { return nil }
    let told: UInt64
    switch lie {
    case .plusOne: told = UInt64(size) + 1
    case .minusOne: told = UInt64(max(size - 1, 0))
    case .doubled: told = UInt64(size) * 2
    case .highest: told = target.highestLength
    case .topBit: told = (target.highestLength >> 1) + 1
    case .minusHeader:
      guard let header = header(of: target), header <= target.highestLength >> 1 else { return nil }
      told = target.highestLength - header + 1
    case .byteSwapped: told = target.byteSwapped(size)
    case .ofAnother:
      let others = counted.compactMap { $0 == target ? nil : frame.size(of: $0) }.filter { $0 != size }
      told = UInt64(others.isEmpty ? size : maker.chance.pick(others))
    }
    return told <= target.highestLength && told != size ? told : nil
  }

  /// Bytes of the frame, or of the item, before the value.
  private func header(of target: FieldPath) -> UInt64? {
    if target.isItem { return UInt64(Item.headerSize) }
    return frame.range(of: target).map { UInt64($0.lowerBound + target.lengthWidth) }
  }
}

private func partLie(_ target: FieldPath, _ lie: Lie, _ counted: [FieldPath]) -> Mutator {
  Mutator("length-\(lie.rawValue)-\(target.name)", lie.words, rule: .truncated, of: target.schema) { bench in
    guard let told = bench.told(lie, about: target, counted), let range = bench.frame.range(of: target),
      let done = bench.lie(about: target, told)
    else { return nil }
    let bytes = try bench.frame.bytes()
    let start = range.lowerBound + target.lengthWidth
    var change = Change(sentence: done)
    // Behind a list, what follows it would be read as items.
    let following = target.schema.topLevelPaths.drop { $0 != target }.dropFirst()
    if target.isList, !following.isEmpty { return nil }
    if told > UInt64(bytes.count - start) { return change }
    // All of it is there, and what is read behind it has to claim more than there is.
    guard case .octets? = target.field?.content else { return nil }
    var position = start + Int(told)
    for next in following where position <= bytes.count {
      guard next.lengthWidth > 0 else {
        position += next.field?.size ?? 0
        continue
      }
      position += next.lengthWidth + (bytes.number(at: position, width: next.lengthWidth) ?? 0)
      // Something else is whole now, and nobody knows what.
      if position <= bytes.count { return nil }
    }
    guard position > bytes.count else { return nil }
    if target.field?.role == .token {
      guard told > 0, told != 32 else { return nil }
      if !target.schema.tokenSizes(in: bench.edition).contains(Int(told)) { change.follows = [.tokenLength] }
    }
    return change
  }
}

private func itemLie(_ target: FieldPath, _ lie: Lie, _ counted: [FieldPath]) -> Mutator {
  Mutator("length-\(lie.rawValue)-\(target.name)", lie.words, rule: .itemOverrun, of: target.schema) { bench in
    guard let size = bench.frame.size(of: target), let told = bench.told(lie, about: target, counted) else {
      return nil
    }
    if told <= UInt64(size) + 4, told > UInt64(size) {
      guard bench.moveLast(target) else { return nil }
    }
    guard let list = target.list, let items = bench.frame[items: list], let around = bench.frame.range(of: list),
      let range = bench.frame.range(of: target), told > UInt64(size + around.upperBound - range.upperBound),
      let done = bench.lie(about: target, told)
    else { return nil }
    var change = Change(sentence: done)
    let following = items.drop { $0.id != target.items.last }.dropFirst()
    if target.items.count == 1, following.contains(where: { list.item($0.id).item?.isRequired == true }) {
      change.follows = [.missingItem]
    }
    return change
  }
}

/// The last item one byte short: that byte belongs to nothing.
private func shortItem(_ target: FieldPath) -> Mutator {
  let field = target.field
  let isNumber = field?.size != nil
  return Mutator(
    "length-short-\(target.name)", "the length of the last item is one byte short",
    rule: isNumber ? Rule.ID.wrongItemSize : .spareBytes, of: target.schema
  ) { bench in
    guard bench.moveLast(target), let size = bench.frame.size(of: target), size > 2 || isNumber else {
      return nil
    }
    let told = size - 1
    bench.frame.setLength(of: target, to: UInt64(told))
    var follows: [Rule.ID] = []
    if isNumber { follows = [.spareBytes] }
    if field?.isJSON == true { follows = [.jsonCut] }
    if field?.role == .token, !target.schema.tokenSizes(in: bench.edition).contains(told) {
      follows = [.tokenLength]
    }
    return Change(
      sentence: "the \(target.lengthTitle), the last item, was changed from \(size) to \(told)",
      follows: follows)
  }
}

/// The frame's length one byte short: the last item claims more, and a frame would begin with its last byte.
private func shortList(_ target: FieldPath) -> Mutator {
  Mutator(
    "length-short-\(target.name)", "the length of the item list is one byte short", rule: .itemOverrun,
    of: target.schema
  ) { bench in
    guard let size = bench.frame.size(of: target), target == target.schema.topLevelPaths.last,
      let last = bench.frame[items: target]?.last.map({ target.item($0.id) }), !last.isList,
      let left = try bench.frame.octets(at: last)?.last, !bench.catalog.knows(left, from: target.schema.role)
    else { return nil }
    return bench.lie(about: target, UInt64(size - 1)).map { Change(sentence: $0, follows: [.unknownCommand]) }
  }
}

/// The last field of the frame is a text, whose length is short: its end is read as the next frame.
private func shortText(_ target: FieldPath) -> Mutator {
  Mutator(
    "length-short-\(target.name)", "the length of the text at the end of the frame is too low", rule: .jsonCut,
    of: target.schema
  ) { bench in
    guard let value = try bench.frame.octets(at: target), value.count > 12, value.last == UInt8(ascii: "}") else {
      return nil
    }
    // Short by one it could as well be a byte too many before it; as many as characters, a sender that counts these.
    let told = value.count - bench.maker.chance.number(2...3)
    let text = String(decoding: value, as: UTF8.self)
    guard value[told] == UInt8(ascii: "}") || value[told] == UInt8(ascii: "\""),
      told != text.unicodeScalars.count, told != text.utf16.count
    else { return nil }
    // The rest of a notification is told by its contents.
    let isRead = target.field?.role == .payload && target.schema.path(of: .token) != nil
    return bench.lie(about: target, UInt64(told)).map { Change(sentence: $0, follows: isRead ? [] : [.unknownCommand]) }
  }
}

/// A length that claims whole frames behind it.
private func swallowing(_ target: FieldPath) -> Mutator {
  Mutator(
    "swallowing-\(target.name)", "a length also covers the frames that follow", rule: .overruledLength,
    of: target.schema
  ) { bench in
    let told = min(target.highestLength, 0x7fff_ffff)
    guard let behind = try bench.twoFrames(), told > UInt64(try bench.frame.bytes().count + behind.count),
      let done = bench.lie(about: target, told)
    else { return nil }
    return Change(sentence: "\(done); two complete frames follow", behind: behind)
  }
}

private func oversized(_ target: FieldPath) -> Mutator {
  Mutator(
    "oversized-\(target.name)", "the frame claims more bytes than any frame has, and more than 1 MiB follows",
    rule: .oversizedFrame,
    of: target.schema, isRare: true
  ) { bench in
    let told = UInt64(bench.maker.chance.number((1 << 21)...0x7fff_ffff))
    return bench.lie(about: target, told).map {
      Change(sentence: "\($0); more than 1 MiB follows", behind: [UInt8](repeating: 0, count: 1 << 20))
    }
  }
}
