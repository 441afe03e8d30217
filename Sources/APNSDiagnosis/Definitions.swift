import APNSInput
import APNSWire

/// Everything that is known about the protocol: its frame types, the rules for frames, and the text formats in which
/// people paste frames. A program can add its own.
public struct Definitions: Sendable {
  /// The frame types.
  public var catalog: Catalog { didSet { explainer = Explainer(catalog, inflate: inflate) } }
  /// The rules, in the order in which they are checked. If several findings refer to one byte, the first is the most
  /// relevant.
  public var families: [RuleFamily]
  /// Every rule: those of the families, and those about streams, which are always checked.
  public var rules: [Rule] { Rules.all(in: families) }
  /// The text formats, in the order in which they are tried.
  package var formats: [TextFormat]
  /// Decompresses payloads of senders that compress them; nil if they cannot be read.
  package var inflate: Inflate? { didSet { explainer = Explainer(catalog, inflate: inflate) } }
  /// Compiled from the catalog.
  private(set) var explainer: Explainer

  /// The frame types that Apple documented, all rules, and all built-in text formats.
  public static let standard = Definitions(.standard)

  /// Creates definitions of these frame types, by default with all rules and all built-in text
  /// formats.
  public init(
    _ catalog: Catalog, families: [RuleFamily] = Rules.families, formats: [TextFormat] = TextFormat.allCases
  ) {
    self.catalog = catalog
    self.families = families
    self.formats = formats
    explainer = Explainer(catalog)
  }
}
