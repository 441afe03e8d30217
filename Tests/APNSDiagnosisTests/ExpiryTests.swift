import APNSDiagnosis
import APNSWire
import Octets
import Testing

/// What an expiry reads as, and what was meant.
@Suite struct ExpiryTests {
  private static let sent = 1_384_732_800
  private static func low(_ milliseconds: Int) -> Int { milliseconds & 0xffff_ffff }

  /// Expiry, when it was sent, what is said.
  static let rows: [(Int, Int?, String?)] = [
    (0, nil, "expiry-zero"), (1, nil, "expiry-relative"), (86_400, sent, "expiry-relative"),
    (99_999_999, nil, "expiry-relative"), (100_000_000, nil, "expiry-past"), (100_000_000, sent, "expiry-past"),
    (1_235_865_599, nil, "expiry-past"), (1_235_865_600, nil, nil),
    (sent - 1, sent, "expiry-past"), (sent, sent, nil), (sent + 86_400, sent, nil), (sent - 1, nil, nil),
    (1_893_456_000, sent, nil), (0x7fff_fffe, nil, nil), (0x7fff_ffff, nil, "expiry-maximum"),
    (0x7fff_ffff, sent, "expiry-maximum"), (0x8000_0000, nil, nil), (2_177_452_800, nil, nil),
    (4_102_444_800, sent, nil), (0xffff_fffe, nil, nil),
    (0xffff_ffff, sent, "expiry-overflow"),
    // Milliseconds, cut to 32 bits: sent in the middle of a second, to be kept an hour, a day, 30 days.
    (low(sent * 1000 + 437 + 3_600_000), sent, "expiry-milliseconds"),
    (low(sent * 1000 + 999 + 86_400_000), sent, "expiry-milliseconds"),
    (low(sent * 1000 + 30 * 86_400_000), sent, "expiry-milliseconds"), (low(sent * 1000), sent, "expiry-milliseconds"),
    // The lifetime added in seconds.
    (low(sent * 1000 + 3600), sent, "expiry-milliseconds"),
    // Their high half; a lifetime of six minutes is none.
    (0x142, nil, "expiry-milliseconds"), (0x142, sent, "expiry-milliseconds"), (360, nil, "expiry-relative"),
    (0x150, sent, "expiry-relative"),
    // Host order: without a capture's time only what cannot be meant as it is.
    (0x00aa_8a52, nil, "expiry-byte-swapped"), (0x3caa_8a52, nil, "expiry-byte-swapped"),
    (0x78aa_8a52, nil, nil), (0x78aa_8a52, sent, "expiry-byte-swapped"), (0xb4aa_8a52, nil, "expiry-byte-swapped"),
    (0x0000_8a52, nil, "expiry-relative"), (60 * 102_412, nil, "expiry-relative"),
    // The digits of a date, minutes, seconds since 2001, a float.
    (20_131_119, nil, "expiry-other-form"), (20_131_119, sent, "expiry-other-form"),
    (20_131_340, nil, "expiry-relative"), (20_121_119, sent, "expiry-relative"),
    (23_080_320, nil, "expiry-other-form"), (23_080_320, sent, "expiry-other-form"),
    (240 * 86_400, nil, "expiry-relative"), (300 * 86_400, nil, "expiry-relative"),
    (406_512_000, nil, "expiry-other-form"), (406_512_000, sent, "expiry-other-form"),
    (1_000_000_000, nil, "expiry-past"), (406_512_000 - 86_400 * 60, sent, "expiry-past"),
    (0x4ea5_1554, nil, nil), (0x4ea5_1554, sent, "expiry-other-form"),
    // A capture without a clock knows nothing.
    (sent + 86_400, 0, nil), (sent, 5_000_000_000, nil), (sent, .max, nil), (sent, .min, nil),
  ]

  @Test(arguments: rows) func isRead(_ expiry: Int, _ sent: Int?, _ rule: String?) {
    for bytes in [enhanced(7, expiry), notification(7, expiry)] {
      let found = findings(in: bytes, time: sent)
      #expect(found.map(\.rule) == (rule.map { [$0] } ?? []))
      #expect(found.allSatisfy { $0.severity < .error && $0.answer == nil })
    }
  }

  @Test func whatWasMeantIsSaid() {
    let relative = findings(in: enhanced(7, 604_800), time: Self.sent)[0]
    #expect(relative.message.contains("7 days") && relative.fix.contains("\(Self.sent + 604_800)"))
    let milliseconds = findings(in: enhanced(7, Self.low(Self.sent * 1000 + 86_400_000)), time: Self.sent)[0]
    #expect(milliseconds.fix.contains("\(Self.sent + 86_400)"))
    // 30 days * 1000 does not fit in 32 signed bits.
    let overflown = Self.sent + Int(Int32(truncatingIfNeeded: 30 * 86_400 * 1000)) / 1000
    let past = findings(in: enhanced(7, overflown), time: Self.sent)[0]
    #expect(past.message.contains("30 days") && past.fix.contains("\(Self.sent + 30 * 86_400)"))
    for value in [20_131_119, 23_080_320, 406_512_000] {
      for time in [nil, Self.sent] {
        #expect(findings(in: enhanced(7, value), time: time)[0].fix.contains("1384819200"), "\(value)")
      }
    }
    #expect(findings(in: enhanced(7, 0xb4aa_8a52))[0].fix.hasSuffix("52 8a aa b4"))
    #expect(findings(in: enhanced(7, 0x4ea5_1554), time: Self.sent)[0].fix.hasSuffix("52 8a aa 00"))
    #expect(!findings(in: enhanced(7, Self.sent - 100_000), time: Self.sent)[0].message.contains("milliseconds"))
  }

  /// How senders write a time, and which reading must come first.
  static let notations: [(rule: String, reading: String, write: @Sendable (Int) -> Int)] = [
    ("expiry-byte-swapped", "byte-swapped it is", { Int(UInt32($0).byteSwapped) }),
    ("expiry-other-form", "in seconds since 2001 it is", { $0 - 978_307_200 }),
    ("expiry-other-form", "in minutes since 1970 it is", { $0 / 60 }),
    ("expiry-other-form", "in days since 1970 it is", { $0 / 86_400 }),
    ("expiry-other-form", "its digits are the date", { Int(digits($0, 0..<10)) ?? 0 }),
    ("expiry-other-form", "its digits are the date", { Int(digits($0, 2..<10)) ?? 0 }),
    ("expiry-other-form", "its digits are the date", { Int(digits($0, 2..<16)) ?? 0 }),
    ("expiry-other-form", "as a float it is", { Int(Float($0).bitPattern) }),
    ("expiry-milliseconds", "in milliseconds it is the low half of", { low($0 * 1000) }),
    ("expiry-milliseconds", "it is the high half of a time in milliseconds", { ($0 * 1000) >> 32 }),
  ]

  private static func digits(_ time: Int, _ range: Range<Int>) -> String {
    String(
      decoding: Array(UTC.text(time).utf8)[range].filter { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }, as: UTF8.self)
  }

  /// In a capture, all years are read alike. Without one, a number that could be a date itself is no fault, and the low
  /// half of milliseconds can be any time.
  @Test(arguments: notations.indices, 2009...2030) func everyYearIsRead(_ notation: Int, _ year: Int) throws {
    let (rule, reading, write) = Self.notations[notation]
    for (time, second) in [(nil, 0), (-86_400, 0), (-86_400, 45_296)] as [(Int?, Int)] {
      let meant = try #require(UTC.seconds(year, 7, 21, second / 3600, second / 60 % 60, second % 60))
      let (value, sent) = (write(meant), time.map { meant + $0 })
      guard sent != nil || !reading.contains("low half") else { continue }
      let found = findings(in: enhanced(7, value), time: sent)
      if sent.map({ $0...($0 + 400 * 86_400) ~= value }) ?? (1_235_865_600..<0x7fff_ffff ~= value) {
        #expect(found == [])
        continue
      }
      let date = found[0].message.contains("digits") || reading.contains("days") ? 10 : 16
      let text = reading.contains("high") ? reading : "\(reading) \(UTC.text(meant).prefix(date))"
      let isFloat = reading.contains("float")
      #expect(found.map(\.rule) == [rule], "\(value) \(sent ?? 0)")
      #expect(found[0].message.contains("UTC; \(isFloat ? reading : text)"), "\(found[0].message), not \(text)")
    }
  }

  @Test(arguments: [
    (3_600_000, "41 days 16 hours, not"), (86_400_000, "1000 days or, in milliseconds, of 1 day, not"),
  ]) func aLongLifetimeMayBeInMilliseconds(_ value: Int, _ words: String) {
    let found = findings(in: enhanced(7, value))
    #expect(found.count == 1 && found[0].message.contains("a lifetime of \(words) a time"), "\(found.map(\.message))")
  }

  /// Little-endian, or in minutes; in the middle of a second, nothing shows which. Another frame's expiry does.
  @Test func theNearestReadingComesFirst() throws {
    let value = Int(UInt32(1_609_459_201).byteSwapped)
    func readings(_ other: Int?) throws -> [Substring] {
      let found = findings(in: (other.map { enhanced(6, $0) } ?? []) + enhanced(7, value), recovers: false)
      let message = try #require(found.first?.message)
      return Array(message.split(separator: "; ").dropFirst())
    }
    let (swapped, minutes) = (
      "byte-swapped it is 2021-01-01 00:00:01 UTC", "in minutes since 1970 it is 2014-09-22 08:31:00 UTC"
    )
    #expect(try readings(nil) == [swapped[...], "or \(minutes)"])
    #expect(try readings(1_609_459_201 + 3600) == [swapped[...]])
    #expect(try readings(1_411_374_660 + 3600) == [minutes[...]])
  }

  @Test func eightBytesAreMilliseconds() {
    let milliseconds = bigEndian((Self.sent + 86_400) * 1000, 8)
    for (data, expected) in [(milliseconds, true), ([0, 0, 0, 0] + bigEndian(Self.sent, 4), false)] {
      let items = [1] + counted(goodToken) + [2] + counted(goodPayload) + [3, 0, 4, 0, 0, 0, 7, 4] + counted(data)
      let found = findings(in: [2] + bigEndian(items.count, 4) + items)
      #expect(found.map(\.rule) == ["wrong-item-size"])
      #expect(found[0].message.contains("milliseconds") == expected)
    }
  }

  /// Every lifetime up to a year is good at any time of service.
  @Test func timesToComeAreGood() {
    for sent in stride(from: 1_235_865_600, through: 1_924_992_000, by: 9_999_991) {
      var stream = JudgedStream(time: sent)
      #expect(findings(in: enhanced(1, sent)) == [])
      for (index, lifetime) in stride(from: 0, through: 365 * 86_400, by: 86_399).enumerated() {
        stream.append(enhanced(index + 1, sent + lifetime))
      }
      #expect(stream.finish() == [])
    }
  }
}
