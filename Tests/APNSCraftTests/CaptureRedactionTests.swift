import APNSCapture
import APNSCraft
import APNSInput
import Foundation
import TestSupport
import Testing

/// Redacting every capture: read again, it holds the same findings in other bytes, from other addresses.
@Suite struct CaptureRedactionTests {
  private let standIns = StandIns(key: "a key for tests")

  @Test(arguments: ["captures", "dialogue"])
  func redactsEveryCapture(_ folder: String) throws {
    let redactor = Redactor(standIns, catalog: .standard)
    var count = 0
    for file in try Samples.files(in: folder, endingWith: "")
    where ["pcap", "pcapng", "gz"].contains(file.pathExtension) {
      let before = try Reading(try Samples.bytes(file))
      let redacted = before.log.streams.map { redactor.redact($0) }
      let capture = before.redaction(redacted, standIns)
      // Without TCP packets there is nothing to write afresh.
      guard !capture.isIncomplete else { continue }
      // What ends in the middle of a packet does so again.
      let after = try Reading(capture.bytes + (before.isCut ? [0, 0] : []))
      let difference = redactor.difference(before.log, after.log)
      #expect(difference == nil, "\(file.lastPathComponent) \(String(describing: difference))")
      for (held, bytes) in zip(before.log.streams, redacted) {
        let leaks = Private(held.bytes).leaks(in: bytes) + Private(held.bytes).leaks(in: capture.bytes)
        #expect(leaks.isEmpty, "\(file.lastPathComponent) \(leaks)")
      }
      let routes = [before, after].map { $0.segments.map(\.tcp.route) }
      let addresses = routes.map { Set($0.flatMap { [$0.source.address, $0.destination.address] }) }
      #expect(addresses[0].isDisjoint(with: addresses[1]))
      #expect(before.segments.map(\.tcp.missing) == after.segments.map(\.tcp.missing), "\(file.lastPathComponent)")
      #expect(
        before.segments.map(\.writer.hasValidChecksum) == after.segments.map(\.writer.hasValidChecksum),
        "\(file.lastPathComponent)")
      #expect(before.segments.map(\.tcp.payload.count) == after.segments.map(\.tcp.payload.count))
      count += 1
    }
    #expect(count >= 4)
  }

  /// A checksum that was wrong is wrong again, others are right.
  @Test func keepsWrongChecksums() throws {
    var writer = CaptureWriter()
    var bytes: [UInt8] = []
    let route = ByteStream.Route(
      source: Endpoint(address: .v4(0x0a00_0001), port: 40000),
      destination: Endpoint(address: .v4(0x0a00_0002), port: 2195))
    writer.segment([8, 8, 0, 0, 0, 7].span, on: route, at: nil, into: &bytes)
    writer.finish(into: &bytes)
    // File header, then of the first packet: record header, Ethernet, and the IP header's checksum, or TCP's.
    for (offset, rights) in [(24 + 16 + 14 + 10, (false, true)), (24 + 16 + 14 + 20 + 16, (true, false))] {
      var wrong = bytes
      wrong[offset] ^= 0x10
      let reading = try Reading(wrong)
      let again = try Reading(reading.redaction(reading.log.streams.map(\.bytes), standIns).bytes)
      let first = again.segments[0].writer
      #expect(first.hasValidHeaderChecksum == rights.0 && first.hasValidChecksum == rights.1)
      let others = again.segments.dropFirst().map(\.writer)
      #expect(others.allSatisfy { $0.hasValidHeaderChecksum && $0.hasValidChecksum == true })
    }
  }

  /// Bytes that come twice are the same twice, and others for the same place are others again.
  @Test func keepsRepetitionsAndContradictions() throws {
    let first = Array("0000000000".utf8)
    var packets: [[UInt8]] = [rawPacket(2, sequence: 99, [])]
    packets.append(rawPacket(0x18, sequence: 100, first))
    packets.append(rawPacket(0x18, sequence: 102, first[2...5]))
    packets.append(rawPacket(0x18, sequence: 104, Array("x".utf8)))
    packets.append(rawPacket(0x18, sequence: 110, first))
    let before = try Reading(Self.file(of: packets))
    let redacted = [Array("abcdefghijklmnopqrst".utf8)]
    let after = try Reading(before.redaction(redacted, standIns).bytes)
    #expect(after.payloads[1] == Array("abcdefghij".utf8))
    #expect(after.payloads[2] == Array("cdef".utf8))
    #expect(after.payloads[3] != Array("e".utf8))
    #expect(after.payloads[4] == Array("klmnopqrst".utf8))
  }

  private static func file(of packets: [[UInt8]]) -> [UInt8] {
    func little(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
    func numbers(_ numbers: Int...) -> [UInt8] { numbers.flatMap(little) }
    let header = numbers(0xa1b2_c3d4, 0x4_0002, 0, 0, 65535, 101)
    return packets.reduce(header) { $0 + numbers(1, 0, $1.count, $1.count) + $1 }
  }
}

/// A capture by streams and by packets.
private struct Reading {
  var log = StreamLog()
  var isCut = false
  var segments: [(tcp: TCPSegment, writer: PacketWriter)] = []
  var payloads: [[UInt8]] = []
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) throws {
    self.bytes = bytes
    var reassembler = Reassembler()
    do {
      try Self.read(bytes) { reader throws(ReadError) in try reader.read(into: &reassembler, &log) }
    } catch {
      isCut = true
    }
    reassembler.finish(into: &log)
    forEachPacket { packet, link, length, _ in
      let content = PacketContent(packet, originalLength: length, link: link)
      guard case .segment(let tcp, let writer) = content else { return }
      segments.append((tcp, writer))
      payloads.append(tcp.payload.map { packet[$0] })
    }
  }

  func redaction(_ redacted: [[UInt8]], _ standIns: StandIns) -> CaptureRedaction {
    var capture = CaptureRedaction(log, redacted: redacted, standIns)
    forEachPacket { capture.process($0, $1, originalLength: $2, $3) }
    return capture
  }

  private func forEachPacket(_ body: (Span<UInt8>, LinkType, Int, Origin.Packet) -> Void) {
    // A cut one was told of before.
    try? Self.read(bytes) { reader throws(ReadError) in try reader.forEachPacket(body) }
  }

  private static func read(_ bytes: [UInt8], _ body: (inout CaptureReader) throws(ReadError) -> Void) throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "redaction-\(UUID().uuidString)")
    try Data(bytes).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let handle = try FileHandle(forReadingFrom: file)
    defer { try? handle.close() }
    var reader = try CaptureReader(ByteSource(descriptor: handle.fileDescriptor))
    try body(&reader)
  }
}
