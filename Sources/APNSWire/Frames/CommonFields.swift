/// Fields that several frame types and items share. Each has one name wherever it appears.
extension Field {
  /// The allowed sizes of a token in bytes, according to the guide's 2017 edition.
  package static let tokenSizes = 1...100

  /// The token as the device registered it, in binary. It has 32 bytes; the guide's 2017 edition allows up to 100.
  package static let deviceToken = Field(
    "token", "device token", .octets, role: .token, plausible: tokenSizes, usual: 32)

  /// A JSON object in UTF-8, not null-terminated. No interface to the service, in any edition, allows more than 4096
  /// bytes.
  public static let payload = Field("payload", "payload", .json, role: .payload, plausible: 2...4096)

  /// A number of four bytes that the service does not interpret. An error response repeats it.
  public static let identifier = Field("identifier", "identifier", .integer(bytes: 4, .identifier), role: .identifier)

  /// The time after which the service discards the notification, in seconds since 1970 UTC, in four bytes. 0 asks the
  /// service not to store it.
  package static let expiry = Field(
    "expiry", "expiry", .integer(bytes: 4, .unixSeconds(zero: "do not store")), role: .expiry)

  /// The priority, in one byte: 10 to send immediately, 5 to send when it saves the device's power (guide of 2013, The
  /// Binary Interface and Notification Format).
  public static let priority = Field(
    "priority", "priority",
    .integer(bytes: 1, .code([10: "send immediately", 5: "send when it saves power"], named: false)),
    role: .priority)

  /// The reason why the gateway refused a notification, in one byte. `ErrorResponse.statuses` lists the codes.
  public static let status = Field(
    "status", "status",
    .integer(
      bytes: 1,
      .code(
        Dictionary(uniqueKeysWithValues: ErrorResponse.statuses.map { (UInt64($0.code), $0.title) }), named: true)),
    role: .status)

  /// The time at which the service determined that the app is no longer on the device, in seconds since 1970 UTC, in
  /// four bytes.
  package static let timestamp = Field(
    "timestamp", "timestamp", .integer(bytes: 4, .unixSeconds(zero: "1970")), role: .timestamp)
}
