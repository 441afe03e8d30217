/// An interface description block, with the latest statistics of the interface.
struct PcapngInterface: Sendable {
  let link: LinkType
  /// Maximum captured bytes per packet; 0 means no limit.
  let snapLength: Int
  /// Packets that the capturing system lost, from the latest statistics block.
  private(set) var dropped: UInt64 = 0
  /// The time unit in seconds: 10 to the power of minus this value. If the highest bit is set, 2 to the power of minus
  /// the other bits.
  private var resolution: UInt8 = 6
  /// Seconds to add to all times.
  private var timeOffset: Int64 = 0

  /// Nil if the options are invalid: ignoring them could silently produce wrong times.
  init?(_ block: PcapngBlock, in fields: CaptureFields) {
    link = LinkType(rawValue: Int(fields.uint16(at: 8)))
    snapLength = Int(fields.uint32(at: 12))
    let options = fields.options(in: 16..<(block.length - 4))
    for (code, value, size) in options.all {
      switch (code, size) {
      case (9, 1): resolution = fields.byte(at: value)
      case (14, 8): timeOffset = Int64(bitPattern: fields.uint64(at: value))
      case (9, _), (14, _): return nil
      default: break
      }
    }
    if options.overrun { return nil }
  }

  /// Processes an interface statistics block. Its counters start at the beginning of the capture.
  mutating func note(_ block: PcapngBlock, in fields: CaptureFields) {
    var (byInterface, bySystem) = (UInt64(0), UInt64(0))
    for (code, value, size) in fields.options(in: 20..<(block.length - 4)).all where size == 8 {
      if code == 5 { byInterface = fields.uint64(at: value) }
      if code == 7 { bySystem = fields.uint64(at: value) }
    }
    dropped = max(dropped, byInterface.addingClamped(bySystem))
  }
}

extension PcapngInterface {
  /// Converts a timestamp in units of the interface's resolution since 1970. Times outside the years 1 to 9999 are
  /// clamped to that range.
  func time(of units: UInt64) -> CaptureTime {
    let (seconds, nanoseconds) = split(units)
    let (sum, overflows) = Int64(clamping: seconds).addingReportingOverflow(timeOffset)
    let whole = overflows ? (timeOffset < 0 ? Int64.min : .max) : sum
    return CaptureTime(
      seconds: Int(min(max(whole, Self.firstSecond), Self.lastSecond)), nanoseconds: nanoseconds, digits: digits)
  }

  /// 0001-01-01 00:00:00 and 9999-12-31 23:59:59.
  private static let firstSecond: Int64 = -62_135_596_800
  private static let lastSecond: Int64 = 253_402_300_799

  /// Nine digits if the resolution is finer than one microsecond. The coarsest such binary resolution is 2 to the -20.
  private var digits: UInt8 {
    let isFiner = resolution & 0x80 == 0 ? resolution > 6 : resolution & 0x7f > 19
    return isFiner ? 9 : 6
  }

  /// The seconds and nanoseconds of a number of units. A second has a power of 10 or 2 of them; digits beyond 64 bits
  /// are dropped.
  private func split(_ units: UInt64) -> (seconds: UInt64, nanoseconds: Int) {
    let base: UInt64 = resolution & 0x80 == 0 ? 10 : 2
    let places = Int(resolution & 0x7f)
    let most = min(places, base == 10 ? 19 : 63)
    let units = (most..<places).reduce(units) { units, _ in units / base }
    let second = (0..<most).reduce(1 as UInt64) { power, _ in power * base }
    let (seconds, rest) = units.quotientAndRemainder(dividingBy: second)
    let nanoseconds = second.dividingFullWidth(rest.multipliedFullWidth(by: 1_000_000_000)).quotient
    return (seconds, Int(nanoseconds))
  }
}
