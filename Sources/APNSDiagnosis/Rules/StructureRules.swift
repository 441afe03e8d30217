import APNSWire

/// What the schema alone tells, for every frame type: lengths that lie, bytes that nobody claims, items that are not
/// there, or there twice.
let structureRules = RuleFamily([
  truncated, oversizedFrame, overruledLength, unknownCommand, unknownItem, itemOverrun, wrongItemSize, spareBytes,
  missingItem,
  repeatedItem, newerThanEdition,
]) { facts, bytes, _, report in
  let catalog = facts.catalog
  if facts.isMalformed {
    catalog.forEachDefect(of: facts.frame, in: bytes) { defect in
      report.add(defect, first: bytes[facts.frame.start], ending: facts.ending)
    }
  }
  if facts.hasWrongItems { checkItems(facts, bytes, &report) }
  if facts.edition < .year2013 { checkEdition(facts, bytes, &report) }
}

private let guide = "Local and Push Notification Programming Guide, The binary interface and notification format"

private let truncated = Rule(
  "truncated", .error, "the bytes end inside a frame",
  why: "The service waits for the rest; what the sender writes next is taken for it.",
  source: "lengths as in " + guide,
  fix: "give the whole stream; where it did end here, a length is too large or the sender stopped early",
  bad: [.hex("0808 0000 00", .gateway), .hex("01 00000007 528aaa00 0020 fc13")],
  good: [.errorResponse(status: 8)])

private let oversizedFrame = Rule(
  "oversized-frame", .error, "a frame claims more than any notification has",
  why: "A reader that trusts the length waits for megabytes, or reserves them.",
  source: guide + ", frame length; no edition allows more than 5 items of at most 2048 bytes",
  fix: "fix the frame length: four bytes, big-endian, counting only the items behind it",
  refusals: [.malformed], isAboutItems: true, bad: [.hex("02 4e000000 01 0020 fc13", zeros: 1 << 20)],
  good: [.notification()])

private let overruledLength = Rule(
  "overruled-length", .error, "the next frames begin inside of what a length claims",
  why: "The service believes the length, and takes the frames behind it for a part of this one.",
  source: guide + ", lengths; that the frames behind it are meant is a guess, which --no-recover does not make",
  fix: "write the length of what stands right behind it: in bytes, big-endian", refusals: [.malformed],
  bad: [.hex("00 ffff fc13") + .notification() + .notification()], good: [.notification() + .notification()])

private let unknownCommand = Rule(
  "unknown-command", .error, "a frame starts with a byte that is no command",
  why: "Nothing says where such a frame ends, so the service closes.",
  source: guide + ", command", fix: "look at what stands before: a wrong length shifts everything behind it",
  refusals: [.malformed], bad: [.hex("03 0000")], good: [.legacy()])

private let unknownItem = Rule(
  "unknown-item", .error, "an item has an id that is documented nowhere",
  why: "No edition has items but 1 to 5; such an id is mostly data that a wrong length made an item of.",
  source: guide + ", item id", fix: "leave it out, or fix the length of the item before it",
  refusals: [.malformed], isAboutItems: true, bad: [.hex("02 00000004 09 0001 ff")], good: [.notification(priority: 10)]
)

private let itemOverrun = Rule(
  "item-overrun", .error, "an item claims more bytes than its frame has left",
  why: "The frame length and the item length contradict each other; the service reads neither.",
  source: guide + ", item data length",
  fix: "write the data's real length, and count the whole item in the length around it",
  refusals: [.malformed], isAboutItems: true, bad: [.hex("02 00000005 02 0016 7b7d")], good: [.notification()])

private let wrongItemSize = Rule(
  "wrong-item-size", .error, "a number has another size than the format gives it",
  why: "Identifier and expiry take 4 bytes and priority 1; a library that writes another size has every such "
    + "notification refused.",
  source: guide + ", item table", fix: "write exactly the documented number of bytes, and that length before them",
  refusals: [.malformed], isAboutItems: true, bad: [.hex("02 00000007 05 0004 0000000a")],
  good: [.notification(priority: 10)])

private let spareBytes = Rule(
  "spare-bytes", .error, "bytes of a frame belong to no item",
  why: "The frame length counts bytes that are no items, or the last item is not complete.",
  source: guide + ", frame length", fix: "count only the items in the length, or complete the last one",
  refusals: [.malformed], isAboutItems: true, bad: [.hex("02 00000006 05 0001 0a 0000")],
  good: [.notification(priority: 10)])

private let missingItem = Rule(
  "missing-item", .error, "a frame lacks an item that it must have",
  why: "Without a token there is nobody to deliver to, without a payload nothing to deliver.",
  source:
    "Local and Remote Notification Programming Guide (2017), Binary Provider API: exactly one token and one payload",
  fix: "write one of each: the token as item 1, the payload as item 2",
  refusals: [.status(2), .status(4)], isAboutItems: true, bad: [.hex("02 00000005 02 0002 7b7d"), .hex("02 00000000")],
  good: [.notification()])

private let repeatedItem = Rule(
  "repeated-item", .error, "an item stands twice in one frame",
  why: "Which of the two counts is said nowhere; a frame carries one notification.",
  source: "Local and Remote Notification Programming Guide (2017), Binary Provider API: exactly one of each",
  fix: "write each item once, and each notification as a frame of its own",
  refusals: [.malformed], isAboutItems: true, bad: [.hex("02 00000008 05 0001 0a 05 0001 0a")],
  good: [.notification(priority: 10)])

private let newerThanEdition = Rule(
  "newer-than-edition", .error, "the edition does not have this frame type or item",
  why: "A service or an emulator of that time does not know it.",
  source: "the revision history of Apple's guide",
  fix: "use a format of that edition, or judge by a newer --edition",
  refusals: [.malformed], bad: [.notification().edition(.year2010), .enhanced().edition(.year2009)],
  good: [.notification().edition(.year2013), .enhanced().edition(.year2010), .legacy().edition(.year2009)])

extension Report {
  fileprivate mutating func add(_ defect: DecodeError, first: UInt8, ending: RunEnding) {
    let field = defect.field?.title ?? "header"
    let item = defect.item.map { "item \($0.rawValue)" } ?? "the item"
    let holder = defect.limitedBy == .itemLength ? "item around it" : "frame"
    switch defect.code {
    case .truncated:
      let more = defect.needed - defect.available
      // Only where the stream is over is that the sender's fault.
      add(
        truncated, ending == .over ? .error : .warning, at: defect.range,
        defect.limitedBy == .frameLength
          ? "the \(field) claims \(plural(more, "byte")) more than there \(more == 1 ? "is" : "are")"
          : "the bytes end at the \(field): at least \(more) more \(more == 1 ? "belongs" : "belong") to this frame",
        fix: fix(for: ending))
    case .oversizedFrame:
      add(
        oversizedFrame, at: defect.range, "the frame claims \(defect.needed) bytes, more than any notification has")
    case .overruledLength:
      add(
        overruledLength, at: defect.range,
        "the \(field) claims \(plural(defect.needed, "byte")), but the next frames begin after \(max(defect.available, 0)) "
          + "(a guess)")
    case .unknownCommand where first == 8:
      add(
        unknownCommand, at: defect.range, "0x08 begins an answer of the gateway, and no frame of a provider",
        fix: "if the gateway wrote this stream, read it with --role gateway; else " + unknownCommand.fix)
    case .unknownCommand:
      add(
        unknownCommand, at: defect.range, "no frame starts with \(hex(first))",
        fix: unknownCommand.fix + "; if another side wrote this stream, say so with --role")
    case .unknownItem:
      add(unknownItem, at: defect.range, "\(item) is documented nowhere")
    case .itemOverrun:
      add(
        itemOverrun, at: defect.range,
        "\(item) claims \(plural(defect.needed, "byte")), but the \(holder) has \(defect.available) left")
    case .wrongItemSize:
      add(
        wrongItemSize, at: defect.range,
        "the \(field) has \(plural(defect.available, "byte")) instead of \(defect.needed)",
        fix: "write exactly \(plural(defect.needed, "byte")), and that length before them")
    case .spareBytes:
      add(
        spareBytes, at: defect.range,
        "\(plural(defect.available, "byte")) left over: an item takes at least \(defect.needed)")
    default:
      assertionFailure("a defect without a rule: \(defect.code.rawValue)")
    }
  }
}

private func fix(for ending: RunEnding) -> String {
  switch ending {
  case .over: truncated.fix
  case .gap: "the capture lacks what follows; capture again for the whole frame"
  case .brokenOff: "correct the input first: what follows could not be read"
  }
}

private func checkItems(_ facts: borrowing FrameFacts, _ bytes: Span<UInt8>, _ report: inout Report) {
  let catalog = facts.catalog
  let end = facts.frame.end
  var seen = InlineArray<256, Bool>(repeating: false)
  catalog.forEachField(of: facts.frame, in: bytes) { leaf in
    guard leaf.kind == .itemID, leaf.depth == 1, let item = catalog.item(of: leaf) else { return }
    defer { seen[Int(item.id.rawValue)] = true }
    if seen[Int(item.id.rawValue)] {
      report.add(
        repeatedItem, at: leaf.range,
        "item \(item.id.rawValue) stands a second time: one frame has one \(item.field.name.title)")
    }
  }
  guard facts.frame.condition == .complete, let schema = facts.schema else { return }
  for case .items(let items) in schema.parts.compactMap({ $0.field?.content }) {
    for item in items where item.isRequired && !seen[Int(item.id.rawValue)] {
      report.add(
        missingItem, at: end..<end, refusal: item.field.name == Field.payload.name ? .status(4) : nil,
        "item \(item.id.rawValue) is missing: the frame has no \(item.field.name.title)",
        fix: "write item \(item.id.rawValue), and count it in the length around it")
    }
  }
}

private func checkEdition(_ facts: borrowing FrameFacts, _ bytes: Span<UInt8>, _ report: inout Report) {
  guard let schema = facts.schema, schema.since > facts.edition else { return }
  let name = schema.command.map { "command \($0.rawValue)" } ?? "the \(schema.title.lowercased())"
  report.add(
    newerThanEdition, at: facts.frame.start..<(facts.frame.start + 1),
    "\(name) is documented from \(schema.since.rawValue) on, not in the edition of \(facts.edition.rawValue)")
}
