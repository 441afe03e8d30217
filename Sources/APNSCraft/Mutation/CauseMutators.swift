import APNSDiagnosis
import APNSWire

/// Senders' bugs run forwards: the frame as a sender with that bug writes it.
func causeMutators(of schema: FrameSchema) -> [Mutator] {
  guard schema.role == .provider, let payload = schema.path(of: .payload), let token = schema.path(of: .token) else {
    return []
  }
  var all = [
    trailingNUL(payload), trailingNewline(schema), lengthsLittleEndian(payload, token), lengthSigned(payload),
  ]
  if payload.isItem {
    all += [
      lengthInCharacters(payload), lengthInOneByte(payload), frameLengthWithHeader(payload),
      frameLengthWithoutHeaders(payload),
    ]
    if let priority = priorityLengthFour(schema) { all.append(priority) }
  } else {
    all += [lengthInCharacters(payload), tokenLengthConstant(token)] + orderMutators(of: schema, token, payload)
  }
  return all
}

/// Two or more characters of two bytes each: as many bytes follow the payload as the length lacks.
private func lengthInCharacters(_ target: FieldPath) -> Mutator {
  Mutator(
    "length-in-characters-\(target.name)", "the payload's length counts characters",
    rule: target.isItem ? Rule.ID.itemOverrun : .jsonCut, cause: .payloadLengthInCharacters, of: target.schema
  ) { bench in
    if target.isItem { guard bench.moveLast(target) else { return nil } }
    let foreign = (0..<bench.maker.chance.number(3...20)).map { _ in
      String(bench.maker.chance.pick(["é", "ü", "ñ"] as [Character]))
    }
    let text = Array("{\"aps\":{\"alert\":\"\(foreign.joined())\"}}".utf8)
    let count = text.count - foreign.count
    bench.write(text, at: target, length: count)
    return Change(
      sentence: "the \(target.lengthTitle) is \(count), its number of characters, instead of \(text.count)",
      follows: target.isItem ? [.jsonCut] : [])
  }
}

private func trailingNUL(_ target: FieldPath) -> Mutator {
  Mutator(
    "trailing-nul-\(target.name)", "the payload includes the NUL that terminates it in memory", rule: .jsonTerminated,
    cause: .trailingNUL, of: target.schema
  ) { bench in
    guard let old = try bench.frame.octets(at: target), fits(old + [0], target, bench.edition) else { return nil }
    bench.frame[target] = .octets(old + [0])
    return Change(sentence: "a NUL was appended to the \(target.title): \(old.count) bytes became \(old.count + 1)")
  }
}

private func trailingNewline(_ schema: FrameSchema) -> Mutator {
  Mutator(
    "trailing-newline", "a line feed follows the frame", rule: .unknownCommand, cause: .trailingNewline,
    of: schema
  ) { bench in
    Change(sentence: "1 byte, a line feed, was added after the frame", behind: [0x0a])
  }
}

private func lengthsLittleEndian(_ payload: FieldPath, _ token: FieldPath) -> Mutator {
  Mutator(
    "lengths-little-endian", "all lengths are little-endian",
    rule: .truncated, cause: .lengthsLittleEndian, of: payload.schema
  ) { bench in
    // Nothing but its length says where a token ends that stands last.
    if payload.isItem { guard bench.moveLast(payload) else { return nil } }
    var count = 0
    for path in payload.schema.paths where path.lengthWidth > 0 {
      guard let size = bench.frame.size(of: path) else { continue }
      bench.frame.setLength(of: path, to: path.byteSwapped(size))
      count += 1
    }
    return Change(sentence: "\(count) lengths were changed from big-endian to little-endian")
  }
}

/// The length in a signed byte: from 128 on it is negative, and its sign is widened with it.
private func lengthSigned(_ target: FieldPath) -> Mutator {
  Mutator(
    "length-signed-\(target.name)", "the payload's length was stored in a signed byte",
    rule: target.isItem ? Rule.ID.itemOverrun : .truncated, cause: .lengthsSigned, of: target.schema
  ) { bench in
    if target.isItem { guard bench.moveLast(target) else { return nil } }
    let text = bench.maker.payload(size: bench.maker.chance.number(128...250))
    let told = 0xff00 | text.count
    bench.write(text, at: target, length: told)
    return Change(
      sentence: "the \(target.lengthTitle) is \(told), signed \(told - 0x1_0000), instead of \(text.count)")
  }
}

/// A payload that is long enough to need both bytes of its length.
private func lengthInOneByte(_ target: FieldPath) -> Mutator {
  Mutator(
    "length-in-one-byte-\(target.name)", "the payload's length has only its low byte; the high byte is 0",
    rule: .itemOverrun,
    cause: .lengthInOneByte, of: target.schema
  ) { bench in
    let sizes = (300...1500).filter { (32...240).contains($0 & 0xff) }
    guard bench.edition.mostPayload >= 1500, bench.moveLast(target) else { return nil }
    let text = bench.maker.payload(size: bench.maker.chance.pick(sizes))
    bench.write(text, at: target, length: text.count & 0xff)
    return Change(
      sentence: "the \(target.lengthTitle) was changed from \(text.count) to \(text.count & 0xff), its low byte",
      follows: [.jsonCut])
  }
}

/// A token longer than the 32 that is written for every token. By one byte alone that byte could as well be added.
private func tokenLengthConstant(_ target: FieldPath) -> Mutator {
  Mutator(
    "constant-length-\(target.name)", "the token's length is always written as 32", rule: .truncated,
    cause: .tokenLengthConstant, of: target.schema
  ) { bench in
    guard bench.edition.tokenSizes.contains(64) else { return nil }
    let token = bench.maker.token(bench.maker.chance.number(34...64))
    bench.write(token, at: target, length: 32)
    guard target.schema.isBelievedBeyond(try bench.frame.bytes()) else { return nil }
    return Change(sentence: "the \(target.lengthTitle) is 32 instead of \(token.count)")
  }
}

private func frameLengthWithoutHeaders(_ payload: FieldPath) -> Mutator {
  Mutator(
    "frame-length-without-headers", "the frame length counts only the items' data", rule: .itemOverrun,
    cause: .frameLengthWithoutHeaders, of: payload.schema
  ) { bench in
    guard bench.moveLast(payload), let list = payload.list, let size = bench.frame.size(of: list),
      let count = bench.frame[items: list]?.count, let last = bench.frame.size(of: payload),
      last > Item.headerSize * count
    else { return nil }
    let told = size - Item.headerSize * count
    bench.frame.setLength(of: list, to: UInt64(told))
    return Change(
      sentence: "the frame length was changed from \(size) to \(told), without ids and lengths of \(count) items")
  }
}

private func frameLengthWithHeader(_ payload: FieldPath) -> Mutator {
  Mutator(
    "frame-length-with-header", "the frame length also counts the command and itself", rule: .truncated,
    cause: .frameLengthWithHeader, of: payload.schema
  ) { bench in
    guard let list = payload.list, let size = bench.frame.size(of: list) else { return nil }
    let told = size + 1 + list.lengthWidth
    bench.frame.setLength(of: list, to: UInt64(told))
    return Change(sentence: "the frame length was changed from \(size) to \(told)")
  }
}

private func priorityLengthFour(_ schema: FrameSchema) -> Mutator? {
  guard let target = schema.paths.first(where: { $0.field?.role == .priority && $0.isItem }) else { return nil }
  return Mutator(
    "priority-length-four", "the priority has one byte, but a length of four", rule: .itemOverrun,
    cause: .priorityLengthFour, of: target.schema
  ) { bench in
    guard bench.moveLast(target) else { return nil }
    bench.frame.setLength(of: target, to: 4)
    return Change(sentence: "the \(target.lengthTitle), the last item, was changed from 1 to 4")
  }
}
