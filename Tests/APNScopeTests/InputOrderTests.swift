import APNSInput
import TestSupport
import Testing

@testable import apnscope

/// In which order inputs are read.
@Suite struct InputOrderTests {
  /// A capture of one error response, sent at this time; with no time, a capture without packets.
  private static func capture(at seconds: Int?) -> [UInt8] {
    var writer = CaptureWriter()
    var out: [UInt8] = []
    if let seconds {
      let frame: [UInt8] = [8, 8, 0, 0, 0, 7]
      writer.segment(
        frame.span, on: .documented(for: .gateway, connection: 0),
        at: CaptureTime(seconds: seconds, nanoseconds: 0, digits: 6), into: &out)
    }
    writer.finish(into: &out)
    return out
  }

  private func names(_ paths: [String], in scratch: Scratch) throws -> [String] {
    try InputOptions(paths.map { InputPath(scratch.path($0)) }).sources().map { source in
      String(source.name.dropFirst(scratch.path("").count).drop { $0 == "/" })
    }
  }

  @Test func capturesInARowAreSortedByTime() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    for (name, time) in [("c", 300), ("a", 200), ("b", 100)] {
      try scratch.write(Self.capture(at: time), to: name)
    }
    try scratch.write("0808 0000 04d2\n", to: "text")
    #expect(try names(["c", "a", "b"], in: scratch) == ["b", "a", "c"])
    // What has no time keeps its place, and captures are not moved across it.
    #expect(try names(["c", "a", "text", "b"], in: scratch) == ["a", "c", "text", "b"])
    #expect(try names(["a"], in: scratch) == ["a"])
  }

  @Test func aFolderGivesCapturesFirst() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.makeFolder("d/inner")
    try scratch.write(Self.capture(at: 300), to: "d/a")
    try scratch.write(Self.capture(at: 100), to: "d/inner/z")
    try scratch.write(Self.capture(at: nil), to: "d/empty")
    try scratch.write("0808 0000 04d2\n", to: "d/0")
    try scratch.write("0808 0000 04d2\n", to: "d/.hidden")
    #expect(try names(["d"], in: scratch) == ["d/inner/z", "d/a", "d/empty", "d/0"])
  }

  @Test func linksThatLeadBackEnd() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.makeFolder("d")
    try scratch.write("0808 0000 04d2\n", to: "d/file")
    try scratch.link("d/loop", to: scratch.path("d"))
    try scratch.link("d/nowhere", to: scratch.path("missing"))
    let sources = try InputOptions([InputPath(scratch.path("d"))]).sources()
    #expect(sources.map(\.name) == [scratch.path("d/file"), scratch.path("d/nowhere")])
    guard case .unreadable = sources[1] else {
      Issue.record("a link that leads nowhere passed for a file")
      return
    }
  }

  @Test func foldersWithoutFilesAreErrors() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.makeFolder("d")
    let error = #expect(throws: Failure.self) { try InputOptions([InputPath(scratch.path("d"))]).sources() }
    #expect(error?.status == .unreadable)
  }

  @Test func hexTextIsTheOnlyInput() throws {
    let sources = try InputOptions([], hex: ["08", "09"]).sources()
    #expect(sources.map(\.name) == ["--hex", "--hex"])
    #expect(try InputOptions([]).sources().map(\.name) == ["-"])
  }
}
