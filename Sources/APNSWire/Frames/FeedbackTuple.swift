/// The record of the feedback service, which has no command byte. The service writes one after another as soon as a
/// client connects, and then closes the connection.
///
///      0           4              6
///     +-----------+--------------+----------------+
///     | timestamp | token length | device token   |
///     |           |      T       |    T bytes     |
///     +-----------+--------------+----------------+
///           4            2               T
public enum FeedbackTuple {
  /// The layout above as data.
  public static let schema = FrameSchema(
    "feedback-tuple", title: "Feedback tuple", role: .feedback, command: nil,
    parts: [
      .fixed(.timestamp),
      .counted(.deviceToken, by: .uint16),
    ],
    reference: "Local and Push Notification Programming Guide, The feedback service")
}
