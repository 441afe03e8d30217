import APNSWire
import Octets

/// Frames that stay right: in any order of items, at the bounds of what is allowed, with all sizes.
func validMutators(of schema: FrameSchema) -> [Mutator] {
  var all = [
    Mutator("as-it-is", "an unchanged frame", of: schema) { _ in Change(sentence: "nothing was changed") }
  ]
  for target in Target.all(of: schema) {
    if case .items? = target.field?.content { all.append(shuffled(target)) }
    if target.isItem, target.item?.isRequired == false, target.field?.role != .identifier {
      all.append(withoutOptional(target))
    }
    guard let field = target.field else { continue }
    switch field.role {
    case .payload: all.append(longestPayload(target))
    case .expiry: all.append(numbers(target, [UInt64(Catalog.serviceBegan), 0x7fff_fffe, 0x8000_0000]))
    case .identifier: all.append(numbers(target, [1, 0xffff, 0x7fff_ffff, 0xffff_ffff]))
    case .priority: all.append(numbers(target, [5, 10]))
    case .timestamp: all.append(numbers(target, [UInt64(Catalog.serviceBegan), 0x7fff_ffff]))
    default:
      if case .integer(let size, .number) = field.content {
        all.append(numbers(target, [0, 1, UInt64.max >> UInt64(64 - size * 8)]))
      }
    }
  }
  return all
}

private func shuffled(_ target: Target) -> Mutator {
  Mutator("items-reordered", "the items are in another order, which is allowed", of: target.schema) { bench in
    guard let list = bench.frame[target.path]?.pieces, list.count > 1 else { return nil }
    var other = list
    other.append(other.removeFirst())
    if bench.maker.chance.one(in: 50) { other.reverse() }
    bench.frame.edit(target.path) { $0.pieces = other }
    return Change(sentence: "the order of the items was changed from \(ids(list)) to \(ids(other)), which is allowed")
  }
}

func ids(_ pieces: [Piece]) -> String { pieces.map { String($0.lead.first ?? 0) }.joined(separator: ", ") }

private func withoutOptional(_ target: Target) -> Mutator {
  Mutator("without-\(target.name)", "an optional item is missing", of: target.schema) { bench in
    guard let list = bench.frame[target.path.dropLast().asPath]?.pieces,
      list.contains(where: { $0.name == target.path.last })
    else { return nil }
    bench.frame.edit(target.path.dropLast().asPath) { list in list.pieces?.removeAll { $0.name == target.path.last } }
    return Change(sentence: "item \(target.item?.id.rawValue ?? 0) (\(target.title)) was removed, which is allowed")
  }
}

private func longestPayload(_ target: Target) -> Mutator {
  Mutator("longest-\(target.name)", "the payload is as long as allowed, or nearly", of: target.schema) { bench in
    guard let old = bench.frame[target.path] else { return nil }
    // Above 256 bytes the older commands draw a warning.
    let most = target.isItem ? bench.edition.mostPayload : min(bench.edition.mostPayload, 256)
    let size = bench.maker.chance.one(in: 50) ? most : most - bench.maker.chance.number(0...8)
    let text = bench.maker.payload(size: size)
    bench.frame.edit(target.path) { $0.value = text }
    return Change(
      sentence:
        "the \(target.title) of \(old.value.count) bytes was replaced by one of \(text.count); at most \(most) are allowed"
    )
  }
}

private func numbers(_ target: Target, _ bounds: [UInt64]) -> Mutator {
  Mutator("bound-of-\(target.name)", "a number is at the limit of what is allowed", of: target.schema) { bench in
    bench.number(at: target, becomes: bench.maker.chance.pick(bounds))
  }
}

extension Bench {
  /// Writes a number of its right size; nil where it does not fit or is not there.
  mutating func number(at target: Target, becomes value: UInt64) -> Change? {
    guard let old = frame[target.path], old.pieces == nil, (1...8).contains(old.value.count),
      value <= UInt64.max >> UInt64(64 - old.value.count * 8)
    else { return nil }
    let before = old.value.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard before != value else { return nil }
    frame.edit(target.path) { $0.value = [UInt8](bigEndian: value, width: old.value.count) }
    return Change(sentence: "the \(target.title) was changed from \(before) to \(value)")
  }
}

extension ArraySlice<String> {
  var asPath: Piece.Path { Array(self) }
}
