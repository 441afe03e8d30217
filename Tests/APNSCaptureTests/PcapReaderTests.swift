import APNSInput
import CPcap
import Foundation
import TestSupport
import Testing

/// Classic pcap files, against libpcap.
@Suite struct PcapReaderTests {
  /// Files of all variants: valid, cut, and damaged.
  @Test func packetsAreThoseOfLibpcap() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    var (valid, invalid) = (0, 0)
    for run in 0..<1000 {
      let seed = runSeed &+ UInt64(run)
      var random = SeededGenerator(seed: seed)
      var file = randomFile(&random)
      if random.chance(30) { file.removeLast(Int.random(in: 0...min(file.count, 60), using: &random)) }
      let isDamaged = random.chance(30) && !file.isEmpty
      if isDamaged {
        let index = random.chance(50) ? min(file.count - 1, 40) : file.count - 1
        file[Int.random(in: 0...index, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      try scratch.write(file, to: "pcap")
      let expected = LibpcapContent(path: scratch.path("pcap"))
      let read = CapturedPackets(file, pieces: Int.random(in: 1...100, using: &random), by: PcapReader())
      #expect(read.packets.map(\.count) == expected.packets.map(\.count), "APNSCOPE_SEED=\(seed)")
      #expect(read.lengths == expected.lengths, "APNSCOPE_SEED=\(seed)")
      // Of a few link types, such as USB, libpcap rewrites headers in the order of the machine. Damage leads there.
      #expect(expected.link != 1 || read.packets == expected.packets, "APNSCOPE_SEED=\(seed)")
      // libpcap has numbers of its own for some link types, which only damaged files have here.
      #expect(isDamaged || read.links.allSatisfy { $0.rawValue == expected.link }, "APNSCOPE_SEED=\(seed)")
      for (time, stamp) in zip(read.times, expected.times) {
        // libpcap reads both numbers as signed ones. Fractions below 0 are damaged.
        guard stamp.tv_usec >= 0 else { continue }
        let (carry, nanoseconds) = stamp.tv_usec.quotientAndRemainder(dividingBy: 1_000_000_000)
        let seconds = stamp.tv_sec < 0 ? stamp.tv_sec + 1 << 32 : stamp.tv_sec
        #expect(time?.seconds == seconds + carry && time?.nanoseconds == nanoseconds, "APNSCOPE_SEED=\(seed)")
      }
      #expect((read.error == nil) == (expected.error == nil), "\(read.error as Any), APNSCOPE_SEED=\(seed)")
      // For a packet that is cut to the snap length, libpcap counts fewer bytes.
      if let error = expected.error, error.hasPrefix("truncated"), expected.snapLength > 100, !read.links.isEmpty {
        #expect(read.error?.reason.hasSuffix(error) == true, "\(read.error as Any), \(error), APNSCOPE_SEED=\(seed)")
      }
      if expected.error == nil { valid += 1 } else { invalid += 1 }
    }
    #expect(valid > 100 && invalid > 100)
  }

  private func randomFile(_ random: inout SeededGenerator) -> [UInt8] {
    let isBigEndian = random.chance(50)
    func bytes(_ number: UInt32, _ count: Int) -> [UInt8] {
      let all = (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
      return isBigEndian ? all.reversed() : all
    }
    let magic = [0xa1b2_c3d4, 0xa1b2_3c4d, 0xa1b2_cd34].randomElement(using: &random) ?? 0
    let minor = random.chance(70) ? 4 : UInt32.random(in: 0...5, using: &random)
    let snapLength = random.chance(70) ? 1 << 18 : UInt32.random(in: 0...40, using: &random)
    // The upper bits have the length of a checksum.
    let link = random.chance(80) ? 1 : 1 | 0x5400_0000 as UInt32
    var file = bytes(UInt32(magic), 4) + bytes(random.chance(98) ? 2 : 1, 2) + bytes(minor, 2) + bytes(0, 8)
    file += bytes(snapLength, 4) + bytes(link, 4)
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      let packet = random.bytes(Int.random(in: 0...50, using: &random))
      let original = UInt32(packet.count) + (random.chance(30) ? 100 : 0)
      let lengths = [UInt32(packet.count), original]
      file += bytes(UInt32.random(in: 0 ... .max, using: &random), 4)
      file += bytes(UInt32.random(in: 0...999_999, using: &random), 4)
      file += (minor < 3 ? lengths.reversed() : lengths).flatMap { bytes($0, 4) }
      if magic == 0xa1b2_cd34 { file += bytes(3, 4) + bytes(8, 2) + [4, 0] }
      file += packet
    }
    return file
  }

  /// Each packet is read with its last byte, so that a pipe is read while it is written.
  @Test func aPacketIsThereWithItsLastByte() throws {
    var random = SeededGenerator(seed: runSeed)
    let writer = PcapWriter(isNanosecondFile: true)
    var file: [UInt8] = []
    var ends: [Int] = []
    writer.header(.raw, into: &file)
    for size in [3, 0, 500] {
      writer.packet(random.bytes(size).span, sent: 600, seconds: 7, nanoseconds: 9, into: &file)
      ends.append(file.count)
    }
    var reader = PcapReader()
    var seen: [Int] = []
    for index in file.indices {
      reader.append(file.span.extracting(index..<(index + 1)))
      while let packet = try reader.next() {
        #expect(packet.link == .raw && packet.originalLength == 600)
        #expect(packet.time == CaptureTime(seconds: 7, nanoseconds: 9, digits: 9))
        seen.append(index + 1)
      }
    }
    #expect(seen == ends)
  }
}

/// The results of libpcap.
private struct LibpcapContent {
  var packets: [[UInt8]] = []
  var lengths: [Int] = []
  var times: [timeval] = []
  var link = 0
  var snapLength = 0
  var error: String?

  init(path: String) {
    var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
    guard let handle = pcap_open_offline_with_tstamp_precision(path, UInt32(PCAP_TSTAMP_PRECISION_NANO), &message)
    else {
      error = message.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
      return
    }
    defer { pcap_close(handle) }
    link = Int(pcap_datalink(handle))
    snapLength = Int(pcap_snapshot(handle))
    var header: UnsafeMutablePointer<pcap_pkthdr>?
    var data: UnsafePointer<UInt8>?
    var result = pcap_next_ex(handle, &header, &data)
    while result == 1, let found = header?.pointee {
      packets.append(Array(UnsafeBufferPointer(start: data, count: Int(found.caplen))))
      lengths.append(Int(found.len))
      times.append(found.ts)
      result = pcap_next_ex(handle, &header, &data)
    }
    if result != PCAP_ERROR_BREAK { error = String(cString: pcap_geterr(handle)) }
  }
}
