import APNSDiagnosis
import APNSInput
import APNSWire
import Octets

/// Of given streams, the frames that cases can start from: whole ones with nothing to say against them, so that what is
/// found in a case is the mutator's.
struct SoundFrames {
  private(set) var frames: [String: [FrameDraft]] = [:]
  private(set) var unused = 0

  init(_ catalog: Catalog, edition: Edition, _ seeds: [Mutations.Seed]) {
    for seed in seeds {
      for (record, bytes) in Self.records(of: seed.bytes, seed.role, catalog, edition) {
        guard let schema = schema(of: record, catalog), let frame = FrameDraft(bytes, as: schema),
          record.findings.isEmpty, !hidesFrame(bytes, schema.role, catalog), !hidesPayload(frame)
        else {
          unused += 1
          continue
        }
        frames[schema.name, default: []].append(frame)
      }
    }
  }

  /// Whether the cause that the label names, if any, is found in the case.
  static func shows(_ made: TestCase, _ catalog: Catalog, _ edition: Edition) -> Bool {
    guard let cause = made.label.cause else { return true }
    return records(of: made.bytes, made.role, catalog, edition).contains { record, _ in
      record.findings.contains { $0.cause?.id == cause }
    }
  }

  private static func records(
    of bytes: [UInt8], _ role: StreamRole, _ catalog: Catalog, _ edition: Edition
  ) -> [(Record, [UInt8])] {
    var dissector = Dissector(
      Definitions(catalog), policy: RolePolicy(role: role), rules: RulePolicy(edition: edition), into: Gathered())
    dissector.open(ByteStream(number: 0))
    dissector.append(bytes.span, from: .input(offset: 0), to: 0)
    dissector.finish()
    return dissector.records.all
  }

  /// Another frame seems to begin inside: once this one is damaged, a reader may take that for the next.
  private func hidesFrame(_ bytes: [UInt8], _ role: StreamRole, _ catalog: Catalog) -> Bool {
    bytes.indices.dropFirst().contains { start in
      if case .yes = catalog.confirmsFrames(at: start, in: bytes.span, of: role, isFinal: true) { true } else { false }
    }
  }

  /// A payload seems to begin in a value that is none.
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

  private struct Gathered: RecordSink {
    var all: [(Record, [UInt8])] = []
    var wantsMore: Bool { true }
    mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
      var own: [UInt8] = []
      own.append(contentsOf: bytes)
      all.append((record, own))
    }
  }
}
