// The guide of 2013 lists its keys in two tables, and the guide of 2017 in one reference. Earlier editions list fewer
// keys.
private let apsTable =
  "Local and Push Notification Programming Guide (2013), The Notification Payload, Table 3-1; " + reference
private let alertTable =
  "Local and Push Notification Programming Guide (2013), The Notification Payload, Table 3-2; " + reference
private let reference = "Local and Remote Notification Programming Guide (2017), Payload Key Reference"
private let sounds = "Local and Push Notification Programming Guide (2013), Preparing Custom Alert Sounds"
private let extensions =
  "Local and Remote Notification Programming Guide (2017), Modifying and Presenting Notifications"
private let current = "User Notifications, Generating a remote notification"
private let activities = "ActivityKit, Starting and updating Live Activities with ActivityKit push notifications"
private let websitesGuide = "Notification Programming Guide for Websites"
private let websites = websitesGuide + ", Configuring Safari Push Notifications"
private let fileProvider = "File Provider, Using push notifications to signal changes"
private let builders =
  "observed in the payload builders of sideshow/apns2 and jchambers/pushy; no table of Apple's lists it. User Notifications, "
  + "UNNotificationContent.summaryArgument names the systems"

extension PayloadKey {
  /// Every documented key. There are at most 64, because ``PayloadOutline/present`` has one bit for each.
  public static let all: [PayloadKey] = root + aps + alert + sound

  private static let root: [PayloadKey] = [
    PayloadKey(.root, "aps", .object, since: .guide(2009), "what the system itself acts on", source: apsTable),
    PayloadKey(
      .root, "mdm", .string, since: .elsewhere("Device Management"), replacesAps: true,
      "the magic string that wakes a managed device; the payload has no other key",
      source: "Device Management, Sending MDM commands to a device"),
    PayloadKey(
      .root, "container-identifier", .string, since: .elsewhere("File Provider"), replacesAps: true,
      "the container whose content has changed", source: fileProvider),
    PayloadKey(
      .root, "domain", .all, since: .elsewhere("File Provider"), "the domain of the container", source: fileProvider),
    PayloadKey(
      .root, "activeSpeaker", .all, since: .elsewhere("Push to Talk"), replacesAps: true,
      "who is talking, in Apple's example of a Push to Talk payload",
      source: "Push to Talk, Creating a Push to Talk app"),
  ]

  private static let aps: [PayloadKey] = [
    PayloadKey(
      .aps, "alert", [.string, .object], since: .guide(2009),
      "the text to show, or an object that describes it; use an object only if you need its keys", source: apsTable),
    PayloadKey(
      .aps, "badge", .number, .count, since: .guide(2009),
      "the number on the app's icon; 0 removes it, and without this key it stays as it is", source: apsTable),
    PayloadKey(
      .aps, "sound", .string, .soundFile, laterTypes: LaterTypes(types: .object, systems: "iOS 12, macOS 10.14"),
      since: .guide(2009),
      "a sound file of the app, shorter than 30 seconds; \"default\" or a missing file plays the default sound",
      source: apsTable + "; " + sounds + "; critical alerts: " + current),
    PayloadKey(
      .aps, "content-available", .number, .numbers([1]), since: .guide(2013),
      "1 tells the app that there is new content to fetch", source: apsTable),
    PayloadKey(
      .aps, "category", .string, since: .guide(2017), "the registered category, whose actions are offered",
      source: reference),
    PayloadKey(
      .aps, "thread-id", .string, since: .guide(2017), "notifications with the same value are grouped",
      source: reference),
    PayloadKey(
      .aps, "mutable-content", .number, .numbers([1]), since: .guide(2017),
      "1 passes the notification through the app's service extension", source: extensions),
    PayloadKey(
      .aps, "target-content-id", .string, since: .later("iOS 13, tvOS 13"), "the window or scene to bring forward",
      source: current + "; UNNotificationContent.targetContentIdentifier"),
    PayloadKey(
      .aps, "interruption-level", .string, .words(["passive", "active", "time-sensitive", "critical"]),
      since: .later("iOS 15, macOS 12, tvOS 15, watchOS 8"), "how much it may interrupt",
      source: current + "; UNMutableNotificationContent.interruptionLevel"),
    PayloadKey(
      .aps, "relevance-score", .number, .range(0...1), inActivity: .number, since: .later("iOS 15"),
      "its rank in a summary, 0 to 1; any number for a Live Activity",
      source: current + "; UNNotificationContent.relevanceScore"),
    PayloadKey(
      .aps, "filter-criteria", .string, since: .later("iOS 16, macOS 13, watchOS 9"),
      "what a Focus evaluates to decide whether to show it", source: current + "; UNNotificationContent.filterCriteria"),
    PayloadKey(
      .aps, "stale-date", .number, .seconds, since: .later("iOS 16.2"), "when a Live Activity is out of date",
      source: current + "; ActivityContent.staleDate"),
    PayloadKey(.aps, "content-state", .object, since: .later(nil), "a Live Activity's new state", source: activities),
    PayloadKey(
      .aps, "timestamp", .number, .seconds, since: .later(nil), "when a Live Activity's push was sent",
      source: activities),
    PayloadKey(
      .aps, "event", .string, .words(["start", "update", "end"]), since: .later(nil),
      "what happens to a Live Activity; start needs iOS 17.2", source: activities + "; Activity.pushToStartTokenUpdates"
    ),
    PayloadKey(
      .aps, "dismissal-date", .number, .seconds, since: .later(nil), "when an ended Live Activity goes away",
      source: activities),
    PayloadKey(
      .aps, "attributes-type", .string, since: .later("iOS 17.2"),
      "the name of a Live Activity's attributes, to start it", source: activities),
    PayloadKey(
      .aps, "attributes", .object, since: .later("iOS 17.2"), "a Live Activity's attributes, to start it",
      source: activities),
    PayloadKey(
      .aps, "input-push-token", .number, .numbers([1]), since: .later("iOS 18"),
      "1 starts a Live Activity and asks for a token to update it", source: activities),
    PayloadKey(
      .aps, "input-push-channel", .string, since: .later("iOS 18"),
      "the channel that updates a Live Activity, in Base64", source: activities),
    PayloadKey(
      .aps, "url-args", .array, .strings, since: .elsewhere(websitesGuide),
      "the values for a website's address, one for each placeholder", source: websites),
  ]

  private static let alert: [PayloadKey] = [
    PayloadKey(
      .alert, "title", .string, inActivity: .object, since: .guide(2017), "a short line above the text",
      source: reference),
    PayloadKey(.alert, "subtitle", .string, since: .later(nil), "a line below the title", source: current),
    PayloadKey(.alert, "body", .string, inActivity: .object, since: .guide(2009), "the text", source: alertTable),
    PayloadKey(
      .alert, "title-loc-key", [.string, .null], since: .guide(2017),
      "the title, as a key in the app's Localizable.strings", source: reference),
    PayloadKey(
      .alert, "title-loc-args", [.array, .null], .strings, since: .guide(2017),
      "the values for the title's placeholders", source: reference),
    PayloadKey(
      .alert, "subtitle-loc-key", .string, since: .later(nil),
      "the subtitle, as a key in the app's Localizable.strings",
      source: current),
    PayloadKey(
      .alert, "subtitle-loc-args", .array, .strings, since: .later(nil), "the values for the subtitle's placeholders",
      source: current),
    PayloadKey(
      .alert, "loc-key", .string, since: .guide(2009),
      "the text, as a key in the app's Localizable.strings; %@ and %1$@ are placeholders, %% is a percent sign",
      source: alertTable),
    PayloadKey(
      .alert, "loc-args", .array, .strings, since: .guide(2009), "the values for the text's placeholders",
      source: alertTable),
    PayloadKey(
      .alert, "action-loc-key", [.string, .null], since: .guide(2009), until: 2017,
      "the title of the button that starts the app, as a key in the app's Localizable.strings", source: alertTable),
    PayloadKey(
      .alert, "launch-image", .string, since: .guide(2010), "the image to show while the app starts (iOS 4.0)",
      source: alertTable),
    PayloadKey(
      .alert, "action", .string, since: .elsewhere(websitesGuide),
      "the title of the action button in a website's notification", source: websites),
    PayloadKey(
      .alert, "summary-arg", .string, since: .later("iOS 12 to 14"), "what the summary of a group names",
      source: builders),
    PayloadKey(
      .alert, "summary-arg-count", .number, .count, since: .later("iOS 12 to 14"),
      "how many notifications it counts for in a summary", source: builders),
    PayloadKey(
      .alert, "sound", [], inActivity: .string, since: .later(nil), "the sound of a Live Activity's alert",
      source: activities),
  ]

  private static let sound: [PayloadKey] = [
    PayloadKey(
      .sound, "critical", .number, .numbers([1]), since: .later("iOS 12, macOS 10.14"),
      "1 plays it although the device is silent", source: current + "; UNNotificationSound"),
    PayloadKey(
      .sound, "name", .string, since: .later("iOS 12, macOS 10.14"), "a sound file of the app, or \"default\"",
      source: current + "; UNNotificationSound"),
    PayloadKey(
      .sound, "volume", .number, .range(0...1), since: .later("iOS 12, macOS 10.14"), "how loud, 0 to 1",
      source: current + "; UNNotificationSound"),
  ]
}
