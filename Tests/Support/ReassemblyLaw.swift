import APNSInput

/// A TCP segment of one direction in a raw IPv4 packet, without options.
public func rawPacket(_ flags: UInt8, sequence: UInt32, _ payload: some Collection<UInt8>) -> [UInt8] {
  func big(_ value: Int, _ size: Int) -> [UInt8] { (0..<size).reversed().map { UInt8(value >> ($0 * 8) & 255) } }
  let ip: [UInt8] = [0x45, 0] + big(40 + payload.count, 2) + [0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]
  return ip + big(40_000, 2) + big(2195, 2) + big(Int(sequence), 4) + big(0, 4) + [0x50, flags] + big(0, 6) + payload
}

extension Law {
  /// For segments in any order, overlapping and with contradicting bytes, each byte is delivered once, each other
  /// version is reported, and the gaps are exactly the bytes that were never sent.
  static func reassembly(_ script: [UInt8]) -> String? {
    var sent: [Int: Set<UInt8>] = [:]
    var sink = Versions()
    var reassembler = Reassembler()
    var number = 0
    func send(_ flags: UInt8, at place: Int, _ payload: [UInt8]) {
      number += 1
      let origin = Origin.Packet(number: number, time: CaptureTime(seconds: 0, nanoseconds: 0, digits: 6))
      let packet = rawPacket(flags, sequence: UInt32.max &- 50 &+ UInt32(truncatingIfNeeded: place), payload)
      reassembler.packet(packet.span, link: .raw, origin: origin, into: &sink)
    }
    send(2, at: -1, [])
    // Two bytes of the script give the offset of a segment, one its length, and one its contents.
    for start in stride(from: 0, to: script.count - 3, by: 4) {
      let place = Int(script[start]) << 1 | Int(script[start + 1]) & 1
      let payload = (0...Int(script[start + 2] & 63)).map { UInt8(truncatingIfNeeded: place + $0) }
      let changed = payload.indices.map { $0 % 7 == 3 ? payload[$0] ^ (script[start + 3] & 1) : payload[$0] }
      send(0x18, at: place, changed)
      for (index, byte) in changed.enumerated() { sent[place + index, default: []].insert(byte) }
    }
    reassembler.finish(into: &sink)
    let end = (sent.keys.max() ?? -1) + 1
    guard sink.count == end else { return "\(sink.count) places, not \(end)" }
    for place in 0..<end where sink.versions[place] ?? [] != sent[place] ?? [] {
      return "at \(place): \(sink.versions[place] ?? []), not \(sent[place] ?? [])"
    }
    guard reassembler.tally.missingBytes == end - sent.count else { return "\(reassembler.tally.missingBytes) missing" }
    return nil
  }

  /// Every version of every byte.
  private struct Versions: StreamSink {
    var versions: [Int: Set<UInt8>] = [:]
    var count = 0
    var wantsMore: Bool { true }

    mutating func open(_ stream: ByteStream) {}
    mutating func close(_ stream: Int, _ ending: StreamEnding) {}
    mutating func gap(of count: Int, in stream: Int) { self.count += count }

    mutating func append(_ bytes: Span<UInt8>, from origin: Origin, to stream: Int) {
      for index in bytes.indices { versions[count + index, default: []].insert(bytes[index]) }
      count += bytes.count
    }

    mutating func overlap(_ bytes: Span<UInt8>, at offset: Int, from origin: Origin, in stream: Int) {
      for index in bytes.indices { versions[offset + index, default: []].insert(bytes[index]) }
    }
  }
}
