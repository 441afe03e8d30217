import APNSMutator
import APNSWire
import TestSupport
import Testing

/// The functions that fuzzers call by name.
@Suite struct MutatorTests {
  @Test func staysInItsRoomWhateverComes() {
    for run in 0..<20_000 {
      var random = RandomStream(seed: runSeed &+ UInt64(run))
      let bytes = random.any()
      let room = Int.random(in: 1...200, using: &random.generator)
      // What stands behind the room belongs to the fuzzer.
      var buffer = Array(bytes.prefix(room)) + [UInt8](repeating: 0xa5, count: max(0, room - bytes.count) + 16)
      let count = buffer.withUnsafeMutableBufferPointer {
        libFuzzerMutate($0.baseAddress, min(bytes.count, room), room, UInt32(run))
      }
      #expect(count <= room && buffer[room...].allSatisfy { $0 == 0xa5 }, "APNSCOPE_SEED=\(runSeed &+ UInt64(run))")
    }
  }

  /// Of a right frame it makes other right frames, and frames that are wrong in every way that framing tells.
  @Test func reachesWhatNoiseDoesNot() {
    let frame: [UInt8] = [0, 0, 32] + (1...32) + [0, 22] + Array(#"{"aps":{"alert":"Hi"}}"#.utf8)
    var conditions: [FrameRef.Condition: Int] = [:]
    var sizes: Set<Int> = []
    var unchanged = 0
    for seed in 0..<2_000 as Range<UInt32> {
      var buffer = frame + [UInt8](repeating: 0, count: 4096 - frame.count)
      let count = libFuzzerMutate(&buffer, frame.count, buffer.count, seed)
      let bytes = Array(buffer[..<count])
      if bytes == frame { unchanged += 1 }
      guard !bytes.isEmpty else { continue }
      let found = Catalog.standard.frame(at: 0, in: bytes.span, of: .provider)
      conditions[found.condition, default: 0] += 1
      if found.condition == .complete { sizes.insert(found.count) }
    }
    // A swap with itself, or a number that is at its bound already.
    #expect(unchanged < 400, "\(unchanged) of 2000 answers are the frame that was given")
    #expect(sizes.count > 20)
    #expect(conditions[.complete, default: 0] > 800 && conditions[.truncated, default: 0] > 100, "\(conditions)")
    #expect(conditions[.unknownCommand, default: 0] > 5, "\(conditions)")
  }
}
