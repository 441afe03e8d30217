/// A key that Apple documents: its container, its allowed values, and the first edition that lists it.
public struct PayloadKey: Sendable {
  /// The key as it is spelled in JSON.
  public let name: String
  /// The object that contains the key.
  public let container: Container
  /// The documented types of its value.
  package let types: [PayloadOutline.Kind]
  /// The allowed values of those types.
  package let allowed: Allowed
  /// The document that introduced the key.
  public let since: Since
  /// The year of the last edition that lists the key, if it was dropped later; otherwise nil.
  package let until: Int?
  /// Whether a payload with this key at its root needs no `aps`.
  package let replacesAps: Bool
  /// The purpose of the key in a few words.
  package let title: String
  /// The documents and chapters that define it.
  public let source: String

  init(
    _ container: Container, _ name: String, _ types: [PayloadOutline.Kind], _ allowed: Allowed = .any,
    since: Since, until: Int? = nil, replacesAps: Bool = false, _ title: String, source: String
  ) {
    self.name = name
    self.container = container
    self.types = types
    self.allowed = allowed
    self.since = since
    self.until = until
    self.replacesAps = replacesAps
    self.title = title
    self.source = source
  }

  /// The path from the root: `aps.alert.loc-key`.
  public var path: String { container.path.isEmpty ? name : container.path + "." + name }

  /// The key with this ``path``; nil if there is none.
  public static func named(_ path: String) -> PayloadKey? { index(of: path).map { all[$0] } }

  /// The index in ``all`` of the key with this ``path``; nil if there is none.
  public static func index(of path: String) -> Int? {
    all.firstIndex { $0.path.utf8.elementsEqual(path.utf8) }
  }

  /// The objects that have documented keys: the root, `aps` and its `alert`.
  public enum Container: String, Sendable, Hashable, CaseIterable, BitwiseCopyable {
    /// The payload's root object.
    case root = ""
    /// The value of `aps` in the root.
    case aps
    /// The value of `alert` in `aps`.
    case alert = "aps.alert"

    /// The path from the root, such as `aps.alert`; empty for the root itself.
    public var path: String { rawValue }
  }

  /// The values that a key allows.
  package enum Allowed: Sendable, Hashable {
    /// Any value of the documented types.
    case any
    /// Only these numbers.
    case numbers([Int])
    /// A whole number, 0 or more.
    case count
    /// An array that contains only strings.
    case strings
    /// A file name without the extension of an audio format that system sounds cannot play.
    case soundFile
  }

  /// The document that introduced a key.
  public enum Since: Sendable, Hashable {
    /// The year of the first edition of the guide that lists it.
    case guide(Int)
    /// Documented in a text other than the guide, with this name.
    case elsewhere(String)
  }

  /// Whether the guide's edition of this year lists the key.
  package func isListed(in year: Int) -> Bool {
    if case .guide(let first) = since { first <= year && year <= until ?? .max } else { false }
  }

  /// Whether the key was documented after the guide's edition of this year. Returns false for keys of other texts,
  /// which belong to no edition.
  package func isNewer(than year: Int) -> Bool {
    if case .guide(let first) = since { first > year } else { false }
  }
}
