import Foundation
import TestSupport
import Testing

/// Wireshark's reading of PKTAP is the reference: the same packets, whatever the headers claim.
@Suite(.endedIfItHangs) struct PKTAPTests {
  /// An error response in a connection of its own, whose identifier is the number of the packet.
  private static func ip(_ number: UInt32) -> [UInt8] {
    let frame: [UInt8] = [8, 8] + big(number)
    let tcp = [8, 0x93] + big(number).suffix(2) + big(1) + big(0) + [0x50, 0x18, 1, 0, 0, 0, 0, 0] + frame
    return [0x45, 0, 0, UInt8(20 + tcp.count), 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2] + tcp
  }

  private static func big(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - $0 * 8)) }
  }

  private static let blank = [UInt8](repeating: 0, count: 18)
  /// Link types, and what precedes IP in their packets.
  private static let links: [(UInt32, [UInt8])] = [
    (0, [2, 0, 0, 0]), (1, blank.prefix(12) + [8, 0]), (9, [0xff, 3, 0, 0x21]), (12, []), (101, []),
    (108, [0, 0, 0, 2]), (113, blank.prefix(14) + [8, 0]), (228, []), (276, [8, 0] + blank), (105, []),
  ]

  private static func packets(link: UInt32, _ random: inout SeededGenerator) -> [[UInt8]] {
    (1...400).map { number in
      let (inner, header) = links.randomElement(using: &random)!
      let packet = header + ip(UInt32(number))
      let size = [108, 108, 112, 156, 200].randomElement(using: &random)!
      // In the link type for private use, packets without a valid header are pieces of a stream for apnscope alone.
      guard link == 258, random.chance(40) else { return pktap(packet, link: inner, size: size) }
      let lengths = [0, 12, 107, UInt32(size + packet.count), UInt32(size + packet.count + 1), 1 << 31, .max]
      let whole = pktap(
        packet, link: inner, length: random.chance(70) ? lengths.randomElement(using: &random) : nil,
        record: UInt32.random(in: 0...2, using: &random), size: size)
      return random.chance(20) ? Array(whole.prefix(Int.random(in: 0..<size, using: &random))) : whole
    }
  }

  @Test(arguments: [149, 258] as [UInt32]) func tsharkAgrees(_ link: UInt32) throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.need("tshark")
    var random = SeededGenerator(seed: runSeed)
    let packets = Self.packets(link: link, &random)
    for capture in captures(of: packets, link: link) {
      try scratch.write(capture, to: "capture")
      let expected = try scratch.run(
        "tshark -r capture -Y tcp.payload -T fields -e frame.number -e tcp.payload 2>/dev/null")
      let seen = try scratch.run("apnscope -q -Y status -e packet,identifier capture")
      let numbers = expected.split(separator: "\n").map { $0.prefix { $0 != "\t" } }
      #expect(numbers.count > 100 && numbers.count < packets.count)
      for line in expected.split(separator: "\n") {
        let fields = line.split(separator: "\t")
        #expect(fields.count == 2 && fields[1] == "0808" + Self.hex(UInt32(fields[0]) ?? 0), "\(line)")
      }
      #expect(seen == numbers.map { "\($0)\t\($0)\n" }.joined(), "APNSCOPE_SEED=\(runSeed)")
    }
  }

  private static func hex(_ value: UInt32) -> String {
    big(value).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
