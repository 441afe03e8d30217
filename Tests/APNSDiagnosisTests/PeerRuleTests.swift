import APNSDiagnosis
import APNSWire
import Foundation
import TestSupport
import Testing

/// What the rules say about frames of independent implementations: nothing above a warning where a frame is right, and
/// something wherever its reader marked it.
@Suite struct PeerRuleTests {
  struct Vector: Decodable, CustomTestStringConvertible {
    let file: String
    let direction: String
    let wellformed: Bool
    let defect: String?
    let warnings: [String]?
    var testDescription: String { file }
  }

  static let vectors: [Vector] = {
    guard let data = try? Data(contentsOf: Samples.folder.appending(path: "peers/manifest.json")) else { return [] }
    return (try? JSONDecoder().decode([Vector].self, from: data)) ?? []
  }()

  /// Which rules say what a reader marked.
  private static let rules = [
    "expiry-looks-relative": ["expiry-relative"], "payload-over-256-in-command-0-or-1": ["payload-too-long"],
    "token-not-32-bytes": ["token-length"], "priority-not-5-or-10": ["priority-value"],
    "priority-10-on-content-available-only": ["immediate-silent"], "badge-not-a-count": ["key-type", "key-value"],
    "null-in-aps": ["key-type"], "content-available-outside-aps": ["key-misplaced", "key-misspelt"],
  ]
  private static let families = [
    "size", "token", "empty", "payload-too", "expiry", "priority", "identifier", "status", "feedback",
  ]

  private func findings(of vector: Vector, by edition: Edition = .year2017) throws -> [Finding] {
    let bytes = try Samples.bytes(Samples.folder.appending(path: "peers/" + vector.file))
    let role: StreamRole =
      switch vector.direction {
      case "feedback": .feedback
      case "apns-to-provider": .gateway
      default: .provider
      }
    return APNSDiagnosisTests.findings(in: bytes, role: role, edition: edition)
  }

  @Test(arguments: vectors.filter(\.wellformed)) func whatIsRightIsNoError(_ vector: Vector) throws {
    let errors = try findings(of: vector).filter { finding in
      finding.severity == .error && Self.families.contains { finding.rule.hasPrefix($0) }
    }
    #expect(errors == [])
  }

  @Test(arguments: vectors.filter { $0.warnings != nil || $0.defect == "content" })
  func whatIsMarkedIsFound(_ vector: Vector) throws {
    let found = try findings(of: vector).filter { $0.severity > .note }.map(\.rule)
    // The edition of 2017 allows tokens of 1 to 100 bytes.
    let older = try findings(of: vector, by: .year2013).filter { $0.severity > .note }.map(\.rule)
    if vector.defect != nil { #expect(!(found + older).isEmpty) }
    // Where lengths lie, values are not at their places.
    guard vector.defect != "structure" else { return }
    for warning in vector.warnings ?? [] {
      guard let rules = Self.rules[warning] else { continue }
      let all = warning == "token-not-32-bytes" ? older : found
      #expect(rules.contains { all.contains($0) }, "\(warning): \(all)")
    }
  }

  @Test func thereAreSome() {
    #expect(Self.vectors.count { $0.warnings != nil } == 76)
    #expect(Self.vectors.count { $0.defect == "content" } == 6)
  }
}
