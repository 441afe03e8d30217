/// One key that Apple documents: the object that it belongs to, what its value may be, and since when.
public struct PayloadKey: Sendable {
  public let name: String
  public let container: Container
  public let types: ValueTypes
  /// Which values of those types.
  public let allowed: Allowed
  /// More types, documented after the guide's last edition, and for which systems.
  public let laterTypes: LaterTypes?
  /// More types in a Live Activity's push, with any value.
  public let inActivity: ValueTypes
  public let since: Since
  /// The year of the last edition that lists it, if it was dropped.
  public let until: Int?
  /// A payload with this key at its root needs no `aps`.
  public let replacesAps: Bool
  /// What it is for, in a few words.
  public let title: String
  /// The documents and chapters that say so.
  public let source: String

  init(
    _ container: Container, _ name: String, _ types: ValueTypes, _ allowed: Allowed = .any,
    laterTypes: LaterTypes? = nil, inActivity: ValueTypes = [], since: Since, until: Int? = nil,
    replacesAps: Bool = false, _ title: String,
    source: String
  ) {
    self.name = name
    self.container = container
    self.types = types
    self.allowed = allowed
    self.laterTypes = laterTypes
    self.inActivity = inActivity
    self.since = since
    self.until = until
    self.replacesAps = replacesAps
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

  public struct LaterTypes: Sendable, Hashable {
    public let types: ValueTypes
    public let systems: String
  }

  public enum Allowed: Sendable, Hashable {
    case any
    /// Only these numbers.
    case numbers([Int])
    /// A whole number from 0 on.
    case count
    case range(ClosedRange<Double>)
    /// Since 1970-01-01 UTC, not milliseconds.
    case seconds
    /// Only these strings.
    case words([String])
    /// An array that contains only strings.
    case strings
    /// Not the name of an audio file in a format that system sounds do not play.
    case soundFile
  }

  public enum Since: Sendable, Hashable {
    /// The year of the first edition of the guide that lists it.
    case guide(Int)
    /// Documented after the guide's last edition, for these systems; nil if its page names none.
    case later(String?)
    /// Documented in another text than the guide; its name.
    case elsewhere(String)
  }

  /// Whether the guide's edition of a year lists it.
  public func isListed(in year: Int) -> Bool {
    if case .guide(let first) = since { first <= year && year <= until ?? .max } else { false }
  }

  /// Whether it was documented after the guide's edition of a year. Keys of other texts belong to no edition.
  public func isNewer(than year: Int) -> Bool {
    switch since {
    case .guide(let first): first > year
    case .later: true
    case .elsewhere: false
    }
  }
}
