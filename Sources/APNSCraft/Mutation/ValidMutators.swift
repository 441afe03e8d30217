import APNSWire

/// Mutators that keep a frame valid: other orders of items, limits of values, and all sizes.
func validMutators(of schema: FrameSchema) -> [Mutator] {
  var all = [
    Mutator("as-it-is", "an unchanged frame", of: schema) { _ in Change(sentence: "nothing was changed") }
  ]
  for target in schema.paths {
    if case .items? = target.field?.content { all.append(shuffled(target)) }
    if target.isItem, target.item?.isRequired == false, target.field?.role != .identifier {
      all.append(without(target))
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
  Mutator("items-reordered", "the items are in another order, which is allowed", of: target.schema) { context in
    guard let list = context.frame[items: target], list.count > 1 else { return nil }
    var other = list
    other.append(other.removeFirst())
    if context.maker.chance.percent(50) { other.reverse() }
    context.frame[items: target] = other
    return Change(sentence: "the order of the items was changed from \(ids(list)) to \(ids(other)), which is allowed")
  }
}

private func ids(_ items: [ItemDraft]) -> String { items.map { String($0.id.rawValue) }.joined(separator: ", ") }

private func longestPayload(_ target: FieldPath) -> Mutator {
  Mutator("longest", "the payload is as long as allowed, or nearly", of: target) { context in
    // In the older commands, more than 256 bytes trigger a warning.
    let most = target.isItem ? context.edition.maximumPayload : min(context.edition.maximumPayload, 256)
    let size = context.maker.chance.percent(50) ? most : most - context.maker.chance.number(0...8)
    guard context.frame[target] != nil else { return nil }
    return context.frame.change(target, to: .octets(context.maker.payload(size: size))).map {
      Change(sentence: "\($0); at most \(most) are allowed")
    }
  }
}

private func numbers(_ target: FieldPath, _ bounds: [UInt64]) -> Mutator {
  Mutator("bound-of", "a number is at the limit of what is allowed", of: target) { context in
    guard case .integer? = context.frame[target] else { return nil }
    return context.frame.change(target, to: .integer(context.maker.chance.pick(bounds))).map { Change(sentence: $0) }
  }
}
