import APNSInput
import Foundation
import TestSupport
import Testing

/// Reading takes time in proportion to the input, whatever that is.
@Suite(.serialized) struct GrowthTests {
  private static let files: [URL] = {
    let folder = Samples.folder.deletingLastPathComponent().appending(path: "Tests/Fuzz/slow")
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    return (names ?? []).sorted().map { folder.appending(path: $0) }
  }()

  @Test func thereAreFiles() { #expect(Self.files.count > 30) }

  /// The units with which the fuzz target begins.
  @Test(arguments: files) func isLinear(_ file: URL) throws {
    let growth = try #require(Growth(try Samples.bytes(file)))
    #expect(growth.violation == nil)
  }

  /// The first sample of each format.
  private static let samples: [TextFile] = {
    var formats: Set<TextFormat> = []
    return TextFile.all.filter { file in
      guard let bytes = try? file.bytes(), let format = StreamReading(bytes, as: file.format).format else {
        return false
      }
      return formats.insert(format).inserted
    }
  }()

  @Test func eachFormatHasASample() { #expect(Self.samples.count == TextFormat.allCases.count) }

  /// The sample again and again; and once, with many lines like its last one after it.
  @Test(arguments: samples) func isLinear(_ sample: TextFile) throws {
    let newline = UInt8(ascii: "\n")
    let text: [UInt8] = try sample.bytes() + [newline]
    #expect(Growth(.text, text).violation == nil)
    let last: [UInt8] = text.split(separator: newline).last.map { $0 + [newline] } ?? []
    #expect(Growth(.text, text + [0] + last).violation == nil)
  }
}
