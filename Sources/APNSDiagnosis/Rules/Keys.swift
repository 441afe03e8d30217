import APNSPayload
import APNSWire

/// The documented keys that rules need, by their index in `PayloadKey.all`.
enum Keys {
  static let aps = index("aps")
  static let alert = index("aps.alert")
  static let badge = index("aps.badge")
  static let sound = index("aps.sound")
  static let contentAvailable = index("aps.content-available")
  static let body = index("aps.alert.body")

  /// The actions that the user notices.
  static let actions = PayloadOutline.Keys([alert, badge, sound])
  /// An alert without any of these has no text to show.
  static let texts = PayloadOutline.Keys(
    ["body", "loc-key", "title", "title-loc-key", "subtitle", "subtitle-loc-key"].map { index("aps.alert." + $0) })
  /// The keys that senders put beside `aps` by mistake.
  static let belongsInAps = PayloadOutline.Keys([alert, badge, sound, contentAvailable])
  static let replacingAps = PayloadOutline.Keys(PayloadKey.all.indices.filter { PayloadKey.all[$0].replacesAps })
  /// Keys of arguments, each with the key of the text that uses them.
  static let arguments = ["loc", "title-loc"].map {
    (index("aps.alert.\($0)-args"), index("aps.alert.\($0)-key"))
  }

  private static func index(_ path: String) -> Int {
    guard let index = PayloadKey.index(of: path) else { preconditionFailure("\(path) is no row of PayloadKey.all") }
    return index
  }
}
