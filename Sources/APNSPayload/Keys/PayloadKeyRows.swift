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
// Notifications have had subtitles since 2016 (iOS 10), but the guide does not list their keys.
private let notifications = "User Notifications"
private let subtitles = notifications + ", Generating a remote notification"
private let websitesGuide = "Notification Programming Guide for Websites"
private let websites = websitesGuide + ", Configuring Safari Push Notifications"
private let fileProvider = "File Provider, Using push notifications to signal changes"

extension PayloadKey {
  /// Every documented key. There are at most 64, because `PayloadOutline.present` has one bit for each.
  public static let all: [PayloadKey] = [
    PayloadKey(.root, "aps", [.object], since: .guide(2009), "what the system itself acts on", source: apsTable),
    PayloadKey(
      .root, "mdm", [.string], since: .elsewhere("Device Management"), replacesAps: true,
      "the magic string that wakes a managed device; the payload has no other key",
      source: "Device Management, Sending MDM commands to a device"),
    PayloadKey(
      .root, "container-identifier", [.string], since: .elsewhere("File Provider"), replacesAps: true,
      "the container whose content has changed", source: fileProvider),
    PayloadKey(
      .root, "domain", PayloadOutline.Kind.allCases, since: .elsewhere("File Provider"),
      "the domain of the container", source: fileProvider),
    PayloadKey(
      .aps, "alert", [.string, .object], since: .guide(2009),
      "the text to show, or an object that describes it; use an object only if you need its keys", source: apsTable),
    PayloadKey(
      .aps, "badge", [.number], .count, since: .guide(2009),
      "the number on the app's icon; 0 removes it, and without this key it stays as it is", source: apsTable),
    PayloadKey(
      .aps, "sound", [.string], .soundFile, since: .guide(2009),
      "a sound file of the app, shorter than 30 seconds; \"default\" or a missing file plays the default sound",
      source: apsTable + "; " + sounds),
    PayloadKey(
      .aps, "content-available", [.number], .numbers([1]), since: .guide(2013),
      "1 tells the app that there is new content to fetch", source: apsTable),
    PayloadKey(
      .aps, "category", [.string], since: .guide(2017), "the registered category, whose actions are offered",
      source: reference),
    PayloadKey(
      .aps, "thread-id", [.string], since: .guide(2017), "notifications with the same value are grouped",
      source: reference),
    PayloadKey(
      .aps, "mutable-content", [.number], .numbers([1]), since: .guide(2017),
      "1 passes the notification through the app's service extension", source: extensions),
    PayloadKey(
      .aps, "url-args", [.array], .strings, since: .elsewhere(websitesGuide),
      "the values for a website's address, one for each placeholder", source: websites),
    PayloadKey(.alert, "title", [.string], since: .guide(2017), "a short line above the text", source: reference),
    PayloadKey(
      .alert, "subtitle", [.string], since: .elsewhere(notifications), "a line below the title", source: subtitles),
    PayloadKey(.alert, "body", [.string], since: .guide(2009), "the text", source: alertTable),
    PayloadKey(
      .alert, "title-loc-key", [.string, .null], since: .guide(2017),
      "the title, as a key in the app's Localizable.strings", source: reference),
    PayloadKey(
      .alert, "title-loc-args", [.array, .null], .strings, since: .guide(2017),
      "the values for the title's placeholders", source: reference),
    PayloadKey(
      .alert, "subtitle-loc-key", [.string], since: .elsewhere(notifications),
      "the subtitle, as a key in the app's Localizable.strings", source: subtitles),
    PayloadKey(
      .alert, "subtitle-loc-args", [.array], .strings, since: .elsewhere(notifications),
      "the values for the subtitle's placeholders", source: subtitles),
    PayloadKey(
      .alert, "loc-key", [.string], since: .guide(2009),
      "the text, as a key in the app's Localizable.strings; %@ and %1$@ are placeholders, %% is a percent sign",
      source: alertTable),
    PayloadKey(
      .alert, "loc-args", [.array], .strings, since: .guide(2009), "the values for the text's placeholders",
      source: alertTable),
    PayloadKey(
      .alert, "action-loc-key", [.string, .null], since: .guide(2009), until: 2017,
      "the title of the button that starts the app, as a key in the app's Localizable.strings", source: alertTable),
    PayloadKey(
      .alert, "launch-image", [.string], since: .guide(2010), "the image to show while the app starts (iOS 4.0)",
      source: alertTable),
    PayloadKey(
      .alert, "action", [.string], since: .elsewhere(websitesGuide),
      "the title of the action button in a website's notification", source: websites),
  ]
}
