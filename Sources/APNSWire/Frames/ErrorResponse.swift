/// Command 8, the only thing the gateway ever says; it closes the connection behind it.
///
///      0         1        2            6
///     +---------+--------+------------+
///     | command | status | identifier |
///     |    8    |        |            |
///     +---------+--------+------------+
///          1        1          4
public enum ErrorResponse {
  public static let schema = FrameSchema(
    "error-response", title: "Error response", role: .gateway, command: 8,
    parts: [
      .fixed(.status),
      .fixed(.identifier),
    ],
    reference: "Local and Push Notification Programming Guide, Format of error-response packet", since: .year2010)

  /// What the service may answer.
  public struct Status: Sendable {
    public let code: UInt8
    /// The guide's words.
    public let title: String
    /// The first edition that lists it.
    public let since: Edition
    /// What the provider learns from it, and what it should do.
    public let advice: String
  }

  /// Every status that some edition lists.
  public static let statuses = [
    Status(
      code: 0, title: "No errors encountered", since: .year2010,
      advice: "Listed, but nothing is ever answered to a notification that was accepted."),
    Status(
      code: 1, title: "Processing error", since: .year2010,
      advice: "The service failed for reasons of its own. Send the named notification again, and those behind it."),
    Status(
      code: 2, title: "Missing device token", since: .year2010,
      advice: "The named notification has no token, or an empty one. Send those behind it again."),
    Status(
      code: 3, title: "Missing topic", since: .year2010,
      advice: "The certificate names no app. No notification can pass with it; nothing in the frame is at fault."),
    Status(
      code: 4, title: "Missing payload", since: .year2010,
      advice: "The service found no payload. Where one was sent, a length before it is wrong."),
    Status(
      code: 5, title: "Invalid token size", since: .year2010,
      advice: "Send the token as bytes, 32 of them in general, not as hexadecimal text."),
    Status(
      code: 6, title: "Invalid topic size", since: .year2010,
      advice: "The topic is taken from the certificate; nothing in the frame is at fault."),
    Status(
      code: 7, title: "Invalid payload size", since: .year2010,
      advice: "Count the payload's bytes in UTF-8, and keep them within the limit of the interface."),
    Status(
      code: 8, title: "Invalid token", since: .year2010,
      advice: "No device of this app has the token: it belongs to the other environment, to another app, or was cut or "
        + "changed on its way. Stop sending to it, and send the notifications behind it again."),
    Status(
      code: 10, title: "Shutdown", since: .year2013,
      advice: "Nothing is wrong: the service closes this connection. The named notification is the last that was "
        + "accepted; open a new connection and send those behind it again."),
    Status(
      code: 128, title: "Protocol error", since: .year2017,
      advice: "The service could not read the frame: a length or an item is wrong. Before 2017 it closed in silence."),
    Status(
      code: 255, title: "None (unknown)", since: .year2010,
      advice: "The service gives no reason; its identifier is often one that was never sent."),
  ]

  /// The guide's words for a status that some edition lists.
  public static func title(of code: UInt8) -> String? {
    statuses.first { $0.code == code }?.title
  }
}
