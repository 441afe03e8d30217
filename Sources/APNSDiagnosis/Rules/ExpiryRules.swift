import APNSWire

/// Whether an expiry is the time that was meant: a field of 32 bits takes any number, and the service refuses none.
let expiryRules = RuleFamily([
  expiryZero, expiryRelative, expiryMilliseconds, expiryOverflow, expiryMaximum, expiryPast,
]) { facts, bytes, _, report in
  if facts.isMalformed { checkWideValues(facts, bytes, &report) }
  guard let leaf = facts.expiry, leaf.count == 4, let number = leaf.integer(in: bytes) else { return }
  let expiry = Expiry(Int(number), sent: facts.time)
  if expiry.isOrdinary { return }
  report.add(expiry, at: leaf.range)
}

/// An expiry beside the time when it was sent, should a capture say it; seconds since 1970.
struct Expiry {
  fileprivate let value: Int
  fileprivate let sent: Int?

  init(_ value: Int, sent: Int?) {
    self.value = value
    self.sent = sent.flatMap { Times.served.contains($0) ? $0 : nil }
  }

  private static let minute = 60_000

  /// What most senders write, at once.
  var isOrdinary: Bool {
    guard value >= Times.firstAbsolute, value < Times.maximum else { return false }
    return sent.map { value >= $0 && value - $0 <= 400 * 86_400 } ?? true
  }

  /// The lifetime in seconds that was meant, should this be the low half of a time in milliseconds: whole minutes up to
  /// 30 days, or less than 45 minutes, which is also what 30 days come to that were added in seconds. Other lifetimes
  /// are left out, since within 30 days lie more than half of all numbers; and a day of the service's own years may as
  /// well be what it says, in a frame that is sent again, so that only whole hours tell.
  fileprivate var lifetimeInMilliseconds: Int? {
    guard let sent else { return nil }
    let rest = Int(UInt32(truncatingIfNeeded: value - sent * 1000 + 500))
    let unit = Times.served.lowerBound <= value && value < sent ? 60 * Self.minute : Self.minute
    if rest % unit < 1500, rest <= 30 * 86_400_000 + 1500 { return rest / unit * (unit / 1000) }
    return rest <= 45 * Self.minute ? rest / 1000 : nil
  }

  /// The high half of a time in milliseconds. Without a capture's time, lifetimes in half minutes are not taken for it.
  fileprivate var isHighHalf: Bool {
    if let sent {
      let half = (sent * 1000) >> 32
      return value == half || value == half + 1
    }
    return (0x140...0x18f).contains(value) && !value.isMultiple(of: 30)
  }

  /// Whole days whose milliseconds, cut to 32 bits, come out before the time of sending.
  fileprivate var overflownDays: Int? {
    guard let sent else { return nil }
    // 2^32 milliseconds, rounded as a division does.
    let days = (value - sent + 4_294_967 + 2) / 86_400
    return (25...49).contains(days) && abs(value - sent + 4_294_967 - days * 86_400) <= 2 ? days : nil
  }
}

enum Times {
  /// From 2009-03-01 to 2106, when 32 bits end: captures of other times have no clock.
  static let served = Catalog.serviceBegan...Int(UInt32.max)
  /// Less are lifetimes: nobody sends to 1973.
  static let firstAbsolute = 100_000_000
  /// Of signed numbers of 32 bits.
  static let maximum = 0x7fff_ffff
  /// From 2009 to 2040, in milliseconds.
  static let milliseconds: ClosedRange<UInt64> = 1_230_768_000_000...2_208_988_800_000
}

extension Report {
  fileprivate mutating func add(_ expiry: Expiry, at range: Range<Int>) {
    let value = expiry.value
    let reading = UTC.text(value) + " UTC"
    let afterSending = expiry.sent.map { "; \(duration(value)) after it was sent is \(value + $0)" } ?? ""
    // Of a lifetime nobody says more than three months, so a larger number may be another fault.
    let isShort = value < 10_000_000
    switch value {
    case 0:
      add(
        expiryZero, at: range, "the expiry is 0: the service tries once, and stores nothing for a device that is away")
    case _ where expiry.isHighHalf:
      add(
        expiryMilliseconds, at: range,
        "the expiry \(value) is the high half of a time in milliseconds: the service reads \(reading)")
    case _ where isShort:
      add(
        expiryRelative, at: range,
        "the expiry \(value) is \(duration(value)), a lifetime, and reads as \(reading)\(afterSending)")
    case _ where expiry.lifetimeInMilliseconds != nil:
      let meant = (expiry.sent ?? 0) + (expiry.lifetimeInMilliseconds ?? 0)
      add(
        expiryMilliseconds, at: range,
        "the expiry is the low half of a time in milliseconds: it reads as \(reading), and was meant as "
          + "\(UTC.text(meant)) UTC", fix: "divide by 1000: write \(meant)")
    case ..<Times.firstAbsolute:
      add(
        expiryRelative, at: range,
        "the expiry \(value) is \(duration(value)), a lifetime, and reads as \(reading)\(afterSending)")
    case Times.maximum:
      add(expiryMaximum, at: range, "the expiry is the largest signed number of 32 bits: \(reading)")
    case 0xffff_ffff:
      add(
        expiryOverflow, at: range,
        "the expiry is -1 in 32 bits, and reads as \(reading): stored as long as can be, not \"do not store\"",
        fix: "write 0 for \"do not store\"")
    case (Times.maximum + 1)...:
      add(expiryOverflow, at: range, "the expiry reads as \(reading), and as a time before 1970 where it is signed")
    default:
      guard let sent = expiry.sent, value < sent else { return }
      let overflown = expiry.overflownDays.map { ", as \($0) days do in milliseconds of 32 bits" } ?? ""
      add(
        expiryPast, at: range,
        "the expiry \(reading) is \(duration(sent - value)) before the frame was sent\(overflown)",
        fix: overflown.isEmpty ? nil : "add in numbers of 64 bits: seconds since 1970 and the lifetime in seconds")
    }
  }
}

/// An expiry of eight bytes is refused for its size; that it is in milliseconds is the second thing wrong with it.
private func checkWideValues(_ facts: borrowing FrameFacts, _ bytes: Span<UInt8>, _ report: inout Report) {
  let catalog = facts.catalog
  catalog.forEachField(of: facts.frame, in: bytes) { leaf in
    guard leaf.kind == .value, leaf.state == .wrongSize, leaf.count == 8,
      catalog.field(of: leaf)?.name == Field.expiry.name
    else { return }
    let value = leaf.range.reduce(UInt64(0)) { $0 << 8 | UInt64(bytes[$1]) }
    guard Times.milliseconds.contains(value) else { return }
    report.add(
      expiryMilliseconds, at: leaf.range,
      "the expiry \(value) is \(UTC.text(Int(value / 1000))) UTC in milliseconds, and takes eight bytes",
      fix: "divide by 1000: write \(value / 1000) in four bytes")
  }
}

private let guide = "Local and Push Notification Programming Guide, expiry: UNIX seconds in UTC"

private let expiryZero = Rule(
  "expiry-zero", .note, "the expiry asks for no storing",
  why: "A device that is offline never gets it; many libraries write 0 where nothing is given.",
  source: guide + "; zero: not stored", fix: "write a time where the notification should wait for the device",
  bad: [.notification(expiry: 0), .enhanced(expiry: 0)], good: [.notification(), .notification(expiry: nil)])

private let expiryRelative = Rule(
  "expiry-relative", .warning, "the expiry is a lifetime, not a time",
  why: "It reads as a day of the 1970s: expired, so devices that are offline never get the notification.",
  source: guide + "; libraries that wrote 86400 for a day",
  fix: "write the time of sending plus the lifetime, in seconds since 1970",
  bad: [
    .notification(expiry: 86_400), .enhanced(expiry: 1), .notification(expiry: 360),
    .notification(expiry: 604_800).time(1_384_732_800),
  ],
  good: [.notification(), .notification(expiry: 0), .notification(expiry: 100_000_000)])

private let expiryMilliseconds = Rule(
  "expiry-milliseconds", .warning, "the expiry is in milliseconds",
  why: "Four bytes hold only a half of it, which reads as any day, often a past one.",
  source: guide + "; libraries that wrote getTime() and Date.now()",
  fix: "divide by 1000: seconds since 1970",
  bad: [
    // A day later: (1384732800 + 86400) * 1000, the low half and the high one.
    .notification(expiry: 0x6da8_1000).time(1_384_732_800), .enhanced(expiry: 0x6da8_1000).time(1_384_732_800),
    .notification(expiry: 0x142), .notification(expiry: 0x142).time(1_384_732_800),
    .hex("02 0000000b 04 0008 00000142 6da81000"),
  ],
  good: [
    .notification().time(1_384_732_800), .notification(expiry: 360), .notification(expiry: 1_893_456_000),
    .notification(expiry: 322).time(1_600_000_000),
  ])

private let expiryOverflow = Rule(
  "expiry-overflow", .warning, "the expiry is beyond 2038",
  why: "It is a negative number in 32 bits: -1 is stored for as long as can be, where \"do not store\" was meant.",
  source: guide + "; libraries that wrote -1", fix: "reckon in numbers of 64 bits, and write 0 for \"do not store\"",
  bad: [.notification(expiry: 0xffff_ffff), .notification(expiry: 0x8000_0000)],
  good: [.notification(), .notification(expiry: 0x7fff_ffff)])

private let expiryMaximum = Rule(
  "expiry-maximum", .note, "the expiry is the largest signed number",
  why: "The service stores it as long as it stores anything; that may be meant.",
  source: guide + "; libraries whose maximum it is",
  fix: "write a time at which the notification is worth nothing any more",
  bad: [.notification(expiry: 0x7fff_ffff)], good: [.notification()])

private let expiryPast = Rule(
  "expiry-past", .warning, "the expiry is before the time of sending",
  why: "The notification is expired when it comes: devices that are offline never get it.",
  source: guide + "; by the capture's clock", fix: "write a time to come; compare the clocks of sender and capture",
  bad: [.notification(expiry: 1_384_732_799).time(1_384_732_800)],
  good: [.notification(expiry: 1_384_732_800).time(1_384_732_800), .notification().time(1), .notification()])
