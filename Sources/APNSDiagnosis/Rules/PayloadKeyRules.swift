import APNSPayload
import APNSWire

/// Each key by its row in `PayloadKey.all`: its value, its place, its spelling, its edition.
let payloadKeyRules = RuleFamily([
  keyType, keyValue, keyMisplaced, keyMisspelt, keyUnknown, keyNewerThanEdition, nullValue,
]) { facts, bytes, _, report in
  guard facts.payload != nil, facts.outline.error == nil else { return }
  let present = facts.outline.present
  let isActivity = !present.intersection(Keys.ofActivities).isEmpty
  for member in facts.outline.members {
    guard let key = member.key, !Keys.types[key].isEmpty || isActivity else {
      if member.container == .root {
        checkOwnKey(member, present, bytes, &report)
      } else {
        checkUnknownKey(member, present, bytes, &report)
      }
      continue
    }
    if key == Keys.aps { continue }
    if !Keys.takesAny[key] || !Keys.types[key].contains(PayloadKey.ValueTypes(member.value.kind)),
      let fault = PayloadKey.all[key].fault(in: member.value, bytes, isActivity: isActivity)
    {
      report.add(fault, PayloadKey.all[key], member, bytes)
    }
    if !Keys.isInAllEditions[key] || key == Keys.sound { checkEdition(PayloadKey.all[key], member, &report) }
  }
}

private let guide = "Local and Remote Notification Programming Guide, Payload Key Reference"

private let keyType = Rule(
  "key-type", .warning, "a documented key has a value of another type",
  why: "The device looks for the documented type; a badge in quotes, a null or a true counts for nothing there.",
  source: guide, fix: "write a value of the documented type, or leave the key out",
  bad: [
    .notification(#"{"aps":{"alert":"Hi","badge":"5"}}"#), .notification(#"{"aps":{"alert":"Hi","sound":null}}"#),
    .notification(#"{"aps":{"content-available":true}}"#, priority: 5), .notification(#"{"aps":{"sound":1}}"#),
    .notification(#"{"aps":{"alert":{"loc-key":"A","loc-args":["Jenna",2]}}}"#),
  ],
  good: [
    .notification(#"{"aps":{"badge":5}}"#), .notification(#"{"aps":{"alert":{"body":"Hi","action-loc-key":null}}}"#),
    .notification(#"{"aps":{"alert":"Hi"},"badge2":"5"}"#),
  ])

private let keyValue = Rule(
  "key-value", .warning, "a documented key has a value that means nothing",
  why: "The device does with it what it likes: mostly nothing, and a badge is set to something else.",
  source: guide, fix: "write a documented value, or leave the key out",
  bad: [
    .notification(#"{"aps":{"alert":"Hi","badge":-1}}"#), .notification(#"{"aps":{"badge":1.5}}"#),
    .notification(#"{"aps":{"content-available":0,"alert":"Hi"}}"#),
    .notification(#"{"aps":{"alert":"Hi","interruption-level":"urgent"}}"#),
    .notification(#"{"aps":{"alert":"Hi","relevance-score":25}}"#),
  ],
  good: [
    .notification(#"{"aps":{"badge":0}}"#), .notification(#"{"aps":{"alert":"Hi","relevance-score":0.5}}"#),
    .notification(#"{"aps":{"event":"update","content-state":{},"timestamp":1384819200,"relevance-score":75}}"#),
  ])

private let keyMisplaced = Rule(
  "key-misplaced", .warning, "a documented key stands in another object than its own",
  why: "Where it stands it means nothing: the app is not woken, the badge is not set, the text is not shown.",
  source: guide, fix: "move it into its object",
  bad: [
    .notification(#"{"aps":{"alert":"Hi"},"content-available":1}"#), .notification(#"{"alert":"Hi","aps":{}}"#),
    .notification(#"{"aps":{"loc-key":"GAME","loc-args":["Jenna"]}}"#),
    .notification(#"{"aps":{"alert":{"body":"Hi","sound":"default"}}}"#),
    .notification(#"{"aps":{"container-identifier":"x"}}"#),
  ],
  good: [
    .notification(#"{"aps":{"alert":"Hi"},"event":"party","title":"x","body":"y","timestamp":1}"#),
    .notification(#"{"aps":{"alert":"Hi","badge":1},"badge":1}"#),
    .notification(#"{"aps":{"event":"update","content-state":{},"alert":{"title":"x","sound":"default"}}}"#),
  ])

private let keyMisspelt = Rule(
  "key-misspelt", .warning, "a key looks like a documented one, but is none",
  why: "Keys are compared letter by letter; this one means nothing.", source: guide,
  fix: "spell it as documented: small letters, hyphens between words",
  bad: [
    .notification(#"{"aps":{"content_available":1}}"#), .notification(#"{"aps":{"Alert":"Hi"}}"#),
    .notification(#"{"aps":{"alert":"Hi","bagde":1}}"#),
    .notification(#"{"content_available":true,"aps":{"badge":1}}"#),
    .notification(#"{"APS":{"alert":"Hi"}}"#), .notification(#"{"aps":{"alert":{"locKey":"GAME"}}}"#),
  ],
  good: [
    .notification(#"{"aps":{"alert":"Hi"},"Title":"x","bagde":1,"acme_1":"y"}"#),
    .notification(#"{"aps":{"content-available":1,"content_available":1}}"#, priority: 5),
  ])

private let keyUnknown = Rule(
  "key-unknown", .note, "a key of Apple's objects is documented nowhere",
  why: "Any other keys in aps are ignored, says the guide; the app may still read them.", source: guide,
  fix: "put keys of your own beside aps",
  bad: [
    .notification(#"{"aps":{"alert":"Hi","acme":1}}"#), .notification(#"{"aps":{"alert":{"body":"Hi","acme":1}}}"#),
  ],
  good: [.notification(#"{"aps":{"alert":"Hi"},"acme":1}"#)])

private let keyNewerThanEdition = Rule(
  "key-newer-than-edition", .note, "the edition does not have this key",
  why: "Systems of that time ignore it.", source: guide + "; User Notifications, Generating a remote notification",
  fix: "mind that older systems ignore it, or judge by a newer --edition",
  bad: [
    .notification(#"{"aps":{"alert":"Hi","category":"x"}}"#),
    .notification(#"{"aps":{"alert":"Hi","interruption-level":"passive"}}"#).edition(.year2017),
    .notification(#"{"aps":{"alert":"Hi","sound":{"name":"default"}}}"#).edition(.year2017),
  ],
  good: [
    .notification(#"{"aps":{"alert":"Hi","category":"x"}}"#).edition(.year2017),
    .notification(#"{"aps":{"alert":"Hi"},"category":"x"}"#).edition(.year2017),
  ])

private let nullValue = Rule(
  "null-value", .note, "a key of your own is null",
  why: "The app gets an NSNull there, on which much code crashes; null is not among the types that the guide lists.",
  source: "Local and Push Notification Programming Guide, custom payload values", fix: "leave the key out",
  bad: [.notification(#"{"aps":{"alert":"Hi"},"acme":null}"#)],
  good: [.notification(#"{"aps":{"alert":"Hi"},"acme":0}"#)])

extension Report {
  fileprivate mutating func add(
    _ fault: PayloadKey.Fault, _ key: PayloadKey, _ member: PayloadOutline.Member, _ bytes: Span<UInt8>
  ) {
    let value = member.value
    switch fault {
    case .type:
      let fix: String? =
        switch value.kind {
        case .null where !key.types.contains(.null): "leave the key out"
        case .string where key.types == .number: "write the number without quotes"
        case .bool where key.types == .number: "write 1, or leave the key out"
        default: nil
        }
      add(
        keyType, at: value.range,
        "the value of \(key.path) is \(value.kind.words); \(key.types.words) \(key.types.isOne ? "belongs" : "belong") here",
        fix: fix)
    case .value:
      add(
        keyValue, at: value.range,
        "the value of \(key.path) is \(bytes.valueWords(value.range)); \(key.allowed.words)",
        fix: key.name == "badge" ? "write 0 to remove it, or leave the key out to change nothing" : nil)
    case .element(let index, let kind, let range):
      add(keyType, at: range, "element \(index + 1) of \(key.path) is \(kind.words); a string belongs here")
    }
  }
}

private func checkEdition(_ key: PayloadKey, _ member: PayloadOutline.Member, _ report: inout Report) {
  // Of a sound object, the key that it is the value of says it for all of them.
  guard member.container == .aps || member.container == .alert else { return }
  let year = report.edition.rawValue
  if member.key == Keys.sound, member.value.kind == .object {
    report.add(
      keyNewerThanEdition, at: member.keyRange,
      "\(key.path) is an object, which is documented for iOS 12 and macOS 10.14, after the guide's last edition")
    return
  }
  guard !key.isListed(in: year) else { return }
  switch key.since {
  case .guide(let first):
    report.add(
      keyNewerThanEdition, at: member.keyRange,
      "\(key.path) is documented from the edition of \(first) on, not in that of \(year)")
  case .later(let systems):
    report.add(
      keyNewerThanEdition, at: member.keyRange,
      "\(key.path) is documented for \(systems), not in any edition of the guide")
  case .elsewhere: break
  }
}

/// A key at the root that no text documents: mostly the app's own.
private func checkOwnKey(
  _ member: PayloadOutline.Member, _ present: PayloadOutline.Keys, _ bytes: Span<UInt8>, _ report: inout Report
) {
  if member.value.kind == .null {
    report.add(nullValue, at: member.value.range, "\(bytes.keyWords(member.keyRange)) is null")
  }
  guard bytes.mayBeSpelling(member.keyRange) else { return }
  let name = bytes.keyBytes(member.keyRange)
  for index in PayloadKey.spelt(name) where !present.contains(index) {
    let key = PayloadKey.all[index]
    let isExact = key.name.utf8.elementsEqual(name)
    guard index == Keys.aps || key.isUnmistakable(isExact: isExact) else { continue }
    return report.add(member, isExact ? nil : key.name, belongsIn: key.container)
  }
}

/// A key in aps, its alert or its sound that is not documented there.
private func checkUnknownKey(
  _ member: PayloadOutline.Member, _ present: PayloadOutline.Keys, _ bytes: Span<UInt8>, _ report: inout Report
) {
  let name = bytes.keyBytes(member.keyRange)
  let mayBeSpelling = bytes.mayBeSpelling(member.keyRange)
  let spelt = (mayBeSpelling ? PayloadKey.spelt(name) : []).filter { !PayloadKey.all[$0].types.isEmpty }
  let here = member.container
  if let index = spelt.first(where: { PayloadKey.all[$0].name.utf8.elementsEqual(name) }) {
    report.add(member, nil, belongsIn: PayloadKey.all[index].container)
  } else if let index = spelt.first(where: { PayloadKey.all[$0].container == here && !present.contains($0) }) {
    report.add(member, PayloadKey.all[index].name, belongsIn: here)
  } else if let index = spelt.first(where: { PayloadKey.all[$0].container != here && !present.contains($0) }) {
    report.add(member, PayloadKey.all[index].name, belongsIn: PayloadKey.all[index].container)
  } else if let index = PayloadKey.oneLetterOff(name, in: here), !present.contains(index) {
    report.add(member, PayloadKey.all[index].name, belongsIn: here)
  } else {
    report.add(
      keyUnknown, at: member.keyRange,
      "\(bytes.keyWords(member.keyRange)) is not documented for \(here.path), so it is ignored")
  }
}

extension Report {
  /// A key that stands in the wrong object, or is spelt otherwise than the documented `name`, or both.
  fileprivate mutating func add(
    _ member: PayloadOutline.Member, _ name: String?, belongsIn container: PayloadKey.Container
  ) {
    let place = container == .root ? "at the root" : "in \(container.path)"
    let isHere = member.container == container
    if let name {
      add(
        keyMisspelt, at: member.keyRange,
        "this key is not \(name), which may be meant" + (isHere ? "" : ", and that belongs \(place)"),
        fix: "write \(name)" + (isHere ? "" : ", \(place)"))
    } else {
      let here = member.container == .root ? "at the root" : "in \(member.container.path)"
      add(
        keyMisplaced, at: member.keyRange, "this key means something \(place), but stands \(here)",
        fix: "move it: it belongs \(place)")
    }
  }
}

extension PayloadKey {
  /// Whether such a key at the root is hardly the app's own. A single word may be one's own, unless it is documented in
  /// the guide for aps; in another spelling, only the first edition's words are told.
  fileprivate func isUnmistakable(isExact: Bool) -> Bool {
    guard container == .aps || container == .alert else { return false }
    if name.utf8.contains(UInt8(ascii: "-")) { return true }
    guard container == .aps, case .guide(let year) = since else { return false }
    return isExact || year == 2009
  }
}

extension PayloadKey.ValueTypes {
  fileprivate var isOne: Bool { rawValue.nonzeroBitCount == 1 }

  /// `a string or an object`.
  fileprivate var words: String {
    let kinds: [PayloadOutline.Kind] = [.string, .number, .object, .array, .bool, .null]
    return kinds.filter { contains(PayloadKey.ValueTypes($0)) }.map(\.words).joined(separator: " or ")
  }
}

extension PayloadKey.Allowed {
  /// What belongs there, behind a semicolon.
  fileprivate var words: String {
    switch self {
    case .any: "any will do"
    case .numbers(let numbers): "only \(numbers.map(String.init).joined(separator: " and ")) means something"
    case .count: "a whole number from 0 on belongs here"
    case .range(let range): "a number from \(short(range.lowerBound)) to \(short(range.upperBound)) belongs here"
    case .seconds: "seconds since 1970 belong here"
    case .words(let words): "one of \(words.joined(separator: ", ")) belongs here"
    case .strings: "strings belong here"
    }
  }

  private func short(_ number: Double) -> String {
    number == number.rounded() ? String(Int(number)) : String(number)
  }
}

extension Span<UInt8> {
  /// A key's characters, quotes included in `range`, escapes resolved where they can be.
  func keyBytes(_ range: Range<Int>) -> [UInt8] {
    JSONValue.unescape(range, in: self) ?? []
  }

  func mayBeSpelling(_ range: Range<Int>) -> Bool {
    let text = (range.lowerBound + 1)..<(range.upperBound - 1)
    return PayloadKey.mayBeSpelling(self, text) || text.contains { self[$0] == UInt8(ascii: "\\") }
  }

  /// A number or a word for a sentence; nothing that a terminal could take for a command.
  fileprivate func valueWords(_ range: Range<Int>) -> String {
    guard range.count <= 24, range.allSatisfy({ 0x20..<0x7f ~= self[$0] }) else { return "something else" }
    var words = ""
    for index in range { words.unicodeScalars.append(Unicode.Scalar(self[index])) }
    return words
  }
}
