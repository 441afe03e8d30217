import APNSDiagnosis
import APNSWire
import Octets

/// A single change to a stream of a provider's frames, for coverage-guided fuzzers: they make millions of changes, each
/// from a seed.
///
/// Many of the changes keep all lengths correct, so that the bytes after the changed value are still reached. The
/// others are those of the mutators for structure and lengths, and frames that are repeated or added.
package struct FrameMutation: Sendable {
  private let definitions = Definitions.standard
  private let schemas = Catalog.standard.schemas.filter { $0.role == .provider }
  private let mutators: [String: [Mutator]]
  /// Bytes to insert.
  private let pieces = FuzzDictionary(.standard).words.map(\.bytes) + [[UInt8](repeating: 0x61, count: 300)]

  /// Changes frames of the documented types.
  package static let standard = FrameMutation()

  private init() {
    let all = schemas.flatMap { validMutators(of: $0) + structureMutators(of: $0, .standard) + lengthMutators(of: $0) }
    mutators = Dictionary(grouping: all, by: \.frameType)
  }

  /// Returns the changed stream.
  /// - Parameter limit: The maximum size of the result in bytes; at least 1.
  package func mutated(_ bytes: [UInt8], seed: UInt64, limit: Int) -> [UInt8] {
    var chance = SplitMix64(seed: seed)
    return Array(changed(bytes, &chance).prefix(limit))
  }

  private func changed(_ bytes: [UInt8], _ chance: inout SplitMix64) -> [UInt8] {
    var frames: [FrameRef] = []
    definitions.catalog.forEachFrame(in: bytes.span, of: .provider) { frames.append($0) }
    guard !frames.isEmpty else { return newFrame(&chance) }
    let (frame, other) = (chance.pick(frames), chance.pick(frames))
    var bytes = bytes
    switch chance.number(0...9) {
    case 0...1: bytes.insert(contentsOf: bytes[other.range], at: frame.start)
    case 2: bytes.insert(contentsOf: newFrame(&chance), at: frame.start)
    case let action:
      let old = Array(bytes[frame.range])
      let draft = definitions.catalog.schema(of: frame).flatMap { FrameDraft(old, as: $0) }
      let new = draft.flatMap { action < 7 ? resized($0, &chance) : mutated($0, &chance) }
      bytes.replaceSubrange(frame.range, with: new ?? edited(old, &chance))
    }
    return bytes
  }

  private func newFrame(_ chance: inout SplitMix64) -> [UInt8] {
    let schema = chance.pick(schemas)
    var maker = FrameMaker(edition: .latest, chance: SplitMix64(seed: chance.next()))
    return (try? maker.frame(schema).bytes()) ?? [0]
  }

  /// Edits a value. All lengths are computed again.
  private func resized(_ draft: FrameDraft, _ chance: inout SplitMix64) -> [UInt8]? {
    var draft = draft
    let path = chance.pick(draft.schema.paths.filter { !$0.isList })
    guard let value = (try? draft.octets(at: path)) ?? nil else { return nil }
    if let size = path.field?.size, !path.isItem {
      draft[path] = .integer(chance.next() >> UInt64(64 - size * 8))
    } else {
      draft[path] = .octets(edited(value, &chance))
    }
    return try? draft.bytes()
  }

  private func mutated(_ draft: FrameDraft, _ chance: inout SplitMix64) -> [UInt8]? {
    guard let mutators = mutators[draft.schema.name] else { return nil }
    for _ in 0..<8 {
      let maker = FrameMaker(edition: .latest, chance: SplitMix64(seed: chance.next()))
      var context = MutationContext(definitions: definitions, maker: maker, frame: draft, companion: nil)
      if let change = (try? chance.pick(mutators).apply(&context)) ?? nil,
        let bytes = change.bytes ?? (try? context.frame.bytes())
      {
        return bytes
      }
    }
    return nil
  }

  /// Removes some bytes, inserts a piece, or both.
  private func edited(_ bytes: [UInt8], _ chance: inout SplitMix64) -> [UInt8] {
    var bytes = bytes
    let place = chance.number(0...bytes.count)
    let end = min(bytes.count, place + chance.number(0...8))
    bytes.replaceSubrange(place..<end, with: chance.percent(50) ? [] : chance.pick(pieces))
    return bytes
  }
}
