import APNSDiagnosis
import APNSInput
import APNSWire
import Octets

/// The frames of given streams that cases can start from: complete ones without findings, so that all findings of a
/// case are due to its mutator.
struct CleanFrames {
  private(set) var frames: [String: [FrameDraft]] = [:]
  private(set) var unused = 0

  init(_ definitions: Definitions, edition: Edition, _ seeds: [Mutations.Seed]) {
    let catalog = definitions.catalog
    for seed in seeds {
      for (record, bytes) in Self.records(of: seed.bytes, seed.role, definitions, edition) {
        guard let schema = schema(of: record, catalog), let frame = FrameDraft(bytes, as: schema),
          record.findings.isEmpty, !Self.hidesFrame(bytes, schema.role, catalog), !hidesPayload(frame)
        else {
          unused += 1
          continue
        }
        frames[schema.name, default: []].append(frame)
      }
    }
  }

  static func records(
    of bytes: [UInt8], _ role: StreamRole, _ definitions: Definitions, _ edition: Edition
  ) -> [(Record, [UInt8])] {
    var dissector = Dissector(
      definitions, policy: RolePolicy(role: role), rules: RulePolicy(edition: edition), into: CollectedRecords())
    dissector.open(ByteStream(number: 0))
    dissector.append(bytes.span, from: .input(offset: 0), to: 0)
    dissector.finish()
    return dissector.records.all
  }

  /// Whether a frame seems to begin inside this one. If this one were damaged, recovery might resume there.
  static func hidesFrame(_ bytes: [UInt8], _ role: StreamRole, _ catalog: Catalog) -> Bool {
    bytes.indices.dropFirst().contains { start in
      if case .yes = catalog.confirmsFrames(at: start, in: bytes.span, of: role, isFinal: true) { true } else { false }
    }
  }

  /// Whether a payload seems to begin in another value.
  private func hidesPayload(_ frame: FrameDraft) -> Bool {
    frame.schema.paths.contains { path in
      guard case .octets? = path.field?.content, case .octets(let value)? = frame[path] else { return false }
      return zip(value, value.dropFirst()).contains { $0 == UInt8(ascii: "{") && $1 == UInt8(ascii: "\"") }
    }
  }

  private func schema(of record: Record, _ catalog: Catalog) -> FrameSchema? {
    guard case .frame(let frame, nil) = record.content else { return nil }
    return catalog.schema(of: frame)
  }

  private struct CollectedRecords: RecordSink {
    var all: [(Record, [UInt8])] = []
    var wantsMore: Bool { true }
    mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
      all.append((record, [UInt8](copying: bytes)))
    }
  }
}
