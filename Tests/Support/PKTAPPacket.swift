/// A packet as macOS captures it from `pktap`: its header, then `packet`.
/// - Parameters:
///   - link: The link type of `packet`.
///   - length: The length that the header claims; nil means the correct one.
///   - record: The type of the record; 1 is a packet.
///   - size: The size of the header in bytes. The shortest one has 108; those of today have 156.
public func pktap(
  _ packet: [UInt8], link: UInt32, length: UInt32? = nil, record: UInt32 = 1, size: Int = 108
)
  -> [UInt8]
{
  let fixed = little(length ?? UInt32(size)) + little(record) + little(link) + Array("en0".utf8)
  return fixed + [UInt8](repeating: 0, count: max(0, size - fixed.count)) + packet
}

/// The packets in a pcap and a pcapng file, each in both byte orders.
public func captures(of packets: [[UInt8]], link: UInt32) -> [[UInt8]] {
  [false, true].flatMap { bigEndian in
    var pcapng = PcapngFile(bigEndian: bigEndian)
    pcapng.interface(link: Int(link))
    for packet in packets { pcapng.packet(packet) }
    func number(_ value: UInt32) -> [UInt8] { bigEndian ? little(value).reversed() : little(value) }
    var pcap: [UInt8] = number(0xa1b2_c3d4)
    pcap += bigEndian ? [0, 2, 0, 4] : [2, 0, 4, 0]
    for field in [0, 0, 262_144, link] { pcap += number(field) }
    for packet in packets {
      for field in [1, 0, UInt32(packet.count), UInt32(packet.count)] { pcap += number(field) }
      pcap += packet
    }
    return [pcap, pcapng.bytes]
  }
}

private func little(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
