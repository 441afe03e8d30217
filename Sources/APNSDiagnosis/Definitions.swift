import APNSWire

/// Everything that is known about the protocol: its frame types and the rules for frames. A program can add its own.
public struct Definitions: Sendable {
  /// The frame types.
  public var catalog: Catalog { didSet { explainer = Explainer(catalog, inflate: inflate) } }
  /// The rules, in the order in which they are checked. If several findings refer to one byte, the first is the most
  /// relevant.
  public var families: [RuleFamily]
  /// Every rule: those of the families, and those about streams, which are always checked.
  public var rules: [Rule] { Rules.all(in: families) }
  /// Decompresses payloads of senders that compress them; nil if they cannot be read.
  package var inflate: Inflate? { didSet { explainer = Explainer(catalog, inflate: inflate) } }
  /// Compiled from the catalog.
  private(set) var explainer: Explainer

  /// The frame types that Apple documented, and all rules.
  public static let standard = Definitions(.standard)

  /// Creates definitions of these frame types, by default with all rules.
  public init(_ catalog: Catalog, families: [RuleFamily] = Rules.families) {
    self.catalog = catalog
    self.families = families
    explainer = Explainer(catalog)
  }
}
