import APNSCapture
import APNSInput
import Foundation
import Octets
import TestSupport
import Testing

@Suite struct PcapngCaptureTests {
  let provider = Endpoint(address: .v4(0x0a00_0001), port: 40000)
  let gateway = Endpoint(address: .v4(0x0a00_0002), port: 2195)

  /// The Ethernet packets of a conversation in which `sent` goes to the gateway.
  private func packets(_ sent: [UInt8], from port: UInt16 = 40000) -> [[UInt8]] {
    let provider = Endpoint(address: provider.address, port: port)
    var writer = CaptureWriter()
    var out: [UInt8] = []
    writer.segment(sent.span, on: .init(source: provider, destination: gateway), at: nil, into: &out)
    writer.finish(into: &out)
    var packets: [[UInt8]] = []
    var offset = 24
    while offset < out.count {
      let end = offset + 16 + Int(out[offset + 8]) + Int(out[offset + 9]) << 8
      packets.append([UInt8](out[(offset + 16)..<end]))
      offset = end
    }
    return packets
  }

  /// What tshark says of each sample: number, time, captured and original length.
  @Test(arguments: try! Samples.files(in: "captures", endingWith: ".pcapng.packets"))
  func packetsAreAsTsharkSeesThem(_ list: URL) throws {
    let blocks = CapturedPackets(try Samples.bytes(list.deletingPathExtension()))
    var seen = ""
    for (index, time) in blocks.times.enumerated() {
      let time = try #require(time)
      let fraction = String(time.nanoseconds + 1_000_000_000).dropFirst()
      seen += "\(index + 1)\t\(time.seconds).\(fraction)\t\(blocks.packets[index].count)\t\(blocks.lengths[index])\n"
    }
    #expect(seen == (try String(contentsOf: list, encoding: .utf8)))
    #expect(blocks.error == nil)
  }

  @Test func interfacesMayDifferInLinkType() throws {
    var file = PcapngFile()
    file.interface(link: 101)
    file.interface(link: 1)
    file.interface(link: 105)
    for (index, packet) in packets([1, 2, 3]).enumerated() {
      if index.isMultiple(of: 2) {
        file.packet([UInt8](packet.dropFirst(14)), interface: 0)
      } else {
        file.packet(packet, interface: 1)
      }
      file.packet([1, 2, 3], interface: 2)
    }
    file.statistics(dropped: 12)
    file.secrets(0x544c_534b, [])
    let content = CaptureContent(of: file.bytes)
    #expect(content.error == nil)
    #expect(content.bytes.filter { !$0.value.isEmpty } == [0: [1, 2, 3]])
    #expect(content.packets.map(\.number) == [7])
    #expect(
      content.remark == "7 packets of the link type 105 (IEEE802_11) cannot be read, "
        + "the capturing system dropped 12 packets, the capture contains TLS secrets")
  }

  @Test func flagsTellTheDirectionWhereNoAddressDoes() {
    var file = PcapngFile()
    file.interface(link: 147)
    for (flags, byte) in [(2, 1), (1, 9), (2, 2), (0, 3)] as [(UInt32, UInt8)] {
      file.packet([byte], options: [(2, file.number(flags))])
    }
    #expect(CaptureContent(of: file.bytes).bytes == [0: [1, 2, 3], 1: [9]])
  }

  @Test func aFileOfUnknownLinkTypesOnlyIsRefused() {
    var file = PcapngFile()
    file.interface(link: 105)
    file.packet([1])
    #expect(CaptureContent(of: file.bytes).error?.code == .unknownLinkType)
    #expect(CaptureContent(of: PcapngFile().bytes).error == nil)
  }

  @Test func filtersAreCompiledForEachLinkType() {
    var file = PcapngFile(bigEndian: true)
    file.interface(link: 1)
    file.interface(link: 101)
    for packet in packets([1, 2, 3]) { file.packet(packet) }
    for packet in packets([4], from: 40001) { file.packet([UInt8](packet.dropFirst(14)), interface: 1) }
    for (filter, numbers) in [("tcp dst port 2195", [4, 11]), ("len > 1000", [])] {
      let content = CaptureContent(of: file.bytes, filter: filter)
      #expect(content.packets.map(\.number) == numbers, "\(filter)")
      #expect(content.packetCount == 14)
    }
    #expect(CaptureContent(of: file.bytes, filter: "port of call").error?.code == .badFilter)
  }

  @Test func whatLibpcapCannotFilterIsNamed() {
    var file = PcapngFile()
    file.interface(link: 252)
    file.packet([0, 0, 0, 0, 1])
    let error = CaptureContent(of: file.bytes, filter: "tcp port 2195").error
    #expect(error?.code == .badFilter)
    #expect(error?.reason.contains("252") == true)
    #expect(CaptureContent(of: file.bytes).bytes == [0: [1]])
  }

  /// The packet is read for its time, and counted with no other.
  @Test func theTimeOfTheNextPacketIsRead() throws {
    for name in ["push-session.pcap", "push-session.pcapng", "push-session.pcap.gz", "cut.pcap"] {
      let file = try FileHandle(forReadingFrom: Samples.folder.appending(path: "captures/\(name)"))
      var reader = try CaptureReader(ByteSource(descriptor: file.fileDescriptor))
      let time = CaptureTime(seconds: 1_795_225_786, nanoseconds: 419_480_000, digits: 6)
      #expect(reader.nextPacketTime() == time)
      var reassembler = Reassembler()
      var collector = CaptureCollector()
      try? reader.read(into: &reassembler, &collector)
      #expect(reader.nextPacketTime() == nil)
      #expect(reader.packetCount == (name == "cut.pcap" ? 6 : 13), "\(name)")
    }
  }

  @Test func damageBeforeTheFirstPacketIsToldWhenReading() throws {
    var file = PcapngFile()
    file.simplePacket([1])
    let pipe = Pipe()
    pipe.fileHandleForWriting.write(Data(file.bytes))
    pipe.fileHandleForWriting.closeFile()
    var reader = try CaptureReader(ByteSource(descriptor: pipe.fileHandleForReading.fileDescriptor))
    #expect(reader.nextPacketTime() == nil)
    var reassembler = Reassembler()
    var collector = CaptureCollector()
    let error = #expect(throws: ReadError.self) { try reader.read(into: &reassembler, &collector) }
    #expect(error?.code == .damagedCapture)
    #expect(error?.offset == 28)
  }

  /// One timeline over several files: the reassembler is the caller's.
  @Test func aConnectionGoesOnInTheNextFile() throws {
    let all = packets([UInt8](repeating: 7, count: 5000))
    var reassembler = Reassembler()
    var collector = CaptureCollector()
    for part in [all[..<5], all[5...]] {
      var file = PcapngFile()
      file.interface(link: 1)
      for packet in part { file.packet(packet) }
      let pipe = Pipe()
      pipe.fileHandleForWriting.write(Data(file.bytes))
      pipe.fileHandleForWriting.closeFile()
      var reader = try CaptureReader(ByteSource(descriptor: pipe.fileHandleForReading.fileDescriptor))
      try reader.read(into: &reassembler, &collector)
    }
    reassembler.finish(into: &collector)
    #expect(collector.content.bytes[0] == [UInt8](repeating: 7, count: 5000))
    #expect(collector.content.gaps.isEmpty)
  }
}
