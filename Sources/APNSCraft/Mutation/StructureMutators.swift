import APNSDiagnosis
import APNSWire

/// What the schema alone lets one break, for every frame type: where bytes end, commands, items.
func structureMutators(of schema: FrameSchema, _ catalog: Catalog) -> [Mutator] {
  var all: [Mutator] = []
  for target in Target.all(of: schema) {
    if target.path != ["command"] { all.append(truncatedAt(target)) }
    if case .items(let items)? = target.field?.content {
      all += [unknownItem(target, items), spareBytes(target)]
      if !target.isItem { all.append(noItems(target, items)) }
    }
    guard target.isItem else { continue }
    if target.field?.size != nil { all.append(wrongSize(target)) }
    guard target.path.count == 2 else { continue }
    if target.item?.occurrence != .any { all.append(repeated(target)) }
    if target.item?.isRequired == true { all.append(missing(target)) }
  }
  if schema.command != nil { all.append(unknownCommand(schema, catalog)) }
  if schema.since > .year2009 { all.append(tooNew(schema)) }
  return all
}

private func truncatedAt(_ target: Target) -> Mutator {
  Mutator(
    "cut-at-\(target.name)", "the bytes end inside or before a field", rule: .truncated, of: target.schema
  ) { bench in
    guard let range = bench.frame.range(of: target.path), range.count > 0 else { return nil }
    let bytes = bench.frame.bytes
    let end = max(bench.maker.chance.number(range.lowerBound...(range.upperBound - 1)), 1)
    guard end < bytes.count else { return nil }
    return Change(
      sentence: "the frame of \(bytes.count) bytes was cut to \(end), at the \(target.title)",
      bytes: Array(bytes[..<end]))
  }
}

private func unknownCommand(_ schema: FrameSchema, _ catalog: Catalog) -> Mutator {
  Mutator("unknown-command", "the command byte is unknown", rule: .unknownCommand, of: schema) { bench in
    // Some others begin the streams of other protocols.
    let free = (UInt8(3)...0xff).filter { !catalog.knows($0, from: schema.role) && !(7...0x7b).contains($0) }
    guard !free.isEmpty, let old = bench.frame[["command"]]?.lead.first else { return nil }
    let command = bench.maker.chance.pick(free)
    bench.frame.edit(["command"]) { $0.lead = [command] }
    return Change(sentence: "the command was changed from \(old) to \(command)")
  }
}

private func tooNew(_ schema: FrameSchema) -> Mutator {
  Mutator("too-new", "the frame type is newer than the edition", rule: .newerThanEdition, of: schema) { bench in
    guard schema.since > bench.edition else { return nil }
    return Change(
      sentence: "the frame type is from \(schema.since.rawValue), after the edition of \(bench.edition.rawValue)",
      isAlone: true)
  }
}

// Items.

private func unknownItem(_ target: Target, _ items: [Item]) -> Mutator {
  Mutator(
    "unknown-item-in-\(target.name)", "an item with an undocumented id is added", rule: .unknownItem,
    of: target.schema
  ) { bench in
    // What begins a frame would begin one inside.
    let command = target.schema.command?.rawValue
    let free = (UInt8.min...0xff).filter { id in id != command && !items.contains { $0.id.rawValue == id } }
    guard let list = bench.frame[target.path]?.pieces, !free.isEmpty else { return nil }
    let id = bench.maker.chance.pick(free)
    let data = bench.maker.chance.bytes(bench.maker.chance.number(0...8))
    let place = bench.maker.chance.number(0...list.count)
    bench.frame.edit(target.path) { list in
      list.pieces?.insert(
        Piece(name: "unknown", title: "unknown", field: nil, item: nil, lead: [id], width: 2, value: data), at: place)
    }
    return Change(sentence: "an item with id \(id) (\(data.count) bytes) was added to the \(list.count) items")
  }
}

private func spareBytes(_ target: Target) -> Mutator {
  Mutator(
    "spare-bytes-in-\(target.name)", "the length of the item list counts bytes that belong to no item",
    rule: .spareBytes,
    of: target.schema
  ) { bench in
    guard let list = bench.frame[target.path]?.pieces else { return nil }
    let spare = bench.maker.chance.bytes(bench.maker.chance.number(1...2))
    bench.frame.edit(target.path) { $0.spare = spare }
    return Change(
      sentence:
        "bytes added after the \(list.count) items and counted by their length: \(spare.count)"
    )
  }
}

private func noItems(_ target: Target, _ items: [Item]) -> Mutator {
  Mutator("no-items", "the item list is empty", rule: .missingItem, of: target.schema) { bench in
    guard let list = bench.frame[target.path]?.pieces, items.contains(where: \.isRequired) else { return nil }
    bench.frame.edit(target.path) { $0.pieces = [] }
    return Change(sentence: "all \(list.count) items were removed")
  }
}

private func wrongSize(_ target: Target) -> Mutator {
  Mutator(
    "size-of-\(target.name)", "a number has the wrong size", rule: .wrongItemSize,
    of: target.schema
  ) { bench in
    guard let old = bench.frame[target.path] else { return nil }
    let sizes = [0, 1, 2, 3, 4, 5, 8].filter { $0 != old.value.count }
    let size = bench.maker.chance.pick(sizes)
    // Zeros before it, or its last bytes: what a wrong type writes.
    let value = [UInt8](repeating: 0, count: max(0, size - old.value.count)) + old.value.suffix(size)
    bench.frame.edit(target.path) { $0.value = Array(value) }
    return Change(
      sentence:
        "the size of item \(old.lead.first ?? 0) (\(target.title)) was changed from \(old.value.count) to \(size) bytes"
    )
  }
}

private func repeated(_ target: Target) -> Mutator {
  Mutator("twice-\(target.name)", "an item appears twice", rule: .repeatedItem, of: target.schema) { bench in
    guard let old = bench.frame[target.path] else { return nil }
    bench.frame.edit(target.path.dropLast().asPath) { $0.pieces?.append(old) }
    let isForbidden = if case .required(let since)? = target.item?.occurrence { since <= bench.edition } else { false }
    return Change(
      sentence: "item \(old.lead.first ?? 0) (\(target.title)) appears twice",
      severity: isForbidden ? .error : .warning, refusal: .malformed)
  }
}

private func missing(_ target: Target) -> Mutator {
  Mutator("missing-\(target.name)", "a required item is missing", rule: .missingItem, of: target.schema) {
    bench in
    guard let old = bench.frame[target.path] else { return nil }
    bench.frame.edit(target.path.dropLast().asPath) { list in list.pieces?.removeAll { $0.name == old.name } }
    return Change(
      sentence: "item \(old.lead.first ?? 0) (\(target.title)) was removed",
      refusal: target.field?.role == .payload ? .status(4) : nil)
  }
}
