import APNSDiagnosis
import APNSInput
import APNSWire
import TestSupport
import Testing

/// Lengths that lead from frame to frame are right, whatever is in the frames, and between them.
@Suite struct RightLengthsTests {
  private struct Starts: RecordSink {
    var all: [Int] = []
    var wantsMore: Bool { true }

    mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
      if case .frame = record.content { all.append(record.offset) }
    }
  }

  /// The frames of a stream, each with `between` after it, and where they begin.
  private static func stream(
    _ count: Int, between: [UInt8] = [], _ frame: (_ number: Int, _ token: [UInt8], _ payload: [UInt8]) -> [UInt8]
  ) -> (bytes: [UInt8], starts: [Int]) {
    var generator = SeededGenerator(seed: 7)
    var (bytes, starts): ([UInt8], [Int]) = ([], [])
    for number in 0..<count {
      let token = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let text = String(repeating: "x", count: Int.random(in: 1...60, using: &generator))
      starts.append(bytes.count)
      bytes += frame(number, token, Array(#"{"aps":{"alert":"\#(text)"}}"#.utf8)) + between
    }
    return (bytes, starts)
  }

  private static func starts(in bytes: [UInt8]) -> [Int] {
    var dissector = Dissector(.standard, policy: RolePolicy(role: .provider), into: Starts())
    dissector.open(ByteStream(number: 0))
    dissector.append(bytes.span, from: .input(offset: 0), to: 0)
    dissector.finish()
    return dissector.records.all
  }

  private static func notification(_ number: Int, _ token: [UInt8], _ payload: [UInt8], command: Int) -> [UInt8] {
    let numbers = [0, 0, 0, UInt8(number), 0x52, 0x8a, 0xaa, 1]
    return [UInt8(command)] + (command == 0 ? [] : numbers) + [0, 32] + token + [0, UInt8(payload.count)] + payload
  }

  /// What is after the JSON is counted by its length.
  @Test(arguments: [[1], [0x1a], [0x7f], [0, 0x1a], Array(".".utf8), Array("null".utf8)] as [[UInt8]], [0, 1])
  func bytesAfterAPayloadAreOfIt(tail: [UInt8], command: Int) {
    for count in [1, 2, 3, 5] {
      let (bytes, starts) = Self.stream(count) { Self.notification($0, $1, $2 + tail, command: command) }
      #expect(Self.starts(in: bytes) == starts, "\(count) frames")
      let rules = Set(findings(in: bytes).filter { $0.severity == .error }.map(\.rule))
      #expect(rules == ["json-terminated"], "\(count) frames")
    }
  }

  /// An item of another protocol's, as ports of libraries for it write.
  @Test(arguments: [(6, "com.example.app"), (9, ""), (0, "x")])
  func unknownItemsAreOfTheirFrame(id: UInt8, text: String) throws {
    for count in [1, 2, 3, 6] {
      let (bytes, starts) = Self.stream(count) { number, token, payload in
        let items =
          [1, 0, 32] + token + [2, 0, UInt8(payload.count)] + payload + [3, 0, 4, 0, 0, 0, UInt8(number)]
          + [id, 0, UInt8(text.utf8.count)] + Array(text.utf8)
        return [2, 0, 0, 0, UInt8(items.count)] + items
      }
      #expect(Self.starts(in: bytes) == starts, "\(count) frames")
      #expect(Set(findings(in: bytes).filter { $0.severity == .error }.map(\.rule)) == ["unknown-item"])
    }
  }

  /// Frames are found after line ends and log lines, although their own contents are faulty.
  @Test(arguments: [Array("\r\n".utf8), Array("sent\n".utf8)], [0, 1])
  func foreignBytesHideNoFaultyFrame(between: [UInt8], command: Int) {
    for count in [5, 12, 40] {
      let (bytes, starts) = Self.stream(count, between: between) { number, token, _ in
        Self.notification(number, token, Array("Hello world \(number)".utf8), command: command)
      }
      #expect(Self.starts(in: bytes) == starts, "\(count) frames")
    }
  }

  /// A buffer that is sent whole, wherever the search would stop.
  @Test(arguments: [700, 1020, 2048, 4060, 4095, 5000, 8100, 8184, 9000, 20_000])
  func zerosAreOnePiece(count: Int) throws {
    let (bytes, starts) = Self.stream(3) { Self.notification($0, $1, $2, command: 1) }
    let zeros = [UInt8](repeating: 0, count: count)
    let found = findings(in: bytes[..<starts[1]] + zeros + bytes[starts[1]...])
    #expect(found.compactMap(\.cause?.id).first == "zeros-between")
    // Of each 8 KiB, five bytes are also an empty frame.
    #expect(found.count <= 3 * (1 + count / 8000), "\(found.count)")
  }

  /// What may be the beginning of a frame, or its end, is not deleted.
  @Test(arguments: [true, false]) func partsOfFramesAreKept(isBeginning: Bool) {
    let (bytes, _) = Self.stream(3) { Self.notification($0, $1, $2, command: 0) }
    let text = Array(String(repeating: "lorem ipsum dolor sit amet ", count: 12).utf8)
    // Two payloads that are cut, so that the length of the first counts the head of the second frame.
    let cut = Array(bytes.prefix(35)) + [1, 0] + Array(#"{"aps":{"alert":""#.utf8) + text.prefix(150)
    let part = isBeginning ? [0, 0, 32, 0x58, 0x0c] : cut + cut
    let causes = findings(in: part + bytes).compactMap(\.cause)
    #expect(causes.allSatisfy { $0.repaired?.isEmpty != true }, "\(causes.map(\.evidence))")
  }

  /// All lengths agree with each other if bytes of a value are lost or added, so none of them is wrong.
  @Test(arguments: [(40, 8, 0), (70, 0, 4), (70, 6, 0)]) func damageIsNoWrongLength(at: Int, added: Int, lost: Int) {
    var (bytes, starts) = Self.stream(5) { number, token, payload in
      let payload = Array(#"{"aps":{"alert":"Your order number \#(number) is on its way"}}"#.utf8)
      let items =
        [1, 0, 32] + token + [2, 0, UInt8(payload.count)] + payload + [3, 0, 4, 0, 0, 0, UInt8(number)]
        + [4, 0, 4, 0x52, 0x8a, 0xaa, 1, 5, 0, 1, 10]
      return [2, 0, 0, 0, UInt8(items.count)] + items
    }
    let place = starts[2] + at
    bytes.replaceSubrange(place..<(place + lost), with: [UInt8](Array("qkzwvjx,".utf8).prefix(added)))
    let causes = findings(in: bytes).compactMap(\.cause).filter { $0.repaired != nil }
    #expect(NameTests.repaired(bytes, causes) == bytes, "\(causes.map(\.evidence))")
  }

  /// A number of a type of one's own may be wider than any documented one.
  @Test func wideNumbersAreRead() {
    let schema = FrameSchema(
      "wide", title: "Wide", role: .provider, command: 7,
      parts: [
        .fixed(Field("stamp", "stamp", .integer(bytes: 8, .number))),
        .counted(Field("token", "device token", .octets, role: .token), by: .uint16), .counted(.payload, by: .uint16),
      ], reference: "invented")
    let frame = [7, 0, 0, 0, 0, 0, 0, 0, 1, 0, 32] + [UInt8](160..<192) + [0, 3] + Array("{}}".utf8)
    let found = findings(in: frame + frame, definitions: Definitions(.standard.adding(schema)))
    #expect(found.filter { $0.rule == "json-terminated" }.count == 2)
  }
}
