import APNSDiagnosis
import APNSInput
import APNSWire
import Octets

/// Of given streams, the frames that cases can start from: whole ones with nothing to say against them, so that what is
/// found in a case is the mutator's.
struct SoundFrames {
  private(set) var frames: [String: [FrameDraft]] = [:]
  private(set) var unused = 0

  init(_ definitions: Definitions, edition: Edition, _ seeds: [Mutations.Seed]) {
    let catalog = definitions.catalog
    for seed in seeds {
      for (record, bytes) in Self.records(of: seed.bytes, seed.role, definitions, edition) {
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

  /// The label with all that is found in a case, beside the bug that was made; nil if that does not show.
  static func label(
    _ cause: RootCause.ID, of label: TestCase.Label, _ bytes: [UInt8], _ role: StreamRole, _ definitions: Definitions,
    _ edition: Edition
  ) -> TestCase.Label? {
    let findings = records(of: bytes, role, definitions, edition).flatMap(\.0.findings)
    guard let own = findings.first(where: { $0.cause?.id == cause.rawValue }) else { return nil }
    let isRefused = findings.contains { $0.severity == .error && Rules[$0.rule]?.isAboutDevice != true }
    let others = Set(findings.map(\.rule)).subtracting([own.rule])
    return TestCase.Label(
      mutator: label.mutator, change: label.change, range: label.range, rule: own.rule, follows: others.sorted(),
      cause: cause.rawValue, verdict: isRefused ? .reject : .either, answer: own.answer)
  }

  private static func records(
    of bytes: [UInt8], _ role: StreamRole, _ definitions: Definitions, _ edition: Edition
  ) -> [(Record, [UInt8])] {
    var dissector = Dissector(
      definitions, policy: RolePolicy(role: role), rules: RulePolicy(edition: edition), into: Gathered())
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
      all.append((record, [UInt8](copying: bytes)))
    }
  }
}
