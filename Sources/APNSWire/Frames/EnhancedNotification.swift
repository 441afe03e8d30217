/// Command 1, the enhanced format (2010). It adds an identifier, which an error response repeats, and an expiry.
///
///      0         1            5        9              11               11+T             13+T
///     +---------+------------+--------+--------------+----------------+----------------+------------+
///     | command | identifier | expiry | token length | device token   | payload length | payload    |
///     |    1    |            |        |      T       |    T bytes     |       P        |  P bytes   |
///     +---------+------------+--------+--------------+----------------+----------------+------------+
///          1          4          4           2               T                2               P
public enum EnhancedNotification {
  /// The layout above as data.
  public static let schema = FrameSchema(
    "enhanced-notification", title: "Enhanced notification", role: .provider, command: 1,
    parts: [
      .fixed(.identifier),
      .fixed(.expiry),
      .counted(.deviceToken, by: .uint16),
      .counted(.payload, by: .uint16),
    ],
    reference: "Local and Push Notification Programming Guide, Enhanced notification format", since: .year2010)
}
