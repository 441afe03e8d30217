import APNSInput
import Octets
import TestSupport
import Testing

@Suite struct PcapngReaderTests {
  @Test(arguments: [false, true]) func everyPacketBlockIsRead(isBigEndian: Bool) throws {
    var file = PcapngFile(bigEndian: isBigEndian)
    file.interface(link: 101, snapLength: 3)
    file.block(0xbad, [1, 2, 3, 4, 5])
    file.packet([1, 2, 3], time: 1_384_732_800_123_456, original: 9, options: [(1, [0x21])])
    file.interface(link: 1)
    file.oldPacket([4], interface: 1, time: 7)
    file.simplePacket([5, 6, 7], original: 400)
    file.simplePacket([8])
    file.packet([], interface: 1)
    let found = Found(file)
    #expect(found.error == nil)
    #expect(found.packets == [[1, 2, 3], [4], [5, 6, 7], [8], []])
    #expect(found.lengths == [9, 1, 400, 1, 0])
    #expect(found.links == [.raw, .ethernet, .raw, .raw, .ethernet])
    #expect(found.times[0] == CaptureTime(seconds: 1_384_732_800, nanoseconds: 123_456_000, digits: 6))
    #expect(found.times[1] == CaptureTime(seconds: 0, nanoseconds: 7000, digits: 6))
    #expect(found.times[2] == nil)
  }

  @Test func sectionsHaveTheirOwnOrderAndInterfaces() {
    var file = PcapngFile()
    file.interface(link: 1)
    file.statistics(dropped: 3)
    file.packet([1])
    file.section(bigEndian: true, length: 8)
    file.interface(link: 276)
    file.packet([2])
    file.statistics(dropped: 4, bySystem: 5)
    file.statistics(dropped: 6, bySystem: 7)
    let found = Found(file)
    #expect(found.links == [.ethernet, .linuxCookedV2])
    #expect(found.dropped == 16)

    file.section(bigEndian: false)
    file.packet([3])
    #expect(Found(file).packets == [[1], [2]])
    #expect(Found(file).error?.reason.contains("interface 0") == true)
  }

  @Test func countersThatLieDoNotOverflow() {
    var file = PcapngFile()
    for _ in 0..<2 {
      file.interface(link: 1)
      file.statistics(interface: 0, dropped: .max, bySystem: .max)
      file.statistics(interface: 1, dropped: .max, bySystem: 1)
      file.statistics(interface: 99, dropped: 1)
    }
    #expect(Found(file).dropped == .max)
    #expect(Found(file).error == nil)
  }

  @Test func secretsOfTLSAreNoticed() {
    var file = PcapngFile()
    file.secrets(0x5747_4b4c, [1])
    #expect(!Found(file).hasTLSSecrets)
    file.secrets(0x544c_534b, Array("CLIENT_RANDOM 00 00\n".utf8))
    file.secrets(0x5747_4b4c, [1])
    #expect(Found(file).hasTLSSecrets)
  }

  /// What blocks without packets say does not add up to more than a machine has of it.
  @Test func blocksWithoutPacketsTakeNoMemory() {
    var interfaces = PcapngFile()
    for _ in 0..<(1 << 16) { interfaces.interface(link: 1) }
    #expect(Found(interfaces).error == nil)
    interfaces.interface(link: 1)
    #expect(Found(interfaces).error?.code == .damagedCapture)
  }

  @Test(
    arguments: [
      (3, 1_234, 1, 234_000_000, 6), (6, 1_000_001, 1, 1000, 6), (9, 1_000_000_001, 1, 1, 9), (0, 5, 5, 0, 6),
      (12, 1_000_000_001_000, 1, 1, 9), (0x80, 5, 5, 0, 6), (0x8a, 1024 + 512, 1, 500_000_000, 6),
      (0x93, 1 << 19, 1, 0, 6), (0x94, 3 << 19, 1, 500_000_000, 9), (0xa0, 1 << 31, 0, 500_000_000, 9),
    ] as [(UInt8, UInt64, Int, Int, UInt8)])
  func timesHaveTheirResolution(resolution: UInt8, units: UInt64, seconds: Int, nanoseconds: Int, digits: UInt8) {
    let time = Self.time(of: units, options: [(9, [resolution])])
    #expect(time == CaptureTime(seconds: seconds, nanoseconds: nanoseconds, digits: digits))
  }

  @Test func timesMayBeOffset() {
    var offset = PcapngFile()
    offset.interface(link: 1, options: [(2, Array("lo".utf8)), (14, offset.number(-3 as Int64))])
    offset.packet([1], time: 5_000_001)
    #expect(Found(offset).times == [CaptureTime(seconds: 2, nanoseconds: 1000, digits: 6)])
  }

  /// Whatever the resolution, the parts of a time are what they say they are.
  @Test func wildTimesAreTimesStill() throws {
    for resolution in 0...255 as ClosedRange<UInt8> {
      for units in [0, 1, 999_999_999, 1 << 32, 1 << 63, .max] as [UInt64] {
        for offset in [0, -1, .min, .max] as [Int64] {
          let builder = PcapngFile()
          let options: [(UInt16, [UInt8])] = [(9, [resolution]), (14, builder.number(offset))]
          let time = try #require(Self.time(of: units, options: options))
          #expect((0..<1_000_000_000).contains(time.nanoseconds), "\(units) of \(resolution)")
          // The years 1 to 9999.
          #expect((-62_135_596_800...253_402_300_799).contains(time.seconds), "\(units) of \(resolution)")
        }
      }
    }
  }

  private static func time(of units: UInt64, options: [(UInt16, [UInt8])]) -> CaptureTime? {
    var file = PcapngFile()
    file.interface(link: 1, options: options)
    file.packet([1], time: units)
    return Found(file).times.first ?? nil
  }

  /// Each lie ends the reading at its block, behind the packet before it.
  @Test(arguments: lies) func aLieIsNamedWithItsPlace(name: String, lie: @Sendable (inout PcapngFile) -> Void) {
    var file = PcapngFile()
    file.interface(link: 1, snapLength: 100)
    file.packet([1, 2, 3])
    let start = file.bytes.count
    lie(&file)
    file.packet([9])
    let found = Found(file)
    #expect(found.packets == [[1, 2, 3]], "\(name)")
    #expect(found.error?.code == .damagedCapture, "\(name)")
    #expect(found.error?.offset == start, "\(name)")
  }

  static let lies: [(String, @Sendable (inout PcapngFile) -> Void)] = [
    ("shorter than a block", { $0.block(6, [], length: 8) }),
    ("shorter than its kind", { $0.block(6, [1, 2, 3, 4]) }),
    ("not a multiple of four", { $0.block(99, [1, 2, 3, 4], length: 15) }),
    ("longer than the file", { $0.block(6, [UInt8](repeating: 0, count: 32), length: 4096) }),
    ("longer than the file, passed over", { $0.block(99, [UInt8](repeating: 0, count: 32), length: 1 << 30) }),
    ("longer than any packet", { $0.block(6, [UInt8](repeating: 0, count: 32), length: 1 << 28) }),
    ("longer than Wireshark takes by far", { $0.packet([UInt8](repeating: 0, count: 2 << 20)) }),
    ("another length at its end", { $0.block(6, [UInt8](repeating: 0, count: 32), trailer: 48) }),
    ("another length at its end, passed over", { $0.block(99, [1], trailer: 12) }),
    ("more captured than it has room for", { $0.packet([1, 2, 3, 4], captured: 5) }),
    ("an interface that is not there", { $0.packet([1], interface: 1) }),
    ("an old packet of an interface that is not there", { $0.oldPacket([1], interface: 0xffff) }),
    ("a section without byte order", { $0.block(0x0a0d_0d0a, [UInt8](repeating: 7, count: 16)) }),
    (
      "a section of another version",
      { $0.block(0x0a0d_0d0a, $0.number(0x1a2b_3c4d as UInt32) + [2, 0] + [UInt8](repeating: 0, count: 10)) }
    ),
    ("options that overrun", { $0.block(1, [1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 200, 0]) }),
    ("a resolution of two bytes", { $0.interface(link: 1, options: [(9, [6, 6])]) }),
  ]

  @Test func aPacketOfAnInterfaceThatIsNotThereYetIsALie() {
    var file = PcapngFile()
    file.simplePacket([1])
    #expect(Found(file).error?.offset == 28)
  }

  /// What has come is handed on at once: each packet with the last byte of its block.
  @Test func aPacketIsThereWithItsLastByte() throws {
    var file = PcapngFile()
    file.interface(link: 1)
    var ends: [Int] = []
    for index in 0..<5 {
      file.packet([UInt8](repeating: 1, count: index))
      ends.append(file.bytes.count)
      file.block(UInt32(20 + index), [UInt8](repeating: 1, count: index))
    }
    var reader = PcapngReader()
    var seen: [Int] = []
    let bytes = file.bytes
    for index in bytes.indices {
      reader.append(bytes.span.extracting(index..<(index + 1)))
      while try reader.next() != nil { seen.append(index + 1) }
    }
    #expect(seen == ends)
    try reader.finish()
  }

  @Test func aFileMayEndBehindAnyBlockAndNowhereElse() {
    var file = PcapngFile()
    var ends = [28]
    file.interface(link: 1, options: [(2, [1, 2, 3])])
    ends.append(file.bytes.count)
    for kind in [5, 6, 10, 77] as [UInt32] {
      if kind == 6 { file.packet([1, 2]) } else { file.block(kind, [UInt8](repeating: 0, count: 12)) }
      ends.append(file.bytes.count)
    }
    for count in 0...file.bytes.count {
      let found = Found([UInt8](file.bytes.prefix(count)))
      #expect((found.error == nil) == ends.contains(count), "cut at \(count)")
      #expect(found.packets.count == (count >= ends[3] ? 1 : 0), "cut at \(count)")
    }
  }

  /// A gigabyte that nobody needs is passed over and not held.
  @Test func whatIsPassedOverIsNotHeld() throws {
    var reader = PcapngReader()
    let head = PcapngFile()
    let bytes = head.bytes + head.number(99 as UInt32) + head.number(UInt32(1 << 30))
    reader.append(bytes.span)
    let zeros = [UInt8](repeating: 0, count: 1 << 16)
    for _ in 0..<64 {
      #expect(try reader.next() == nil)
      reader.append(zeros.span)
      #expect(reader.buffer.count <= zeros.count + bytes.count)
    }
  }

  /// Damage anywhere in a file: no trap, and the same wherever the pieces end.
  @Test func damageIsTheSameInAnyPieces() {
    var file = PcapngFile()
    file.interface(link: 1, options: [(9, [9]), (14, file.number(1 as Int64))])
    file.packet([1, 2, 3], time: 1 << 60)
    file.oldPacket([1, 2])
    file.simplePacket([1, 2, 3, 4, 5])
    file.statistics(dropped: 4)
    file.secrets(0x544c_534b, [1, 2, 3])
    file.section(bigEndian: true)
    file.interface(link: 113)
    file.packet([7])
    var random = Seeded(runSeed)
    for _ in 0..<3000 {
      var bytes = file.bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] =
          [
            0, 1, 2, 4, 255, UInt8.random(in: 0...255, using: &random),
          ].randomElement(using: &random) ?? 0
      }
      let whole = Found(bytes)
      let size = Int.random(in: 1...30, using: &random)
      #expect(Found(bytes, pieces: size) == whole, "APNSCOPE_SEED=\(runSeed)")
    }
  }
}

typealias Found = CapturedPackets
