import APNSDiagnosis
import APNSWire
import Octets

/// Mutators for faults of a stream rather than of a frame: other protocols, a proxy's header before the stream, a tuple
/// without its first byte, and more faults in a frame than are listed.
func streamMutators(of schema: FrameSchema) -> [Mutator] {
  if schema.path(of: .timestamp) != nil, schema.command == nil { return [shifted(schema)] }
  guard schema.role == .provider else { return [] }
  var all = [proxied(schema)]
  if schema.hasIdentifier, !schema.hasList { all += ForeignProtocol.rules.map { foreign($0, schema) } }
  return all + schema.lists.filter { $0.lengthWidth == 4 }.map(noise)
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

private func shifted(_ schema: FrameSchema) -> Mutator {
  Mutator("first-byte-missing", "the first byte of the tuple is missing", rule: .feedbackShifted, of: schema) {
    context in
    let bytes = try context.frame.bytes()
    guard bytes.span.bigEndian16(at: 4) == 32 else { return nil }
    return Change(
      sentence: "the first byte of the tuple was removed: \(bytes.count) bytes became \(bytes.count - 1)",
      follows: [.truncated], bytes: Array(bytes.dropFirst()))
  }
}

private func foreign(_ rule: Rule, _ schema: FrameSchema) -> Mutator {
  Mutator(rule.id, "the stream uses another protocol", rule: rule, of: schema) { context in
    guard let sample = rule.bad.first else { return nil }
    let bytes = sample.bytes + context.maker.chance.bytes(context.maker.chance.number(0...24))
    return Change(
      sentence:
        "the frame of \(try context.frame.bytes().count) bytes was replaced by \(bytes.count) bytes of another "
        + "protocol",
      bytes: bytes,
      isFirst: true)
  }
}

private func noise(_ target: FieldPath) -> Mutator {
  Mutator("many-unknown-items", "the frame has more faults than are listed", rule: .moreFaults, of: target.schema) {
    context in
    guard let list = context.frame[items: target] else { return nil }
    let free = (UInt8.min...0xff).filter { id in !target.rows.contains { $0.id.rawValue == id } }
    let count = context.maker.chance.number(101...140)
    let noise = (0..<count).map { _ in
      ItemDraft(ItemID(rawValue: context.maker.chance.pick(free)), data: .octets([]))
    }
    context.frame[items: target] = list + noise
    return Change(
      sentence: "\(count) items with unknown ids were added after the \(list.count) items", follows: [.unknownItem])
  }
}
