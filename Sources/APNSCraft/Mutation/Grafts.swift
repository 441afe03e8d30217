import APNSDiagnosis
import APNSWire
import Octets

/// Mutators that graft the fault of a rule's sample into a frame: the values in which the sample differs from a valid
/// frame. Dissecting the case confirms that the rule is broken and gives the label, so a new rule needs no code here.
func graftMutators(of schema: FrameSchema) -> [Mutator] {
  samples.compactMap { rule, samples in
    let grafts = samples.compactMap {
      $0.role == schema.role ? Graft($0.differences, in: schema) : nil
    }
    guard !grafts.isEmpty else { return nil }
    return Mutator(rule.id, rule.title, rule: rule, of: schema) { context in
      guard rule.editions.contains(context.edition) else { return nil }
      var impure: Change?
      for graft in grafts.shuffled(using: &context.maker.chance) {
        guard let change = try graft.change(of: context, breaking: rule) else { continue }
        if change.findings.allSatisfy({ $0.rule == rule.id }) { return change }
        impure = impure ?? change
      }
      return impure
    }
  }
}

private let samples = Rules.all.map { rule in
  (
    rule,
    rule.bad.compactMap { sample in sample.differences.map { (role: sample.role, differences: $0) }
    }
  )
}

/// The values of a sample, for frames of one type.
private struct Graft: Sendable {
  /// The values to write into each copy of the frame. A sample may have several frames, which only differ in them.
  private let copies: [[(path: FieldPath, value: FieldDraft?)]]

  /// Returns nil if the frame type does not have one of the values, or if the sample has no fault in a value.
  @inline(never)
  init?(_ differences: [[Field.Role: FieldDraft?]], in schema: FrameSchema) {
    var copies: [[(FieldPath, FieldDraft?)]] = []
    for values in differences {
      var copy: [(FieldPath, FieldDraft?)] = []
      for (role, value) in values.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        guard
          let path = schema.path(of: role)
            ?? (role == .payload ? schema.paths.first { $0.field?.isJSON == true } : nil),
          value != nil || path.isItem
        else { return nil }
        copy.append((path, value))
      }
      copies.append(copy)
    }
    guard copies.contains(where: { !$0.isEmpty }) else { return nil }
    self.copies = copies
  }

  /// Returns nil if the frame does not break the rule then.
  func change(of context: MutationContext, breaking rule: Rule) throws -> Change? {
    var words: [String] = []
    var bytes: [UInt8] = []
    for copy in copies {
      var frame = context.frame
      for (path, value) in copy { words += [frame.change(path, to: value)].compactMap(\.self) }
      bytes += try frame.bytes()
    }
    guard !words.isEmpty else { return nil }
    let many = copies.count > 1 ? "the frame was written \(copies.count) times, and " : ""
    return try context.dissected(
      "\(many)\(words.joined(separator: ", then ")): \(rule.title)", bytes,
      isFirst: copies.count > 1
    ) { $0.rule == rule.id }
  }
}
