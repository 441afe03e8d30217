// Open codes: a value nobody documented prints as it is and survives every round trip.

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

/// Who wrote a stream. Commands mean something only within a role: 8 comes from the gateway alone, and feedback
/// tuples have no command byte at all.
public struct StreamRole: RawRepresentable, Sendable, Hashable, BitwiseCopyable {
  /// Small: catalogs keep a table for each role up to the highest.
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The provider's server, to the push gateway.
  public static let provider = StreamRole(rawValue: 0)
  /// The push gateway, to the provider.
  public static let gateway = StreamRole(rawValue: 1)
  /// The feedback service, to the provider.
  public static let feedback = StreamRole(rawValue: 2)
}

extension StreamRole: CustomStringConvertible {
  public var description: String {
    switch self {
    case .provider: "provider"
    case .gateway: "gateway"
    case .feedback: "feedback"
    default: "role \(rawValue)"
    }
  }
}
