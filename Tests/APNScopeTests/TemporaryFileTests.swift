import Foundation
import TestSupport
import Testing

@testable import apnscope

@Suite struct TemporaryFileTests {
  private func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  @Test func itGoesWithItsOwner() throws {
    var file: TemporaryFile? = try .make()
    let path = try #require(file?.path)
    let permissions = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(permissions == 0o600)
    file = nil
    #expect(!isThere(path))
  }

  @Test func itStaysUnderItsNameOncePublished() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.write("before", to: "out")
    var file: TemporaryFile? = TemporaryFile(in: scratch.path("") + "/", mode: 0o640)
    let path = try #require(file?.path)
    try file?.replace(with: [1, 2, 3])
    #expect(try scratch.bytes("out") == Array("before".utf8))
    #expect(file?.publish(as: scratch.path("out")) == true)
    file = nil
    #expect(try scratch.bytes("out") == [1, 2, 3])
    #expect(!isThere(path))
  }

  /// A command that was given the path may put something else there.
  @Test func replacingFollowsNothing() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.write("mine", to: "mine")
    let file = try TemporaryFile.make()
    try FileManager.default.removeItem(atPath: file.path)
    try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: scratch.path("mine"))
    try file.replace(with: [7])
    #expect(try scratch.bytes("mine") == Array("mine".utf8))
    try FileManager.default.removeItem(atPath: file.path)
    try FileManager.default.createDirectory(atPath: file.path + "/inner", withIntermediateDirectories: true)
    try file.replace(with: [8])
    #expect(try Array(Data(contentsOf: URL(filePath: file.path))) == [8])
  }
}
