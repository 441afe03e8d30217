import APNSDiagnosis
import APNSWire
import Octets

/// An endless sequence of labelled test cases: valid ones, and ones that break exactly one rule. The rules take turns,
/// so that each gets its share; rules with many mutators get more. The same arguments give the same cases.
///
/// A case is one stream of 1 to 4 frames, one of which is changed. It is usually the last one, because the reading of
/// bytes after a damaged frame depends on the decoder. Cases with a rule's sample or a sender's bug are dissected for
/// their label; for the others, it states what the mutator knows.
public struct Mutations: Sendable {
  private let definitions: Definitions
  private let edition: Edition
  private let seed: UInt64
  /// Frames to start from.
  private let clean: CleanFrames
  /// Number of given frames that no case starts from, because they are incomplete or have findings.
  package var unusedSeeds: Int { clean.unused }
  /// The mutators of each turn. A rule with more than eight gets several turns, so that each is used as often.
  private let turns: [[Mutator]]
  /// Every eighth case is one of these.
  private let valid: [Mutator]
  /// One of 512 cases is one of these.
  private let rare: [Mutator]
  private var number = 0
  private var turn: Int

  /// One or more frames of a stream to start from.
  public struct Seed: Sendable {
    /// Complete frames, from the first byte of one to the last byte of another.
    public let bytes: [UInt8]
    /// The side that sends the frames.
    public let role: StreamRole

    /// Frames that are incomplete, or that have findings, are counted in ``Mutations/unusedSeeds``.
    package init(bytes: [UInt8], role: StreamRole) {
      self.bytes = bytes
      self.role = role
    }
  }

  /// - Parameters:
  ///   - catalog: The frame types to make cases of.
  ///   - seeds: Frames to start from. Frames are made for types without any.
  ///   - edition: The edition whose rules apply.
  ///   - seed: The seed of all random choices.
  ///   - only: Names of mutators, or of the rules that they break; nil means all.
  public init(
    _ catalog: Catalog, seeds: [Seed] = [], edition: Edition = .standard, seed: UInt64, only: Set<String>? = nil
  ) {
    definitions = Definitions(catalog)
    self.edition = edition
    self.seed = seed
    clean = CleanFrames(definitions, edition: edition, seeds)
    let chosen = Self.all(of: catalog).filter { mutator in
      only.map { $0.contains(mutator.name) || $0.contains(mutator.group) } ?? true
    }
    let common = chosen.filter { !$0.isRare && !$0.isValid }
    valid = common.isEmpty ? [] : chosen.filter(\.isValid)
    rare = common.isEmpty ? [] : chosen.filter(\.isRare)
    let groups = Dictionary(grouping: common.isEmpty ? chosen : common, by: \.group).sorted { $0.key < $1.key }
    // Shuffled, so that short runs with different seeds begin differently and cover several rules.
    var chance = SplitMix64(seed: seed)
    turns = groups.flatMap { _, mutators in
      stride(from: 0, to: mutators.count, by: 8).map { Array(mutators[$0..<min($0 + 8, mutators.count)]) }
    }.shuffled(using: &chance)
    turn = chance.number(0...0xffff)
  }

  /// All mutators for the frame types of a catalog.
  public static func all(of catalog: Catalog) -> [Mutator] {
    let own = catalog.schemas.flatMap {
      validMutators(of: $0) + structureMutators(of: $0, catalog) + lengthMutators(of: $0) + causeMutators(of: $0)
    }
    let rules = Set(own.compactMap(\.rule))
    return own + catalog.schemas.flatMap { graftMutators(of: $0, catalog, besides: rules) }
  }

  /// The rules that no mutator breaks: a single stream without a capture does not show them.
  package static let rulesWithoutMutator = Set(Rules.all).subtracting(all(of: .standard).compactMap(\.rule))

  /// Returns the next case; nil if none of the chosen mutators applies.
  package mutating func nextCase() -> TestCase? {
    for _ in 0..<(turns.count * 200) {
      if let made = make(nextMutator()) {
        number += 1
        return made
      }
    }
    return nil
  }

  /// Whether any of the chosen mutators applies in the edition.
  package var canMake: Bool {
    var copy = self
    return copy.nextCase() != nil
  }

  /// Returns the next case.
  /// - Precondition: `canMake`.
  public mutating func next() -> TestCase {
    guard let made = nextCase() else { preconditionFailure("none of the chosen mutators works in this edition") }
    return made
  }

  private mutating func nextMutator() -> Mutator {
    turn += 1
    if turn.isMultiple(of: 512), !rare.isEmpty { return rare[turn / 512 % rare.count] }
    if turn.isMultiple(of: 8), !valid.isEmpty { return valid[turn / 8 % valid.count] }
    // Turns of valid cases do not count.
    let (round, index) = (turn - turn / 8).quotientAndRemainder(dividingBy: turns.count)
    return turns[index][round % turns[index].count]
  }

  private func make(_ mutator: Mutator) -> TestCase? {
    guard let schema = definitions.catalog[mutator.frameType] else { return nil }
    let isNew = mutator.rule == .newerThanEdition
    guard isNew != (schema.since <= edition) else { return nil }
    var chance = SplitMix64(seed: seed &+ UInt64(turn) &* 0xd134_2543_de82_ef95)
    let maker = FrameMaker(edition: edition, chance: SplitMix64(seed: chance.next()))
    var context = MutationContext(
      definitions: definitions, maker: maker, frame: FrameDraft(schema), companion: companion(of: schema.role))
    for _ in 0..<(chance.number(0...2)) {
      if let frame = context.companionFrame() { context.precedingFrames.append(frame) }
    }
    // No frames precede given ones, because their identifiers might repeat.
    if let given = clean.frames[schema.name] {
      var own = context
      own.precedingFrames = []
      own.frame = chance.pick(given)
      if let made = try? apply(mutator, to: own) { return made }
    }
    context.frame = context.maker.frame(schema)
    guard let bytes = try? context.frame.bytes(),
      !CleanFrames.hidesFrame(bytes, schema.role, definitions.catalog)
    else { return nil }
    return try? apply(mutator, to: context)
  }

  private func apply(_ mutator: Mutator, to base: MutationContext) throws -> TestCase? {
    var context = base
    let before = try context.frame.bytes()
    guard let change = try mutator.apply(&context) else { return nil }
    let schema = context.frame.schema
    let precedingBytes = change.isFirst ? [] : try context.precedingFrames.flatMap { try $0.bytes() }
    let after = try change.bytes ?? context.frame.bytes()
    let label = label(mutator, change, schema, changed: Self.changed(before, after, from: precedingBytes.count))
    return TestCase(number: number, role: schema.role, bytes: precedingBytes + after, label: label)
  }

  private func label(
    _ mutator: Mutator, _ change: Change, _ schema: FrameSchema, changed: Range<Int>
  ) -> TestCase.Label {
    let own = change.findings.first
    // What dissecting found, or else what the mutator knows.
    var broken = change.findings.map { (rule: $0.rule, severity: $0.severity) }
    if own == nil, let rule = mutator.rule {
      broken = [(rule.id, change.severity ?? rule.severity)] + change.follows.map { ($0.id, $0.severity) }
    }
    let rule = broken.first?.rule
    // A consequence of a warning may be an error.
    let isRefused = broken.contains { $0.severity == .error && Rules[$0.rule]?.isAboutDevice != true }
    var answer = own?.answer
    if own == nil, broken.first?.severity == .error, schema.role == .provider {
      let replies = ReplyPolicy(mutator.rule == .unknownCommand ? nil : schema, in: edition)
      answer = (change.refusal ?? mutator.rule?.refusals.first).map { replies.reply(to: $0) }
    }
    return TestCase.Label(
      mutator: mutator.name, change: change.sentence, range: changed, rule: rule,
      follows: Set(broken.map(\.rule)).subtracting([rule].compactMap(\.self)).sorted(),
      cause: mutator.cause?.id ?? own?.cause?.id,
      verdict: rule == nil ? .accept : isRefused ? .reject : .either, answer: answer)
  }

  /// The smallest range of the changed stream that contains all changes.
  private static func changed(_ before: [UInt8], _ after: [UInt8], from base: Int) -> Range<Int> {
    let head = zip(before, after).prefix { $0 == $1 }.count
    guard head < before.count || head < after.count else { return base..<base }
    let most = min(before.count, after.count) - head
    let tail = zip(before.reversed(), after.reversed()).prefix { $0 == $1 }.count
    return (base + head)..<(base + after.count - min(tail, most))
  }

  /// The frame type of the unchanged frames: one that can be used without findings. Since there are error responses, a
  /// notification without an identifier has one.
  private func companion(of role: StreamRole) -> FrameSchema? {
    definitions.catalog.schemas.first {
      $0.role == role && $0.since <= edition
        && ($0.hasIdentifier || role != .provider || edition < ErrorResponse.schema.since)
    }
  }
}
