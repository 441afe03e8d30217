import APNSWire
import Octets

/// Rules about whether an expiry is the intended time. Its 32 bits can hold any number, and the service refuses none.
let expiryRules = RuleFamily(
  [
    .expiryZero, .expiryRelative, .expiryMilliseconds, .expiryByteSwapped, .expiryOtherForm, .expiryOverflow,
    .expiryMaximum, .expiryPast,
  ], dependsOn: .form
) { facts, bytes, report in
  if facts.isMalformed { checkWideValues(facts, bytes, &report) }
  guard let leaf = facts.expiry, leaf.count == 4, let number = leaf.integer(in: bytes) else { return }
  let expiry = Expiry(Int(number), sent: facts.time, other: facts.otherExpiry)
  if expiry.isOrdinary { return }
  let (value, sent, range) = (expiry.value, expiry.sent, leaf.range)
  let read = "expiry \(value) is \(UTC.text(value)) UTC"
  switch value {
  case 0: report.add(.expiryZero, at: range, "expiry is 0: the service does not store the notification")
  case 0xffff_ffff: report.add(.expiryOverflow, at: range, "\(read); as a signed number it is -1")
  case Times.maximum: report.add(.expiryMaximum, at: range, "\(read), the largest signed number of 32 bits")
  default:
    let readings = expiry.readings
    if let (meaning, reading) = readings.first {
      let texts = readings.map { $0.meaning.text(expiry, $0.reading.time) }
      report.add(
        meaning.rule, at: range, "\(read); \(texts.joined(separator: "; or "))",
        fix: reading.time.map { "write \($0), in seconds since 1970: \(wireBytes($0, width: 4))" })
    } else if let sent, value < sent {
      report.add(
        .expiryPast, at: range, "the notification had expired \(duration(sent - value)) before it was sent: \(read)")
    } else if value < Catalog.serviceBegan {
      report.add(
        .expiryPast, at: range, "\(read), \(Times.beforeService)", fix: "write a later time, in seconds since 1970")
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
    guard Times.milliseconds.contains(value) else { return }
    report.add(
      .expiryMilliseconds, at: leaf.range,
      "expiry \(value) is \(UTC.text(Int(value / 1000))) UTC in milliseconds, in eight bytes",
      fix: "divide by 1000: write \(value / 1000) in four bytes")
  }
}

private let guide =
  Guide.binaryInterface + ", item 4: \"A UNIX epoch date expressed in seconds (UTC)\""

extension Rule {
  package static let expiryZero = Rule(
    "expiry-zero", .note, "the expiry asks for no storing",
    why: "A device that is offline never gets the notification. Many libraries write 0 if no expiry is given.",
    source: guide + "; \"Specify zero to indicate that the notification expires immediately and that APNs should not "
      + "store the notification at all\"",
    fix: "write a time if the notification should wait for the device",
    bad: [.notification(expiry: 0), .enhanced(expiry: 0)], good: [.notification(), .notification(expiry: nil)])

  package static let expiryRelative = Rule(
    "expiry-relative", .warning, "the expiry is a lifetime, not a time",
    why: "It is a day in the 1970s, so the notification has expired: devices that are offline never get it.",
    source: guide + "; observed in rpush (issues 206 and 416) and apns4ex (issue 33), which wrote 86400 for a day",
    fix: "add it to the time of sending, in seconds since 1970",
    bad: [
      .notification(expiry: 86_400), .enhanced(expiry: 1), .notification(expiry: 360),
      .notification(expiry: 604_800).time(1_384_732_800), .notification(expiry: 20_736_000),
    ], good: [.notification(), .notification(expiry: 0), .notification(expiry: 100_000_000)])

  package static let expiryMilliseconds = Rule(
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

  package static let expiryByteSwapped = Rule(
    "expiry-byte-swapped", .warning, "the expiry is in host byte order",
    why: "It is another time: often a past one, so that devices that are offline never get the notification.",
    source: Guide.binaryInterface + ", note: \"All data is specified in network order, that is big endian\"",
    fix: "write it big-endian (htonl)",
    bad: [
      .enhanced(expiry: 0x00aa_8a52), .enhanced(expiry: 0xb0a1_2569), .notification(expiry: 0xb4aa_8a52),
      .notification(expiry: 0x3caa_8a52), .notification(expiry: 0x78aa_8a52).time(1_384_732_800),
    ],
    good: [
      .notification(), .notification(expiry: 0xf486_5700), .notification(expiry: 5940), .notification(expiry: 86_400),
    ])

  package static let expiryOtherForm = Rule(
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

  package static let expiryOverflow = Rule(
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

  package static let expiryMaximum = Rule(
    "expiry-maximum", .note, "the expiry is the largest signed number",
    why: "The notification may be stored until 2038, which may be meant.",
    source: guide + "; observed in java-apns, whose MAXIMUM_EXPIRY it is",
    fix: "write the time from which on the notification is worth nothing",
    bad: [.notification(expiry: 0x7fff_ffff)])

  package static let expiryPast = Rule(
    "expiry-past", .warning, "the notification expired before it was sent",
    why: "The service may discard it: devices that are offline never get it.",
    source: guide + " \"that identifies when the notification is no longer valid and can be discarded\"; the time of "
      + "sending is the capture's. Document Revision History: the guide began on 2009-03-15",
    fix: "write a later expiry; if the sender is right, the capture's clock is wrong",
    bad: [
      .notification(expiry: 1_384_732_799).time(1_384_732_800), .notification(expiry: 1_000_000_000),
      .notification(expiry: 100_000_000),
    ], good: [.notification(expiry: 1_384_732_800).time(1_384_732_800), .notification().time(1), .notification()])
}
