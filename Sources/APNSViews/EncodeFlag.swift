/// The flags of `encode` that set a field: the command reads them, and `-T command` prints them.
public enum EncodeFlag: String, CaseIterable, Sendable {
  case token
  case payload
  case payloadHex = "payload-hex"
  case identifier
  case expiry
  case priority
  case status
  case timestamp

  /// The member of records that it stands for.
  public var member: String { self == .payloadHex ? "payload_hex" : rawValue }

  /// The longest that any one argument of a printed command line may be, in bytes; Linux takes 128 KiB.
  static let longestArgument = 1 << 15

  /// ` --token `, or ` --set NAME=` for a member that has no flag of its own.
  static func prefix(for member: String) -> String {
    allCases.first { $0.member == member }.map { " --\($0.rawValue) " } ?? " --set \(member)="
  }
}
