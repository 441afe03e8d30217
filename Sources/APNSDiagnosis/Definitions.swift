import APNSInput
import APNSWire

/// All that is known of the protocol, as one value: its frame types, what can be wrong with a frame, the bugs of
/// senders, and the text formats that frames are pasted in. A program adds its own.
public struct Definitions: Sendable {
  public var catalog: Catalog { didSet { finder = CauseFinder(catalog, causes) } }
  /// In the order of their checks: of several findings at one byte, the first is the one to look at.
  public var families: [RuleFamily]
  /// In the order of trying. If two explain the same bytes equally well, neither is reported.
  public var causes: [RootCause] { didSet { finder = CauseFinder(catalog, causes) } }
  /// In the order in which they are tried on a text.
  public var formats: [TextFormat]
  /// Compiled from the catalog and the causes.
  private(set) var finder: CauseFinder

  /// What Apple documented, and what senders were seen to do.
  public static let standard = Definitions()

  public init(
    _ catalog: Catalog = .standard, families: [RuleFamily] = Rules.families, causes: [RootCause] = RootCauses.all,
    formats: [TextFormat] = TextFormat.allCases
  ) {
    self.catalog = catalog
    self.families = families
    self.causes = causes
    self.formats = formats
    finder = CauseFinder(catalog, causes)
  }
}
