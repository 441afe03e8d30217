import APNSPayload
import APNSWire
import Octets

/// Rules that follow from the schema alone, for every frame type: invalid lengths, bytes that belong to no field, and
/// items that are missing or repeated.
let structureRules = RuleFamily(
  [
    .truncated, .oversizedFrame, .overruledLength, .unknownCommand, .unknownItem, .itemOverrun, .wrongItemSize,
    .spareBytes, .missingItem, .repeatedItem, .newerThanEdition,
  ], dependsOn: .form
) { facts, bytes, report in
  let catalog = facts.catalog
  if facts.isMalformed {
    catalog.forEachDefect(of: facts.frame, in: bytes) { report.add($0, facts, bytes) }
  }
  for (fault, item, range) in facts.itemFaults { report.add(fault, catalog.items[item], at: range) }
  if facts.isNewer, let schema = facts.schema {
    let name = schema.command.map { "command \($0.rawValue)" } ?? "the \(schema.title.lowercased())"
    report.add(.newerThanEdition, name, since: schema.since.rawValue, at: facts.frame.range.prefix(1))
  }
}

extension Rule {
  package static let truncated = Rule(
    "truncated", .error, "the stream ends inside a frame",
    why: "The gateway waits for the rest. Whatever the sender writes next is read as part of this frame.",
    source: "follows from the lengths, as in " + Guide.binaryInterface,
    fix: "give the rest of the stream; if it ended here, the sender stopped early or a length is too large",
    bad: [
      .hex("0808 0000 00", .gateway), .hex("01 00000007 528aaa00 0020 fc13"), .hex("02 007d0100 20 fc13adff785122b4"),
      .hex("00 0002 fc13 0020 7b22617073223a7b7d7d"),
    ], good: [.errorResponse(status: 8)])

  package static let oversizedFrame = Rule(
    "oversized-frame", .error, "a frame length is larger than any notification",
    why: "A reader that trusts the length reserves or waits for megabytes that never arrive.",
    source: Guide.binaryInterface + ": five items, whose lengths have two bytes each",
    fix: "write the frame length as four bytes, big-endian; it counts the items only",
    refusals: [.malformed], isAboutItems: true, bad: [.hex("02 4e000000 01 0020 fc13", zeros: 1 << 20)])

  package static let overruledLength = Rule(
    "overruled-length", .error, "a frame ends before its length says: what looks like the next frame begins earlier",
    why: "The gateway trusts the length and reads the following frames as part of this one.",
    source: Guide.binaryInterface + ", lengths. That the next frame begins earlier is apnscope's inference; "
      + "--no-recover turns it off",
    fix: "write the length of what follows it: in bytes, big-endian", refusals: [.malformed],
    bad: [
      .hex("00 ffff fc13") + .notification() + .notification(),
      .hex("00 0002 fc13 0020 7b22617073223a7b7d7d") + .notification() + .notification(),
      .hex("00 0020 fc13adff785122b4") + .notification() + .notification(),
    ], good: [.notification() + .notification()])

  public static let unknownCommand = Rule(
    "unknown-command", .error, "bytes where a frame should begin do not start with a command",
    why: "Nothing says where the next frame begins, so the gateway cannot read on.",
    source: Guide.binaryInterface + ", command",
    fix: "fix the preceding frame first: a wrong length shifts everything that follows",
    refusals: [.malformed],
    bad: [
      .hex("03 0000"), .notification() + .hex("5b494e464f5d2073656e740a") + .notification() + .notification(),
      .errorResponse(status: 8) + .hex("ffee", .gateway),
    ], good: [.legacy()])

  package static let unknownItem = Rule(
    "unknown-item", .error, "no edition documents the item's id",
    why: "Only items 1 to 5 are documented. Another id is usually data that a wrong length turned into an item.",
    source: Guide.binaryInterface + ", item table; the edition of 2017 has no more items",
    fix: "remove it, or correct the length of the item before it",
    refusals: [.malformed], isAboutItems: true,
    bad: [.hex("02 00000004 09 0001 ff")], good: [.notification(priority: 10)])

  package static let itemOverrun = Rule(
    "item-overrun", .error, "an item claims more bytes than its frame has left",
    why: "The item's length and the frame length contradict each other.",
    source: Guide.binaryInterface + ", item data length and frame length",
    fix: "write the real length of the item's data, and count the complete item in the frame length",
    refusals: [.malformed], isAboutItems: true,
    bad: [.hex("02 00000005 02 0016 7b7d"), .hex("02 0000000d 02 0016 7b22617073223a7b7d7d")])

  package static let wrongItemSize = Rule(
    "wrong-item-size", .error, "a number does not have its documented size",
    why: "Identifier and expiration date have 4 bytes and priority has 1. A sender that writes another size does so in "
      + "every notification.",
    source: Guide.binaryInterface + ", item table",
    fix: "write the documented number of bytes, and that number as the length",
    refusals: [.malformed], isAboutItems: true,
    bad: [.hex("02 00000007 05 0004 0000000a"), .hex("02 00000005 04 0002 0001")], good: [.notification(priority: 10)])

  package static let spareBytes = Rule(
    "spare-bytes", .error, "a frame has bytes after its last item",
    why: "The frame length counts bytes that are no item, or the last item is incomplete.",
    source: Guide.binaryInterface + ": the frame data is a series of items",
    fix: "count only items in the length, or complete the last one",
    refusals: [.malformed], isAboutItems: true,
    bad: [.hex("02 00000006 05 0001 0a 0000")], good: [.notification(priority: 10)])

  package static let missingItem = Rule(
    "missing-item", .error, "a notification has no token or no payload",
    why: "Without a token there is no device to deliver to; without a payload there is nothing to deliver.",
    source: Guide.statuses + ": 2, Missing device token, and 4, Missing payload; " + Guide.binaryInterface2017
      + ": exactly one token and one payload",
    fix: "write one of each: the token as item 1, the payload as item 2",
    refusals: [.status(2), .status(4)], isAboutItems: true,
    bad: [.hex("02 00000005 02 0002 7b7d"), .hex("02 00000000")])

  package static let repeatedItem = Rule(
    "repeated-item", .warning, "an item appears twice in one frame",
    why:
      "A frame is one notification. The edition of 2017 requires exactly one token and one payload, so there it is an "
      + "error; which of two items the gateway uses is not documented.",
    source: Guide.binaryInterface2017 + ", items 1 and 2: exactly one",
    fix: "write each item once, and each notification as a frame of its own", isAboutItems: true,
    bad: [
      .hex("02 00000008 05 0001 0a 05 0001 0a"),
      .hex("02 0000000d 01 0001 fc 01 0001 fc 02 0002 7b7d").edition(.year2017),
    ], good: [.notification(priority: 10)])

  package static let newerThanEdition = Rule(
    "newer-than-edition", .error, "the edition does not document this frame type or item",
    why: "A gateway or an emulator of that time cannot read it.",
    source: Guide.revisions + ": command 1 came on 2010-05-27, command 2 in 2013",
    fix: "use a format of that edition, or judge by a newer --edition",
    refusals: [.malformed], bad: [.notification().edition(.year2010), .enhanced().edition(.year2009)],
    good: [.notification().edition(.year2013), .enhanced().edition(.year2010), .legacy().edition(.year2009)])
}

extension Report {
  fileprivate mutating func add(_ defect: DecodeError, _ facts: borrowing FrameFacts, _ bytes: Span<UInt8>) {
    let item = defect.item.map { words(for: $0, called: defect.field?.title) } ?? "the item"
    switch defect.code {
    case .truncated:
      addTruncation(at: defect, facts, bytes)
    case .oversizedFrame:
      let length = Int(bytes.bigEndian(defect.range.lowerBound, width: defect.range.count))
      add(
        .oversizedFrame, at: defect.range,
        "the frame length is \(length) (\(wireBytes(length, width: defect.range.count))): no notification is that long"
      )
    case .overruledLength:
      addOverruling(at: defect, facts, bytes)
    case .unknownCommand:
      addUnknownCommand(at: defect, facts, bytes)
    case .unknownItem:
      add(.unknownItem, at: defect.range, "\(item) is in no edition")
    case .itemOverrun:
      let holder = defect.isNested ? "item around it" : "frame"
      add(
        .itemOverrun, at: defect.range,
        "\(item) claims \(plural(defect.needed, "byte")), but the \(holder) has \(defect.available) left",
        fix: overrunFix(for: defect, facts, bytes))
    case .wrongItemSize:
      add(
        .wrongItemSize, at: defect.range, "\(item) has \(plural(defect.available, "byte")) instead of \(defect.needed)",
        fix: sizeFix(for: defect, bytes))
    case .spareBytes:
      let offset = defect.range.lowerBound
      let holder = defect.isNested ? nil : facts.catalog.listLength(of: facts.frame, before: offset, in: bytes)
      add(
        .spareBytes, at: defect.range,
        "\(bytesFollow(defect.available)) the last item: an item has at least \(defect.needed)",
        fix: holder.map { length in
          let size = wireBytes(length.declared - defect.available, width: length.range.count)
          return "write \(size) as the \(length.title), or complete the last item"
        })
    }
  }

  private mutating func addUnknownCommand(
    at defect: DecodeError, _ facts: borrowing FrameFacts, _ bytes: Span<UInt8>
  ) {
    let first = bytes[facts.frame.start]
    if facts.role != nil, let other = facts.catalog.schemas.first(where: { $0.command?.rawValue == first }) {
      let title = other.title.lowercased()
      add(
        .unknownCommand, at: defect.range,
        "\(hex(first)) is the command of \("aeiou".contains(title.prefix(1)) ? "an" : "a") \(title), which only the "
          + "\(other.roleName) sends",
        fix: "if the \(other.roleName) wrote this stream, use --role \(other.roleName)"
          + (facts.position == .streamStart ? "" : "; if not, " + Rule.unknownCommand.fix))
      return
    }
    let isProvider = facts.role == .provider
    let size = bytes.bigEndian16(at: facts.frame.start + 1).map { Int($0) }
    let item = facts.catalog.items.first { size != nil && $0.field.size == size && $0.id.rawValue == first }
    if isProvider, facts.position == .afterFrame, let item, let size, facts.frame.count >= Item.headerSize + size {
      return add(
        .unknownCommand, at: defect.range,
        "\(words(for: item.id, called: item.field.name.title)) follows a complete frame, and is in no frame",
        fix: "count all items in the frame length; only frames of command 2 have items")
    }
    let what = bytes.quotation(facts.frame.range, atLeast: 4).map { "the text \($0)" } ?? hex(first)
    let (message, fix): (String, String?) =
      switch facts.position {
      case .streamStart:
        (
          "the stream starts with \(what), which is no command",
          (isProvider || facts.role == nil ? "if another side wrote this stream, name it with --role; " : "")
            + "check that the input starts where the stream does, and that it is decrypted"
        )
      case .afterFrame:
        (
          "\(what) follows a complete \(isProvider ? "frame" : "packet") and is no command",
          isProvider
            ? "find what else writes to this connection: the frame before it is intact"
            : "send complete packets only: an error response is 6 bytes, then the connection is closed"
        )
      case .afterDamage: ("no frame starts with \(hex(first))", nil)
      }
    add(.unknownCommand, at: defect.range, message, fix: fix)
  }
}

/// `item 5 (priority)`.
private func words(for item: ItemID, called name: String?) -> String {
  "item \(item.rawValue)" + (name.map { " (\($0))" } ?? "")
}

/// If the item's data is JSON, the JSON determines the length. Otherwise, either length may be invalid.
private func overrunFix(for defect: DecodeError, _ facts: borrowing FrameFacts, _ bytes: Span<UInt8>) -> String? {
  guard defect.field != nil else { return "no edition has this item: correct the lengths before it" }
  let data = defect.range.upperBound
  let end = data + defect.available
  if let close = JSONScanner.objectEnd(at: data, before: end, in: bytes) {
    return
      "write \(wireBytes(close - data, width: 2)) as the item's length: its JSON has \(plural(close - data, "byte"))"
  }
  guard !defect.isNested, let length = facts.catalog.listLength(of: facts.frame, before: data, in: bytes)
  else { return nil }
  let size = wireBytes(length.declared + defect.needed - defect.available, width: length.range.count)
  return "write the real length of the item's data; if \(defect.needed) is right, the \(length.title) should be at "
    + "least \(size)"
}

/// The value of a number that is too wide is known if its extra bytes are zero.
private func sizeFix(for defect: DecodeError, _ bytes: Span<UInt8>) -> String {
  let spare = defect.available - defect.needed
  guard spare > 0, defect.range.prefix(spare).allSatisfy({ bytes[$0] == 0 }) else {
    return "write exactly \(plural(defect.needed, "byte")), and that number as the length"
  }
  let value = defect.range.dropFirst(spare).map { wireBytes(Int(bytes[$0]), width: 1) }.joined(separator: " ")
  return "write \(wireBytes(defect.needed, width: 2)) as its length, then \(value)"
}

extension Report {
  fileprivate mutating func add(_ fault: FrameFacts.ItemFault, _ item: Item, at range: Range<Int>) {
    let name = words(for: item.id, called: item.field.name.title)
    switch fault {
    case .repeated:
      add(
        .repeatedItem, item.mustBeSingle(in: edition) ? .error : .warning, at: range, refusal: .malformed,
        "\(name) appears a second time")
    case .newer: add(.newerThanEdition, name, since: item.since.rawValue, at: range)
    case .missing:
      add(
        .missingItem, at: range, refusal: item.field.role == .payload ? .status(4) : nil, "\(name) is missing",
        fix: "write item \(item.id.rawValue), and count it in the frame length")
    }
  }

  /// Reports what a later edition documents first.
  mutating func add(_ rule: Rule, _ name: String, since: Int, at range: Range<Int>) {
    let edition = edition.rawValue
    add(rule, at: range, "\(name) is documented from \(since) on, not in the edition of \(edition)")
  }
}
