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
    let (bytes, starts) = Self.stream(5, between: between) { number, token, _ in
      Self.notification(number, token, Array("null".utf8), command: command)
    }
    #expect(Self.starts(in: bytes) == starts)
  }

  /// A buffer that is sent whole.
  @Test(arguments: [700, 2048, 5000])
  func zerosAreOnePiece(count: Int) throws {
    let (frame, _) = Self.stream(1) { Self.notification($0, $1, $2, command: 1) }
    let causes = findings(in: frame + [UInt8](repeating: 0, count: count) + frame).compactMap(\.cause)
    #expect(causes.map(\.id) == ["zeros-between"])
    #expect(causes.first?.range == frame.count..<(frame.count + count))
  }
}
