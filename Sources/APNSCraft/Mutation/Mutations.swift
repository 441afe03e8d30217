import APNSDiagnosis
import APNSInput
import APNSWire

/// An endless sequence of labelled test cases: valid ones, and ones that break exactly one rule. The rules take turns,
/// so that each gets its share; rules with many mutators get more. The same arguments give the same cases.
///
/// A case is one stream of 1 to 4 frames, one of which is changed. It is usually the last one, because the reading of
/// bytes after a damaged frame depends on the decoder. The label states what the mutator knows. Only cases with a
/// sender's bug are dissected, to check that the bug is found.
public struct Mutations: Sendable {
  private let catalog: Catalog
  private let definitions: Definitions
  private let edition: Edition
  private let seed: UInt64
  /// Frames to start from, by frame type.
  private let seeds: [String: [FrameDraft]]
  /// Number of given frames that no case starts from, because they are incomplete or have findings.
  public let unusedSeeds: Int
  /// The mutators, grouped by rule.
  private var turns: [Turn] = []
  private var rareTurns: [Turn] = []
  /// The mutators that keep frames valid, if there are others too.
  private var validTurn: Turn?
  private var number = 0
  private var turn = 0

  /// One or more frames of a stream to start from.
  public struct Seed: Sendable {
    /// Complete frames, from the first byte of one to the last byte of another.
    public let bytes: [UInt8]
    /// The side that sends the frames.
    public let role: StreamRole

    /// Frames that are incomplete, or that have findings, are counted in ``Mutations/unusedSeeds``.
    public init(bytes: [UInt8], role: StreamRole) {
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
    _ catalog: Catalog, seeds: [Seed] = [], edition: Edition = .standard, seed: UInt64,
    only: Set<String>? = nil
  ) {
    self.catalog = catalog
    definitions = Definitions(catalog)
    self.edition = edition
    self.seed = seed
    let clean = CleanFrames(definitions, edition: edition, seeds)
    self.seeds = clean.frames
    unusedSeeds = clean.unused
    var order: [String] = []
    var groups: [String: [Mutator]] = [:]
    for mutator in Self.all(of: catalog) {
      let group = mutator.group
      if let only, !only.contains(mutator.name), !only.contains(group.isEmpty ? "valid" : group) { continue }
      let key = (mutator.isRare ? "rare " : "") + group
      if groups[key] == nil { order.append(key) }
      groups[key, default: []].append(mutator)
    }
    for (key, mutators) in order.map({ ($0, groups[$0] ?? []) }) {
      let most = key.isEmpty ? mutators.count : Self.mutatorsPerTurn
      for start in stride(from: 0, to: mutators.count, by: most) {
        let turn = Turn(mutators: Array(mutators[start..<min(start + most, mutators.count)]))
        if key.hasPrefix("rare ") { rareTurns.append(turn) } else { turns.append(turn) }
      }
    }
    if !turns.contains(where: { $0.mutators[0].rule != nil }) {
      turns += rareTurns
      rareTurns = []
    }
    separateValidTurn()
    // Shuffle, so that short runs with different seeds begin differently and cover several rules.
    var chance = Chance(seed: seed)
    turns.shuffle(using: &chance)
    for index in turns.indices { turns[index].begin(with: &chance) }
    validTurn?.begin(with: &chance)
    turn = chance.number(0...0xffff)
  }

  /// All mutators for the frame types of a catalog.
  public static func all(of catalog: Catalog) -> [Mutator] {
    catalog.schemas.flatMap { schema -> [Mutator] in
      var all = validMutators(of: schema)
      all += structureMutators(of: schema, catalog)
      all += lengthMutators(of: schema)
      all += jsonMutators(of: schema)
      all += payloadMutators(of: schema)
      all += valueMutators(of: schema)
      all += streamMutators(of: schema)
      all += causeMutators(of: schema, catalog)
      return all
    }
  }

  /// Returns the next case; nil if none of the chosen mutators applies.
  public mutating func nextCase() -> TestCase? {
    guard !turns.isEmpty else { return nil }
    for _ in 0..<(turns.count * 200) {
      if let made = tryNext() {
        number += 1
        return made
      }
    }
    return nil
  }

  /// Whether any of the chosen mutators applies in the edition.
  public var canMake: Bool {
    var copy = self
    return copy.nextCase() != nil
  }

  /// Returns the next case.
  /// - Precondition: ``canMake``.
  public mutating func next() -> TestCase {
    guard let made = nextCase() else {
      preconditionFailure("none of the chosen mutators works in this edition")
    }
    return made
  }

  /// Moves the valid mutators out of `turns`, because every eighth case is a valid one.
  private mutating func separateValidTurn() {
    guard let valid = turns.firstIndex(where: { $0.mutators[0].group.isEmpty }), turns.count > 1 else { return }
    let right = turns.remove(at: valid)
    validTurn = right
  }

  private struct Turn {
    let mutators: [Mutator]
    var next = 0

    init(mutators: [Mutator]) { self.mutators = mutators }

    mutating func begin(with chance: inout Chance) { next = chance.number(0...(mutators.count - 1)) }

    mutating func mutator() -> Mutator {
      defer { next = (next + 1) % mutators.count }
      return mutators[next]
    }
  }

  private mutating func tryNext() -> TestCase? {
    turn += 1
    if !rareTurns.isEmpty, turn.isMultiple(of: Self.rareInterval) {
      return make(rareTurns[turn / Self.rareInterval % rareTurns.count].mutators[0])
    }
    if validTurn != nil, turn.isMultiple(of: 8), let mutator = validTurn?.mutator() { return make(mutator) }
    // Turns of valid cases do not count.
    let index = (turn - turn / 8) % turns.count
    return make(turns[index].mutator())
  }

  /// A rule with more mutators gets several turns, so that each mutator is used as often.
  private static let mutatorsPerTurn = 8

  /// One of this many cases is a large one.
  private static let rareInterval = 512

  private func make(_ mutator: Mutator) -> TestCase? {
    guard let schema = catalog[mutator.frameType] else { return nil }
    let isNew = mutator.rule == .newerThanEdition
    guard isNew != (schema.since <= edition) else { return nil }
    var chance = Chance(seed: seed &+ UInt64(turn) &* 0xd134_2543_de82_ef95)
    let maker = FrameMaker(edition: edition, chance: Chance(seed: chance.next()))
    var context = MutationContext(
      catalog: catalog, maker: maker, frame: FrameDraft(schema), companion: companion(of: schema.role))
    for _ in 0..<(chance.number(0...2)) {
      if let frame = context.companionFrame() { context.precedingFrames.append(frame) }
    }
    // No frames precede given ones, because their identifiers might repeat.
    if let given = seeds[schema.name], !given.isEmpty {
      var own = context
      own.precedingFrames = []
      own.frame = chance.pick(given)
      if let made = try? apply(mutator, to: own) { return made }
    }
    context.frame = context.maker.frame(schema)
    guard let bytes = try? context.frame.bytes(), !CleanFrames.hidesFrame(bytes, schema.role, catalog) else {
      return nil
    }
    return try? apply(mutator, to: context)
  }

  private func apply(_ mutator: Mutator, to base: MutationContext) throws -> TestCase? {
    var context = base
    let before = try context.frame.bytes()
    guard let change = try mutator.apply(&context) else { return nil }
    let schema = context.frame.schema
    let precedingBytes = change.isFirst ? [] : try context.precedingFrames.flatMap { try $0.bytes() }
    let after = try (change.bytes ?? context.frame.bytes()) + change.followingBytes
    let changed = Self.changed(before, after, from: precedingBytes.count)
    var label = label(mutator, change, change.follows.map(\.id), schema, changed: changed)
    if let cause = mutator.cause {
      // Whether a bug is found depends on the values, which may look like other fields.
      guard let found = CleanFrames.label(cause, of: label, precedingBytes + after, schema.role, definitions, edition)
      else {
        return nil
      }
      label = found
    }
    return TestCase(number: number, role: schema.role, bytes: precedingBytes + after, label: label)
  }

  private func label(
    _ mutator: Mutator, _ change: Change, _ follows: [String], _ schema: FrameSchema, changed: Range<Int>
  ) -> TestCase.Label {
    guard let rule = mutator.rule else {
      return TestCase.Label(
        mutator: mutator.name, change: change.sentence, range: changed, follows: follows, verdict: .accept)
    }
    let isError = (change.severity ?? rule.severity) == .error
    // A consequence of a warning may be an error.
    let isRefused =
      isError && !rule.isAboutDevice
      || follows.contains { Rules[$0].map { $0.severity == .error && !$0.isAboutDevice } ?? false }
    let refusal = isError && schema.role == .provider ? change.refusal ?? rule.refusals.first : nil
    let replies = ReplyPolicy(mutator.hasHeader ? schema : nil, in: edition)
    return TestCase.Label(
      mutator: mutator.name, change: change.sentence, range: changed, rule: rule.id, follows: follows,
      cause: mutator.cause?.rawValue,
      verdict: isRefused ? .reject : .either,
      answer: refusal.map { replies.reply(to: $0) })
  }

  /// The smallest range of the changed stream that contains all changes.
  private static func changed(_ before: [UInt8], _ after: [UInt8], from base: Int) -> Range<Int> {
    let head = zip(before, after).prefix { $0 == $1 }.count
    guard head < before.count || head < after.count else { return base..<base }
    let most = min(before.count, after.count) - head
    let tail = zip(before.reversed(), after.reversed()).prefix { $0 == $1 }.count
    return (base + head)..<(base + after.count - min(tail, most))
  }

  /// The frame type of the unchanged frames: one that can be used without findings.
  private func companion(of role: StreamRole) -> FrameSchema? {
    let types = catalog.schemas.filter { $0.role == role && $0.since <= edition }
    return types.first { !$0.cannotBeNamed && !$0.hasList } ?? types.first { !$0.cannotBeNamed }
      ?? (edition < ErrorResponse.schema.since ? types.first : nil)
  }
}

extension Mutator {
  /// Whether the frame is still recognised as one of its type.
  fileprivate var hasHeader: Bool { rule != .unknownCommand }
}

extension FrameSchema {
  /// Whether the type is a notification without an identifier, which an error response cannot refer to.
  var cannotBeNamed: Bool {
    role == .provider && !hasIdentifier && path(of: .token) != nil && path(of: .payload) != nil
  }
}
