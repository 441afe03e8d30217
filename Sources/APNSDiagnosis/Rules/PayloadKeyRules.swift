import APNSPayload
import APNSWire

/// Rules about each key, based on its row in `PayloadKey.all`: its value, its container, its spelling and its edition.
let payloadKeyRules = RuleFamily(
  [
    .keyType, .keyValue, .keyMisplaced, .keyMisspelt, .keyUnknown, .keyNewerThanEdition, .nullValue,
  ], dependsOn: .form
) { facts, bytes, report in
  guard facts.payload != nil, facts.outline.error == nil else { return }
  let present = facts.outline.present
  let hasAps = present.contains(Keys.aps)
  for member in facts.outline.members {
    guard let key = member.key else {
      report.add(undocumented: member, beside: present, bytes)
      continue
    }
    // Beside `aps`, an app may use the keys of other documents for itself.
    if key == Keys.aps || hasAps && member.container == .root { continue }
    let row = PayloadKey.all[key]
    // Only the document that defines a key says what its value may be. An older edition says nothing about it.
    if case .guide(let first) = row.since, first > facts.edition.rawValue {
      report.add(.keyNewerThanEdition, row.path, since: first, at: member.keyRange)
    } else if let fault = row.fault(in: member.value, bytes) {
      report.add(fault, row, member, bytes)
    }
  }
}

private let tables = Guide.payload + ", Tables 3-1 and 3-2"
private let reference = Guide.payloadKeys2017
private let custom =
  Guide.payload + ": \"custom payload values outside the Apple-reserved aps namespace\""

extension Rule {
  package static let keyType = Rule(
    "key-type", .warning, "a documented key has a value of another type",
    why: "The guide gives each key its type. What a device does with another one is not documented.",
    source: tables + "; " + reference, fix: "write a value of the documented type, or leave the key out",
    bad: [
      #"{"aps":{"alert":"Hi","badge":"5"}}"#, #"{"aps":{"alert":"Hi","sound":null}}"#,
      .notification(#"{"aps":{"content-available":true}}"#, priority: 5), #"{"aps":{"sound":1}}"#,
      #"{"aps":{"alert":{"loc-key":"A","loc-args":["Jenna",2]}}}"#, #"{"mdm":5}"#,
      .notification(#"{"aps":{"alert":"Hi","category":5}}"#).edition(.year2017),
    ],
    good: [
      #"{"aps":{"badge":5}}"#, #"{"aps":{"alert":{"body":"Hi","action-loc-key":null}}}"#,
      #"{"aps":{"alert":"Hi"},"badge2":"5"}"#, #"{"aps":{"alert":"Hi"},"mdm":5}"#,
      #"{"aps":{"alert":"Hi","category":5}}"#,
    ])

  package static let keyValue = Rule(
    "key-value", .warning, "a documented key has a value that is not documented",
    why: "The guide says which values mean something. What a device does with another one is not documented.",
    source: tables + "; sound files: Preparing Custom Alert Sounds; " + reference,
    fix: "write a documented value, or leave the key out",
    bad: [
      #"{"aps":{"alert":"Hi","badge":-1}}"#, #"{"aps":{"badge":1.5}}"#,
      #"{"aps":{"content-available":0,"alert":"Hi"}}"#, #"{"aps":{"alert":"Hi","sound":"x.mp3"}}"#,
      .notification(#"{"aps":{"alert":"Hi","mutable-content":2}}"#).edition(.year2017),
    ],
    good: [
      #"{"aps":{"badge":0}}"#, #"{"aps":{"alert":"Hi","mutable-content":2}}"#, #"{"aps":{"sound":"chime"}}"#,
      #"{"aps":{"sound":"b.AIFF"}}"#, #"{"aps":{"sound":"v1.2"}}"#, #"{"aps":{"alert":"Hi"},"sound":"x.mp3"}"#,
    ])

  package static let keyMisplaced = Rule(
    "key-misplaced", .warning, "a documented key is in another object than its own",
    why:
      "There it means nothing. The guide's prose calls loc-key and loc-args properties of aps, but its Table 3-2 and "
      + "its examples have them in alert. Beside aps, keys may have any name: only content-available is surely "
      + "misplaced there, and a lone alert, badge or sound may be.",
    source: tables + "; " + reference, fix: "move it into its object",
    bad: [
      #"{"aps":{"alert":"Hi"},"content-available":1}"#, #"{"alert":"Hi","aps":{}}"#,
      #"{"aps":{"loc-key":"GAME","loc-args":["Jenna"]}}"#, #"{"aps":{"alert":{"body":"Hi","sound":"default"}}}"#,
      #"{"aps":{"container-identifier":"x"}}"#,
    ],
    good: [
      #"{"aps":{"alert":"Hi"},"event":"party","title":"x","body":"y","timestamp":1}"#,
      #"{"aps":{"alert":"Hi","badge":1},"badge":1}"#,
      #"{"aps":{"alert":"Hi"},"badge":"gold","sound":"/s/1.mp3","thread-id":"12","category":"x"}"#,
      #"{"aps":{"badge":1},"alert":{"level":3},"content-state":"x","loc-key":"K"}"#,
    ])

  package static let keyMisspelt = Rule(
    "key-misspelt", .warning, "a key looks like a documented one, but is none",
    why: "Keys are compared letter by letter, so this one means nothing.", source: tables + "; " + reference,
    fix: "spell it as documented: small letters, hyphens between words",
    bad: [
      #"{"aps":{"content_available":1}}"#, #"{"aps":{"Alert":"Hi"}}"#, #"{"aps":{"alert":"Hi","bagde":1}}"#,
      #"{"content_available":true,"aps":{"badge":1}}"#, #"{"aps":{"alert":{"locKey":"GAME"}}}"#,
    ],
    good: [
      #"{"aps":{"alert":"Hi"},"Title":"x","bagde":1,"acme_1":"y","Badge":1,"thread_id":"z"}"#,
      .notification(#"{"aps":{"content-available":1,"content_available":1}}"#, priority: 5),
    ])

  package static let keyUnknown = Rule(
    "key-unknown", .note, "a key of Apple's objects is not in the guide",
    why:
      "The guide of 2013 reserves aps for Apple, and that of 2017 says that any other keys in it are ignored. Apple "
      + "added keys after 2017, such as interruption-level, for newer systems and for another interface to the "
      + "service.",
    source: custom + "; " + reference + "; newer keys: User Notifications, Generating a remote notification",
    fix: "put keys of your own beside aps; apnscope does not check those that Apple added after 2017",
    bad: [
      #"{"aps":{"alert":"Hi","acme":1}}"#, #"{"aps":{"alert":{"body":"Hi","acme":1}}}"#,
      .notification(#"{"aps":{"alert":"Hi","interruption-level":"passive"}}"#).edition(.year2017),
    ], good: [#"{"aps":{"alert":"Hi"},"acme":1}"#])

  package static let keyNewerThanEdition = Rule(
    "key-newer-than-edition", .note, "the edition does not list this key",
    why: "It was documented later, so nothing is known of systems of that time. Its value is not checked.",
    source: tables + "; " + reference,
    fix: "judge by a newer --edition, or expect older systems to ignore it",
    bad: [#"{"aps":{"alert":"Hi","category":"x"}}"#],
    good: [
      .notification(#"{"aps":{"alert":"Hi","category":"x"}}"#).edition(.year2017),
      .notification(#"{"aps":{"alert":"Hi"},"category":"x"}"#).edition(.year2017),
      .notification(#"{"aps":{"alert":{"title":"A","body":"B","action":"View"},"url-args":["a"]}}"#).edition(.year2017),
    ])

  package static let nullValue = Rule(
    "null-value", .note, "a key of your own is null",
    why: "null is not among the types that the guide lists for custom values. The app receives an NSNull, which code "
      + "that expects another type may not survive.",
    source: custom + "; they \"must use the JSON structured and primitive types: dictionary (object), array, string, "
      + "number, and Boolean\"",
    fix: "leave the key out",
    bad: [#"{"aps":{"alert":"Hi"},"acme":null}"#], good: [#"{"aps":{"alert":"Hi"},"acme":0}"#])
}

extension Report {
  fileprivate mutating func add(
    _ fault: PayloadKey.Fault, _ key: PayloadKey, _ member: PayloadOutline.Member, _ bytes: Span<UInt8>
  ) {
    let value = member.value
    switch fault {
    case .type:
      let fix: String? =
        switch value.kind {
        case .null: "leave \"\(key.name)\" out"
        case .string where key.types == [.number]: "write the number without quotes"
        case .bool where key.types == [.number]: "write 1, or leave \"\(key.name)\" out"
        default: nil
        }
      let types = key.types.map(\.words).joined(separator: " or ")
      add(.keyType, at: value.range, "\(key.path) must be \(types), not \(value.kind.words)", fix: fix)
    case .value:
      let shown = bytes.shown(value.range)
      let (demand, fix) = key.allowed.words(shown)
      add(.keyValue, at: value.range, "\(key.path) \(shown.map { "is \($0); it " } ?? "")\(demand)", fix: fix)
    case .element(let index, let kind, let range):
      add(.keyType, at: range, "element \(index + 1) of \(key.path) must be a string, not \(kind.words)")
    }
  }
}

extension Report {
  /// Reports a key that is not documented in its object. At the root it may have any name, but some are certainly
  /// misplaced there.
  fileprivate mutating func add(
    undocumented member: PayloadOutline.Member, beside present: PayloadOutline.Keys, _ bytes: Span<UInt8>
  ) {
    let isAtRoot = member.container == .root
    if isAtRoot, member.value.kind == .null {
      add(.nullValue, at: member.value.range, "\(bytes.quoted(member.keyRange)) is null")
    }
    // Without `aps`, the finding about that also names this key.
    if isAtRoot, !present.contains(Keys.aps) { return }
    guard let meant = present.meant(by: member, bytes) else {
      if isAtRoot { return }
      return add(
        .keyUnknown, at: member.keyRange,
        "no edition lists \(bytes.quoted(member.keyRange)) in \(member.container.path)")
    }
    let key = PayloadKey.all[meant]
    let isNewer = key.isNewer(than: edition.rawValue)
    if !isAtRoot {
      add(member, key, isNewer ? .note : nil, bytes)
    } else if meant == Keys.contentAvailable {
      if !isNewer { add(member, key, nil, bytes) }
    } else if present.intersection(Keys.actions).isEmpty {
      // Otherwise the key may belong to the app: the notification shows something else.
      add(member, key, .note, bytes)
    }
  }
}

extension PayloadOutline.Keys {
  /// The documented key that is meant by one that is undocumented in its place, beside these; nil if none is. At the
  /// root, where keys may have any name, only `aps` and what belongs in it is.
  func meant(by member: PayloadOutline.Member, _ bytes: Span<UInt8>) -> Int? {
    let name = bytes.keyBytes(member.keyRange)
    let (spelt, here) = (PayloadKey.spelt(name), member.container)
    if here == .root {
      return spelt.first { !contains($0) && ($0 == Keys.aps || Keys.belongsInAps.contains($0)) }
    }
    return spelt.first { PayloadKey.all[$0].name.utf8.elementsEqual(name) }
      ?? spelt.first { PayloadKey.all[$0].container == here && !contains($0) }
      ?? spelt.first { !contains($0) }
      ?? PayloadKey.oneLetterOff(name, in: here).flatMap { contains($0) ? nil : $0 }
  }
}

extension Report {
  /// Reports a key that is in another object than the documented `key`, or spelled differently, or both.
  fileprivate mutating func add(
    _ member: PayloadOutline.Member, _ key: PayloadKey, _ severity: Finding.Severity?, _ bytes: Span<UInt8>
  ) {
    let isHere = member.container == key.container
    let written = bytes.quoted(member.keyRange)
    let here = member.container == .root ? "at the top level" : "in \(member.container.path)"
    let there = key.container == .root ? "at the top level" : "in \(key.container.path)"
    if key.name.utf8.elementsEqual(bytes.keyBytes(member.keyRange)) {
      let effect = member.container == .root ? "where only the app reads it" : "where it means nothing"
      add(
        .keyMisplaced, severity, at: member.keyRange, "\(written) is \(here), \(effect); it belongs \(there)",
        fix: key.container == .root
          ? "move \(written) out of aps, to the top level" : "move \(written) into \(key.container.path)")
    } else {
      add(
        .keyMisspelt, severity, at: member.keyRange,
        "unknown key \(written) \(here); did you mean \"\(key.name)\"\(isHere ? "" : " " + there)?",
        fix: "write \"\(key.name)\"" + (isHere ? "" : ", \(there)"))
    }
  }
}

extension PayloadKey.Allowed {
  /// `must be 1`, for a sentence about a value that is not allowed, and the value to write instead; nil if there is no
  /// specific advice.
  fileprivate func words(_ value: String?) -> (demand: String, fix: String?) {
    switch self {
    case .any: return ("may be anything", nil)
    case .numbers(let numbers):
      let list = numbers.map(String.init).joined(separator: " or ")
      return ("must be \(list)", "write \(list), or leave the key out")
    case .count:
      let isNegative = value?.first == "-"
      let fix = isNegative ? "write 0 to remove the badge, or leave the key out to keep it" : "write a whole number"
      return ("must be a whole number from 0 on", fix)
    case .strings: return ("must contain only strings", nil)
    case .soundFile:
      return ("must be an aiff, wav or caf file", "convert the sound to aiff, wav or caf, and name that file")
    }
  }
}

extension Span<UInt8> {
  /// The characters of a key with escapes resolved where possible. `range` includes the quotes.
  func keyBytes(_ range: Range<Int>) -> [UInt8] {
    JSONValue.unescape(range, in: self) ?? []
  }

  func quoted(_ range: Range<Int>) -> String { shown(range) ?? "this key" }

  /// A short value as it is written; nil if it is too long or contains anything but printable ASCII, which a terminal
  /// could interpret.
  func shown(_ range: Range<Int>) -> String? {
    guard range.count <= 42, range.allSatisfy({ 0x20..<0x7f ~= self[$0] }) else { return nil }
    return excerpt(range, range.count)
  }

  /// The text with which a range begins, in quotes, because it usually reveals who wrote it; nil if it has fewer than
  /// `least` characters.
  func quotation(_ range: Range<Int>, atLeast least: Int = 1) -> String? {
    let text = range.prefix { 0x20..<0x7f ~= self[$0] }
    return text.count < least ? nil : "\"\(excerpt(text, 40))\""
  }

  /// The first `most` bytes as text for a terminal, with spaces in place of line ends. The bytes must be ASCII.
  func excerpt(_ range: Range<Int>, _ most: Int) -> String {
    var shown = range.prefix(most).map { max(self[$0], UInt8(ascii: " ")) }
    let isCut = range.count > most
    while isCut, shown.last == UInt8(ascii: " ") { shown.removeLast() }
    return String(decoding: shown, as: UTF8.self) + (isCut ? "..." : "")
  }
}
