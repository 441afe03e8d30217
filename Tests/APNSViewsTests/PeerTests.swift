import APNSWire
import Foundation
import TestSupport
import Testing

/// Frames of independent implementations decode to the values that their sources give.
@Suite struct PeerTests {
  struct Vector: Decodable, CustomStringConvertible {
    let file: String
    let direction: String
    let wellformed: Bool
    let defect: String?
    let frames: [Frame]
    var description: String { file }

    struct Frame: Decodable {
      let command: Command
      let identifier: UInt64?
      let expiry: UInt64?
      let priority: UInt64?
      let status: UInt64?
      let timestamp: UInt64?
      let tokenHex: String?
      let payloadUtf8: String?
    }

    enum Command: Decodable, Equatable {
      case byte(UInt8)
      case feedback
      init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        self = (try? .byte(value.decode(UInt8.self))) ?? .feedback
      }
    }
  }

  static let vectors: [Vector] = {
    guard let data = try? Data(contentsOf: Samples.folder.appending(path: "peers/manifest.json")) else { return [] }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return (try? decoder.decode([Vector].self, from: data)) ?? []
  }()

  @Test func manifestIsRead() { #expect(Self.vectors.count == 289) }

  private func role(_ direction: String) -> StreamRole {
    switch direction {
    case "feedback": .feedback
    case "apns-to-provider": .gateway
    default: .provider
    }
  }

  @Test(arguments: vectors.filter { $0.defect != "structure" })
  func decodesToTheStatedValues(_ vector: Vector) throws {
    let bytes = try Samples.bytes(Samples.folder.appending(path: "peers/" + vector.file))
    let catalog = Catalog.standard
    var position = 0
    for expected in vector.frames {
      try #require(position < bytes.count)
      let frame = catalog.frame(at: position, in: bytes.span, of: role(vector.direction))
      position = frame.end
      #expect(frame.condition == .complete)
      if case .byte(let command) = expected.command { #expect(bytes[frame.start] == command) }
      var numbers: [String: UInt64] = [:]
      var octets: [String: [UInt8]] = [:]
      catalog.forEachField(of: frame, in: bytes.span) { leaf in
        guard leaf.kind == .value, let name = catalog.field(of: leaf)?.name.member else { return }
        octets[name] = Array(bytes[leaf.range])
        numbers[name] = leaf.integer(in: bytes.span)
      }
      for (name, value) in [
        ("identifier", expected.identifier), ("expiry", expected.expiry), ("priority", expected.priority),
        ("status", expected.status), ("timestamp", expected.timestamp),
      ] {
        #expect((octets[name] == nil ? nil : numbers[name]) == value, "\(name)")
      }
      if let token = expected.tokenHex {
        #expect(octets["token"]?.map { String(format: "%02x", $0) }.joined() == token)
      }
      if let payload = expected.payloadUtf8 { #expect(octets["payload"] == Array(payload.utf8)) }
    }
    #expect(position == bytes.count)
  }

  /// The role is told without help.
  @Test(arguments: vectors.filter(\.wellformed))
  func roleIsToldByContent(_ vector: Vector) throws {
    let bytes = try Samples.bytes(Samples.folder.appending(path: "peers/" + vector.file))
    let text = Shown.ndjson(bytes)
    let expected: [String]
    switch vector.direction {
    case "feedback": expected = ["feedback-tuple"]
    case "apns-to-provider": expected = ["error-response"]
    default: expected = ["legacy-notification", "enhanced-notification", "notification"]
    }
    for line in text.split(separator: "\n") {
      #expect(expected.contains { line.contains("\"type\":\"\($0)\"") }, "\(line)")
      #expect(!line.contains("\"condition\""))
    }
  }
}
