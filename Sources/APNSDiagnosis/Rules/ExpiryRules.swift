import APNSWire
import Octets

/// Rules about whether an expiry is the intended time. Its 32 bits can hold any number, and the service refuses none.
let expiryRules = RuleFamily(
  [
    .expiryZero, .expiryRelative, .expiryMilliseconds, .expiryByteSwapped, .expiryOtherForm, .expiryOverflow,
    .expiryMaximum,
    .expiryPast,
  ], dependsOn: [.expiry, .damage]
) { facts, bytes, report in
  if facts.isMalformed { checkWideValues(facts, bytes, &report) }
  guard let leaf = facts.expiry, leaf.count == 4, let number = leaf.integer(in: bytes) else { return }
  let expiry = Expiry(Int(number), sent: facts.time, other: facts.otherExpiry)
  if expiry.isOrdinary { return }
  report.add(expiry, at: leaf.range)
}

/// An expiry, and what to compare it with, all in seconds since 1970.
struct Expiry {
  fileprivate let value: Int
  /// The time of sending, if a capture shows it.
  fileprivate let sent: Int?
  /// The time of sending, or else an ordinary expiry of another frame.
  private let reference: Int?

  init(_ value: Int, sent: Int?, other: Int? = nil) {
    self.value = value
    self.sent = sent.flatMap(Times.clock)
    reference = self.sent ?? other
  }

  fileprivate static let day = 86_400

  /// Whether it is a value that most senders would write. This does not depend on other frames, so that a judgement can
  /// be remembered.
  var isOrdinary: Bool {
    guard Times.plausible.contains(value) else { return false }
    return sent.map { value >= $0 && value - $0 <= 400 * Self.day } ?? true
  }

  /// Whether a sender could intend this time: it is near the time of sending, or plausible if that is not known.
  private func isMeant(_ time: Int) -> Bool {
    guard let sent else { return Times.plausible.contains(time) }
    return (sent - 30 * Self.day...sent + 400 * Self.day).contains(time)
  }
}

// MARK: - Readings

/// What an expiry can be other than seconds since 1970.
private struct Notation: Sendable {
  let rule: Rule
  /// The intended time, and the length in bits of the shortest description of the number in this notation; nil if it is
  /// no such number. A description names the notation, which takes the more bits the rarer the notation is, and the
  /// time's distance from the reference.
  let read: @Sendable (Expiry) -> (time: Int, bits: Int)?
  /// The end of a sentence, and the fix if it differs from the rule's.
  let text: @Sendable (Expiry, _ time: Int) -> String
  let fix: @Sendable (Expiry, _ time: Int) -> String?

  /// A notation of a time, with the bits that its name takes.
  static func time(
    _ rule: Rule, _ form: String, bits: Int, _ read: @escaping @Sendable (Expiry) -> Int?,
    fix: @escaping @Sendable (Int) -> String
  ) -> Notation {
    Notation(
      rule: rule, read: { expiry in read(expiry).flatMap { expiry.reading($0, bits) } },
      text: { "\(form) \(UTC.text($1)) UTC" }, fix: { fix($1) })
  }
}

private let notations: [Notation] = [
  .time(
    .expiryByteSwapped, "byte-swapped it is", bits: 4, { Int(UInt32(truncatingIfNeeded: $0.value).byteSwapped) },
    fix: { "write it big-endian (htonl): \(wireBytes($0, width: 4))" }),
  .time(
    .expiryOtherForm, "in seconds since 2001 it is", bits: 6, { $0.value + Times.from1970To2001 },
    fix: { "count from 1970 (timeIntervalSince1970), which adds \(Times.from1970To2001): write \($0)" }),
  .time(
    .expiryOtherForm, "in minutes since 1970 it is", bits: 12, { $0.value * 60 },
    fix: { "multiply by 60: write \($0)" }),
  .time(
    .expiryOtherForm, "in days since 1970 it is", bits: 12, { $0.value * Expiry.day },
    fix: { "multiply by \(Expiry.day): write \($0)" }),
  .time(
    .expiryOtherForm, "its digits are the date", bits: 10, { $0.date }, fix: { "write seconds since 1970: \($0)" }),
  .time(
    // A float of this size is a multiple of 128, which saves seven bits.
    .expiryOtherForm, "as a float it is", bits: 8 - 7,
    { Int(exactly: Float(bitPattern: UInt32(truncatingIfNeeded: $0.value))) },
    fix: { "convert the number to an integer of 32 bits, then write it: \(wireBytes($0, width: 4))" }),
  .time(
    // The fraction of the second is ten more bits.
    .expiryMilliseconds, "in milliseconds it is the low half of", bits: 6 + 10, { $0.lowHalf },
    fix: { "divide by 1000: write \($0)" }),
  Notation(
    rule: .expiryMilliseconds, read: { $0.highHalf },
    text: { _, _ in "it is the high half of a time in milliseconds" }, fix: { _, _ in nil }),
  Notation(
    rule: .expiryRelative, read: { $0.lifetime },
    text: { expiry, _ in "it is a lifetime of \(duration(expiry.value)), not a time" },
    fix: { $0.sent == nil ? nil : "add the time of sending: write \($1)" }),
  Notation(
    rule: .expiryPast, read: { expiry in expiry.overflowed.flatMap { expiry.reading($0, 8) } },
    text: { "it is a lifetime of \(duration($1 - ($0.sent ?? 0))), whose milliseconds exceed 32 bits" },
    fix: { "add the lifetime in seconds, in numbers of 64 bits: write \($1)" }),
]

extension Expiry {
  /// The shortest readings that are shorter than the number as it is: the first one, and another one that is almost as
  /// short.
  fileprivate var readings: (first: (Notation, Int), second: (Notation, Int)?)? {
    let found = notations.compactMap { notation in
      notation.read(self).flatMap { $0.bits < bitsAsWritten ? (notation: notation, time: $0.time, bits: $0.bits) : nil }
    }.sorted { $0.bits < $1.bits }
    guard let first = found.first else { return nil }
    let second = found.dropFirst().first.flatMap { $0.bits <= first.bits + 4 ? ($0.notation, $0.time) : nil }
    return ((first.notation, first.time), second)
  }

  /// The length of the number's description as seconds since 1970. It is long for times that no sender intends.
  private var bitsAsWritten: Int {
    if value < Catalog.serviceBegan { return .max }
    if value > Times.maximum { return 20 + bits(value, from: reference ?? Times.plausible.upperBound) }
    let bits = bits(value, from: sent ?? value)
    // Frames are also sent again years later.
    return value < sent ?? value ? 8 + min(bits, 22) : bits
  }

  fileprivate func reading(_ time: Int, _ notation: Int) -> (time: Int, bits: Int)? {
    isMeant(time) ? (time, notation + bits(time, from: reference ?? time - Self.span)) : nil
  }

  /// Without a reference, any plausible time is as likely as any other.
  private static let span = Times.plausible.count

  /// The length of a time's distance from another one, counted in the largest unit of which the time or the distance is
  /// a multiple: round times are rarely chance.
  private func bits(_ time: Int, from other: Int) -> Int {
    let distance = abs(time - other)
    let unit = [Self.day, 3600, 60].first { time % $0 == 0 || reference != nil && distance % $0 == 0 } ?? 1
    return Self.bits(distance / unit)
  }

  private static func bits(_ number: Int) -> Int { Int.bitWidth - number.leadingZeroBitCount }

  /// As a lifetime. Most are whole minutes, and those of more than three months are whole days.
  fileprivate var lifetime: (time: Int, bits: Int)? {
    guard value < Times.firstAbsolute else { return nil }
    let units = [(Self.day, 0), (3600, 0), (60, 2), (30, 6), (1, 12)]
    guard let (unit, bits) = units.first(where: { value % $0.0 == 0 }) else { return nil }
    let isLong = value > Times.longestLifetime && unit < Self.day
    return ((sent ?? 0) + value, 4 + bits + (isLong ? 8 : 0) + Self.bits(value / unit))
  }

  /// The intended time if the expiry is the low half of a time in milliseconds. Without the time of sending, any number
  /// could be that.
  ///
  /// Lifetimes count if they are whole minutes of up to 30 days, or less than 45 minutes. The latter are also the
  /// result of adding 30 days in seconds. Other lifetimes do not count, because more than half of all numbers are
  /// within 30 days.
  fileprivate var lowHalf: Int? {
    guard let sent, value >= Times.longestLifetime else { return nil }
    let rest = Int(UInt32(truncatingIfNeeded: value - sent * 1000 + 500))
    if rest % 60_000 < 1500, rest <= 30 * 86_400_000 + 1500 { return sent + rest / 60_000 * 60 }
    return rest <= 45 * 60_000 ? sent + rest / 1000 : nil
  }

  /// As the high half of a time in milliseconds, which changes every 50 days.
  fileprivate var highHalf: (time: Int, bits: Int)? {
    let unit = (1 << 32) / 1000
    let start = value << 32 / 1000
    guard value < 1000, isMeant(max(start, sent ?? start)), abs(start - (sent ?? start)) <= unit else { return nil }
    return (start, 8 + Self.bits(abs(start - (reference ?? start - Self.span)) / unit))
  }

  /// The time whose year, month and day are the digits of the number: YYYYMMDD, YYMMDD or YYMMDDhhmm.
  fileprivate var date: Int? {
    let (date, time) = value < Times.firstAbsolute ? (value, 0) : value.quotientAndRemainder(dividingBy: 10_000)
    let (year, month, day) = (date / 10_000, date / 100 % 100, date % 100)
    return UTC.seconds(year < 100 ? 2000 + year : year, month, day, time / 100, time % 100, 0)
  }

  /// The intended time, a whole number of days after sending, if its milliseconds, cut to 32 bits, give the expiry.
  fileprivate var overflowed: Int? {
    guard let sent else { return nil }
    // 2^32 milliseconds in seconds, rounded like a division.
    let lifetime = value - sent + 4_294_967 + 2
    let days = lifetime / Self.day
    return (25...49).contains(days) && lifetime % Self.day <= 4 ? sent + days * Self.day : nil
  }
}

enum Times {
  /// From the start of the service until 2106, when 32 bits overflow.
  static let served = Catalog.serviceBegan...Int(UInt32.max)
  /// The time of capture; nil for captures without a clock, which have other times.
  static func clock(_ time: Int) -> Int? { served.contains(time) ? time : nil }
  /// Times that a provider writes, also one that is tested after the service ended: until the end of 2030.
  static let plausible = Evidence.dates
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
    let (value, sent) = (expiry.value, expiry.sent)
    let read = "expiry \(value) is \(UTC.text(value)) UTC"
    switch value {
    case 0: add(.expiryZero, at: range, "expiry is 0: the service does not store the notification")
    case 0xffff_ffff: add(.expiryOverflow, at: range, "\(read); as a signed number it is -1")
    case Times.maximum: add(.expiryMaximum, at: range, "\(read), the largest signed number of 32 bits")
    default:
      if let ((notation, time), second) = expiry.readings {
        let other = second.map { "; or \($0.text(expiry, $1))" } ?? ""
        add(
          notation.rule, at: range, "\(read); \(notation.text(expiry, time))\(other)", fix: notation.fix(expiry, time))
      } else if let sent, value < sent {
        add(
          .expiryPast, at: range, "the notification had expired \(duration(sent - value)) before it was sent: \(read)")
      } else if value < Catalog.serviceBegan {
        add(.expiryPast, at: range, "\(read), \(Times.beforeService)", fix: "write a later time, in seconds since 1970")
      }
    }
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
      .expiryMilliseconds, at: leaf.range,
      "expiry \(value) is \(UTC.text(Int(value / 1000))) UTC in milliseconds, in eight bytes",
      fix: "divide by 1000: write \(value / 1000) in four bytes")
  }
}

private let guide =
  Guide.binaryInterface + ", item 4: \"A UNIX "
  + "epoch date expressed in seconds (UTC)\""

extension Rule {
  public static let expiryZero = Rule(
    "expiry-zero", .note, "the expiry asks for no storing",
    why: "A device that is offline never gets the notification. Many libraries write 0 if no expiry is given.",
    source: guide
      + "; \"Specify zero to indicate that the notification expires immediately and that APNs should not store "
      + "the notification at all\"",
    fix: "write a time if the notification should wait for the device",
    bad: [.notification(expiry: 0), .enhanced(expiry: 0)], good: [.notification(), .notification(expiry: nil)])

  public static let expiryRelative = Rule(
    "expiry-relative", .warning, "the expiry is a lifetime, not a time",
    why: "It is a day in the 1970s, so the notification has expired: devices that are offline never get it.",
    source: guide + "; observed in rpush (issues 206 and 416) and apns4ex (issue 33), which wrote 86400 for a day",
    fix: "add it to the time of sending, in seconds since 1970",
    bad: [
      .notification(expiry: 86_400), .enhanced(expiry: 1), .notification(expiry: 360),
      .notification(expiry: 604_800).time(1_384_732_800), .notification(expiry: 20_736_000),
    ],
    good: [.notification(), .notification(expiry: 0), .notification(expiry: 100_000_000)])

  public static let expiryMilliseconds = Rule(
    "expiry-milliseconds", .warning, "the expiry is in milliseconds",
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

  public static let expiryByteSwapped = Rule(
    "expiry-byte-swapped", .warning, "the expiry is in host byte order",
    why: "It is another time: often a past one, so that devices that are offline never get the notification.",
    source: Guide.binaryInterface + ", note: \"All "
      + "data is specified in network order, that is big endian\"",
    fix: "write it big-endian (htonl)",
    bad: [
      .enhanced(expiry: 0x00aa_8a52), .enhanced(expiry: 0xb0a1_2569), .notification(expiry: 0xb4aa_8a52),
      .notification(expiry: 0x3caa_8a52),
      .notification(expiry: 0x78aa_8a52).time(1_384_732_800),
    ],
    good: [
      .notification(), .notification(expiry: 0xf486_5700), .notification(expiry: 5940), .notification(expiry: 86_400),
    ])

  public static let expiryOtherForm = Rule(
    "expiry-other-form", .warning, "the expiry is a time in another form",
    why: "Minutes or days since 1970, seconds since 2001, the digits of a date or a float give another time, mostly a "
      + "past one. A float is found only by a capture's clock. If two readings are likely, both are given.",
    source: guide, fix: "write seconds since 1970 as an integer",
    bad: [
      .enhanced(expiry: 20_131_119), .enhanced(expiry: 20_131_119).time(1_384_732_800),
      .notification(expiry: 23_080_320), .notification(expiry: 16_028), .notification(expiry: 131_119),
      .notification(expiry: 406_512_000), .notification(expiry: 406_512_000).time(1_384_732_800),
      .notification(expiry: 0x4ea5_1554).time(1_384_732_800),
    ],
    good: [
      .notification(), .notification(expiry: 21_600_000), .notification(expiry: 20_131_340),
      .notification(expiry: 0x4ea5_1554),
    ])

  public static let expiryOverflow = Rule(
    "expiry-overflow", .warning, "the expiry is -1",
    why: "The guide knows no negative expiry: these four bytes are a time in 2106, until which the notification may be "
      + "stored.",
    source: guide + "; observed in PushSharp, ApnsNotification.cs, whose DoNotStore writes -1",
    fix: "write 0 for \"do not store\"",
    bad: [.notification(expiry: 0xffff_ffff)],
    good: [
      .notification(), .notification(expiry: 0x7fff_ffff), .notification(expiry: 0x8000_0000),
      .notification(expiry: 2_177_452_800), .notification(expiry: 4_102_444_800),
    ])

  public static let expiryMaximum = Rule(
    "expiry-maximum", .note, "the expiry is the largest signed number",
    why: "The notification may be stored until 2038, which may be meant.",
    source: guide + "; observed in java-apns, whose MAXIMUM_EXPIRY it is",
    fix: "write the time from which on the notification is worth nothing",
    bad: [.notification(expiry: 0x7fff_ffff)], good: [.notification()])

  public static let expiryPast = Rule(
    "expiry-past", .warning, "the notification expired before it was sent",
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
}
