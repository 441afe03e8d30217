import APNSDiagnosis
import APNSWire
import Octets

/// The frames of given streams that cases can start from: complete ones without findings, so that all findings of a
/// case are due to its mutator.
struct CleanFrames {
  /// The frames by type.
  private(set) var frames: [String: [FrameDraft]] = [:]
  private(set) var unused = 0

  init(_ definitions: Definitions, edition: Edition, _ seeds: [Mutations.Seed]) {
    let catalog = definitions.catalog
    for seed in seeds {
      let found = findings(in: seed.bytes, role: seed.role, edition: edition, by: definitions)
      catalog.forEachFrame(in: seed.bytes.span, of: seed.role) { frame in
        let bytes = Array(seed.bytes[frame.range])
        guard frame.condition == .complete, let schema = catalog.schema(of: frame),
          let draft = FrameDraft(bytes, as: schema),
          !found.contains(where: { frame.range.contains($0.range.lowerBound) }),
          !Self.hidesFrame(bytes, schema.role, catalog), !hidesPayload(draft)
        else {
          unused += 1
          return
        }
        frames[schema.name, default: []].append(draft)
      }
    }
  }

  /// Whether a frame seems to begin inside this one. If this one were damaged, recovery might resume there.
  static func hidesFrame(_ bytes: [UInt8], _ role: StreamRole, _ catalog: Catalog) -> Bool {
    FrameSearch(role, isFinal: true).next(from: 1, upTo: bytes.count, in: bytes.span, catalog).found == true
  }

  /// Whether a payload seems to begin in another value.
  private func hidesPayload(_ frame: FrameDraft) -> Bool {
    frame.schema.paths.contains { path in
      guard case .octets? = path.field?.content, case .octets(let value)? = frame[path] else { return false }
      return value.span.first(Array("{\"".utf8), in: value.indices) != nil
    }
  }
}

extension Catalog {
  /// Visits the frames of a stream as their lengths place them.
  func forEachFrame(in bytes: Span<UInt8>, of role: StreamRole, _ visit: (FrameRef) -> Void) {
    var position = 0
    while position < bytes.count {
      let frame = frame(at: position, in: bytes, of: role)
      visit(frame)
      position = frame.end
    }
  }
}
