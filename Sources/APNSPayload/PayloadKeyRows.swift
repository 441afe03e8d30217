private let guide = "Local and Remote Notification Programming Guide, Payload Key Reference"
private let current = "User Notifications, Generating a remote notification"
private let activities = "ActivityKit, Starting and updating Live Activities with ActivityKit push notifications"
private let extensions = "Local and Remote Notification Programming Guide, Modifying and Presenting Notifications"
private let websites = "Notification Programming Guide for Websites, Configuring Safari Push Notifications"
private let peers = "providers' own payload builders; no table of Apple's lists it"

extension PayloadKey {
  /// Every documented key. At most 64: ``PayloadOutline/present`` has a bit for each.
  public static let all: [PayloadKey] = root + aps + alert + sound

  private static let root: [PayloadKey] = [
    PayloadKey(.root, "aps", .object, since: .guide(2009), "what the system itself acts on", source: guide),
    PayloadKey(
      .root, "mdm", .string, since: .elsewhere("Device Management"), standsForAps: true,
      "the magic string that wakes a managed device; it stands alone",
      source: "Device Management, Sending MDM commands to a device"),
    PayloadKey(
      .root, "container-identifier", .string, since: .elsewhere("File Provider"), standsForAps: true,
      "the container whose content has changed", source: "File Provider, Using push notifications to signal changes"),
    PayloadKey(
      .root, "domain", .all, since: .elsewhere("File Provider"),
      "the domain that the container is of", source: "File Provider, Using push notifications to signal changes"),
    PayloadKey(
      .root, "activeSpeaker", .all, since: .elsewhere("Push to Talk"), standsForAps: true,
      "who is talking, in Apple's example of a Push to Talk payload",
      source: "Push to Talk, Creating a Push to Talk app"),
  ]

  private static let aps: [PayloadKey] = [
    PayloadKey(
      .aps, "alert", [.string, .object], since: .guide(2009), "the text to show, or an object that describes it",
      source: guide),
    PayloadKey(
      .aps, "badge", .number, .count, since: .guide(2009), "the number on the app's icon; 0 removes it", source: guide),
    PayloadKey(
      .aps, "sound", [.string, .object], since: .guide(2009),
      "a sound file of the app, or \"default\"; an object for a critical alert (iOS 12)", source: guide),
    PayloadKey(
      .aps, "content-available", .number, .numbers([1]), since: .guide(2013), "1 wakes the app to fetch new content",
      source: guide),
    PayloadKey(
      .aps, "category", .string, since: .guide(2017), "the registered category, whose actions are offered",
      source: guide),
    PayloadKey(
      .aps, "thread-id", .string, since: .guide(2017), "notifications with the same one are grouped", source: guide),
    PayloadKey(
      .aps, "mutable-content", .number, .numbers([1]), since: .guide(2017),
      "1 passes the notification through the app's service extension", source: extensions),
    PayloadKey(
      .aps, "target-content-id", .string, since: .later("iOS 13, tvOS 13"), "the window or scene to bring forward",
      source: current),
    PayloadKey(
      .aps, "interruption-level", .string, .words(["passive", "active", "time-sensitive", "critical"]),
      since: .later("iOS 15, macOS 12, tvOS 15, watchOS 8"), "how much it may interrupt", source: current),
    PayloadKey(
      .aps, "relevance-score", .number, .range(0...1), inActivity: .number, since: .later("iOS 15"),
      "its weight in a summary, 0 to 1; of a Live Activity any number", source: current),
    PayloadKey(
      .aps, "filter-criteria", .string, since: .later("iOS 16, macOS 13, watchOS 9"),
      "by which a Focus decides whether to show it", source: current),
    PayloadKey(
      .aps, "stale-date", .number, .seconds, since: .later("iOS 16.2"), "when a Live Activity is out of date",
      source: current),
    PayloadKey(
      .aps, "content-state", .object, since: .later("iOS 16.1"), "a Live Activity's new state", source: activities),
    PayloadKey(
      .aps, "timestamp", .number, .seconds, since: .later("iOS 16.1"), "when a Live Activity's push was sent",
      source: activities),
    PayloadKey(
      .aps, "event", .string, .words(["start", "update", "end"]), since: .later("iOS 16.1"),
      "what becomes of a Live Activity; start since iOS 17.2", source: activities),
    PayloadKey(
      .aps, "dismissal-date", .number, .seconds, since: .later("iOS 16.1"), "when an ended Live Activity goes away",
      source: activities),
    PayloadKey(
      .aps, "attributes-type", .string, since: .later("iOS 17.2"),
      "the name of a Live Activity's attributes, to start it",
      source: activities),
    PayloadKey(
      .aps, "attributes", .object, since: .later("iOS 17.2"), "a Live Activity's attributes, to start it",
      source: activities),
    PayloadKey(
      .aps, "input-push-token", .number, .numbers([1]), since: .later("iOS 18"),
      "1 starts a Live Activity and asks for a token to update it", source: activities),
    PayloadKey(
      .aps, "input-push-channel", .string, since: .later("iOS 18"),
      "the channel that updates a Live Activity, in Base64",
      source: activities),
    PayloadKey(
      .aps, "url-args", .array, .strings, since: .guide(2013),
      "what fills a website's address, one for each placeholder",
      source: websites),
  ]

  private static let alert: [PayloadKey] = [
    PayloadKey(
      .alert, "title", .string, inActivity: .object, since: .guide(2017), "a short line above the text", source: guide),
    PayloadKey(.alert, "subtitle", .string, since: .later("iOS 10"), "a line below the title", source: current),
    PayloadKey(.alert, "body", .string, inActivity: .object, since: .guide(2009), "the text", source: guide),
    PayloadKey(
      .alert, "title-loc-key", [.string, .null], since: .guide(2017), "the title, as a key to the app's own strings",
      source: guide),
    PayloadKey(
      .alert, "title-loc-args", [.array, .null], .strings, since: .guide(2017), "what fills the title's placeholders",
      source: guide),
    PayloadKey(
      .alert, "subtitle-loc-key", .string, since: .later("iOS 10"), "the subtitle, as a key to the app's own strings",
      source: current),
    PayloadKey(
      .alert, "subtitle-loc-args", .array, .strings, since: .later("iOS 10"),
      "what fills the subtitle's placeholders", source: current),
    PayloadKey(
      .alert, "loc-key", .string, since: .guide(2009), "the text, as a key to the app's own strings", source: guide),
    PayloadKey(
      .alert, "loc-args", .array, .strings, since: .guide(2009), "what fills the text's placeholders", source: guide),
    PayloadKey(
      .alert, "action-loc-key", [.string, .null], since: .guide(2009), until: 2017,
      "the action button's title, as a key to the app's own strings", source: guide),
    PayloadKey(
      .alert, "launch-image", .string, since: .guide(2010), "the image to show while the app starts", source: guide),
    PayloadKey(
      .alert, "action", .string, since: .guide(2013), "the action button's title in a website's notification",
      source: websites),
    PayloadKey(
      .alert, "summary-arg", .string, since: .later("iOS 12 to 14"), "what a group's summary names", source: peers),
    PayloadKey(
      .alert, "summary-arg-count", .number, .count, since: .later("iOS 12 to 14"), "for how many a summary counts it",
      source: peers),
    PayloadKey(
      .alert, "sound", [], inActivity: .string, since: .later("iOS 16.1"), "the sound of a Live Activity's alert",
      source: activities),
  ]

  private static let sound: [PayloadKey] = [
    PayloadKey(
      .sound, "critical", .number, .numbers([1]), since: .later("iOS 12, macOS 10.14"),
      "1 plays it although the device is silent", source: current),
    PayloadKey(
      .sound, "name", .string, since: .later("iOS 12, macOS 10.14"), "a sound file of the app, or \"default\"",
      source: current),
    PayloadKey(
      .sound, "volume", .number, .range(0...1), since: .later("iOS 12, macOS 10.14"), "how loud, 0 to 1",
      source: current),
  ]
}
