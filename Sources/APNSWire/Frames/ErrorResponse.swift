/// Command 8, the only packet that the gateway sends. The gateway closes the connection after it.
///
///      0         1        2            6
///     +---------+--------+------------+
///     | command | status | identifier |
///     |    8    |        |            |
///     +---------+--------+------------+
///          1        1          4
public enum ErrorResponse {
  /// The layout above as data.
  public static let schema = FrameSchema(
    "error-response", title: "Error response", role: .gateway, command: 8,
    parts: [
      .fixed(.status),
      .fixed(.identifier),
    ],
    reference: "Local and Push Notification Programming Guide, Format of error-response packet", since: .year2010)

  /// A status code with which the gateway refuses a notification.
  package struct Status: Sendable {
    /// The byte on the wire.
    package let code: UInt8
    /// The guide's name for it.
    package let title: String
    /// The first edition that lists it.
    package let since: Edition
    /// Its meaning for the provider, and the recommended reaction.
    package let advice: String
    /// The table that lists it, and the other sources of the advice.
    package let source: String
  }

  /// Every status that any edition lists.
  package static let statuses = [
    Status(
      code: 0, title: "No errors encountered", since: .year2010,
      advice:
        "It refuses nothing. The guide lists it, but also says that nothing is returned for an accepted notification.",
      source: table),
    Status(
      code: 1, title: "Processing error", since: .year2010,
      advice: "The guide says no more than the name. " + resend, source: table),
    Status(
      code: 2, title: "Missing device token", since: .year2010,
      advice: "The named notification has no token, or an empty one. " + resend,
      source: table + "; observed for an empty token, with identifier 0, in node-apn/node-apn#149"),
    Status(
      code: 3, title: "Missing topic", since: .year2010,
      advice: "The guide says no more than the name. The topic is the app's bundle ID, which the certificate names, so "
        + "check the certificate; no field of the frame holds a topic.",
      source: table + "; Provider-to-Service Connection Trust: the topic is in the certificate"),
    Status(
      code: 4, title: "Missing payload", since: .year2010,
      advice: "The gateway found no payload. If one was sent, a length before it is wrong. " + resend,
      source: table + "; observed after a wrong token length in joekarl/go-libapns#14"),
    Status(
      code: 5, title: "Invalid token size", since: .year2010,
      advice:
        "Send the token as the bytes that the device registered, not as text: 32 by the guide of 2013, up to 100 by "
        + "that of 2017. " + resend, source: table),
    Status(
      code: 6, title: "Invalid topic size", since: .year2010,
      advice: "The guide says no more than the name. The topic is the app's bundle ID, which the certificate names; no "
        + "field of the frame holds a topic.",
      source: table + "; Provider-to-Service Connection Trust: the topic is in the certificate"),
    Status(
      code: 7, title: "Invalid payload size", since: .year2010,
      advice:
        "Count the payload's bytes in UTF-8: at most 256 by the guide of 2013, 2048 by that of 2017. The limit is for "
        + "the payload alone. " + resend, source: table),
    Status(
      code: 8, title: "Invalid token", since: .year2010,
      advice: "No device of this app has the token in this environment: tokens of the development and the production "
        + "environment differ. If every token is refused, check the gateway's host and the certificate; otherwise stop "
        + "sending to this one. " + resend,
      source: table + "; the note after it about the two environments"),
    Status(
      code: shutdown, title: "Shutdown", since: .year2013,
      advice:
        "Nothing is wrong: the gateway closes this connection, for example for maintenance. The named notification is "
        + "the last one that was sent successfully. Open a new connection and send those after it again.",
      source: table + "; the paragraph after it"),
    Status(
      code: 128, title: "Protocol error", since: .year2017,
      advice:
        "The gateway could not parse the notification: a length or an item is wrong. Earlier editions name no status "
        + "for that.",
      source: "Local and Remote Notification Programming Guide (2017), Binary Provider API"),
    Status(
      code: unknown, title: "None (unknown)", since: .year2010,
      advice: "The gateway gives no reason. One library saw it with identifiers that it had never sent.",
      source: table + "; observed in node-apn/node-apn#55"),
  ]

  /// The status that refuses nothing: its identifier names the last notification that was accepted.
  public static let shutdown: UInt8 = 10
  /// The status without a reason.
  public static let unknown: UInt8 = 255

  private static let table =
    "Local and Push Notification Programming Guide (2013), Table 5-1, Codes in error-response packet"
  private static let resend =
    "The identifier names the malformed notification; those sent after it were discarded, so send them again."

  /// The guide's name for a status; nil if no edition lists the code.
  package static func title(of code: UInt8) -> String? {
    statuses.first { $0.code == code }?.title
  }
}
