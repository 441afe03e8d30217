import Foundation
import TestSupport
import Testing

@Suite struct ServeTests {
  /// Replies, misbehaviour, TLS, agreement with `dialogue` on all samples, and hostile clients: see Tests/Serve/run.
  @Test func servesAsDocumented() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.need("openssl")
    let script = Samples.folder.deletingLastPathComponent().appending(path: "Tests/Serve/run")
    let said = try scratch.run("python3 '\(script.path)'")
    #expect(said.hasSuffix("all checks passed\n"), "\(said)")
  }
}
