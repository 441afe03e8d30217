/// The fields that several frame types and items share: one name reaches a field wherever it is.
extension Field {
  /// Bytes that a token may have by the guide's last edition.
  package static let tokenSizes = 1...100

  /// Binary, as the device registered it; the guide's last edition allows up to 100 bytes.
  public static let deviceToken = Field(
    "token", "device token", .octets, role: .token, plausible: tokenSizes, usual: 32)

  /// A JSON object, not null-terminated. 4096 bytes is the most that any edition of any interface allows.
  public static let payload = Field("payload", "payload", .json, role: .payload, plausible: 2...4096)

  /// Opaque to the service, which copies it into an error response.
  public static let identifier = Field("identifier", "identifier", .integer(bytes: 4, .identifier), role: .identifier)

  /// The time after which the notification is discarded.
  public static let expiry = Field(
    "expiry", "expiry", .integer(bytes: 4, .unixSeconds(zero: "do not store")), role: .expiry)

  public static let priority = Field(
    "priority", "priority",
    .integer(bytes: 1, .code([10: "send immediately", 5: "send when it saves power"], named: false)),
    role: .priority)

  public static let status = Field(
    "status", "status",
    .integer(
      bytes: 1,
      .code(
        Dictionary(uniqueKeysWithValues: ErrorResponse.statuses.map { (UInt64($0.code), $0.title) }), named: true)),
    role: .status)

  /// When the service determined that the app is no longer on the device.
  public static let timestamp = Field(
    "timestamp", "timestamp", .integer(bytes: 4, .unixSeconds(zero: "1970")), role: .timestamp)
}
