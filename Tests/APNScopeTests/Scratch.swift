import Foundation

/// A folder of its own for a test.
struct Scratch {
  let folder = FileManager.default.temporaryDirectory.appending(path: "apnscope-" + UUID().uuidString)

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  func run(_ line: String) throws -> String { try TranscriptTests.run(line, in: folder) }

  func names(_ subfolder: String = "apnscope-failures", endingWith suffix: String) -> [String] {
    let all = try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: subfolder).path)
    return (all ?? []).filter { $0.hasSuffix(suffix) && !$0.hasSuffix(".case.bin") }.sorted()
  }

  func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: folder.appending(path: name))) }

  func write(_ text: String, to name: String) throws {
    try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }
}
