import APNSDiagnosis
import APNSWire
import Octets

/// Senders' bugs run forwards: the frame as a sender with that bug writes it.
func causeMutators(of schema: FrameSchema) -> [Mutator] {
  guard schema.role == .provider else { return [] }
  let targets = Target.all(of: schema)
  guard let payload = targets.first(where: { $0.field?.role == .payload }),
    let token = targets.first(where: { $0.field?.role == .token })
  else { return [] }
  var all = [
    trailingNUL(payload), trailingNewline(schema), lengthsLittleEndian(payload, token), lengthSigned(payload),
  ]
  if payload.isItem {
    all += [
      charactersInItem(payload), lengthInOneByte(payload), frameLengthWithHeader(payload),
      frameLengthWithoutHeaders(payload),
    ]
    if let priority = priorityLengthFour(targets) { all.append(priority) }
  } else {
    all += [charactersAtEnd(payload), tokenLengthConstant(token)] + orderMutators(of: schema, token, payload)
  }
  return all
}

private func foreignText(_ bench: inout Bench, extra: Int) -> [UInt8] {
  let foreign = String((0..<extra).map { _ in bench.maker.chance.pick(["é", "ü", "ñ"] as [Character]) })
  return Array("{\"aps\":{\"alert\":\"\(foreign)\"}}".utf8)
}

/// Two or more characters of two bytes each: as many bytes stand behind the payload as the length lacks.
private func charactersAtEnd(_ target: Target) -> Mutator {
  Mutator(
    "length-in-characters-\(target.name)", "the payload's length counts characters", rule: .jsonCut,
    cause: .payloadLengthInCharacters, of: target.schema
  ) { bench in
    let text = foreignText(&bench, extra: bench.maker.chance.number(3...20))
    let count = String(decoding: text, as: UTF8.self).unicodeScalars.count
    bench.frame.edit(target.path) {
      $0.value = text
      $0.claimed = UInt64(count)
    }
    return Change(sentence: "the \(target.lengthTitle) is \(count), its number of characters, instead of \(text.count)")
  }
}

private func charactersInItem(_ target: Target) -> Mutator {
  Mutator(
    "length-in-characters-\(target.name)", "the payload's length counts characters", rule: .itemOverrun,
    cause: .payloadLengthInCharacters, of: target.schema
  ) { bench in
    guard bench.moveLast(target.path) else { return nil }
    let text = foreignText(&bench, extra: bench.maker.chance.number(3...20))
    let count = String(decoding: text, as: UTF8.self).unicodeScalars.count
    bench.frame.edit(target.path) {
      $0.value = text
      $0.claimed = UInt64(count)
    }
    return Change(
      sentence: "the \(target.lengthTitle) is \(count), its number of characters, instead of \(text.count)",
      follows: [.jsonCut])
  }
}

private func trailingNUL(_ target: Target) -> Mutator {
  Mutator(
    "trailing-nul-\(target.name)", "the payload includes the NUL that terminates it in memory", rule: .jsonTerminated,
    cause: .trailingNUL, of: target.schema
  ) { bench in
    guard let old = bench.frame[target.path], fits(old.value + [0], target, bench.edition) else { return nil }
    bench.frame.edit(target.path) { $0.value.append(0) }
    return Change(
      sentence: "a NUL was appended to the \(target.title): \(old.value.count) bytes became \(old.value.count + 1)"
    )
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

private func lengthsLittleEndian(_ payload: Target, _ token: Target) -> Mutator {
  Mutator(
    "lengths-little-endian", "all lengths are little-endian",
    rule: .truncated, cause: .lengthsLittleEndian, of: payload.schema
  ) { bench in
    // Nothing but its length says where a token ends that stands last.
    if payload.isItem { guard bench.moveLast(payload.path) else { return nil } }
    var count = 0
    func swap(_ piece: inout Piece) {
      guard piece.width > 0 else { return }
      if var inner = piece.pieces {
        for index in inner.indices { swap(&inner[index]) }
        piece.pieces = inner
      }
      piece.claimed = [UInt8](bigEndian: UInt64(piece.valueSize), width: piece.width).reversed().reduce(0) {
        $0 << 8 | UInt64($1)
      }
      count += 1
    }
    for index in bench.frame.pieces.indices { swap(&bench.frame.pieces[index]) }
    return Change(sentence: "\(count) lengths were changed from big-endian to little-endian")
  }
}

/// The length in a signed byte: from 128 on it is negative, and its sign is widened with it.
private func lengthSigned(_ target: Target) -> Mutator {
  Mutator(
    "length-signed-\(target.name)", "the payload's length was stored in a signed byte",
    rule: target.isItem ? Rule.ID.itemOverrun : .truncated, cause: .lengthsSigned, of: target.schema
  ) { bench in
    if target.isItem { guard bench.moveLast(target.path) else { return nil } }
    let text = bench.maker.payload(size: bench.maker.chance.number(128...250))
    let told = 0xff00 | UInt64(text.count)
    bench.frame.edit(target.path) {
      $0.value = text
      $0.claimed = told
    }
    return Change(
      sentence:
        "the \(target.lengthTitle) is \(told), signed \(Int(told) - 0x1_0000), instead of \(text.count)"
    )
  }
}

/// A payload that is long enough to need both bytes of its length.
private func lengthInOneByte(_ target: Target) -> Mutator {
  Mutator(
    "length-in-one-byte-\(target.name)", "the payload's length has only its low byte; the high byte is 0",
    rule: .itemOverrun,
    cause: .lengthInOneByte, of: target.schema
  ) { bench in
    let sizes = (300...1500).filter { (32...240).contains($0 & 0xff) }
    guard bench.edition.mostPayload >= 1500, bench.moveLast(target.path) else { return nil }
    let text = bench.maker.payload(size: bench.maker.chance.pick(sizes))
    bench.frame.edit(target.path) {
      $0.value = text
      $0.claimed = UInt64(text.count & 0xff)
    }
    return Change(
      sentence: "the \(target.lengthTitle) was changed from \(text.count) to \(text.count & 0xff), its low byte",
      follows: [.jsonCut])
  }
}

/// A token longer than the 32 that is written for every token. By one byte alone that byte could as well be added.
private func tokenLengthConstant(_ target: Target) -> Mutator {
  Mutator(
    "constant-length-\(target.name)", "the token's length is always written as 32", rule: .truncated,
    cause: .tokenLengthConstant, of: target.schema
  ) { bench in
    guard bench.edition.tokenSizes.contains(64) else { return nil }
    let token = bench.maker.token(bench.maker.chance.number(34...64))
    bench.frame.edit(target.path) {
      $0.value = token
      $0.claimed = 32
    }
    guard target.schema.isBelievedBeyond(bench.frame.bytes) else { return nil }
    return Change(sentence: "the \(target.lengthTitle) is 32 instead of \(token.count)")
  }
}

private func frameLengthWithoutHeaders(_ payload: Target) -> Mutator {
  Mutator(
    "frame-length-without-headers", "the frame length counts only the items' data", rule: .itemOverrun,
    cause: .frameLengthWithoutHeaders, of: payload.schema
  ) { bench in
    let path = [payload.path[0]]
    guard bench.moveLast(payload.path), let list = bench.frame[path], let items = list.pieces,
      let last = bench.frame[payload.path], last.valueSize > 3 * items.count
    else { return nil }
    let told = list.valueSize - 3 * items.count
    bench.frame.edit(path) { $0.claimed = UInt64(told) }
    return Change(
      sentence:
        "the frame length was changed from \(list.valueSize) to \(told), without ids and lengths of \(items.count) items"
    )
  }
}

private func frameLengthWithHeader(_ payload: Target) -> Mutator {
  Mutator(
    "frame-length-with-header", "the frame length also counts the command and itself", rule: .truncated,
    cause: .frameLengthWithHeader, of: payload.schema
  ) { bench in
    let path = [payload.path[0]]
    guard let list = bench.frame[path] else { return nil }
    let told = list.valueSize + 1 + list.width
    bench.frame.edit(path) { $0.claimed = UInt64(told) }
    return Change(sentence: "the frame length was changed from \(list.valueSize) to \(told)")
  }
}

private func priorityLengthFour(_ targets: [Target]) -> Mutator? {
  guard let target = targets.first(where: { $0.field?.role == .priority && $0.isItem }) else { return nil }
  return Mutator(
    "priority-length-four", "the priority has one byte, but a length of four", rule: .itemOverrun,
    cause: .priorityLengthFour, of: target.schema
  ) { bench in
    guard bench.moveLast(target.path) else { return nil }
    bench.frame.edit(target.path) { $0.claimed = 4 }
    return Change(sentence: "the \(target.lengthTitle), the last item, was changed from 1 to 4")
  }
}
