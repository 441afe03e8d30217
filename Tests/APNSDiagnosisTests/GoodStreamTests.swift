import APNSDiagnosis
import APNSWire
import Foundation
import TestSupport
import Testing

/// Valid streams, some of them unusual: no document finds fault with them, so neither does a rule.
@Suite struct GoodStreamTests {
  struct Stream: Decodable, CustomTestStringConvertible {
    let name: String
    let edition: Int
    let role: String
    let why: String
    var testDescription: String { name }
  }

  static let streams: [Stream] = {
    let file = Samples.folder.appending(path: "good/manifest.ndjson")
    guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
    return text.split(separator: "\n").compactMap { try? JSONDecoder().decode(Stream.self, from: Data($0.utf8)) }
  }()

  @Test(arguments: streams) func causesNoErrorOrWarning(_ stream: Stream) throws {
    let role: StreamRole = stream.role == "gateway" ? .gateway : stream.role == "feedback" ? .feedback : .provider
    let edition = try #require(Edition(rawValue: stream.edition))
    let bytes = try Samples.bytes(Samples.folder.appending(path: "good/\(stream.name).bin"))
    let found = findings(in: bytes, role: role, edition: edition).filter { $0.severity > .note }
    #expect(found == [], "\(stream.why)")
  }

  @Test func eachFileIsListed() throws {
    let files = try Samples.files(in: "good", endingWith: ".bin").map { $0.deletingPathExtension().lastPathComponent }
    #expect(Set(files) == Set(Self.streams.map(\.name)) && files.count > 40)
  }
}
