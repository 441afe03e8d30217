import APNSPayload
import APNSWire

/// The documented keys that rules ask for, by their places in `PayloadKey.all`.
enum Keys {
  static let aps = index("aps")
  static let alert = index("aps.alert")
  static let badge = index("aps.badge")
  static let sound = index("aps.sound")
  static let contentAvailable = index("aps.content-available")
  static let body = index("aps.alert.body")

  /// What the user notices.
  static let actions = PayloadOutline.Keys([alert, badge, sound])
  /// An alert with none of these has no text to show.
  static let texts = PayloadOutline.Keys(
    ["body", "loc-key", "title", "title-loc-key", "subtitle", "subtitle-loc-key"].map { index("aps.alert." + $0) })
  /// What senders put beside aps by mistake.
  static let belongsInAps = PayloadOutline.Keys([alert, badge, sound, contentAvailable])
  static let replacingAps = PayloadOutline.Keys(PayloadKey.all.indices.filter { PayloadKey.all[$0].replacesAps })
  /// Only a Live Activity's push has one of these.
  static let ofActivities = PayloadOutline.Keys(
    ["event", "content-state", "attributes", "attributes-type"].map { index("aps." + $0) })
  /// Arguments, and the key of the text that they fill.
  static let arguments = ["loc", "title-loc"].map {
    (index("aps.alert.\($0)-args"), index("aps.alert.\($0)-key"))
  }

  // What rules need of every key of every frame, apart from the rows: those are too large to be copied that often.

  /// By key: its types.
  static let types = PayloadKey.all.map(\.types)
  /// By key: whether any value of its types will do.
  static let allowsAny = PayloadKey.all.map { $0.allowed == .any }
  /// By key: whether it is newer than some edition.
  static let isNewerThanSome = PayloadKey.all.map { key in
    Edition.allCases.contains { key.isNewer(than: $0.rawValue) }
  }

  private static func index(_ path: String) -> Int {
    guard let index = PayloadKey.index(of: path) else { preconditionFailure("\(path) is no row of PayloadKey.all") }
    return index
  }
}
