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
    reference: "Local and Push Notification Programming Guide, Format of error-response packet")

  /// What a status says; 128 only since the 2017 archive edition.
  public static let statuses: [UInt64: String] = [
    0: "No errors encountered",
    1: "Processing error",
    2: "Missing device token",
    3: "Missing topic",
    4: "Missing payload",
    5: "Invalid token size",
    6: "Invalid topic size",
    7: "Invalid payload size",
    8: "Invalid token",
    10: "Shutdown",
    128: "Protocol error",
    255: "None (unknown)",
  ]
}
