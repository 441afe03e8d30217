import Foundation

/// A temporary folder for one test.
public struct Scratch {
  public let folder = FileManager.default.temporaryDirectory.appending(path: "apnscope-" + UUID().uuidString)

  public init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  public func path(_ name: String) -> String { folder.appending(path: name).path }

  public func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: folder.appending(path: name))) }

  public func write(_ text: String, to name: String) throws { try write(Array(text.utf8), to: name) }

  public func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: folder.appending(path: name))
  }

  public func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(at: folder.appending(path: name), withIntermediateDirectories: true)
  }

  /// Creates a symbolic link; its target may be missing.
  public func link(_ name: String, to path: String) throws {
    try FileManager.default.createSymbolicLink(
      at: folder.appending(path: name), withDestinationURL: URL(filePath: path))
  }

  public func remove() { try? FileManager.default.removeItem(at: folder) }
}
