import APNSDiagnosis
import APNSInput
import APNSWire
import TestSupport
import Testing

@testable import apnscope

/// Pieces of a stream, each of two error responses, that come by two threads.
@Suite struct ReadingAheadTests {
  private struct Offsets: RecordSink {
    var seen: [Int] = []
    let limit: Int
    var wantsMore: Bool { seen.count < limit }
    mutating func take(_ record: Record, _ bytes: Span<UInt8>) { seen.append(record.offset) }
  }

  private enum Way { case ahead, straight }

  private static let piece: [UInt8] = [8, 8, 0, 0, 0, 7, 8, 8, 0, 0, 0, 7]
  private static let damage = ReadError(.unreadable, "this piece cannot be read")

  /// - Parameters:
  ///   - held: what the reader holds when it is to read a piece, in bytes.
  ///   - failing: the piece that cannot be read.
  ///   - limit: how many records are wanted.
  private func read(
    held: [Int], failing: Int? = nil, limit: Int = .max
  ) throws -> (offsets: [Int], ways: [Way], error: ReadError?) {
    let worker = WorkerThread()
    var dissector = Dissector(.standard, policy: RolePolicy(role: .gateway), into: Offsets(limit: limit))
    var ways: [Way] = []
    var error: ReadError?
    func next(_ way: Way, into sink: inout some StreamSink & ~Copyable) throws(ReadError) -> Bool {
      let number = ways.count
      ways.append(way)
      if number == failing { throw Self.damage }
      sink.append(Self.piece.span, from: .input(offset: number * Self.piece.count), to: 0)
      return ways.count == held.count
    }
    dissector.open(ByteStream(number: 0))
    do throws(ReadError) {
      try ReadingAhead(worker: worker).run(into: &dissector) {
        held[ways.count]
      } record: { (streams) throws(ReadError) in
        try next(.ahead, into: &streams)
      } read: { (dissector) throws(ReadError) in
        try next(.straight, into: &dissector)
      }
    } catch let thrown {
      error = thrown
    }
    dissector.close(0, .open)
    dissector.finish()
    return (dissector.records.seen, ways, error)
  }

  private func offsets(ofPieces count: Int) -> [Int] { (0..<(count * 2)).map { $0 * 6 } }

  /// Where much is held, the dissector may be asked to make room, and a recorder could not.
  @Test func nothingIsReadAheadWhileMuchIsHeld() throws {
    let much = Reassembler.sinkLimit / 2 + 1
    for held in [[0, 0, 0], [much, much], [0, much, 0, 0, much, much, 0], [much, 0, much]] {
      let result = try read(held: held)
      #expect(result.ways == held.map { $0 == 0 ? .ahead : .straight })
      #expect(result.offsets == offsets(ofPieces: held.count) && result.error == nil)
    }
  }

  @Test(arguments: [0, Reassembler.sinkLimit]) func aReadThatFailsKeepsWhatCameBefore(_ held: Int) throws {
    for failing in 0..<4 {
      let result = try read(held: [held, held, held, held], failing: failing)
      #expect(result.offsets == offsets(ofPieces: failing) && result.error == Self.damage)
      #expect(result.ways.count == failing + 1)
    }
  }

  /// The piece that fails is read while the first is taken, which is all that is wanted.
  @Test func whatIsReadAheadInVainMayFail() throws {
    let result = try read(held: [0, 0, 0], failing: 1, limit: 2)
    #expect(result.offsets == offsets(ofPieces: 1) && result.error == nil && result.ways.count == 2)
  }
}
