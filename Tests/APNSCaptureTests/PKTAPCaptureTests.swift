import APNSCapture
import APNSInput
import Octets
import TestSupport
import Testing

/// Captures from the `pktap` interface of macOS.
@Suite struct PKTAPCaptureTests {
  private let sent: [UInt8] = [1, 2, 3]

  /// The Ethernet packets of a conversation; the fourth holds `sent`.
  private var packets: [[UInt8]] {
    let provider = Endpoint(address: .v4(0x0a00_0001), port: 40000)
    let gateway = Endpoint(address: .v4(0x0a00_0002), port: 2195)
    var writer = CaptureWriter()
    var out: [UInt8] = []
    writer.segment(sent.span, on: .init(source: provider, destination: gateway), at: nil, into: &out)
    writer.finish(into: &out)
    var packets: [[UInt8]] = []
    var start = PcapWriter.headerSize
    while start < out.count {
      // The length is the third of four numbers before a packet, with the lowest byte first.
      let count = Int(out[start + 8]) + Int(out[start + 9]) << 8
      packets.append(Array(out[(start + 16)..<(start + 16 + count)]))
      start += 16 + count
    }
    return packets
  }

  /// The header is little-endian in every file. Link types differ from packet to packet, as interfaces do.
  @Test(arguments: [149, 258] as [UInt32]) func packetsAreReadAndFiltered(_ link: UInt32) {
    let packets = packets.enumerated().map { index, packet in
      index.isMultiple(of: 2) ? pktap(Array(packet.dropFirst(14)), link: 12, size: 156) : pktap(packet, link: 1)
    }
    for file in captures(of: packets, link: link) {
      for filter in [nil, "tcp dst port 2195", "src host 10.0.0.1 and tcp[tcpflags] & tcp-push != 0"] {
        let content = CaptureContent(of: file, filter: filter)
        #expect(content.bytes[0] == sent && content.packets.map(\.number) == [4], "\(filter ?? "")")
        #expect(content.error == nil && content.remark.isEmpty)
      }
      let none = CaptureContent(of: file, filter: "tcp port 80")
      #expect(none.bytes.isEmpty && none.packetCount == packets.count && none.error == nil)
      #expect(CaptureContent(of: file, filter: "len > 1000").bytes.isEmpty)
      #expect(CaptureContent(of: file, filter: "port of call").error?.code == .badFilter)
    }
    #expect(CaptureContent(of: captures(of: [], link: link)[0], filter: "port of call").error?.code == .badFilter)
  }

  /// An interface that apnscope cannot read is named, not its header.
  @Test func linkTypesWithinAreNamed() {
    for file in captures(of: [pktap([1, 2, 3], link: 105)], link: 258) {
      let error = CaptureContent(of: file).error
      #expect(error?.code == .unknownLinkType)
      #expect(error?.reason.contains("105 (IEEE802_11)") == true)
    }
    for file in captures(of: [pktap([1, 2, 3], link: 105)] + packets.map { pktap($0, link: 1) }, link: 258) {
      let content = CaptureContent(of: file)
      #expect(content.bytes[0] == sent && content.error == nil)
      #expect(content.remark == "1 packet of the link type 105 (IEEE802_11) cannot be read")
    }
  }

  /// In a link type for private use, other packets are pieces of a stream, which libpcap cannot filter.
  @Test func piecesOfAStreamAreNoPackets() {
    for file in captures(of: [[1, 2], pktap([3], link: 1, length: 0), [4]], link: 149) {
      #expect(CaptureContent(of: file).bytes == [0: [1, 2] + pktap([3], link: 1, length: 0) + [4]])
      let error = CaptureContent(of: file, filter: "tcp port 2195").error
      #expect(error?.code == .badFilter && error?.reason.contains("149") == true)
    }
  }
}
