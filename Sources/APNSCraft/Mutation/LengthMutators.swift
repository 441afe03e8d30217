import APNSDiagnosis
import APNSWire
import Octets

/// Lengths that lie: off by one, doubled, at their highest, in the other byte order, that of another field. Only such lies
/// are told whose outcome is certain from the bytes themselves.
func lengthMutators(of schema: FrameSchema) -> [Mutator] {
  let counted = Target.all(of: schema).filter { $0.width > 0 }
  var all: [Mutator] = []
  for target in counted {
    for lie in Lie.allCases {
      all.append(target.isItem ? itemLie(target, lie, counted) : partLie(target, lie, counted))
    }
    if target.isItem, target.field?.isList == false { all.append(shortItem(target)) }
    if !target.isItem, target.field?.isList == true { all.append(shortList(target)) }
  }
  if let last = schema.parts.last, case .counted(let field, _, _) = last, case .json = field.content,
    let target = counted.last(where: { $0.field?.name == field.name })
  {
    all.append(shortText(target))
  }
  if schema.role == .provider || schema.role == .feedback, let first = counted.first, !first.isItem {
    all.append(swallowing(first))
  }
  if let list = counted.first(where: { !$0.isItem && $0.field?.isList == true && $0.width == 4 }) {
    all.append(oversized(list))
  }
  return all
}

private enum Lie: String, CaseIterable, Sendable {
  case plusOne = "plus-one"
  case minusOne = "minus-one"
  case doubled
  case highest
  case byteSwapped = "byte-swapped"
  case ofAnother = "of-another"

  var words: String {
    switch self {
    case .plusOne: "a length is one too high"
    case .minusOne: "a length is one too low"
    case .doubled: "a length is doubled"
    case .highest: "a length has its highest possible value"
    case .byteSwapped: "a length is little-endian"
    case .ofAnother: "a length is replaced by that of another field"
    }
  }

  func told(of size: UInt64, _ piece: Piece, _ others: [UInt64], _ chance: inout Chance) -> UInt64? {
    switch self {
    case .plusOne: return size + 1
    case .minusOne: return size > 0 ? size - 1 : nil
    case .doubled: return size * 2
    case .highest: return piece.highestLength
    case .byteSwapped:
      return [UInt8](bigEndian: size, width: piece.width).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    case .ofAnother:
      let others = others.filter { $0 != size }
      return others.isEmpty ? nil : chance.pick(others)
    }
  }
}

extension Bench {
  fileprivate mutating func lie(_ target: Target, _ lie: Lie, _ counted: [Target]) -> UInt64? {
    guard let piece = frame[target.path] else { return nil }
    let others = counted.compactMap { $0.path == target.path ? nil : frame[$0.path].map { UInt64($0.valueSize) } }
    guard let told = lie.told(of: UInt64(piece.valueSize), piece, others, &maker.chance), told <= piece.highestLength,
      told != UInt64(piece.valueSize)
    else { return nil }
    return told
  }
}

private func partLie(_ target: Target, _ lie: Lie, _ counted: [Target]) -> Mutator {
  Mutator("length-\(lie.rawValue)-\(target.name)", lie.words, rule: .truncated, of: target.schema) { bench in
    guard let piece = bench.frame[target.path], let told = bench.lie(target, lie, counted),
      let index = bench.frame.pieces.firstIndex(where: { $0.name == target.path[0] })
    else { return nil }
    bench.frame.edit(target.path) { $0.claimed = told }
    let bytes = bench.frame.bytes
    var position = bench.frame.pieces[..<index].reduce(0) { $0 + $1.size } + piece.width
    let remaining = bytes.count - position
    var change = Change(
      sentence: "the \(target.lengthTitle) was changed from \(piece.valueSize) to \(told)")
    // Behind a list, what follows it would be read as items.
    if piece.pieces != nil, index + 1 < bench.frame.pieces.count { return nil }
    if told > UInt64(remaining) { return change }
    // All of it is there, and what is read behind it has to claim more than there is.
    guard case .octets? = piece.field?.content else { return nil }
    position += Int(told)
    for next in bench.frame.pieces[(index + 1)...] {
      guard next.width > 0 else {
        position += next.valueSize
        if position > bytes.count { break }
        continue
      }
      guard let claimed = bytes.number(at: position, width: next.width) else {
        position = bytes.count + 1
        break
      }
      position += next.width + claimed
      if position > bytes.count { break }
      // Something else is whole now, and nobody knows what.
      return nil
    }
    guard position > bytes.count else { return nil }
    if target.field?.role == .token {
      guard told > 0, told != 32 else { return nil }
      if !target.schema.tokenSizes(in: bench.edition).contains(Int(told)) { change.follows = [.tokenLength] }
    }
    return change
  }
}

private func itemLie(_ target: Target, _ lie: Lie, _ counted: [Target]) -> Mutator {
  Mutator("length-\(lie.rawValue)-\(target.name)", lie.words, rule: .itemOverrun, of: target.schema) { bench in
    guard let piece = bench.frame[target.path], let told = bench.lie(target, lie, counted) else { return nil }
    let around = target.path.dropLast().asPath
    if told <= UInt64(piece.valueSize) + 4, told > UInt64(piece.valueSize) {
      guard bench.moveLast(target.path) else { return nil }
    }
    guard let list = bench.frame[around]?.pieces, let index = list.firstIndex(where: { $0.name == piece.name })
    else { return nil }
    let behind = list[(index + 1)...].reduce(0) { $0 + $1.size }
    guard told > UInt64(piece.valueSize + behind) else { return nil }
    bench.frame.edit(target.path) { $0.claimed = told }
    var change = Change(
      sentence: "the \(target.lengthTitle) was changed from \(piece.valueSize) to \(told)")
    if target.path.count == 2, list[(index + 1)...].contains(where: { $0.item?.isRequired == true }) {
      change.follows = [.missingItem]
    }
    return change
  }
}

/// The last item one byte short: that byte belongs to nothing.
private func shortItem(_ target: Target) -> Mutator {
  let field = target.field
  let isNumber = field?.size != nil
  return Mutator(
    "length-short-\(target.name)", "the length of the last item is one byte short",
    rule: isNumber ? Rule.ID.wrongItemSize : .spareBytes, of: target.schema
  ) { bench in
    guard bench.moveLast(target.path), let piece = bench.frame[target.path], piece.valueSize > 2 || isNumber else {
      return nil
    }
    let told = piece.valueSize - 1
    bench.frame.edit(target.path) { $0.claimed = UInt64(told) }
    var follows: [Rule.ID] = []
    if isNumber { follows = [.spareBytes] }
    if case .json? = field?.content { follows = [.jsonCut] }
    if field?.role == .token, !target.schema.tokenSizes(in: bench.edition).contains(told) {
      follows = [.tokenLength]
    }
    return Change(
      sentence: "the \(target.lengthTitle), the last item, was changed from \(piece.valueSize) to \(told)",
      follows: follows)
  }
}

/// The frame's length one byte short: the last item claims more, and a frame would begin with its last byte.
private func shortList(_ target: Target) -> Mutator {
  Mutator(
    "length-short-\(target.name)", "the length of the item list is one byte short", rule: .itemOverrun,
    of: target.schema
  ) { bench in
    guard let list = bench.frame[target.path], bench.frame.pieces.last?.name == target.path[0],
      let last = list.pieces?.last, last.valueSize > 0, last.pieces == nil, let left = last.value.last,
      !bench.catalog.knows(left, from: target.schema.role)
    else { return nil }
    bench.frame.edit(target.path) { $0.claimed = UInt64(list.valueSize - 1) }
    return Change(
      sentence: "the \(target.lengthTitle) was changed from \(list.valueSize) to \(list.valueSize - 1)",
      follows: [.unknownCommand])
  }
}

/// The last field of the frame is a text, whose length is short: its end is read as the next frame.
private func shortText(_ target: Target) -> Mutator {
  Mutator(
    "length-short-\(target.name)", "the length of the text at the end of the frame is too low", rule: .jsonCut,
    of: target.schema
  ) { bench in
    guard let piece = bench.frame[target.path], piece.valueSize > 12, piece.value.last == UInt8(ascii: "}") else {
      return nil
    }
    // Short by one it could as well be a byte too many before it; as many as characters, a sender that counts these.
    let told = piece.valueSize - bench.maker.chance.number(2...3)
    let text = String(decoding: piece.value, as: UTF8.self)
    guard piece.value[told] == UInt8(ascii: "}") || piece.value[told] == UInt8(ascii: "\""),
      told != text.unicodeScalars.count, told != text.utf16.count
    else { return nil }
    bench.frame.edit(target.path) { $0.claimed = UInt64(told) }
    return Change(
      sentence: "the \(target.lengthTitle) was changed from \(piece.valueSize) to \(told)", follows: [.unknownCommand]
    )
  }
}

/// A length that claims whole frames behind it.
private func swallowing(_ target: Target) -> Mutator {
  Mutator(
    "swallowing-\(target.name)", "a length also covers the frames that follow", rule: .overruledLength,
    of: target.schema
  ) { bench in
    guard let piece = bench.frame[target.path], let one = bench.company(), let other = bench.company() else {
      return nil
    }
    let behind = one.bytes + other.bytes
    let told = min(piece.highestLength, 0x7fff_ffff)
    guard told > UInt64(bench.frame.bytes.count + behind.count) else { return nil }
    bench.frame.edit(target.path) { $0.claimed = told }
    return Change(
      sentence: "the \(target.lengthTitle) was changed from \(piece.valueSize) to \(told); two complete frames follow",
      behind: behind)
  }
}

private func oversized(_ target: Target) -> Mutator {
  Mutator(
    "oversized-\(target.name)", "the frame claims more bytes than any frame has, and more than 1 MiB follows",
    rule: .oversizedFrame,
    of: target.schema, isRare: true
  ) { bench in
    guard let list = bench.frame[target.path] else { return nil }
    let told = UInt64(bench.maker.chance.number((1 << 21)...0x7fff_ffff))
    bench.frame.edit(target.path) { $0.claimed = told }
    return Change(
      sentence: "the \(target.lengthTitle) was changed from \(list.valueSize) to \(told); more than 1 MiB follows",
      behind: [UInt8](repeating: 0, count: 1 << 20))
  }
}
