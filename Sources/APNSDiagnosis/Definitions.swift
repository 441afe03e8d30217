import APNSInput
import APNSWire

/// Everything that is known about the protocol: its frame types, the rules for frames, the bugs of senders, and the
/// text formats in which people paste frames. A program can add its own.
public struct Definitions: Sendable {
  /// The frame types.
  public var catalog: Catalog { didSet { finder = CauseFinder(catalog, causes) } }
  /// The rules, in the order in which they are checked. If several findings refer to one byte, the first is the most
  /// relevant.
  public var families: [RuleFamily]
  /// Every rule: those of the families, and those about streams, which are always checked.
  public var rules: [Rule] { Rules.all(in: families) }
  /// The known bugs, in the order in which they are tried. If two explain the same bytes equally well, neither is
  /// reported.
  public var causes: [RootCause] { didSet { finder = CauseFinder(catalog, causes) } }
  /// The text formats, in the order in which they are tried.
  public var formats: [TextFormat]
  /// Compiled from the catalog and the causes.
  private(set) var finder: CauseFinder

  /// The frame types that Apple documented, all rules, all known bugs, and all built-in text formats.
  public static let standard = Definitions(.standard)

  /// Creates definitions of these frame types, by default with all rules, all known bugs and all built-in text formats.
  public init(
    _ catalog: Catalog, families: [RuleFamily] = Rules.families, causes: [RootCause] = RootCauses.all,
    formats: [TextFormat] = TextFormat.allCases
  ) {
    self.catalog = catalog
    self.families = families
    self.causes = causes
    self.formats = formats
    finder = CauseFinder(catalog, causes)
  }
}
