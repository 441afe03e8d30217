import APNSWire
import Octets

/// Rules about whether an expiry is the intended time. Its 32 bits can hold any number, and the service refuses none.
let expiryRules = RuleFamily(
  [
    expiryZero, expiryRelative, expiryMilliseconds, expiryByteSwapped, expiryOtherForm, expiryOverflow, expiryMaximum,
    expiryPast,
  ], dependsOn: [.expiry, .damage]
) { facts, bytes, report in
  if facts.isMalformed { checkWideValues(facts, bytes, &report) }
  guard let leaf = facts.expiry, leaf.count == 4, let number = leaf.integer(in: bytes) else { return }
  let expiry = Expiry(Int(number), sent: facts.time)
  if expiry.isOrdinary { return }
  report.add(expiry, at: leaf.range)
}

/// An expiry, and the time of sending if a capture shows it, both in seconds since 1970.
struct Expiry {
  fileprivate let value: Int
  fileprivate let sent: Int?

  init(_ value: Int, sent: Int?) {
    self.value = value
    self.sent = sent.flatMap(Times.clock)
  }

  private static let minute = 60_000
  private static let day = 86_400

  /// Whether it is a value that most senders would write.
  var isOrdinary: Bool {
    guard value >= Catalog.serviceBegan, value < Times.maximum else { return false }
    return sent.map { value >= $0 && value - $0 <= 400 * Self.day } ?? true
  }

  /// The intended lifetime in seconds if the expiry is the low half of a time in milliseconds; otherwise nil.
  ///
  /// Lifetimes count if they are whole minutes of up to 30 days, or less than 45 minutes. The latter are also the
  /// result of adding 30 days in seconds. Other lifetimes do not count, because more than half of all numbers are
  /// within 30 days. A time during the service's own years could be intended, in a frame that is sent again. For it,
  /// only whole hours count.
  fileprivate var lifetimeInMilliseconds: Int? {
    guard let sent else { return nil }
    let rest = Int(UInt32(truncatingIfNeeded: value - sent * 1000 + 500))
    let unit = Times.served.lowerBound <= value && value < sent ? 60 * Self.minute : Self.minute
    if rest % unit < 1500, rest <= 30 * 86_400_000 + 1500 { return rest / unit * (unit / 1000) }
    return rest <= 45 * Self.minute ? rest / 1000 : nil
  }

  /// Whether it is the high half of a time in milliseconds. Without the time of capture, lifetimes in half minutes do
  /// not count.
  fileprivate var isHighHalf: Bool {
    if let sent {
      let half = (sent * 1000) >> 32
      return value == half || value == half + 1
    }
    return (0x140...0x18f).contains(value) && !value.isMultiple(of: 30)
  }

  /// The intended lifetime in whole days if its milliseconds, cut to 32 bits, give a time before the time of sending.
  fileprivate var overflowedDays: Int? {
    guard let sent else { return nil }
    // 2^32 milliseconds in seconds, rounded like a division.
    let days = (value - sent + 4_294_967 + 2) / Self.day
    return (25...49).contains(days) && abs(value - sent + 4_294_967 - days * Self.day) <= 2 ? days : nil
  }

  /// Whether a sender could intend this time: it is near the time of sending, or in the service's years if that is not
  /// known.
  private func isMeant(_ time: Int) -> Bool {
    guard let sent else { return Times.ofService.contains(time) }
    return (sent - 30 * Self.day...sent + 400 * Self.day).contains(time)
  }

  /// The intended time if the bytes are in little-endian order; otherwise nil. Without the time of capture, values that
  /// could be intended do not count: a lifetime is whole minutes, and a time has more than two bytes.
  fileprivate var byteSwapped: Int? {
    let swapped = Int(UInt32(truncatingIfNeeded: value).byteSwapped)
    guard value > 0xffff, isMeant(swapped) else { return nil }
    return sent != nil || value >= Times.firstAbsolute || !value.isMultiple(of: 60) ? swapped : nil
  }

  /// The intended time if the number is that time in another notation; otherwise nil. Few numbers are one by chance.
  fileprivate var otherForm: (notation: Notation, time: Int)? {
    if let midnight, isMeant(midnight) { return (.digits, midnight) }
    if isMeant(value * 60), !value.isMultiple(of: 3600) { return (.minutes, value * 60) }
    let float = Float(bitPattern: UInt32(truncatingIfNeeded: value))
    if sent != nil, (0...4e9).contains(float), isMeant(Int(float)) { return (.float, Int(float)) }
    return nil
  }

  /// The intended time if the number counts from 2001; otherwise nil.
  fileprivate var since2001: Int? {
    let time = value + Times.from1970To2001
    return isMeant(time) ? time : nil
  }

  fileprivate enum Notation { case digits, minutes, since2001, float }

  /// Midnight of the date whose year, month and day are the digits of the number.
  private var midnight: Int? {
    let (year, month, day) = (value / 10_000, value / 100 % 100, value % 100)
    return UTC.seconds(year, month, day, 0, 0, 0)
  }
}

enum Times {
  /// From the start of the service until 2106, when 32 bits overflow.
  static let served = Catalog.serviceBegan...Int(UInt32.max)
  /// The time of capture; nil for captures without a clock, which have other times.
  static func clock(_ time: Int) -> Int? { served.contains(time) ? time : nil }
  static let ofService = Catalog.serviceBegan...Catalog.serviceEnded
  static let beforeService = "before the service began in \(UTC.text(Catalog.serviceBegan).prefix(4))"
  /// Smaller values are lifetimes: no notification expires in 1973.
  static let firstAbsolute = 100_000_000
  /// No sender writes a lifetime of more than about three months. A larger number has another fault.
  static let longestLifetime = 10_000_000
  /// The largest signed number of 32 bits.
  static let maximum = 0x7fff_ffff
  /// From the start of the service until a time_t of four bytes overflows, in seconds since 1970.
  static let ofFeedback = Catalog.serviceBegan...maximum
  /// The seconds between the two dates.
  static let from1970To2001 = 978_307_200
}

extension Report {
  fileprivate mutating func add(_ expiry: Expiry, at range: Range<Int>) {
    let value = expiry.value
    let read = "expiry \(value) is \(UTC.text(value)) UTC"
    switch value {
    case 0:
      add(expiryZero, at: range, "expiry is 0: the service does not store the notification")
    case _ where expiry.isHighHalf:
      add(expiryMilliseconds, at: range, "\(read); it is the high half of a time in milliseconds")
    case 0xffff_ffff:
      add(expiryOverflow, at: range, "\(read); as a signed number it is -1")
    case Times.maximum:
      add(expiryMaximum, at: range, "\(read), the largest signed number of 32 bits")
    case _ where expiry.otherForm != nil:
      if let (notation, meant) = expiry.otherForm { add(notation, expiry, meant, at: range) }
    case _ where value >= Times.longestLifetime && expiry.lifetimeInMilliseconds != nil:
      let meant = (expiry.sent ?? 0) + (expiry.lifetimeInMilliseconds ?? 0)
      add(
        expiryMilliseconds, at: range,
        "\(read); it is the low half of \(UTC.text(meant)) UTC in milliseconds", fix: "divide by 1000: write \(meant)")
    case _ where expiry.byteSwapped != nil:
      let meant = expiry.byteSwapped ?? 0
      add(
        expiryByteSwapped, at: range, "\(read); byte-swapped it is \(UTC.text(meant)) UTC",
        fix: "write it big-endian (htonl): \(wireBytes(meant, width: 4))")
    case _ where expiry.since2001 != nil:
      add(.since2001, expiry, expiry.since2001 ?? 0, at: range)
    case ..<Times.firstAbsolute:
      let meant = expiry.sent.map { $0 + value }
      add(
        expiryRelative, at: range, "\(read): a lifetime of \(duration(value)), not a time",
        fix: meant.map { "add the time of sending: write \($0)" })
    case _ where expiry.sent.map { value < $0 } ?? (value < Catalog.serviceBegan):
      addPast(expiry, at: range)
    default: break
    }
  }

  private mutating func add(_ notation: Expiry.Notation, _ expiry: Expiry, _ meant: Int, at range: Range<Int>) {
    let read = "expiry \(expiry.value) is \(UTC.text(expiry.value)) UTC"
    let time = UTC.text(meant) + " UTC"
    switch notation {
    case .digits:
      add(
        expiryOtherForm, at: range, "\(read); its digits are the date \(time.prefix(10))",
        fix: "write seconds since 1970: \(meant)")
    case .minutes:
      add(
        expiryOtherForm, at: range, "\(read); in minutes since 1970 it is \(time)",
        fix: "multiply by 60: write \(meant)")
    case .since2001:
      add(
        expiryOtherForm, at: range, "\(read); in seconds since 2001 it is \(time)",
        fix: "count from 1970 (timeIntervalSince1970), which adds \(Times.from1970To2001): write \(meant)")
    case .float:
      add(
        expiryOtherForm, at: range, "\(read); its bytes are the float \(meant), which is \(time)",
        fix: "convert the number to an integer of 32 bits, then write it: \(wireBytes(meant, width: 4))")
    }
  }

  private mutating func addPast(_ expiry: Expiry, at range: Range<Int>) {
    let value = expiry.value
    guard let sent = expiry.sent else {
      return add(
        expiryPast, at: range, "expiry \(value) is \(UTC.text(value)) UTC, \(Times.beforeService)",
        fix: "write a later time, in seconds since 1970")
    }
    let days = expiry.overflowedDays
    add(
      expiryPast, at: range,
      "the notification had expired \(duration(sent - value)) before it was sent: expiry \(value) is "
        + "\(UTC.text(value)) UTC" + (days.map { ", \($0) days later in milliseconds of 32 bits" } ?? ""),
      fix: days.map { "add the lifetime in seconds, in numbers of 64 bits: write \(sent + $0 * 86_400)" })
  }
}

/// Checks expiries of eight bytes. The service refuses their size, and some are also in milliseconds.
private func checkWideValues(_ facts: borrowing FrameFacts, _ bytes: Span<UInt8>, _ report: inout Report) {
  let catalog = facts.catalog
  catalog.forEachField(of: facts.frame, in: bytes) { leaf in
    guard leaf.kind == .value, leaf.state == .wrongSize, leaf.count == 8,
      catalog.field(of: leaf)?.role == .expiry
    else { return }
    let value = bytes.bigEndian(leaf.start, width: 8)
    guard UTC.milliseconds.contains(value) else { return }
    report.add(
      expiryMilliseconds, at: leaf.range,
      "expiry \(value) is \(UTC.text(Int(value / 1000))) UTC in milliseconds, in eight bytes",
      fix: "divide by 1000: write \(value / 1000) in four bytes")
  }
}

private let guide =
  Guide.binaryInterface + ", item 4: \"A UNIX "
  + "epoch date expressed in seconds (UTC)\""

private let expiryZero = Rule(
  .expiryZero, .note, "the expiry asks for no storing",
  why: "A device that is offline never gets the notification. Many libraries write 0 if no expiry is given.",
  source: guide
    + "; \"Specify zero to indicate that the notification expires immediately and that APNs should not store "
    + "the notification at all\"",
  fix: "write a time if the notification should wait for the device",
  bad: [.notification(expiry: 0), .enhanced(expiry: 0)], good: [.notification(), .notification(expiry: nil)])

private let expiryRelative = Rule(
  .expiryRelative, .warning, "the expiry is a lifetime, not a time",
  why: "It is a day in the 1970s, so the notification has expired: devices that are offline never get it.",
  source: guide + "; observed in rpush (issues 206 and 416) and apns4ex (issue 33), which wrote 86400 for a day",
  fix: "add it to the time of sending, in seconds since 1970",
  bad: [
    .notification(expiry: 86_400), .enhanced(expiry: 1), .notification(expiry: 360),
    .notification(expiry: 604_800).time(1_384_732_800), .notification(expiry: 20_736_000),
  ],
  good: [.notification(), .notification(expiry: 0), .notification(expiry: 100_000_000)])

private let expiryMilliseconds = Rule(
  .expiryMilliseconds, .warning, "the expiry is in milliseconds",
  why: "Four bytes hold the low 32 of its 41 bits, which give any time, often a past one.",
  source: guide + "; observed in java-apns (issue 153) and parse-server-push-adapter (issue 14)",
  fix: "divide by 1000: seconds since 1970",
  bad: [
    // A day later: (1384732800 + 86400) * 1000, as its low half and its high half.
    .notification(expiry: 0x6da8_1000).time(1_384_732_800), .enhanced(expiry: 0x6da8_1000).time(1_384_732_800),
    .notification(expiry: 0x142), .notification(expiry: 0x142).time(1_384_732_800),
    .hex("02 0000000b 04 0008 00000142 6da81000"),
  ],
  good: [
    .notification().time(1_384_732_800), .notification(expiry: 360), .notification(expiry: 1_893_456_000),
    .notification(expiry: 322).time(1_600_000_000),
  ])

private let expiryByteSwapped = Rule(
  .expiryByteSwapped, .warning, "the expiry is in host byte order",
  why: "It is another time: often a past one, so that devices that are offline never get the notification.",
  source: Guide.binaryInterface + ", note: \"All "
    + "data is specified in network order, that is big endian\"",
  fix: "write it big-endian (htonl)",
  bad: [
    .enhanced(expiry: 0x00aa_8a52), .notification(expiry: 0xb4aa_8a52), .notification(expiry: 0x3caa_8a52),
    .notification(expiry: 0x78aa_8a52).time(1_384_732_800),
  ],
  good: [
    .notification(), .notification(expiry: 0xf486_5700), .notification(expiry: 5940), .notification(expiry: 86_400),
  ])

private let expiryOtherForm = Rule(
  .expiryOtherForm, .warning, "the expiry is a time in another form",
  why: "Minutes, the digits of a date, seconds since 2001 or a float give another time, mostly a past one. The last "
    + "one is found only by a capture's clock.",
  source: guide, fix: "write seconds since 1970 as an integer",
  bad: [
    .enhanced(expiry: 20_131_119), .enhanced(expiry: 20_131_119).time(1_384_732_800),
    .notification(expiry: 23_080_320), .notification(expiry: 406_512_000),
    .notification(expiry: 406_512_000).time(1_384_732_800), .notification(expiry: 0x4ea5_1554).time(1_384_732_800),
  ],
  good: [
    .notification(), .notification(expiry: 21_600_000), .notification(expiry: 20_131_340),
    .notification(expiry: 0x4ea5_1554),
  ])

private let expiryOverflow = Rule(
  .expiryOverflow, .warning, "the expiry is -1",
  why: "The guide knows no negative expiry: these four bytes are a time in 2106, until which the notification may be "
    + "stored.",
  source: guide + "; observed in PushSharp, ApnsNotification.cs, whose DoNotStore writes -1",
  fix: "write 0 for \"do not store\"",
  bad: [.notification(expiry: 0xffff_ffff)],
  good: [
    .notification(), .notification(expiry: 0x7fff_ffff), .notification(expiry: 0x8000_0000),
    .notification(expiry: 2_177_452_800), .notification(expiry: 4_102_444_800),
  ])

private let expiryMaximum = Rule(
  .expiryMaximum, .note, "the expiry is the largest signed number",
  why: "The notification may be stored until 2038, which may be meant.",
  source: guide + "; observed in java-apns, whose MAXIMUM_EXPIRY it is",
  fix: "write the time from which on the notification is worth nothing",
  bad: [.notification(expiry: 0x7fff_ffff)], good: [.notification()])

private let expiryPast = Rule(
  .expiryPast, .warning, "the notification expired before it was sent",
  why: "The service may discard it: devices that are offline never get it.",
  source: guide
    + " \"that identifies when the notification is no longer valid and can be discarded\"; the time of sending "
    + "is the capture's. Document Revision History: the guide began on 2009-03-15",
  fix: "write a later expiry; if the sender is right, the capture's clock is wrong",
  bad: [
    .notification(expiry: 1_384_732_799).time(1_384_732_800), .notification(expiry: 1_000_000_000),
    .notification(expiry: 100_000_000),
  ],
  good: [.notification(expiry: 1_384_732_800).time(1_384_732_800), .notification().time(1), .notification()])
