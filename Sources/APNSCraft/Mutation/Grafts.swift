import APNSDiagnosis
import APNSWire

/// Mutators that graft the fault of a rule's sample into a stream: the values in which the sample differs from a valid
/// frame, or its bytes. Dissecting the case confirms that the rule is broken and gives the label, so a new rule needs
/// no code here.
/// - Parameter known: The rules that other mutators break.
func graftMutators(of schema: FrameSchema, _ catalog: Catalog, besides known: Set<Rule>) -> [Mutator] {
  samples.compactMap { rule, samples in
    let grafts = samples.filter { $0.role == schema.role }
      .compactMap { Graft($0.bytes, $0.differences, in: schema, catalog) }
    guard !grafts.isEmpty, !known.contains(rule) else { return nil }
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
  (rule, rule.bad.map { (role: $0.role, bytes: $0.bytes, differences: $0.differences) })
}

/// The fault of a sample, for frames of one type.
private enum Graft: Sendable {
  /// The values to write into each copy of the frame. A sample may have several frames, which only differ in them.
  case values([[(path: FieldPath, value: FieldDraft?)]])
  /// Bytes before the frame, or in its place if they do not begin with a frame, as those of other protocols.
  case bytes([UInt8], isFrame: Bool)

  /// - Parameter differences: The values of each frame that are not valid; nil for a sample of bytes.
  /// - Returns: nil if the frame type does not have one of the values, or if the sample has no fault in a value. Bytes
  ///   are for the type of the frame that they begin with, or else for the first type of their role.
  @inline(never)
  init?(
    _ bytes: [UInt8], _ differences: [[(role: Field.Role, value: FieldDraft?)]]?, in schema: FrameSchema,
    _ catalog: Catalog
  ) {
    guard let differences else {
      let type = catalog.schema(of: catalog.frame(at: 0, in: bytes.span, of: schema.role))
      guard (type ?? catalog.schemas.first { $0.role == schema.role })?.name == schema.name else { return nil }
      self = .bytes(bytes, isFrame: type != nil)
      return
    }
    let copies = differences.map { values in
      values.compactMap { role, value in
        schema.path(of: role).flatMap { value != nil || $0.isItem ? (path: $0, value: value) : nil }
      }
    }
    guard copies.map(\.count) == differences.map(\.count), !copies.joined().isEmpty else { return nil }
    self = .values(copies)
  }

  /// Returns nil if the stream does not break the rule then.
  func change(of context: MutationContext, breaking rule: Rule) throws -> Change? {
    switch self {
    case .bytes(let bytes, let isFrame):
      return try context.dissected(
        "\(bytes.count) bytes were written \(isFrame ? "before" : "instead of") the frame: \(rule.title)",
        bytes + (isFrame ? context.frame.bytes() : []), isFirst: true
      ) { $0.rule == rule.id }
    case .values(let copies):
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
        "\(many)\(words.joined(separator: ", then ")): \(rule.title)", bytes, isFirst: copies.count > 1
      ) { $0.rule == rule.id }
    }
  }
}
