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
  static let standingForAps = PayloadOutline.Keys(PayloadKey.all.indices.filter { PayloadKey.all[$0].standsForAps })
  /// Only a Live Activity's push has one of these.
  static let ofActivities = PayloadOutline.Keys(
    ["event", "content-state", "attributes", "attributes-type"].map { index("aps." + $0) })
  /// Arguments, and the key of the text that they fill.
  static let arguments = ["loc", "title-loc", "subtitle-loc"].map {
    (index("aps.alert.\($0)-args"), index("aps.alert.\($0)-key"))
  }

  // What every key of every frame is asked, apart from the rows: those are too large to be copied that often.

  /// By key: its types.
  static let types = PayloadKey.all.map(\.types)
  /// By key: whether it has no more to it than its types.
  static let takesAny = PayloadKey.all.map { $0.allowed == .any }
  /// By key: whether every edition has it.
  static let isInAllEditions = PayloadKey.all.map { key in
    Edition.allCases.allSatisfy { key.isListed(in: $0.rawValue) }
  }

  /// Those that an edition has, and those that no edition is asked about.
  static func known(in edition: Edition) -> PayloadOutline.Keys {
    PayloadOutline.Keys(
      PayloadKey.all.indices.filter { index in
        let key = PayloadKey.all[index]
        return key.isListed(in: edition.rawValue) || key.container != .aps && key.container != .alert
      })
  }

  private static func index(_ path: String) -> Int {
    guard let index = PayloadKey.index(of: path) else { preconditionFailure("\(path) is no row of PayloadKey.all") }
    return index
  }
}
