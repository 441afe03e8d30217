import APNSPayload
import APNSWire

/// Rules about the payload as a whole: whether it has an `aps`, and whether its parts are consistent.
let apsRules = RuleFamily(
  [
    .apsMissing, .apsNotObject, .apsEmpty, .bodyOnlyAlert, .locArgsWithoutKey, .moreThanOneAction, .silentWithAlert,
    .immediateSilent,
  ], dependsOn: .form
) { facts, bytes, report in
  guard facts.payload != nil, facts.outline.error == nil, let root = facts.outline.root, root.kind == .object
  else { return }
  let present = facts.outline.present
  guard present.contains(Keys.aps) else { return checkMissingAps(facts, bytes, root, &report) }
  for member in facts.outline.members where member.key == Keys.aps && member.value.kind != .object {
    report.add(.apsNotObject, at: member.value.range, "aps must be an object, not \(member.value.kind.words)")
  }
  // If an object is repeated, the members of all of them count.
  let inAps = facts.outline.members.count { $0.container == .aps }
  let inAlert = facts.outline.members.count { $0.container == .alert }
  if inAps == 0 {
    checkEmptyAps(facts, bytes, &report)
  } else {
    if inAlert > 0 { checkAlert(facts, inAlert, &report) }
    if present.intersection(Keys.actions).count > 1 { checkActions(facts, &report) }
    checkSilence(facts, bytes, inAps, &report)
  }
}

extension Rule {
  package static let apsMissing = Rule(
    "aps-missing", .error, "the payload has no aps",
    why: "The system acts on aps alone. Everything beside it goes to the app, which need not be running.",
    source: Guide.payload + ": the dictionary \"must contain another dictionary identified by the key aps\"",
    fix: #"add aps, with an alert, a badge, a sound or content-available: {"aps":{"alert":"Hi"}}"#,
    isAboutDevice: true,
    bad: [#"{"alert":"Hi"}"#, "{}", #"{"data":{"aps":{"alert":"Hi"}}}"#, #"{"APS":{"alert":"Hi"}}"#],
    good: [
      #"{"mdm":"5BA7A7B9-EFA5-44A0-A6A6-E8B63A9B5E9F"}"#,
      #"{"container-identifier":"NSFileProviderWorkingSetContainerItemIdentifier","domain":"work"}"#,
    ])

  package static let apsNotObject = Rule(
    "aps-not-object", .error, "aps is not an object",
    why: "The system looks for alert, badge, sound and content-available inside it.",
    source: Guide.payload + ": the dictionary \"must contain another dictionary identified by the key aps\"",
    fix: #"write an object: {"aps":{"alert":"Hi"}}"#,
    isAboutDevice: true, bad: [#"{"aps":"Hi"}"#, #"{"aps":null}"#, #"{"aps":[{"alert":"Hi"}]}"#])

  package static let apsEmpty = Rule(
    "aps-empty", .note, "aps is empty",
    why: "It asks for no alert, badge, sound or new content. Pushes that update Wallet passes do this on purpose.",
    source: Guide.payload + ": \"The aps dictionary contains one or more properties\"",
    fix: "add an alert, a badge, a sound or content-available, unless the push is for a Wallet pass or a call",
    bad: [#"{"aps":{}}"#], good: [.notification(), #"{"aps":{},"mdm":"5BA7A7B9-EFA5-44A0-A6A6-E8B63A9B5E9F"}"#])

  package static let bodyOnlyAlert = Rule(
    "body-only-alert", .note, "an alert object has only a body",
    why: "The text as a string means the same in fewer bytes. The guide of 2017 prefers an object.",
    source: Guide.payload + ", Table 3-2, note: \"Don't specify a dictionary as the value of alert if the dictionary "
      + "only has the body property\"",
    fix: #"write the text as the value of alert: {"aps":{"alert":"Hi"}}"#,
    editions: .year2009 ... .year2013, bad: [#"{"aps":{"alert":{"body":"Hi"}}}"#],
    good: [
      #"{"aps":{"alert":{"body":"Hi","action-loc-key":"PLAY"}}}"#,
      .notification(#"{"aps":{"alert":{"body":"Hi"}}}"#).edition(.year2017),
    ])

  package static let locArgsWithoutKey = Rule(
    "loc-args-without-key", .warning, "an alert has arguments without the text that they fill",
    why: "They replace the placeholders of a localized text; without its key they are not shown.",
    source: Guide.payload + ", Table 3-2, loc-args: \"Variable string values to appear in place of the format "
      + "specifiers in loc-key\"",
    fix: "add the key of the text, or leave its arguments out",
    bad: [
      #"{"aps":{"alert":{"body":"Hi","loc-args":["Jenna"]}}}"#,
      .notification(#"{"aps":{"alert":{"loc-key":"A","title-loc-args":["Jenna"]}}}"#).edition(.year2017),
    ], good: [#"{"aps":{"alert":{"loc-key":"GAME","loc-args":["Jenna","Frank"]}}}"#])

  package static let moreThanOneAction = Rule(
    "more-than-one-action", .note, "a notification asks for more than one action",
    why: "Each of alert, badge and sound interrupts the user once more. The guide's own examples 2 to 4 combine them.",
    source: Guide.payload + ", note: \"Avoid using more than one action per notification\"",
    fix: "ask for one of them if one is enough", editions: .year2009 ... .year2013,
    bad: [#"{"aps":{"alert":"Hi","badge":1,"sound":"default"}}"#],
    good: [.notification(), .notification(#"{"aps":{"alert":"Hi","badge":1}}"#).edition(.year2017)])

  package static let silentWithAlert = Rule(
    "silent-with-alert", .warning, "an empty alert beside content-available",
    why: "The key alert makes the system display an alert, and this one has no text to display.",
    source: Guide.payload
      + ", Table 3-1, alert: \"If this property is included, the system displays a standard alert\"",
    fix: "leave alert out of a silent push, or give it a text", editions: .year2013 ... .latest,
    bad: [
      .notification(#"{"aps":{"content-available":1,"alert":""}}"#, priority: 5),
      .notification(#"{"aps":{"content-available":1,"alert":{}}}"#, priority: 10),
      .notification(#"{"aps":{"content-available":1,"alert":{"body":""}}}"#, priority: 5),
    ],
    good: [
      .notification(#"{"aps":{"content-available":1}}"#, priority: 5),
      #"{"aps":{"content-available":1,"alert":"Hi","sound":"default"}}"#,
      .notification(#"{"aps":{"content-available":1,"badge":5}}"#, priority: 10),
      .notification(#"{"aps":{"content-available":1,"sound":""}}"#, priority: 5),
    ])

  package static let immediateSilent = Rule(
    "immediate-silent", .error, "a push at priority 10 triggers no alert, sound or badge",
    why: "Priority 10 is for what the user sees or hears. The guide calls it an error for content-available alone. "
      + "Commands 0 and 1 have no priority: the guide assumes 10 for them, too.",
    source: Guide.binaryInterface + ", item 5: \"The push notification must trigger an alert, sound, or badge on the "
      + "device. It is an error to use this priority for a push that contains only the content-available key\"; Legacy "
      + "Information: \"These formats do not include a priority; a priority of 10 is assumed\"",
    fix: "send it with command 2 and priority 5",
    isAboutDevice: true, editions: .year2013 ... .latest,
    bad: [
      .notification(#"{"aps":{"content-available":1}}"#, priority: 10), #"{"aps":{"content-available":1}}"#,
      .legacy(#"{"aps":{"content-available":1}}"#), .enhanced(#"{"aps":{"content-available":1},"k":"v"}"#),
      .notification(#"{"aps":{}}"#, priority: 10), .notification(#"{"aps":{"alert":""}}"#, priority: 10),
      .notification(#"{"aps":{"alert":{}}}"#, priority: 10),
      .notification(#"{"aps":{"category":"x"}}"#, priority: 10).edition(.year2017),
      .notification(#"{"aps":{"content-available":1,"category":"x"}}"#, priority: 10).edition(.year2017),
      .enhanced(#"{"aps":{"alert":{"launch-image":"a.png"}}}"#),
    ],
    good: [
      .notification(#"{"aps":{"content-available":1}}"#, priority: 5),
      .notification(#"{"aps":{"content-available":1,"alert":"Hi"}}"#, priority: 10),
      .notification(#"{"aps":{"content-available":1,"badge":5}}"#, priority: 10),
      .notification(#"{"aps":{"alert":"","badge":0}}"#, priority: 10),
      .notification(#"{"aps":{"sound":""}}"#, priority: 10),
      .notification(#"{"aps":{},"mdm":"5BA7A7B9-EFA5-44A0-A6A6-E8B63A9B5E9F"}"#, priority: 10),
      .notification(#"{"aps":{}}"#, priority: 5), #"{"aps":{}}"#, .enhanced(#"{"aps":{}}"#),
      .enhanced(#"{"aps":{"content-available":1}}"#).edition(.year2010),
    ])
}

private func checkMissingAps(
  _ facts: borrowing FrameFacts, _ bytes: Span<UInt8>, _ root: PayloadOutline.Value, _ report: inout Report
) {
  guard facts.outline.present.intersection(Keys.replacingAps).isEmpty else { return }
  var misplaced: [String] = []
  for member in facts.outline.members where member.container == .root && member.key == nil {
    guard let meant = facts.outline.present.meant(by: member, bytes) else { continue }
    if meant == Keys.aps {
      return report.add(
        .apsMissing, at: member.keyRange,
        "the payload has no \"aps\", but \(bytes.quoted(member.keyRange)): keys are compared letter by letter",
        fix: "rename \(bytes.quoted(member.keyRange)) to \"aps\"")
    }
    let name = "\"\(PayloadKey.all[meant].name)\""
    if !misplaced.contains(name) { misplaced.append(name) }
  }
  report.add(
    .apsMissing, at: root.range.lowerBound..<(root.range.lowerBound + 1), "the payload has no \"aps\"",
    fix: misplaced.isEmpty ? nil : "put \(misplaced.joined(separator: ", ")) into an object called \"aps\"")
}

private func checkEmptyAps(_ facts: borrowing FrameFacts, _ bytes: Span<UInt8>, _ report: inout Report) {
  guard facts.outline.present.intersection(Keys.replacingAps).isEmpty, let aps = facts.outline.first(Keys.aps),
    aps.value.kind == .object
  else { return }
  report.add(.apsEmpty, at: aps.value.range, "aps is empty: it asks for no alert, badge, sound or new content")
  // Commands 0 and 1 imply the priority. For them, one finding about the empty aps is enough.
  if facts.priority != nil {
    report.addNothingToTrigger("aps is empty", at: aps.keyRange, facts, bytes)
  }
}

private func checkAlert(_ facts: borrowing FrameFacts, _ count: Int, _ report: inout Report) {
  if count == 1, let body = facts.outline.first(Keys.body), body.value.kind == .string {
    report.add(.bodyOnlyAlert, at: body.keyRange, "alert has only a body: a string means the same")
  }
  for (arguments, key) in Keys.arguments
  where facts.outline.present.contains(arguments) && !facts.outline.present.contains(key) {
    let (row, text) = (PayloadKey.all[arguments], PayloadKey.all[key].name)
    guard let member = facts.outline.first(arguments), member.value.kind == .array,
      !row.isNewer(than: facts.edition.rawValue)
    else { continue }
    report.add(
      .locArgsWithoutKey, at: member.keyRange,
      "alert has \"\(row.name)\" without \"\(text)\", the text that they fill")
  }
}

private func checkActions(_ facts: borrowing FrameFacts, _ report: inout Report) {
  // A key that is repeated, or null, asks for nothing more.
  let asked = facts.outline.members.filter { member in
    member.container == .aps && member.value.kind != .null && member.key.map(Keys.actions.contains) == true
      && facts.outline.first(member.key ?? 0)?.keyRange == member.keyRange
  }
  guard asked.count > 1 else { return }
  let words = asked.compactMap(\.key).map {
    (PayloadKey.all[$0].name == "alert" ? "an " : "a ") + PayloadKey.all[$0].name
  }
  report.add(
    .moreThanOneAction, at: asked[1].keyRange,
    "the notification asks for \(words.dropLast().joined(separator: ", ")) and \(words.last ?? "") at once")
}

/// Checks the priority of pushes without an alert, a sound or a badge.
private func checkSilence(
  _ facts: borrowing FrameFacts, _ bytes: Span<UInt8>, _ inAps: Int, _ report: inout Report
) {
  let present = facts.outline.present
  let alert = facts.outline.first(Keys.alert)
  let isAlertEmpty = alert.map { isEmpty($0.value, facts) } ?? false
  if let alert, isAlertEmpty, present.contains(Keys.contentAvailable) {
    return report.add(.silentWithAlert, at: alert.keyRange, "alert is empty, beside content-available")
  }
  guard facts.isNotification, !present.contains(Keys.badge), !present.contains(Keys.sound),
    alert == nil || isAlertEmpty, let aps = facts.outline.members.first(where: { $0.container == .aps })
  else { return }
  let isBackground = inAps == 1 && present.contains(Keys.contentAvailable)
  guard isBackground || present.intersection(Keys.replacingAps).isEmpty else { return }
  let detail =
    isBackground
    ? "aps has only content-available" : isAlertEmpty ? "aps has only an empty alert" : "aps has none of them"
  report.addNothingToTrigger(detail, isBackground: isBackground, at: (alert ?? aps).keyRange, facts, bytes)
}

extension Report {
  /// Their frames have no priority, so the guide assumes 10.
  private static let immediateCommands = [LegacyNotification.schema.command, EnhancedNotification.schema.command]

  /// Reports a push that triggers nothing at priority 10, which a frame states, or which its command at `key` implies.
  fileprivate mutating func addNothingToTrigger(
    _ detail: String, isBackground: Bool = false, at key: Range<Int>, _ facts: borrowing FrameFacts,
    _ bytes: Span<UInt8>
  ) {
    let demand = "must trigger an alert, a sound or a badge; \(detail)"
    if let priority = facts.priority, priority.count == 1, bytes[priority.start] == 10 {
      add(
        .immediateSilent, isBackground ? .error : .warning, at: priority.range, "priority 10 \(demand)",
        fix: "add one of them, or write priority 5")
    } else if let command = facts.schema?.command, Self.immediateCommands.contains(command) {
      add(
        .immediateSilent, isBackground ? .warning : .note, at: key,
        "command \(command.rawValue) implies priority 10, which \(demand)",
        fix: "add one of them, or send it with command 2 and priority 5")
    } else if isBackground, facts.priority == nil {
      add(
        .immediateSilent, .note, at: key, "\(detail), and the guide does not say which priority applies without item 5",
        fix: "add item 5 with the value 5")
    }
  }
}

/// Whether an alert has no text, no title, and no key for either.
private func isEmpty(_ alert: PayloadOutline.Value, _ facts: borrowing FrameFacts) -> Bool {
  switch alert.kind {
  case .string: alert.range.count == 2
  case .object:
    !facts.outline.members.contains { member in
      member.key.map(Keys.texts.contains) == true && !(member.value.kind == .string && member.value.range.count == 2)
    }
  default: false
  }
}
