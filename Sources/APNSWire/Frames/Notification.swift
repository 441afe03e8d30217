/// Command 2 (2013): a frame of items. The guide prescribes no order, so the items are a list in wire order.
///
///      0         1              5
///     +---------+--------------+------------------------------------------+
///     | command | frame length | items                                    |
///     |    2    |      F       | F bytes                                  |
///     +---------+--------------+------------------------------------------+
///          1           4                           F
///
///     item:  +---------+-------------+-----------+
///            | item id | data length | data      |
///            |         |      D      | D bytes   |
///            +---------+-------------+-----------+
///                 1           2            D
public enum Notification {
  /// The layout above as data.
  public static let schema = FrameSchema(
    "notification", title: "Notification", role: .provider, command: 2,
    parts: [
      .counted(
        Field("items", "items", .items(items)), by: .uint32,
        length: FrameSchema.Name("frame_length", "frame length"))
    ],
    reference: "Local and Push Notification Programming Guide, The binary interface and notification format",
    since: .year2013)

  /// Only the 2017 edition requires a token and a payload. Earlier editions merely have statuses for missing ones.
  static let items = [
    Item(1, "device-token", .deviceToken, .required(since: .year2017)),
    Item(2, "payload", .payload, .required(since: .year2017)),
    Item(3, "notification-identifier", .identifier),
    Item(4, "expiration-date", .expiry),
    Item(5, "priority", .priority),
  ]
}
