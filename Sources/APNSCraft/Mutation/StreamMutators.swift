import APNSDiagnosis
import APNSWire

/// What is wrong with a stream and not with a frame of it: other protocols, what a proxy writes before it, a batch that is
/// sent twice, a frame of nothing but faults.
func streamMutators(of schema: FrameSchema) -> [Mutator] {
  guard schema.role == .provider else { return [] }
  var all = [proxied(schema), batch(schema)]
  if schema.hasIdentifier, !schema.hasList { all += others.map { foreign($0, schema) } }
  return all + schema.lists.filter { $0.lengthWidth == 4 }.map(noise)
}

private func proxied(_ schema: FrameSchema) -> Mutator {
  Mutator("proxy-header", "a proxy's header precedes the stream", rule: .proxyHeader, of: schema) { bench in
    let address = (0..<4).map { _ in String(bench.maker.chance.number(1...250)) }.joined(separator: ".")
    let line = Array("PROXY TCP4 \(address) 17.0.0.1 \(bench.maker.chance.number(1024...65_535)) 2195\r\n".utf8)
    return Change(
      sentence: "a PROXY protocol header of \(line.count) bytes was inserted before the frame",
      bytes: line + (try bench.frame.bytes()), isAlone: true)
  }
}

private func batch(_ schema: FrameSchema) -> Mutator {
  Mutator("batch-repeated", "two frames are written twice", rule: .repeatedBatch, cause: .batchRepeated, of: schema) {
    bench in
    guard schema.hasIdentifier, let one = bench.company() else { return nil }
    let run = try bench.frame.bytes() + one.bytes()
    return Change(
      sentence: "a run of 2 frames (\(run.count) bytes) appears twice", follows: [.identifierRepeated],
      bytes: run + run, isAlone: true)
  }
}

/// By the rules' own samples.
private let others: [Rule.ID] = [.tlsRecords, .http2Preface, .http1Message, .bareJSON, .deviceProtocol]

private func foreign(_ id: Rule.ID, _ schema: FrameSchema) -> Mutator {
  Mutator(id.rawValue, "the stream uses another protocol", rule: id, of: schema) { bench in
    guard let sample = Rules[id.rawValue]?.bad.first else { return nil }
    let bytes = sample.bytes + bench.maker.chance.bytes(bench.maker.chance.number(0...24))
    return Change(
      sentence:
        "the frame of \(try bench.frame.bytes().count) bytes was replaced by \(bytes.count) bytes of another protocol",
      bytes: bytes,
      isAlone: true)
  }
}

private func noise(_ target: FieldPath) -> Mutator {
  Mutator("many-unknown-items", "the frame has more faults than are listed", rule: .moreFaults, of: target.schema) {
    bench in
    guard let list = bench.frame[items: target] else { return nil }
    let free = (UInt8.min...0xff).filter { id in !target.rows.contains { $0.id.rawValue == id } }
    let count = bench.maker.chance.number(101...140)
    let noise = (0..<count).map { _ in
      ItemDraft(ItemID(rawValue: bench.maker.chance.pick(free)), data: .octets([]))
    }
    bench.frame[items: target] = list + noise
    return Change(
      sentence: "\(count) items with unknown ids were added after the \(list.count) items", follows: [.unknownItem])
  }
}
