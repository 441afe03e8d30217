import APNSInput
import Testing

@Suite struct CaptureSampleTests {
  let errorResponse: [UInt8] = [8, 8, 0, 1, 0, 0]

  @Test func thePushSessionIsRead() throws {
    let content = try CaptureContent(sample: "push-session.pcap")
    let sent = try #require(content.bytes[0])
    #expect(sent.count == 509)
    #expect([0, 76, 196, 374].map { sent[$0] } == [0, 1, 2, 2])
    #expect(content.bytes[1] == errorResponse)
    #expect(content.routes[0] == "127.0.0.1:40001 > 127.0.0.1:2195")
    #expect(content.packets.map(\.number) == [4, 6, 8, 10])
    #expect(content.packets.allSatisfy { $0.time?.digits == 6 })
    #expect(content.error == nil)
  }

  @Test(
    arguments: [
      "push-session.pcapng", "ipv6.pcap", "nanoseconds.pcap", "cooked-v1.pcap", "cooked-v2.pcap", "no-handshake.pcap",
      "vlan.pcap", "null.pcap", "raw-ip.pcap", "swapped-and-repeated.pcap", "dumpcap.pcapng", "push-session.pcap.gz",
      "wireshark-export.pcapng", "pktap.pcap", "pktap-user2.pcap",
    ])
  func itIsTheSameHoweverItWasRecorded(name: String) throws {
    let content = try CaptureContent(sample: name)
    #expect(content.bytes == (try CaptureContent(sample: "push-session.pcap")).bytes)
    #expect(content.gaps.isEmpty)
    #expect(content.closed.sorted() == [0, 1])
    #expect(content.error == nil)
  }

  @Test func nanosecondsAreKept() throws {
    let times = try CaptureContent(sample: "nanoseconds.pcap").packets.compactMap(\.time)
    #expect(times.allSatisfy { $0.digits == 9 })
    #expect(times.contains { $0.nanoseconds % 1000 != 0 })
  }

  @Test func feedbackIsTheOddStream() throws {
    let content = try CaptureContent(sample: "feedback.pcap")
    #expect(content.bytes[0]?.isEmpty ?? true)
    #expect(content.bytes[1]?.count == 114)
    #expect(content.routes[1] == "127.0.0.1:2196 > 127.0.0.1:40002")
  }

  @Test func aMissingSegmentIsAGap() throws {
    let whole = try CaptureContent(sample: "push-session.pcap")
    let content = try CaptureContent(sample: "missing-segment.pcap")
    #expect(content.gaps == [0: [124..<172]])
    let sent = try #require(whole.bytes[0])
    #expect(content.bytes[0] == [UInt8](sent[..<124] + sent[172...]))
    #expect(content.bytes[1] == errorResponse)
  }

  @Test func aCutCaptureGivesWhatItHas() throws {
    let whole = try CaptureContent(sample: "push-session.pcap")
    let content = try CaptureContent(sample: "cut.pcap")
    #expect(content.bytes[0] == whole.bytes[0].map { [UInt8]($0[..<196]) })
    #expect(content.packetCount == 7)
    #expect(content.closed == [0, 1])
    #expect(content.error?.code == .damagedCapture)
  }
}
