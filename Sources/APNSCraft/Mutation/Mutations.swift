import APNSDiagnosis
import APNSInput
import APNSWire

/// Labelled test cases without end: valid ones, and such with exactly one rule broken, in turn, so that each rule gets its
/// share; one that can be broken in many ways gets more. The same arguments give the same cases.
///
/// A case is one stream of 1 to 4 frames, of which one is changed, mostly the last: behind it nobody knows what a reader makes
/// of the bytes. Its label is what the mutator knows: only one with a sender's bug is read, to see that the bug shows.
public struct Mutations: Sendable {
  private let catalog: Catalog
  private let definitions: Definitions
  private let edition: Edition
  private let seed: UInt64
  /// By frame type.
  private let seeds: [String: [FrameDraft]]
  /// Given frames that no case starts from: they are not whole, or there is something to say against them already.
  public let unusedSeeds: Int
  /// Mutators by rule, valid ones first.
  private var turns: [Turn] = []
  private var rareTurns: [Turn] = []
  /// Of the valid ones, where there are others too.
  private var validTurn: Turn?
  private var number = 0
  private var turn = 0

  /// A frame, or several of one stream, to start from.
  public struct Seed: Sendable {
    public let bytes: [UInt8]
    public let role: StreamRole

    public init(bytes: [UInt8], role: StreamRole) {
      self.bytes = bytes
      self.role = role
    }
  }

  /// - Parameters:
  ///   - seeds: frames to start from; where none of a type is given, frames are made.
  ///   - only: mutators by their names, or by the rules that they break; nil for all.
  public init(
    _ catalog: Catalog = .standard, seeds: [Seed] = [], edition: Edition = .standard, seed: UInt64,
    only: Set<String>? = nil
  ) {
    self.catalog = catalog
    definitions = Definitions(catalog)
    self.edition = edition
    self.seed = seed
    let sound = SoundFrames(definitions, edition: edition, seeds)
    self.seeds = sound.frames
    unusedSeeds = sound.unused
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
      let most = key.isEmpty ? mutators.count : Self.mostInTurn
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
    // Short runs differ from seed to seed in what they begin with, and do not stay with one rule.
    var chance = Chance(seed: seed)
    turns.shuffle(using: &chance)
    for index in turns.indices { turns[index].begin(with: &chance) }
    validTurn?.begin(with: &chance)
    turn = chance.number(0...0xffff)
  }

  /// Every mutator that the frame types of a catalog give.
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

  /// The next case; nil where no mutator can be had of those that were asked for.
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

  /// Whether a mutator that was asked for can be had in the edition.
  public var canMake: Bool {
    var copy = self
    return copy.nextCase() != nil
  }

  /// - Precondition: ``canMake``.
  public mutating func next() -> TestCase {
    guard let made = nextCase() else {
      preconditionFailure("none of the chosen mutators works in this edition")
    }
    return made
  }

  /// Every eighth case is a valid one.
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
    if !rareTurns.isEmpty, turn.isMultiple(of: Self.rarely) {
      return make(rareTurns[turn / Self.rarely % rareTurns.count].mutators[0])
    }
    if validTurn != nil, turn.isMultiple(of: 8), let mutator = validTurn?.mutator() { return make(mutator) }
    // Turns that go to others count for none of these.
    let index = (turn - turn / 8) % turns.count
    return make(turns[index].mutator())
  }

  /// A rule with more mutators has several turns: it is no longer until each of them comes.
  private static let mostInTurn = 8

  /// One of so many cases is a large one.
  private static let rarely = 512

  private func make(_ mutator: Mutator) -> TestCase? {
    guard let schema = catalog[mutator.frameType] else { return nil }
    let isNew = mutator.rule == .newerThanEdition
    guard isNew != (schema.since <= edition) else { return nil }
    var chance = Chance(seed: seed &+ UInt64(turn) &* 0xd134_2543_de82_ef95)
    let maker = FrameMaker(edition: edition, chance: Chance(seed: chance.next()))
    var bench = Bench(
      catalog: catalog, maker: maker, frame: FrameDraft(schema), companion: companion(of: schema.role))
    for _ in 0..<(chance.number(0...2)) { if let frame = bench.company() { bench.front.append(frame) } }
    // Given frames come without others before them: these would have to differ from them in their identifiers.
    if let given = seeds[schema.name], !given.isEmpty {
      var own = bench
      own.front = []
      own.frame = chance.pick(given)
      if let made = try? apply(mutator, to: own) { return made }
    }
    bench.frame = bench.maker.frame(schema)
    return try? apply(mutator, to: bench)
  }

  private func apply(_ mutator: Mutator, to base: Bench) throws -> TestCase? {
    var bench = base
    let before = try bench.frame.bytes()
    guard let change = try mutator.apply(&bench) else { return nil }
    let schema = bench.frame.schema
    let front = change.isAlone ? [] : try bench.front.flatMap { try $0.bytes() }
    let after = try (change.bytes ?? bench.frame.bytes()) + change.behind
    let changed = Self.changed(before, after, from: front.count)
    var label = label(mutator, change, change.follows.map(\.rawValue), schema, changed: changed)
    if let cause = mutator.cause {
      // Whether a bug shows depends on the values, which may look like other fields.
      guard let found = SoundFrames.label(cause, of: label, front + after, schema.role, definitions, edition) else {
        return nil
      }
      label = found
    }
    return TestCase(number: number, role: schema.role, bytes: front + after, label: label)
  }

  private func label(
    _ mutator: Mutator, _ change: Change, _ follows: [String], _ schema: FrameSchema, changed: Range<Int>
  ) -> TestCase.Label {
    guard let id = mutator.rule?.rawValue, let rule = Rules[id] else {
      return TestCase.Label(
        mutator: mutator.name, change: change.sentence, range: changed, follows: follows, verdict: .accept)
    }
    let isError = (change.severity ?? rule.severity) == .error
    // What follows from a warning may be worse than it.
    let isRefused =
      isError && !rule.isAboutDevice
      || follows.contains { Rules[$0].map { $0.severity == .error && !$0.isAboutDevice } ?? false }
    let refusal = isError && schema.role == .provider ? change.refusal ?? rule.refusals.first : nil
    let replies = ReplyPolicy(mutator.hasHeader ? schema : nil, in: edition)
    return TestCase.Label(
      mutator: mutator.name, change: change.sentence, range: changed, rule: id, follows: follows,
      cause: mutator.cause?.rawValue,
      verdict: isRefused ? .reject : .either,
      answer: refusal.map { replies.reply(to: $0) })
  }

  /// The least range that holds all changes, in the changed stream.
  private static func changed(_ before: [UInt8], _ after: [UInt8], from base: Int) -> Range<Int> {
    let head = zip(before, after).prefix { $0 == $1 }.count
    guard head < before.count || head < after.count else { return base..<base }
    let most = min(before.count, after.count) - head
    let tail = zip(before.reversed(), after.reversed()).prefix { $0 == $1 }.count
    return (base + head)..<(base + after.count - min(tail, most))
  }

  /// The type of the frames that stand beside: one that has all that rules ask for.
  private func companion(of role: StreamRole) -> FrameSchema? {
    let types = catalog.schemas.filter { $0.role == role && $0.since <= edition }
    return types.first { !$0.lacksIdentifier && !$0.hasList } ?? types.first { !$0.lacksIdentifier }
      ?? (edition < ErrorResponse.schema.since ? types.first : nil)
  }
}

extension Mutator {
  /// A frame of the type is still read as one.
  fileprivate var hasHeader: Bool { rule != .unknownCommand }
}

extension FrameSchema {
  /// A notification that no error response can name.
  var lacksIdentifier: Bool {
    role == .provider && !hasIdentifier && path(of: .token) != nil && path(of: .payload) != nil
  }
}
