struct PcapngBlock: Sendable {
  let kind: Kind
  /// Length of the complete block in bytes, including the header and the repeated length at the end.
  let length: Int
  /// Offset of the block in the file.
  let offset: Int

  /// The block type, an open code.
  struct Kind: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    let rawValue: UInt32

    static let section = Kind(rawValue: 0x0a0d_0d0a)
    static let interface = Kind(rawValue: 1)
    /// Obsolete, but found in old captures.
    static let oldPacket = Kind(rawValue: 2)
    static let simplePacket = Kind(rawValue: 3)
    static let statistics = Kind(rawValue: 5)
    static let enhancedPacket = Kind(rawValue: 6)
    static let secrets = Kind(rawValue: 10)

    /// The name, and the minimum length of the block in bytes, without its optional parts.
    private var properties: (name: String, minimum: Int) {
      switch self {
      case .section: ("section header block", 28)
      case .interface: ("interface description block", 20)
      case .oldPacket: ("packet block", 32)
      case .simplePacket: ("simple packet block", 16)
      case .statistics: ("interface statistics block", 24)
      case .enhancedPacket: ("enhanced packet block", 32)
      case .secrets: ("decryption secrets block", 20)
      default: ("block of type 0x\(String(rawValue, radix: 16))", 12)
      }
    }

    var minimum: Int { properties.minimum }
    var description: String { properties.name }
  }

  /// The longest accepted block with a packet or an interface, in bytes: four times Wireshark's limit.
  static let longest = 1 << 20

  /// How many bytes from the start of the block must be buffered. Only the first bytes of a long block without a packet
  /// or an interface are: the rest is skipped.
  var needed: Int {
    switch kind {
    case .interface, .oldPacket, .simplePacket, .enhancedPacket: length
    default: length <= Self.longest ? length : 16
    }
  }
}

extension UInt64 {
  /// The sum, or the maximum on overflow.
  func addingClamped(_ other: UInt64) -> UInt64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}
