/// The flags of `encode` that set the field of this name: `encode` parses them, and ``CommandView`` prints them.
package enum EncodeFlag: String, CaseIterable, Sendable {
  case token, payload
  case payloadHex = "payload-hex"
  case identifier, expiry, priority, status, timestamp

  /// The name of the member that the flag sets, as in NDJSON.
  package var member: String { self == .payloadHex ? "payload_hex" : rawValue }

  /// The most bytes of a frame in one argument of a printed command. Linux allows 128 KiB, twice as much as their
  /// digits.
  static let mostBytes = 1 << 15

  /// ` --token `, or ` --set NAME=` for a member without a flag.
  static func prefix(for member: String) -> String {
    allCases.first { $0.member == member }.map { " --\($0.rawValue) " } ?? " --set \(member)="
  }
}
