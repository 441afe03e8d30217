import Foundation

/// The samples folder of the package.
public enum Samples {
  public static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "samples")

  /// Whether goldens are written instead of compared.
  public static let rewritesGoldens = ProcessInfo.processInfo.environment["APNSCOPE_GOLDEN"] == "write"

  public static func files(in subfolder: String, endingWith suffix: String) throws -> [URL] {
    let root = folder.appending(path: subfolder)
    let names = try FileManager.default.subpathsOfDirectory(atPath: root.path)
    return names.filter { $0.hasSuffix(suffix) }.sorted().map { root.appending(path: $0) }
  }

  public static func bytes(_ file: URL) throws -> [UInt8] { Array(try Data(contentsOf: file)) }

  /// The lines of an NDJSON file; none if it cannot be read, so count them.
  public static func lines<Line: Decodable>(of file: String) -> [Line] {
    let text = try? String(contentsOf: folder.appending(path: file), encoding: .utf8)
    return (text ?? "").split(separator: "\n").compactMap { try? JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
  }
}

/// The seed of a run: `APNSCOPE_SEED`, or a random one. Tests print it when they fail.
public let runSeed: UInt64 = {
  if let text = ProcessInfo.processInfo.environment["APNSCOPE_SEED"], let seed = UInt64(text) { return seed }
  return UInt64.random(in: 0...UInt64(UInt32.max))
}()
