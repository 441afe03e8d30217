/// An address and a port, printed as `10.0.0.1:40000` or `[2001:db8::1]:2195`.
public struct Endpoint: Sendable, Hashable {
  /// The IP address.
  public let address: Address
  /// The TCP port.
  public let port: UInt16

  /// An endpoint with this address and port.
  public init(address: Address, port: UInt16) {
    self.address = address
    self.port = port
  }

  /// An IPv4 or IPv6 address as a number: the first byte on the wire is the most significant.
  public enum Address: Sendable, Hashable, Comparable {
    /// The 32 bits of an IPv4 address.
    case v4(UInt32)
    /// The first and the last 64 bits of an IPv6 address.
    case v6(high: UInt64, low: UInt64)
  }
}

extension Endpoint {
  /// The TCP port of Apple's push gateways.
  package static let pushPort: UInt16 = 2195
  /// The TCP port of Apple's feedback service.
  package static let feedbackPort: UInt16 = 2196

  /// Whether the port is one that Apple's services used. Other services use these ports too.
  var isService: Bool { port == Self.pushPort || port == Self.feedbackPort }
}

extension Endpoint: CustomStringConvertible {
  public var description: String {
    switch address {
    case .v4: "\(address):\(port)"
    case .v6: "[\(address)]:\(port)"
    }
  }
}

extension Endpoint.Address: CustomStringConvertible {
  /// Dotted decimal for IPv4. For IPv6 the form that RFC 5952 recommends: lower case, with `::` for the longest run of
  /// zero groups (the first of several equally long ones).
  public var description: String {
    switch self {
    case .v4(let address): Self.dotted(address)
    case .v6(0, let low) where low >> 32 == 0xffff: "::ffff:" + Self.dotted(UInt32(truncatingIfNeeded: low))
    case .v6(let high, let low): Self.compressed(Self.groups(high) + Self.groups(low))
    }
  }

  private static func dotted(_ address: UInt32) -> String {
    [24, 16, 8, 0].map { String((address >> UInt32($0)) & 0xff) }.joined(separator: ".")
  }

  private static func groups(_ half: UInt64) -> [UInt64] {
    [48, 32, 16, 0].map { (half >> UInt64($0)) & 0xffff }
  }

  private static func compressed(_ groups: [UInt64]) -> String {
    let text = { (part: ArraySlice<UInt64>) in part.map { String($0, radix: 16) }.joined(separator: ":") }
    // RFC 5952, section 4.2.2: `::` does not abbreviate a single zero group.
    let runs = (2...8).reversed().lazy.flatMap { count in (0...(8 - count)).lazy.map { $0..<($0 + count) } }
    guard let longest = runs.first(where: { groups[$0].allSatisfy { $0 == 0 } }) else { return text(groups[...]) }
    return text(groups[..<longest.lowerBound]) + "::" + text(groups[longest.upperBound...])
  }
}

extension Endpoint {
  /// Parses the form that `description` writes; nil for any other text.
  public init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else { return nil }
    let host = text[..<colon]
    if host.first == "[", host.last == "]" {
      guard let address = Address(v6: host.dropFirst().dropLast()) else { return nil }
      self.init(address: address, port: port)
    } else {
      guard let address = UInt32(dotted: host) else { return nil }
      self.init(address: .v4(address), port: port)
    }
  }
}

extension UInt32 {
  /// Four decimal numbers, each in one byte, separated by dots.
  fileprivate init?(dotted text: Substring) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let bytes = parts.compactMap { UInt8($0) }
    guard parts.count == 4, bytes.count == 4 else { return nil }
    self = bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }
}

extension Endpoint.Address {
  /// Eight groups of hexadecimal digits. `::` replaces one run of zero groups; an IPv4-mapped address may end in dotted
  /// decimal.
  fileprivate init?(v6 text: Substring) {
    if text.hasPrefix("::ffff:"), let mapped = UInt32(dotted: text.dropFirst(7)) {
      self = .v6(high: 0, low: 0xffff_0000_0000 | UInt64(mapped))
      return
    }
    let halves = text.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false).map { half in
      half.isEmpty ? [] : half.split(separator: ":", omittingEmptySubsequences: false)
    }
    let groups = halves.map { $0.compactMap { $0.count <= 4 ? UInt16($0, radix: 16) : nil } }
    let zeros = 8 - groups.joined().count
    guard groups.map(\.count) == halves.map(\.count), halves.count == 1 ? zeros == 0 : zeros > 0 else { return nil }
    let all = groups[0] + repeatElement(0, count: zeros) + groups.dropFirst().joined()
    let join = { (part: ArraySlice<UInt16>) in part.reduce(UInt64(0)) { $0 << 16 | UInt64($1) } }
    self = .v6(high: join(all[..<4]), low: join(all[4...]))
  }
}
