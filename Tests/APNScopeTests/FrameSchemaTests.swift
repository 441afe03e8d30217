import TestSupport
import Testing

/// The JSON Schema of files of frame types.
@Suite struct FrameSchemaTests {
  /// Hundreds of changed files: what apnscope reads, the schema allows, and the other way around.
  @Test func agreesWithTheReader() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.need(pythonModule: "jsonschema")
    let folder = Samples.folder.appending(path: "frame-files").path
    let said = try scratch.run(
      "apnscope export frames -w frames.json && "
        + "/usr/bin/python3 \(folder)/schema_check.py \(folder)/private-gateway.json frames.json")
    let counts = said.wholeMatch(of: /(\d+) read, (\d+) refused\n/)
    #expect(counts.map { $0.1 != "0" && $0.2 != "0" } ?? false, "\(said)")
  }
}
