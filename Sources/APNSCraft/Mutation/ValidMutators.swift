import APNSWire

/// Frames that stay right: in any order of items, at the bounds of what is allowed, with all sizes.
func validMutators(of schema: FrameSchema) -> [Mutator] {
  var all = [
    Mutator("as-it-is", "an unchanged frame", of: schema) { _ in Change(sentence: "nothing was changed") }
  ]
  for target in schema.paths {
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

private func shuffled(_ target: FieldPath) -> Mutator {
  Mutator("items-reordered", "the items are in another order, which is allowed", of: target.schema) { bench in
    guard let list = bench.frame[items: target], list.count > 1 else { return nil }
    var other = list
    other.append(other.removeFirst())
    if bench.maker.chance.one(in: 50) { other.reverse() }
    bench.frame[items: target] = other
    return Change(sentence: "the order of the items was changed from \(ids(list)) to \(ids(other)), which is allowed")
  }
}

private func ids(_ items: [ItemDraft]) -> String { items.map { String($0.id.rawValue) }.joined(separator: ", ") }

private func withoutOptional(_ target: FieldPath) -> Mutator {
  Mutator("without-\(target.name)", "an optional item is missing", of: target.schema) { bench in
    guard bench.frame[target] != nil else { return nil }
    bench.frame[target] = nil
    return Change(sentence: "\(target.itemTitle) was removed, which is allowed")
  }
}

private func longestPayload(_ target: FieldPath) -> Mutator {
  Mutator("longest-\(target.name)", "the payload is as long as allowed, or nearly", of: target.schema) { bench in
    // Above 256 bytes the older commands draw a warning.
    let most = target.isItem ? bench.edition.mostPayload : min(bench.edition.mostPayload, 256)
    let size = bench.maker.chance.one(in: 50) ? most : most - bench.maker.chance.number(0...8)
    return bench.replace(target, by: bench.maker.payload(size: size)).map {
      Change(sentence: "\($0); at most \(most) are allowed")
    }
  }
}

private func numbers(_ target: FieldPath, _ bounds: [UInt64]) -> Mutator {
  Mutator("bound-of-\(target.name)", "a number is at the limit of what is allowed", of: target.schema) { bench in
    bench.number(at: target, becomes: bench.maker.chance.pick(bounds))
  }
}

extension Bench {
  /// Writes a number of its right size; nil where it does not fit or is not there.
  mutating func number(at target: FieldPath, becomes value: UInt64) -> Change? {
    guard case .integer(let old)? = frame[target], let size = target.field?.size, value != old,
      value <= UInt64.max >> UInt64(64 - size * 8)
    else { return nil }
    frame[target] = .integer(value)
    return Change(sentence: "the \(target.title) was changed from \(old) to \(value)")
  }
}
