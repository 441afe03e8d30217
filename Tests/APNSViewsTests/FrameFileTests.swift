import APNSDiagnosis
import APNSInput
import APNSViews
import APNSWire
import TestSupport
import Testing

/// Files of frame types: what they refuse, and where.
@Suite struct FrameFileTests {
  private func refusal(_ text: String) -> ReadError? {
    do throws(ReadError) {
      _ = try FrameFile(Array(text.utf8), addingTo: .standard).catalog
      return nil
    } catch {
      return error
    }
  }

  private static func frame(_ fields: String, command: String = "9") -> String {
    "{\"apnscope_frames\": 1, \"frames\": [\n{\"name\": \"a\", \"role\": \"gateway\", \"command\": \(command),\n"
      + "\"fields\": [\n\(fields)]}]}"
  }

  @Test(arguments: [
    ("", 1, 1), ("[]", 1, 1), ("{}", 1, 1), ("{\"apnscope_frames\": 1,\n \"frame\": []}", 2, 2),
    ("{\"apnscope_frames\": 1, \"frames\": {}}", 1, 24), ("{\"apnscope_frames\": 1, \"apnscope_frames\": 1}", 1, 24),
    (frame("", command: "256"), 2, 34), (frame("", command: "8"), 2, 1), (frame("", command: "\"9\""), 2, 34),
    (frame("{\"name\": \"x\"}"), 4, 1), (frame("{\"name\": \"X\", \"type\": \"text\"}"), 4, 2),
    (frame("{\"name\": \"x\", \"type\": \"integer\", \"bytes\": 9}"), 4, 34),
    (frame("{\"name\": \"x\", \"type\": \"octets\", \"length_bytes\": 3}"), 4, 33),
    (frame("{\"name\": \"offset\", \"type\": \"integer\", \"bytes\": 1}"), 4, 2),
    (frame("{\"name\": \"x\", \"type\": \"integer\", \"bytes\": 1, \"role\": \"token\"}"), 2, 1),
    (frame("{\"name\": \"x\", \"type\": \"integer\", \"bytes\": 1, \"meaning\": \"code\"}"), 4, 1),
    (frame("{\"name\": \"x\", \"type\": \"octets\", \"length_bytes\": 2, \"plausible\": [2, 1]}"), 4, 52),
    (frame("{\"name\": \"x\", \"type\": \"integer\", \"bytes\": 4, \"length_bytes\": 2}"), 4, 46),
    (frame("{\"name\": \"x\", \"type\": \"octets\", \"length_bytes\": 1, \"length_name\": \"a;b\"}"), 4, 52),
    (frame("{\"name\": \"x\", \"type\": \"octets\", \"length_bytes\": 2, \"usual\": 9223372036854775807}"), 4, 52),
    (frame("{\"name\": \"x\", \"title\": \"\\u001b[31m\", \"type\": \"text\"}"), 4, 15),
    (
      frame(
        "{\"name\": \"x\", \"type\": \"integer\", \"bytes\": 1, \"meaning\": \"code\", \"codes\": {\"0\": \"a\"}},"
          + "{\"name\": \"x_name\", \"type\": \"integer\", \"bytes\": 1}"), 2, 1
    ),
    (frame("").replacing("\"gateway\"", with: "\"auto\""), 2, 15),
    (
      "{\"apnscope_frames\": 1, \"items\": [\n {\"frame\": \"error-response\", \"id\": 1, \"name\": \"a\", "
        + "\"field\": {\"name\": \"x\", \"type\": \"octets\"}}]}", 2, 2
    ),
    (
      "{\"apnscope_frames\": 1, \"items\": [\n {\"frame\": \"notification\", \"id\": 5, \"name\": \"a\", "
        + "\"field\": {\"name\": \"x\", \"type\": \"octets\"}}]}", 2, 2
    ),
  ])
  func errorsHaveTheirPlace(text: String, line: Int, column: Int) throws {
    let error = try #require(refusal(text), "\(text)")
    #expect(error.position == Origin.TextPosition(line: line, column: column), "\(error) in \(text)")
    #expect(!error.reason.contains("\n") && !error.reason.isEmpty)
  }

  /// Damage of any kind is an error with a place in the file, or another catalog.
  @Test func damagedFilesAreRefusedOrRead() {
    let text = Array(FrameFile.text(of: .standard).utf8)
    var random = SeededGenerator(seed: runSeed)
    for _ in 0..<2_000 {
      var damaged = text
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let index = Int.random(in: damaged.indices, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: damaged[index] = UInt8.random(in: 0...255, using: &random)
        case 1: damaged.remove(at: index)
        default: damaged.insert(damaged[Int.random(in: damaged.indices, using: &random)], at: index)
        }
      }
      do throws(ReadError) {
        let catalog = try FrameFile(damaged, addingTo: .standard).catalog
        _ = findings(in: [1, 0, 0], role: .provider, by: Definitions(catalog))
      } catch {
        let line = Int(error.position?.line ?? 0)
        #expect(line >= 1 && line <= damaged.count(where: { $0 == 10 }) + 1, "seed \(runSeed)")
      }
    }
  }

  @Test func theStandardTypesAreTheSameAfterReading() throws {
    let text = FrameFile.text(of: .standard)
    let catalog = try FrameFile(Array(text.utf8), addingTo: .standard).catalog
    #expect(FrameFile.text(of: catalog) == text)
    #expect(catalog.schemas.map(\.name) == Catalog.standard.schemas.map(\.name))
  }

  /// A role of one's own gets a number that no other has.
  @Test func rolesHaveNames() throws {
    let text = Self.frame("").replacing("gateway", with: "relay")
    let catalog = try FrameFile(Array(text.utf8), addingTo: .standard).catalog
    #expect(Set(catalog.roleNames.values) == ["provider", "gateway", "feedback", "relay"])
    #expect(catalog.roleNames.count == 4)
  }

  @Test func aRoleRemainsWhoseOnlyTypeIsReplaced() throws {
    let text = """
      {"apnscope_frames": 1, "frames": [{"name": "feedback-tuple", "role": "relay", "command": 9, "fields": []},
        {"name": "other", "role": "feedback", "command": 9, "fields": []}]}
      """
    let catalog = try FrameFile(Array(text.utf8), addingTo: .standard).catalog
    #expect(catalog.schemas.first { $0.name == "other" }?.role == .feedback)
  }

  /// Two new names may be as similar as they like; only names that exist without the file are suggested.
  @Test func newRolesMayHaveSimilarNames() throws {
    let frames = ["device-a", "device-b"].enumerated().map { index, role in
      "{\"name\": \"f\(index)\", \"role\": \"\(role)\", \"command\": 9, \"fields\": []}"
    }
    let text = "{\"apnscope_frames\": 1, \"frames\": [\(frames.joined(separator: ","))]}"
    let catalog = try FrameFile(Array(text.utf8), addingTo: .standard).catalog
    #expect(Set(catalog.roleNames.values).isSuperset(of: ["device-a", "device-b"]))
    let misspelt = try #require(refusal(text.replacing("device-a", with: "gatewey")))
    #expect(misspelt.reason.contains("\"gateway\""))
  }
}
