import APNSWire
import Octets

/// A fact from Apple's documents that no bytes show, with its source. `explain` prints it with each of its subjects.
struct DocumentedFact: Sendable {
  /// Names of topics, such as `item 4`.
  let subjects: [String]
  let text: String
  let source: String

  private init(_ subjects: String..., text: String, source: String) {
    self.subjects = subjects
    self.text = text
    self.source = source
  }

  /// - Parameter chapter: a chapter of the guide of 2013.
  private init(_ subjects: String..., text: String, chapter: String) {
    self.subjects = subjects
    self.text = text
    self.source = "guide of 2013, \(chapter)"
  }

  var paragraph: Topic.Paragraph { Topic.Paragraph(label: "note", text: "\(text) (\(source))") }

  static let all = frames + items + keys + service

  private static let frames = [
    DocumentedFact(
      "command 0", "command 1",
      text: "It has no priority: the service assumes 10, so it must trigger an alert, a sound or a badge.",
      chapter: "Legacy Information; The Binary Interface and Notification Format"),
    DocumentedFact(
      "command 0",
      text: "It has no expiry: a device that was offline receives it, however old it is.",
      chapter: "Enhanced Notification Format"),
    DocumentedFact(
      "command 0",
      text: "It has no identifier: if the service refuses it, it closes the connection and gives no reason.",
      chapter: "Enhanced Notification Format"),
    DocumentedFact(
      "command 2", text: "No document prescribes an order of the items.", source: "all editions: the guide gives none"),
    DocumentedFact(
      "command 8", "push gateway",
      text:
        "After an error response, the service closes the connection. It discards every notification that was sent on "
        + "this connection after the named one: send those again on a new connection.",
      chapter: "The Binary Interface and Notification Format"),
    DocumentedFact(
      "command 8", "status 0", "push gateway", text: "For a notification that it accepts, the service returns nothing.",
      chapter: "The Binary Interface and Notification Format"),
    DocumentedFact(
      "command 8",
      text:
        "The identifier is that of the malformed notification; with status 10, that of the last notification that was "
        + "sent successfully.", chapter: "The Binary Interface and Notification Format"),
    DocumentedFact(
      "feedback-tuple",
      text: "The time is when the service determined that the app no longer exists on the device.",
      chapter: "The Feedback Service"),
    DocumentedFact(
      "feedback-tuple", "feedback service",
      text: "Stop sending to the token only if the device has not registered it again since that time.",
      chapter: "The Feedback Service"),
    DocumentedFact(
      "feedback-tuple", "feedback service",
      text: "Query the service daily. Reading clears its list: the next connection returns only newer failures.",
      chapter: "The Feedback Service"),
    DocumentedFact(
      "feedback-tuple", "feedback service", "item 4",
      text: "A notification that expires before it is delivered is not reported by the feedback service.",
      chapter: "The Feedback Service"),
  ]

  private static let items = [
    DocumentedFact(
      "item 1", "status 8", "push gateway",
      text: "The token of a device differs between the production and the development environment. If many different "
        + "tokens get status 8, check which environment they are for.",
      chapter: "The Binary Interface and Notification Format"),
    DocumentedFact(
      "item 1", text: "It is sent in binary form, as the device registered it.",
      chapter: "The Binary Interface and Notification Format"),
    DocumentedFact(
      "item 2", "status 7",
      text:
        "The limit is that of the payload in bytes, not of the whole frame: a sender that limits a frame of command 1 "
        + "to 256 bytes leaves 211 for the payload.",
      chapter: "Enhanced Notification Format; the second half is arithmetic"),
    DocumentedFact(
      "item 2", text: "It must not be null-terminated.", chapter: "The Binary Interface and Notification Format"),
    DocumentedFact(
      "item 2", "aps", text: "Omit white space and line breaks.", chapter: "Examples of JSON Payloads"),
    DocumentedFact(
      "item 2", "aps",
      text:
        "Keys of your own go outside aps. They should not contain customer information or sensitive data; delivery is "
        + "not guaranteed.", chapter: "The Notification Payload"),
    DocumentedFact(
      "item 3", "command 1",
      text: "The identifier is arbitrary and opaque to the service. Apple's own example writes it in the order of the "
        + "sender's processor.", chapter: "Enhanced Notification Format, Listing A-2"),
    DocumentedFact(
      "item 4", "command 1",
      text:
        "If the expiry is not zero, the service stores the notification and tries to deliver it at least once. Zero: "
        + "it expires at once and is not stored.",
      chapter: "The Binary Interface and Notification Format; Enhanced Notification Format"),
    DocumentedFact(
      "item 4", "push gateway",
      text:
        "For a device that is offline, only the newest notification of an app is stored; it replaces the previous one. "
        + "If the device stays offline for a long time, the stored one is discarded.", chapter: "Quality of Service"),
    DocumentedFact(
      "item 5",
      text:
        "10 must trigger an alert, a sound or a badge on the device. It is an error to use 10 for a push that contains "
        + "only content-available.", chapter: "The Binary Interface and Notification Format"),
    DocumentedFact(
      "item 5", text: "5 is sent at a time that conserves power on the device that receives it.",
      chapter: "The Binary Interface and Notification Format"),
  ]

  private static let keys = [
    DocumentedFact(
      "aps.alert", text: "A string is shown with the two buttons Close and View; View opens the app.",
      chapter: "Table 3-1"),
    DocumentedFact(
      "aps.alert", "aps.alert.loc-key", "aps.alert.loc-args",
      text:
        "Use loc-key, loc-args and the alert object in general only if you absolutely need to: they take up bandwidth.",
      chapter: "Localized Formatted Strings"),
    DocumentedFact(
      "aps.alert", "aps.alert.body",
      text: "If the alert would have only a body, write the text itself as the value of alert.", chapter: "Table 3-2"),
    DocumentedFact("aps.badge", text: "If it is absent, the badge does not change.", chapter: "Table 3-1"),
    DocumentedFact(
      "aps.sound",
      text: "If the file does not exist, or the value is \"default\", the default alert sound is played.",
      chapter: "Table 3-1"),
    DocumentedFact(
      "aps.sound",
      text:
        "The file is in the app's main bundle: Linear PCM, MA4 (IMA/ADPCM), uLaw or aLaw in an aiff, wav or caf file.",
      chapter: "Preparing Custom Alert Sounds"),
    DocumentedFact(
      "aps.sound", text: "It must be under 30 seconds, or the default sound is played instead.",
      chapter: "Preparing Custom Alert Sounds"),
    DocumentedFact(
      "aps.content-available", text: "It supports Newsstand apps and background downloads.", chapter: "Table 3-1"),
    DocumentedFact(
      "aps.alert.action-loc-key",
      text:
        "A string adds a second button, and names its title in place of View. The guide allows null, but does not say "
        + "what is shown then.", chapter: "Table 3-2"),
    DocumentedFact(
      "aps.alert.loc-key", "aps.alert.loc-args",
      text:
        "Each %@ in the app's own string takes the next of loc-args, %n$@ the n-th, counted from 1; %% is a percent "
        + "sign.", chapter: "Localized Formatted Strings"),
    DocumentedFact(
      "aps.alert.loc-key", "aps.alert.loc-args",
      text:
        "They belong in alert: the guide's tables and its example have them there, though its prose twice calls them "
        + "properties of aps.",
      chapter: "Table 3-2; Passing the Provider the Current Language Preference"),
    DocumentedFact(
      "aps.alert.launch-image",
      text:
        "The file's extension may be left out. Without this key, the system shows the previous snapshot, the image "
        + "that the app's Info.plist names, or Default.png.", chapter: "Table 3-2"),
  ]

  private static let service = [
    DocumentedFact(
      "push gateway",
      text:
        "Production: gateway.push.apple.com, development: gateway.sandbox.push.apple.com; port 2195, with TLS and the "
        + "app's certificate for that environment.", chapter: "General Provider Requirements"),
    DocumentedFact(
      "push gateway",
      text:
        "Keep connections open. The service treats rapid connection and disconnection as a denial-of-service attack; "
        + "one connection a day is fine for a provider that sends once a day.",
      chapter: "Best Practices for Managing Connections"),
    DocumentedFact(
      "push gateway", text: "Spread a large number of notifications over connections to several gateways.",
      chapter: "Best Practices for Managing Connections"),
    DocumentedFact(
      "push gateway", "command 2",
      text: "Send several notifications in one transmission, explicitly or by TCP's Nagle algorithm.",
      chapter: "The Binary Interface and Notification Format"),
    DocumentedFact(
      "push gateway", text: "All numbers are in network order, that is big-endian.",
      chapter: "The Binary Interface and Notification Format"),
    DocumentedFact(
      "feedback service",
      text: "Production: feedback.push.apple.com, development: feedback.sandbox.push.apple.com; port 2196, with the "
        + "certificate that sends the notifications.", chapter: "The Feedback Service"),
    DocumentedFact(
      "feedback service", "feedback-tuple",
      text: "It writes as soon as the connection is open: send nothing, and read until there is no more data.",
      chapter: "The Feedback Service"),
    DocumentedFact(
      "feedback service", text: "Each app has its own list: connect once for each app, with that app's certificate.",
      chapter: "The Feedback Service"),
    DocumentedFact(
      "feedback service", text: "The service monitors whether providers query it and stop sending to these tokens.",
      chapter: "The Feedback Service"),
    DocumentedFact(
      "push gateway", "feedback service",
      text: "Apple shut both services down on \(UTC.text(Catalog.serviceEnded).prefix(10)).",
      source: "Apple's announcement of October 2020"),
  ]
}

extension Topics {
  package static var factCount: Int { DocumentedFact.all.count }

  /// The subjects of facts that are not topics; for tests.
  package static func unknownSubjects(in topics: [Topic]) -> [String] {
    DocumentedFact.all.flatMap(\.subjects).filter { subject in !topics.contains { $0.name == subject } }
  }
}
