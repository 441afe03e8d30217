import APNSWire

/// Rules about whether an error response could name a notification by its identifier.
let identifierRules = RuleFamily(
  [.identifierMissing, .identifierZero, .identifierRepeated, .identifierByteSwapped], dependsOn: .form
) { facts, bytes, report in
  guard facts.isNotification, facts.isSent else { return }
  guard let leaf = facts.identifier else {
    // An unreadable item could be the identifier. The first edition has no error responses.
    guard !facts.isMalformed, facts.edition >= ErrorResponse.schema.since,
      let item = facts.schema?.items.first(where: { $0.field.role == .identifier })
    else { return }
    let end = facts.frame.end
    let id = item.id.rawValue
    return report.add(
      .identifierMissing, at: end..<end, "the notification has no identifier: there is no item \(id)",
      fix: "write item \(id), four bytes that differ from one notification to the next")
  }
  guard leaf.count == 4 else { return }
  let sighting = facts.sighting
  let value = leaf.integer(in: bytes) ?? 0
  if sighting.framesAgo > 0 {
    // From its second frame on, a constant 0 is reported as repeated.
    let ago = sighting.framesAgo
    report.add(
      .identifierRepeated, at: leaf.range,
      "identifier \(value) was sent before, " + (ago == 1 ? "in the preceding frame" : "\(ago) frames ago"))
  } else if value == 0 {
    report.add(.identifierZero, at: leaf.range, "the identifier is 0")
  }
  if sighting.byteOrder != .network {
    let swapped = UInt32(truncatingIfNeeded: value).byteSwapped
    report.add(
      .identifierByteSwapped, sighting.byteOrder == .asInListing ? .note : nil, at: leaf.range,
      "identifier \(value) is \(swapped) with its lowest byte first",
      fix: "write the most significant byte first (htonl): \(wireBytes(Int(swapped), width: 4))")
  }
}

private let guide =
  Guide.binaryInterface + ", item 3: \"An arbitrary, opaque value that identifies this notification. This identifier "
  + "is used for reporting errors to your server\""

extension Rule {
  package static let identifierMissing = Rule(
    "identifier-missing", .note, "a notification has no identifier",
    why: "No error response can name it, so the provider cannot know what to send again.",
    source: guide + "; " + Guide.binaryInterface2017 + ", item 3: it should be included",
    fix: "write item 3, and count up in it",
    bad: [.notification(identifier: nil)], good: [.notification(), .enhanced(), .legacy()])

  package static let identifierZero = Rule(
    "identifier-zero", .note, "the identifier is 0",
    why: "An error response may say 0 also when the service did not read as far as the identifier.",
    source: guide
      + "; observed in node-apn (issue 149): status 2 with identifier 0 for a notification with another one",
    fix: "count from 1",
    bad: [.notification(identifier: 0), .enhanced(identifier: 0)], good: [.notification(), .errorResponse(status: 8)])

  // If all open streams need more than 16 MiB for their identifiers, a stream that needs more forgets older ones.
  package static let identifierRepeated = Rule(
    "identifier-repeated", .warning, "two notifications of a connection have the same identifier",
    why: "An error response names both, so the provider sends the wrong ones again, or none. Compared with the last "
      + "\(IdentifierHistory.window) frames, or with fewer if hundreds of long streams are open together.",
    source: guide + "; observed in Apple's listing, which always sends 1234, and in its copies",
    fix: "count up with each notification of a connection",
    bad: [
      .notification(identifier: 8) + .notification(identifier: 8),
      .enhanced(identifier: 0) + .enhanced(identifier: 1) + .notification(identifier: 0),
    ],
    good: [
      .notification(identifier: 7) + .notification(identifier: 8),
      .errorResponse(status: 8, identifier: 7) + .errorResponse(status: 8, identifier: 7),
    ])

  package static let identifierByteSwapped = Rule(
    "identifier-byte-swapped", .warning, "an identifier is written with its lowest byte first",
    why:
      "The service only copies them, so the same machine reads its own value again; other tools read another number. "
      + "Alone, the identifier 1234 of Apple's sample code gets a note.",
    source: guide + "; observed in Apple's Listing A-2, which copies the identifier as it is in memory",
    fix: "write the most significant byte first (htonl)",
    bad: [
      .enhanced(identifier: 0xd204_0000), .enhanced(identifier: 0x0100_0000),
      .enhanced(identifier: 0x0a01_0000) + .enhanced(identifier: 0x0b01_0000),
    ],
    good: [
      .enhanced(identifier: 1234), .enhanced(identifier: 0x0a01_0000),
      .enhanced(identifier: 0x00ff_ffff) + .enhanced(identifier: 0x0100_0000),
      .enhanced(identifier: 0x0001_0000) + .enhanced(identifier: 0x0002_0000),
      .enhanced(identifier: 255) + .enhanced(identifier: 256) + .enhanced(identifier: 257),
    ])
}
