import Foundation
import TestSupport
import Testing

/// Two threads write what one writes.
@Suite struct JobsTests {
  @Test(arguments: [
    "-T tree", "-T tree -v --color always", "-T line -x", "-T ndjson", "-T json", "-T command", "-T hex", "-T raw",
    "-e type,offset,payload -E header=y", "-T ndjson -c 1500",
  ])
  func writeTheSame(_ format: String) throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).raw")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(Self.stream(of: 1 << 19)).write(to: file)
    // From a pipe as well, which is waited for in between.
    let outputs = try ["--jobs 1 \(file.path)", "--jobs 2 \(file.path)", "--jobs 2 < \(file.path)"].map { input in
      try TranscriptTests.run("apnscope -q --from raw \(format) \(input) | cksum", in: Samples.folder)
    }
    #expect(outputs[0] == outputs[1] && outputs[0] == outputs[2], "APNSCOPE_SEED=\(runSeed)")
  }

  /// What one thread could not write, two cannot either: the end of a pipe ends the run quietly.
  @Test func endWithTheirReader() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).raw")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(Self.stream(of: 1 << 20)).write(to: file)
    let output = try TranscriptTests.run(
      "apnscope --from raw -T ndjson --jobs 2 \(file.path) | head -n 1 | cut -c 1-10", in: Samples.folder)
    #expect(output == "{\"schema\":\n")
  }

  /// Frames, some of them damaged.
  private static func stream(of size: Int) -> [UInt8] {
    var random = RandomStream(seed: runSeed)
    var bytes: [UInt8] = []
    while bytes.count < size {
      let frames = random.frames()
      bytes += Int.random(in: 0..<4, using: &random.generator) == 0 ? random.mutated(frames) : frames
    }
    return bytes
  }
}
