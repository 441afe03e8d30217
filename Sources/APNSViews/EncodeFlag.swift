/// The flags of `encode` that set a field. `encode` parses them, and ``CommandView`` prints them.
package enum EncodeFlag: String, CaseIterable, Sendable {
  /// The device token, in hexadecimal.
  case token
  /// The payload, as text.
  case payload
  /// The payload, in hexadecimal.
  case payloadHex = "payload-hex"
  /// The identifier of a notification.
  case identifier
  /// When the notification expires, in seconds since 1970.
  case expiry
  /// The priority of the notification.
  case priority
  /// The status of an error response.
  case status
  /// The time of a feedback tuple, in seconds since 1970.
  case timestamp

  /// The name of the member that the flag sets, as in NDJSON.
  package var member: String { self == .payloadHex ? "payload_hex" : rawValue }

  /// The longest argument of a printed command line, in bytes. Linux allows 128 KiB.
  static let longestArgument = 1 << 15

  /// ` --token `, or ` --set NAME=` for a member without a flag.
  static func prefix(for member: String) -> String {
    allCases.first { $0.member == member }.map { " --\($0.rawValue) " } ?? " --set \(member)="
  }
}
