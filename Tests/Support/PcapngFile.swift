import Octets

/// Builds pcapng files block by block, including invalid ones.
public struct PcapngFile: Sendable {
  public private(set) var bytes: [UInt8] = []
  private var isBigEndian: Bool

  /// A file with only a section header.
  public init(bigEndian: Bool = false) {
    isBigEndian = bigEndian
    section(bigEndian: bigEndian)
  }

  public mutating func section(bigEndian: Bool, length: UInt64 = .max) {
    isBigEndian = bigEndian
    block(0x0a0d_0d0a, number(0x1a2b_3c4d as UInt32) + number(1 as UInt16) + number(0 as UInt16) + number(length))
  }

  /// - Parameters:
  ///   - length: The length that the block claims at its beginning; nil means the correct one.
  ///   - trailer: The length that the block claims at its end; nil means the correct one.
  public mutating func block(_ type: UInt32, _ body: [UInt8], length: Int? = nil, trailer: Int? = nil) {
    let padded = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
    let total = padded.count + 12
    bytes += number(type) + number(UInt32(length ?? total)) + padded + number(UInt32(trailer ?? total))
  }

  public mutating func interface(link: Int, snapLength: Int = 0, options: [(UInt16, [UInt8])] = []) {
    block(1, number(UInt16(link)) + number(0 as UInt16) + number(UInt32(snapLength)) + self.options(options))
  }

  public mutating func packet(
    _ data: [UInt8], interface: Int = 0, time: UInt64 = 0, captured: Int? = nil, original: Int? = nil,
    options: [(UInt16, [UInt8])] = []
  ) {
    let padding = [UInt8](repeating: 0, count: (4 - data.count % 4) % 4)
    block(
      6,
      number(UInt32(interface)) + self.time(time) + number(UInt32(captured ?? data.count))
        + number(UInt32(original ?? data.count)) + data + padding + self.options(options))
  }

  public mutating func oldPacket(_ data: [UInt8], interface: Int = 0, time: UInt64 = 0) {
    block(
      2,
      number(UInt16(interface)) + number(0xffff as UInt16) + self.time(time) + number(UInt32(data.count))
        + number(UInt32(data.count)) + data)
  }

  public mutating func simplePacket(_ data: [UInt8], original: Int? = nil) {
    block(3, number(UInt32(original ?? data.count)) + data)
  }

  public mutating func statistics(interface: Int = 0, dropped: UInt64, bySystem: UInt64 = 0) {
    block(5, number(UInt32(interface)) + time(0) + options([(5, number(dropped)), (7, number(bySystem))]))
  }

  public mutating func secrets(_ kind: UInt32, _ data: [UInt8]) {
    block(10, number(kind) + number(UInt32(data.count)) + data)
  }

  /// The bytes of a number in the section's byte order.
  public func number(_ value: some FixedWidthInteger) -> [UInt8] {
    let bytes = stride(from: value.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
    return isBigEndian ? bytes : bytes.reversed()
  }

  private func time(_ units: UInt64) -> [UInt8] {
    number(UInt32(units >> 32)) + number(UInt32(truncatingIfNeeded: units))
  }

  private func options(_ list: [(UInt16, [UInt8])]) -> [UInt8] {
    guard !list.isEmpty else { return [] }
    var bytes: [UInt8] = []
    for (code, value) in list {
      bytes += number(code) + number(UInt16(value.count)) + value
      bytes += [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
    }
    return bytes + [0, 0, 0, 0]
  }
}
