import APNSWire
import Octets

/// What the number of an expiry may mean in place of seconds since 1970: one table for the rules and for explaining.
struct DateMeaning: Sendable {
  var words = ""
  /// The bits that explaining pays for it, once a stream.
  var price = 0
  /// How many units make a second, or how many seconds a unit has.
  var unitsPerSecond = 1
  var secondsPerUnit = 1
  /// When it begins to count, in seconds since 1970.
  var start = 0

  /// The rule that reports it in an expiry of four bytes.
  var rule = Rule.expiryOtherForm
  /// The bits that the name of a unit takes: the more, the rarer it is. Nil if four bytes cannot hold it.
  var bits: Int?
  /// Reads the number; nil for a unit.
  var decode: (@Sendable (Expiry) -> Reading?)?
  /// The end of a sentence; nil for one made of the words and the time.
  var sentence: (@Sendable (Expiry, _ time: Int) -> String)?

  /// The intended time, if it is known, and the length in bits of the shortest description of the number.
  typealias Reading = (time: Int?, bits: Int)

  /// The seconds since 1970, UTC.
  func seconds(_ number: Int) -> Int {
    let (seconds, overflows) = number.multipliedReportingOverflow(by: secondsPerUnit)
    return overflows ? .max : seconds / unitsPerSecond &+ start
  }

  /// The number that means these seconds; nil if there is none.
  func number(_ seconds: Int) -> Int? {
    let number = (seconds - start) * unitsPerSecond / secondsPerUnit
    return number > 0 && self.seconds(number) == seconds ? number : nil
  }

  fileprivate func read(_ expiry: Expiry) -> Reading? {
    if let decode { return decode(expiry) }
    return bits.flatMap { expiry.reading(seconds(expiry.value), $0) }
  }

  func text(_ expiry: Expiry, _ time: Int?) -> String {
    sentence?(expiry, time ?? 0) ?? "\(words) it is \(UTC.text(time ?? 0)) UTC"
  }

  /// The meanings that explaining reads: units, which need nothing but the number. Milliseconds are the most common; to
  /// explaining, each takes about as much as any deviation.
  static let all = [
    DateMeaning(words: "in milliseconds since 1970", price: 8, unitsPerSecond: 1000),
    DateMeaning(words: "in microseconds since 1970", price: 9, unitsPerSecond: 1_000_000),
    DateMeaning(words: "in nanoseconds since 1970", price: 9, unitsPerSecond: 1_000_000_000),
    DateMeaning(
      words: "in ticks of .NET since the year 1", price: 9, unitsPerSecond: 10_000_000, start: -62_135_596_800),
    DateMeaning(
      words: "as a file time of Windows, since 1601", price: 10, unitsPerSecond: 10_000_000, start: -11_644_473_600),
    DateMeaning(words: "in minutes since 1970", price: 9, secondsPerUnit: 60, bits: 12),
    DateMeaning(words: "in seconds since 2001", price: 9, start: 978_307_200, bits: 6),
    DateMeaning(words: "in seconds since 1900", price: 13, start: -2_208_988_800),
  ]

  static let milliseconds = 0

  private static let swapped = DateMeaning(
    words: "byte-swapped", rule: .expiryByteSwapped,
    decode: { $0.reading(Int(UInt32(truncatingIfNeeded: $0.value).byteSwapped), 4) })

  /// The meanings that the rules read. Of several readings of one length, the first is named first.
  fileprivate static let table =
    [swapped] + all + [
      DateMeaning(words: "in days since 1970", secondsPerUnit: Expiry.day, bits: 12),
      DateMeaning(decode: { $0.reading($0.date, 10) }, sentence: { "its digits are the date \(UTC.text($1)) UTC" }),
      DateMeaning(
        // A float of this size is a multiple of 128, which saves seven bits.
        words: "as a float",
        decode: { $0.reading(Int(exactly: Float(bitPattern: UInt32(truncatingIfNeeded: $0.value))), 8 - 7) }),
      DateMeaning(
        // The fraction of the second is ten more bits.
        rule: .expiryMilliseconds, decode: { $0.reading($0.lowHalf, 6 + 10) },
        sentence: { "in milliseconds it is the low half of \(UTC.text($1)) UTC" }),
      DateMeaning(
        rule: .expiryMilliseconds, decode: { $0.highHalf },
        sentence: { _, _ in "it is the high half of a time in milliseconds" }),
      DateMeaning(
        rule: .expiryRelative, decode: { $0.lifetime },
        sentence: { expiry, _ in "it is a lifetime of \(expiry.lifetimeInWords), not a time" }),
      DateMeaning(
        rule: .expiryPast, decode: { $0.reading($0.overflowed, 8) },
        sentence: { "it is a lifetime of \(duration($1 - ($0.sent ?? 0))), whose milliseconds exceed 32 bits" }),
    ]
}

/// An expiry, and what to compare it with, all in seconds since 1970.
struct Expiry {
  let value: Int
  /// The time of sending, if a capture shows it.
  let sent: Int?
  /// The time of sending, or else an ordinary expiry of another frame.
  private let reference: Int?

  init(_ value: Int, sent: Int?, other: Int? = nil) {
    self.value = value
    self.sent = sent.flatMap(Times.clock)
    reference = self.sent ?? other
  }

  static let day = 86_400

  /// Whether it is a value that most senders would write. This does not depend on other frames, so that a judgement can
  /// be remembered.
  var isOrdinary: Bool {
    guard Evidence.dates.contains(value) else { return false }
    return sent.map { value >= $0 && value - $0 <= 400 * Self.day } ?? true
  }

  /// Whether a sender could intend this time: it is near the time of sending, or plausible if that is not known.
  fileprivate func isMeant(_ time: Int) -> Bool {
    guard let sent else { return Evidence.dates.contains(time) }
    return (sent - 30 * Self.day...sent + 400 * Self.day).contains(time)
  }
}

extension Expiry {
  /// The shortest readings that are shorter than the number as it is: one, and another one that is almost as short.
  var readings: [(meaning: DateMeaning, reading: DateMeaning.Reading)] {
    // The first digits of a number in text, or of a date, perhaps in quotes.
    guard !Evidence.areDigits(value, atLeast: 3) else { return [] }
    let found = DateMeaning.table.compactMap { meaning in
      meaning.read(self).flatMap { $0.bits < bitsAsWritten ? (meaning: meaning, reading: $0) : nil }
    }.sorted { $0.reading.bits < $1.reading.bits }
    return found.prefix(2).filter { $0.reading.bits <= found[0].reading.bits + 4 }
  }

  /// The length of the number's description as seconds since 1970. It is long for times that no sender intends.
  private var bitsAsWritten: Int {
    if value < Catalog.serviceBegan { return .max }
    if value > Times.maximum { return 20 + bits(value, from: reference ?? Evidence.dates.upperBound) }
    let bits = bits(value, from: sent ?? value)
    // Frames are also sent again years later.
    return value < sent ?? value ? 8 + min(bits, 22) : bits
  }

  /// The intended time, and the bits of a name and of the time's distance from the reference; nil if no sender means
  /// it. Without a reference, any plausible time is as likely as any other.
  fileprivate func reading(_ time: Int?, _ name: Int) -> DateMeaning.Reading? {
    guard let time, isMeant(time) else { return nil }
    return (time, name + bits(time, from: reference ?? time - Evidence.dates.count))
  }

  /// The length of a time's distance from another one, counted in the largest unit of which the time or the distance is
  /// a multiple: round times are rarely chance.
  private func bits(_ time: Int, from other: Int) -> Int {
    let distance = abs(time - other)
    let unit = [Self.day, 3600, 60].first { time % $0 == 0 || reference != nil && distance % $0 == 0 } ?? 1
    return Self.bits(distance / unit)
  }

  private static func bits(_ number: Int) -> Int { Int.bitWidth - number.leadingZeroBitCount }

  /// As a lifetime. Most are whole minutes, and those of more than three months are whole days.
  fileprivate var lifetime: DateMeaning.Reading? {
    guard value < Times.firstAbsolute else { return nil }
    let units = [(Self.day, 0), (3600, 0), (60, 2), (30, 6), (1, 12)]
    guard let (unit, bits) = units.first(where: { value % $0.0 == 0 }) else { return nil }
    let isLong = value > Times.longestLifetime && unit < Self.day
    return (sent.map { $0 + value }, 4 + bits + (isLong ? 8 : 0) + Self.bits(value / unit))
  }

  fileprivate var lifetimeInWords: String {
    let mayBeMilliseconds = value > Times.longestLifetime && value % 60_000 == 0
    return duration(value) + (mayBeMilliseconds ? " or, in milliseconds, of \(duration(value / 1000))" : "")
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
  fileprivate var highHalf: DateMeaning.Reading? {
    let unit = (1 << 32) / 1000
    let start = value << 32 / 1000
    guard value < 1000, isMeant(max(start, sent ?? start)), abs(start - (sent ?? start)) <= unit else { return nil }
    return (nil, 8 + Self.bits(abs(start - (reference ?? start - Evidence.dates.count)) / unit))
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

package enum Times {
  /// From the start of the service until 2106, when 32 bits overflow.
  static let served = Catalog.serviceBegan...Int(UInt32.max)
  /// The time of capture; nil for captures without a clock, which have other times.
  static func clock(_ time: Int) -> Int? { served.contains(time) ? time : nil }
  static let beforeService = "before the service began in \(UTC.text(Catalog.serviceBegan).prefix(4))"
  /// Values that must be milliseconds since 1970 if they appear in place of seconds: from 1973 until their seconds
  /// exceed 32 bits. Read as seconds, the lowest of them is in the year 5138.
  package static let milliseconds: ClosedRange<UInt64> = 100_000_000_000...(UInt64(UInt32.max) * 1000 + 999)
  /// Smaller values are lifetimes: no notification expires in 1973.
  static let firstAbsolute = 100_000_000
  /// No sender writes a lifetime of more than about three months. A larger number has another fault.
  static let longestLifetime = 10_000_000
  static let maximum = 0x7fff_ffff
  /// From the start of the service until a time_t of four bytes overflows, in seconds since 1970.
  static let ofFeedback = Catalog.serviceBegan...maximum
}
