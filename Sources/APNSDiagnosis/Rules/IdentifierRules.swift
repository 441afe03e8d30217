import APNSWire

/// Whether an error response could name a notification by its identifier.
let identifierRules = RuleFamily([
  identifierMissing, identifierZero, identifierRepeated, identifierByteSwapped,
]) { facts, bytes, _, report in
  guard facts.isNotification, facts.isSent else { return }
  guard let leaf = facts.identifier else {
    // Where an item cannot be read, it may be the one; and the first edition has no error responses.
    guard !facts.isMalformed, facts.edition >= ErrorResponse.schema.since else { return }
    report.addMissing(facts)
    return
  }
  guard leaf.count == 4 else { return }
  let sighting = facts.sighting
  if sighting.framesAgo > 0 {
    // A constant 0 is one of these from its second frame on.
    let value = leaf.integer(in: bytes) ?? 0
    let ago = sighting.framesAgo
    report.add(
      identifierRepeated, at: leaf.range,
      "the identifier \(value) was sent before, \(ago == 1 ? "in the frame before this" : "\(ago) frames ago")")
  } else if leaf.integer(in: bytes) == 0 {
    report.add(identifierZero, at: leaf.range, "the identifier is 0")
  }
  if sighting.isByteSwapped {
    let value = UInt32(truncatingIfNeeded: leaf.integer(in: bytes) ?? 0)
    report.add(
      identifierByteSwapped, at: leaf.range,
      "the identifier \(value) is \(value.byteSwapped) with its lowest byte first; that is said once for a stream")
  }
}

extension Report {
  fileprivate mutating func addMissing(_ facts: borrowing FrameFacts) {
    let end = facts.frame.end
    guard let schema = facts.schema else { return }
    for case .items(let items)? in schema.parts.map({ $0.field?.content }) {
      guard let item = items.first(where: { $0.field.name == Field.identifier.name }) else { continue }
      add(
        identifierMissing, at: end..<end,
        "the notification has no identifier: there is no item \(item.id.rawValue)",
        fix: "write item \(item.id.rawValue), four bytes that differ from one notification to the next")
      return
    }
    let name = schema.command.map { "command \($0.rawValue)" } ?? schema.name
    add(
      identifierMissing, at: facts.frame.start..<(facts.frame.start + 1),
      "\(name) has no identifier: a bad notification only closes the connection")
  }
}

private let guide = "Local and Push Notification Programming Guide, identifier"

let identifierMissing = Rule(
  "identifier-missing", .note, "a notification has no identifier",
  why: "No error response can name it, so the provider cannot tell what to send again.",
  source: "Local and Remote Notification Programming Guide (2017), Binary Provider API, item 3: should be included",
  fix: "use command 2, or 1, and count up in the identifier",
  bad: [.notification(identifier: nil), .legacy()],
  good: [.notification(), .enhanced(), .legacy().edition(.year2009)])

private let identifierZero = Rule(
  "identifier-zero", .note, "the identifier is 0",
  why: "An error response says 0, too, where the service did not read as far as the identifier.",
  source: guide + "; error responses as libraries reported them", fix: "count from 1",
  bad: [.notification(identifier: 0), .enhanced(identifier: 0)], good: [.notification(), .errorResponse(status: 8)])

// Exact as far back as 65,536 frames of a stream. Should the streams that are open together need more than 16 MiB for
// their identifiers, the one that asks forgets the older half of its own.
private let identifierRepeated = Rule(
  "identifier-repeated", .warning, "two notifications of a connection have one identifier",
  why: "An error response names both, so the provider sends the wrong ones again, or none. Looked for as far back as "
    + "65536 frames; less far where many long streams of unordered identifiers are open together.",
  source: guide + "; Apple's listing, which sends 1234 always, and its copies",
  fix: "count up with each notification of a connection",
  bad: [
    .notification(identifier: 7) + .notification(identifier: 7),
    .enhanced(identifier: 0) + .enhanced(identifier: 1) + .notification(identifier: 0),
  ],
  good: [
    .notification(identifier: 7) + .notification(identifier: 8),
    .errorResponse(status: 8, identifier: 7) + .errorResponse(status: 8, identifier: 7),
  ])

private let identifierByteSwapped = Rule(
  "identifier-byte-swapped", .note, "identifiers are written with their lowest byte first",
  why: "The service only copies them, so that the same machine reads its own again; others read other numbers.",
  source: "Apple's listing, which copies the identifier as it lies in memory",
  fix: "write it big-endian, as all other numbers, or compare bytes and not numbers",
  bad: [
    .enhanced(identifier: 0xd204_0000),
    .enhanced(identifier: 0xff00_0000) + .enhanced(identifier: 0x0001_0000) + .enhanced(identifier: 0x0101_0000),
  ],
  good: [
    .enhanced(identifier: 1234),
    .enhanced(identifier: 0x0100_0000) + .enhanced(identifier: 0x0200_0000) + .enhanced(identifier: 0x0400_0000),
    .enhanced(identifier: 255) + .enhanced(identifier: 256) + .enhanced(identifier: 257),
  ])
