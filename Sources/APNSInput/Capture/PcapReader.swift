import Octets

/// Reads the packets of a classic pcap file incrementally. A packet is available as soon as its last byte is, wherever
/// the chunks of input end.
///
/// Source: `sf-pcap.c` of libpcap, pcap-savefile(5).
package struct PcapReader: PacketReader {
  package var file = CaptureFields()
  /// The link type of all packets; nil as long as `format` is.
  package private(set) var link: LinkType?

  /// Nil until the header of the file is complete.
  private var format: Format?
  private var minorVersion: UInt16 = 0
  /// The maximum number of captured bytes per packet.
  private var snapLength = 0

  /// The longest packet that libpcap accepts for the link types that apnscope reads, in bytes.
  static let longestPacket = 1 << 18

  package init() {}

  /// The variants of the format, by the first four bytes.
  package struct Format: Sendable {
    let isBigEndian: Bool
    /// Nanoseconds in a unit of the fractions of seconds.
    let unit: Int
    /// Bytes before each packet.
    let headerSize: Int

    /// Nil if no pcap file begins like this.
    package init?(_ head: [UInt8]) {
      let number = head.prefix(4).reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
      isBigEndian = number >> 16 == 0xa1b2
      switch isBigEndian ? number : number.byteSwapped {
      case 0xa1b2_c3d4: (unit, headerSize) = (1000, 16)
      case 0xa1b2_3c4d: (unit, headerSize) = (1, 16)
      // Old Linux: the interface, protocol and direction follow the lengths.
      case 0xa1b2_cd34: (unit, headerSize) = (1000, 24)
      default: return nil
      }
    }
  }

  package mutating func next() throws(ReadError) -> CapturedPacket? {
    try readHeader()
    guard let link, let format, file.left >= format.headerSize else { return nil }
    let (captured, original) = lengths
    guard captured <= Self.longestPacket else {
      throw damaged("invalid packet capture length \(captured), bigger than maximum of \(Self.longestPacket)")
    }
    guard file.left >= format.headerSize + captured else { return nil }
    let (seconds, fraction) = (Int(file.uint32(at: 0)), Int(file.uint32(at: 4)) * format.unit)
    let (carry, nanoseconds) = fraction.quotientAndRemainder(dividingBy: 1_000_000_000)
    let bytes = file.range(at: format.headerSize, count: min(captured, snapLength))
    file.advance(format.headerSize + captured)
    return CapturedPacket(
      link: link,
      time: CaptureTime(seconds: seconds + carry, nanoseconds: nanoseconds, digits: format.unit == 1 ? 9 : 6),
      originalLength: original, direction: nil, bytes: bytes)
  }

  package func finish() throws(ReadError) {
    guard let format else {
      throw unopened(
        "truncated dump file; tried to read \(PcapWriter.headerSize) file header bytes, only got \(file.left)")
    }
    guard file.left > 0 else { return }
    guard file.left >= format.headerSize else {
      throw damaged("truncated dump file; tried to read \(format.headerSize) header bytes, only got \(file.left)")
    }
    throw damaged(
      "truncated dump file; tried to read \(lengths.captured) captured bytes, only got "
        + "\(file.left - format.headerSize)")
  }
}

extension PcapReader {
  /// Reads the header of the file if it is complete. Packets do not begin before.
  /// - Throws: ``ReadError`` if it is no pcap file, or if its version is not supported.
  package mutating func readHeader() throws(ReadError) {
    guard link == nil, file.left >= 4 else { return }
    guard let format = Format(buffer) else { throw unopened("unknown file format") }
    guard file.left >= PcapWriter.headerSize else { return }
    self.format = format
    file.isBigEndian = format.isBigEndian
    let version = (major: file.uint16(at: 4), minor: file.uint16(at: 6))
    guard version.major == 2, version.minor <= 4 else {
      throw unopened("unsupported pcap savefile version \(version.major).\(version.minor)")
    }
    minorVersion = version.minor
    // The upper six bits say whether packets end with a checksum.
    let link = LinkType(rawValue: Int(file.uint32(at: 20) & 0x03ff_ffff))
    self.link = link
    let length = Int(file.uint32(at: 16))
    snapLength = length == 0 || length > Int(Int32.max) ? Self.longestPacket : length
    // The libpcap of old Linux did not count the Ethernet header.
    if format.headerSize == 24, link == .ethernet { snapLength += 14 }
    file.advance(PcapWriter.headerSize)
  }

  /// The lengths of the packet at `position`: captured, and on the wire. Versions before 2.3 have them in the other
  /// order, and so have some programs that write 2.3.
  private var lengths: (captured: Int, original: Int) {
    let (first, second) = (Int(file.uint32(at: 8)), Int(file.uint32(at: 12)))
    return minorVersion < 3 || minorVersion == 3 && first > second ? (second, first) : (first, second)
  }

  private func unopened(_ what: String) -> ReadError { ReadError(.damagedCapture, "cannot open the capture: \(what)") }

  private func damaged(_ what: String) -> ReadError {
    ReadError(.damagedCapture, "cannot read the rest of the capture: \(what)")
  }
}
