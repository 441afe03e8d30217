/// Command 0, the first format (2009). The gateway sends no response to a malformed one: it only closes the connection.
///
///      0         1              3                3+T             5+T
///     +---------+--------------+----------------+---------------+-----------------+
///     | command | token length | device token   | payload length| payload         |
///     |    0    |      T       |    T bytes     |       P       |    P bytes      |
///     +---------+--------------+----------------+---------------+-----------------+
///          1           2               T                2                P
public enum LegacyNotification {
  /// The layout above as data.
  public static let schema = FrameSchema(
    "legacy-notification", title: "Legacy notification", role: .provider, command: 0,
    parts: [
      .counted(.deviceToken, by: .uint16),
      .counted(.payload, by: .uint16),
    ],
    reference: "Local and Push Notification Programming Guide, Legacy (simple) notification format")
}
