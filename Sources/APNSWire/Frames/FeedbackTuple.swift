/// What the feedback service writes as soon as a client connects, one after the other, until it closes. No command byte.
///
///      0           4              6
///     +-----------+--------------+----------------+
///     | timestamp | token length | device token   |
///     |           |      T       |    T bytes     |
///     +-----------+--------------+----------------+
///           4            2               T
public enum FeedbackTuple {
  public static let schema = FrameSchema(
    "feedback-tuple", title: "Feedback tuple", role: .feedback, command: nil,
    parts: [
      .fixed(.timestamp),
      .counted(.deviceToken, by: .uint16),
    ],
    reference: "Local and Push Notification Programming Guide, The feedback service")
}
