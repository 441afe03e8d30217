/// One key that Apple documents: where it stands, what its value may be, since when.
public struct PayloadKey: Sendable {
  public let name: String
  public let container: Container
  public let types: ValueTypes
  /// Which values of those types.
  public let allowed: Allowed
  /// Types that it has besides in a Live Activity's push, where any value of them will do.
  public let inActivity: ValueTypes
  public let since: Since
  /// The last edition that lists it, where it was dropped; a year.
  public let until: Int?
  /// A payload with this key at its root is whole without `aps`.
  public let standsForAps: Bool
  /// What it is for, in a few words.
  public let title: String
  /// Who says so.
  public let source: String

  init(
    _ container: Container, _ name: String, _ types: ValueTypes, _ allowed: Allowed = .any,
    inActivity: ValueTypes = [], since: Since, until: Int? = nil, standsForAps: Bool = false, _ title: String,
    source: String
  ) {
    self.name = name
    self.container = container
    self.types = types
    self.allowed = allowed
    self.inActivity = inActivity
    self.since = since
    self.until = until
    self.standsForAps = standsForAps
    self.title = title
    self.source = source
  }

  /// From the root: `aps.alert.loc-key`.
  public var path: String { container.path.isEmpty ? name : container.path + "." + name }

  /// The key at a path, as ``path`` has it.
  public static func named(_ path: String) -> PayloadKey? { index(of: path).map { all[$0] } }

  /// The place in ``all`` of the key at a path.
  public static func index(of path: String) -> Int? {
    all.firstIndex { $0.path.utf8.elementsEqual(path.utf8) }
  }

  /// The objects that have documented keys.
  public enum Container: UInt8, Sendable, Hashable, CaseIterable, BitwiseCopyable {
    case root, aps, alert, sound

    public var path: String {
      switch self {
      case .root: ""
      case .aps: "aps"
      case .alert: "aps.alert"
      case .sound: "aps.sound"
      }
    }
  }

  public struct ValueTypes: OptionSet, Sendable, Hashable, BitwiseCopyable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let string = ValueTypes(rawValue: 1)
    public static let number = ValueTypes(rawValue: 2)
    public static let object = ValueTypes(rawValue: 4)
    public static let array = ValueTypes(rawValue: 8)
    public static let bool = ValueTypes(rawValue: 16)
    public static let null = ValueTypes(rawValue: 32)
    public static let all: ValueTypes = [.string, .number, .object, .array, .bool, .null]
  }

  public enum Allowed: Sendable, Hashable {
    case any
    /// None but these numbers.
    case numbers([Int])
    /// A whole number from 0 on.
    case count
    case range(ClosedRange<Double>)
    /// Since 1970-01-01 UTC, not milliseconds.
    case seconds
    /// None but these strings.
    case words([String])
    /// An array of nothing but strings.
    case strings
  }

  public enum Since: Sendable, Hashable {
    /// The edition of the guide, by its year, that lists it first.
    case guide(Int)
    /// Documented after the guide's last edition, for these systems.
    case later(String)
    /// Documented in another text than the guide; its name.
    case elsewhere(String)
  }

  /// Whether the edition of a year has it; what other texts document is in all of them.
  public func isListed(in year: Int) -> Bool {
    switch since {
    case .guide(let first): first <= year && year <= until ?? .max
    case .later: false
    case .elsewhere: true
    }
  }
}
