import APNSDiagnosis
import APNSWire
import Octets

/// Mutators that follow from the schema alone, for every frame type: truncation, commands and items.
func structureMutators(of schema: FrameSchema, _ catalog: Catalog) -> [Mutator] {
  var all: [Mutator] = []
  for target in schema.paths {
    all.append(truncatedAt(target))
    if target.isList { all += [unknownItem(target), spareBytes(target)] }
    guard target.isItem else { continue }
    if target.field?.size != nil { all.append(wrongSize(target)) }
    guard target.items.count == 1 else { continue }
    if target.item?.occurrence != .any { all.append(repeated(target)) }
    if target.item?.isRequired == true { all.append(without(target)) }
  }
  if schema.command != nil { all.append(unknownCommand(schema, catalog)) }
  if schema.since > .year2009 { all.append(tooNew(schema)) }
  if schema.role == .provider { all.append(proxied(schema)) }
  return all
}

private func truncatedAt(_ target: FieldPath) -> Mutator {
  Mutator("cut-at", "the bytes end inside or before a field", rule: .truncated, of: target) { context in
    guard let range = context.frame.range(of: target), range.count > 0 else { return nil }
    let bytes = try context.frame.bytes()
    let end = max(context.maker.chance.number(range.lowerBound...(range.upperBound - 1)), 1)
    guard end < bytes.count else { return nil }
    return Change(
      sentence: "the frame of \(bytes.count) bytes was cut to \(end), at the \(target.title)",
      bytes: Array(bytes[..<end]))
  }
}

private func unknownCommand(_ schema: FrameSchema, _ catalog: Catalog) -> Mutator {
  Mutator("unknown-command", "the command byte is unknown", rule: .unknownCommand, of: schema) { context in
    // Some of the excluded values begin streams of other protocols.
    let free = (UInt8(3)...0xff).filter { !catalog.knows($0, from: schema.role) && !(7...0x7b).contains($0) }
    guard !free.isEmpty, let old = schema.command?.rawValue else { return nil }
    let command = context.maker.chance.pick(free)
    context.frame.command = Command(rawValue: command)
    return Change(sentence: "the command was changed from \(old) to \(command)")
  }
}

private func tooNew(_ schema: FrameSchema) -> Mutator {
  Mutator("too-new", "the frame type is newer than the edition", rule: .newerThanEdition, of: schema) { context in
    guard schema.since > context.edition else { return nil }
    return Change(
      sentence: "the frame type is from \(schema.since.rawValue), after the edition of \(context.edition.rawValue)",
      isFirst: true)
  }
}

private func proxied(_ schema: FrameSchema) -> Mutator {
  Mutator("proxy-header", "a proxy's header precedes the stream", rule: .proxyHeader, of: schema) { context in
    let address = (0..<4).map { _ in String(context.maker.chance.number(1...250)) }.joined(separator: ".")
    let line = Array("PROXY TCP4 \(address) 17.0.0.1 \(context.maker.chance.number(1024...65_535)) 2195\r\n".utf8)
    return Change(
      sentence: "a PROXY protocol header of \(line.count) bytes was inserted before the frame",
      bytes: line + (try context.frame.bytes()), isFirst: true)
  }
}

// MARK: - Items

private func unknownItem(_ target: FieldPath) -> Mutator {
  Mutator("unknown-item-in", "an item with an undocumented id is added", rule: .unknownItem, of: target) { context in
    // The id must not be a command, because a frame would seem to begin inside.
    let command = target.schema.command?.rawValue
    let free = (UInt8.min...0xff).filter { id in id != command && !target.rows.contains { $0.id.rawValue == id } }
    guard let list = context.frame[items: target], !free.isEmpty else { return nil }
    let id = context.maker.chance.pick(free)
    let data = context.maker.chance.bytes(context.maker.chance.number(0...8))
    let place = context.maker.chance.number(0...list.count)
    context.frame[items: target]?.insert(ItemDraft(ItemID(rawValue: id), data: .octets(data)), at: place)
    return Change(sentence: "an item with id \(id) (\(data.count) bytes) was added to the \(list.count) items")
  }
}

private func spareBytes(_ target: FieldPath) -> Mutator {
  Mutator(
    "spare-bytes-in", "the length of the item list counts bytes that belong to no item", rule: .spareBytes, of: target
  ) {
    context in
    guard let list = context.frame[items: target], let bytes = try context.frame.octets(at: target) else { return nil }
    let spare = context.maker.chance.bytes(context.maker.chance.number(1...2))
    context.frame[target] = .octets(bytes + spare)
    return Change(sentence: "bytes added after the \(list.count) items and counted by their length: \(spare.count)")
  }
}

private func wrongSize(_ target: FieldPath) -> Mutator {
  Mutator("size-of", "a number has the wrong size", rule: .wrongItemSize, of: target) { context in
    guard case .integer(let number)? = context.frame[target], let old = target.field?.size else { return nil }
    let size = context.maker.chance.pick([0, 1, 2, 3, 4, 5, 8].filter { $0 != old })
    // The number with leading zeros or only its last bytes, as a sender with the wrong type writes it.
    context.frame[target] = .octets([UInt8](bigEndian: number, width: size))
    return Change(sentence: "the size of \(target.itemTitle) was changed from \(old) to \(size) bytes")
  }
}

private func repeated(_ target: FieldPath) -> Mutator {
  Mutator("twice", "an item appears twice", rule: .repeatedItem, of: target) { context in
    guard let list = target.list, let item = target.item, let data = context.frame[target] else { return nil }
    context.frame[items: list]?.append(ItemDraft(item.id, data: data))
    return Change(
      sentence: "\(target.itemTitle) appears twice",
      severity: item.mustBeSingle(in: context.edition) ? .error : .warning, refusal: .malformed)
  }
}

/// Removes an item, which breaks a rule if it is required.
func without(_ target: FieldPath) -> Mutator {
  let rule: Rule? = target.item?.isRequired == true ? .missingItem : nil
  let (name, kind) = rule == nil ? ("without", "an optional") : ("missing", "a required")
  return Mutator(name, "\(kind) item is missing", rule: rule, of: target) { context in
    context.frame.change(target, to: nil).map {
      Change(sentence: $0, refusal: target.field?.role == .payload ? .status(4) : nil)
    }
  }
}
