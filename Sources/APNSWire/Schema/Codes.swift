// These codes are open: an undocumented value prints as its number and survives every round trip.

/// The first byte of a frame.
public struct Command: RawRepresentable, Sendable, Hashable, BitwiseCopyable, ExpressibleByIntegerLiteral {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public init(integerLiteral value: UInt8) { rawValue = value }
}

/// The first byte of an item.
public struct ItemID: RawRepresentable, Sendable, Hashable, BitwiseCopyable, ExpressibleByIntegerLiteral {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public init(integerLiteral value: UInt8) { rawValue = value }
}

/// The sender of a stream. A command has a meaning only within a role: only the gateway sends 8, and feedback tuples
/// have no command byte.
public struct StreamRole: RawRepresentable, Sendable, Hashable, BitwiseCopyable {
  /// Keep it small: a catalog has a table for each role up to the highest.
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// From the provider's server to the push gateway.
  public static let provider = StreamRole(rawValue: 0)
  /// From the push gateway to the provider.
  public static let gateway = StreamRole(rawValue: 1)
  /// From the feedback service to the provider.
  public static let feedback = StreamRole(rawValue: 2)
}

extension StreamRole: CustomStringConvertible {
  public var description: String { Self.names[self] ?? "role-\(rawValue)" }

  private static let names: [Self: String] = [.provider: "provider", .gateway: "gateway", .feedback: "feedback"]
}
