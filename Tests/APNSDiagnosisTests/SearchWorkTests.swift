import APNSDiagnosis
import Testing

/// Searches for causes cost a fixed amount for each byte, whatever the bytes are and however many streams they are in.
@Suite struct SearchWorkTests {
  /// What a stream may spend before its first byte, and for each byte.
  private let first = 1 << 23
  private let perByte = 32
  /// A search may overdraw by what its last step costs.
  private let overdraft = 1 << 22

  /// A frame, then the head of another in it: two writers are suspected at every byte.
  private var mixed: [UInt8] {
    let head: [UInt8] = [1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 32] + [UInt8](repeating: 1, count: 10)
    return head + [1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 32, 2, 2] + Array(#"{"aps":{"alert":"#.utf8) + head + head + head
  }

  @Test func eachStreamSpendsItsOwn() {
    let count = 100
    var streams = JudgedStream(streams: count)
    for stream in 0..<count { streams.append(mixed, to: stream) }
    _ = streams.finish()
    #expect(streams.searchWork > 0)
    #expect(streams.searchWork <= count * (first + overdraft + perByte * mixed.count))
  }

  @Test func theEndOfTheSearchIsSaidOnce() {
    var stream = JudgedStream()
    stream.append(Array(repeatElement([2, 0, 0, 0, 0], count: 2000).joined()))
    let ends = stream.finish().filter { $0.rule == "search-ended" }
    #expect(ends.count == 1 && ends[0].severity == .note)
  }

  /// Streams whose fault is found need little of it, so the last of many is explained like the first.
  @Test func manyFaultyStreamsAreAllExplained() throws {
    let payload = Array(#"{"aps":{"alert":"Ä"}}"#.utf8)
    let token = (0..<32).map { UInt8(truncatingIfNeeded: 0xfc &- $0 &* 37) }
    // The payload's length counts characters, not bytes.
    let faulty = [0, 0, 32] + token + [0, UInt8(payload.count - 1)] + payload
    let count = 5_000
    var streams = JudgedStream(streams: count)
    for stream in 0..<count { streams.append(faulty + faulty, to: stream) }
    let causes = streams.finish().compactMap { $0.cause?.id }
    #expect(causes.count == 2 * count)
    #expect(Set(causes) == [RootCause.payloadLengthInCharacters.id])
  }

  @Test(arguments: [[0x7b, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], Array("{\"a\":".utf8), [1, 0x7b, 0x22]] as [[UInt8]])
  func tinyFramesAreSearchedInProportion(unit: [UInt8]) {
    let bytes = [1] + Array(repeatElement(unit, count: 40_000 / unit.count).joined())
    var stream = JudgedStream()
    stream.append(bytes)
    _ = stream.finish()
    #expect(stream.searchWork <= first + overdraft + perByte * bytes.count)
  }
}
