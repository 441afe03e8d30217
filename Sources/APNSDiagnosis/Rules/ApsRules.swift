import APNSPayload
import APNSWire

/// What a payload asks of the device as a whole: whether it has an aps, and whether its parts go together.
let apsRules = RuleFamily([
  apsMissing, apsNotObject, apsEmpty, bodyOnlyAlert, argumentsWithoutKey, severalActions, silentWithAlert,
  immediateSilent,
]) { facts, bytes, _, report in
  guard facts.payload != nil, facts.outline.error == nil, let root = facts.outline.root, root.kind == .object
  else { return }
  let present = facts.outline.present
  guard present.contains(Keys.aps) else { return checkMissingAps(facts, bytes, root, &report) }
  // How many members its objects have; of two objects of one name, all.
  var inAps = 0
  var inAlert = 0
  for member in facts.outline.members {
    switch member.container {
    case .root where member.key == Keys.aps && member.value.kind != .object:
      report.add(apsNotObject, at: member.value.range, "aps is \(member.value.kind.words); an object belongs here")
    case .root, .sound: break
    case .aps: inAps += 1
    case .alert: inAlert += 1
    }
  }
  if inAps == 0 {
    checkEmptyAps(facts, &report)
  } else {
    if inAlert > 0 { checkAlert(facts, inAlert, &report) }
    if present.intersection(Keys.actions).count > 1 { checkActions(facts, &report) }
    if present.contains(Keys.contentAvailable) { checkBackground(facts, bytes, inAps, inAlert, &report) }
  }
}

/// Tells whether a plain payload breaks at most two of these rules: those about several actions, and about silent pushes
/// without an alert.
struct ApsGlance {
  private let edition: Edition
  // Kept here, since a global is looked up each time.
  let contentAvailable = Keys.contentAvailable
  let alert = Keys.alert
  let actions = Keys.actions
  private let aps = Keys.aps
  private let body = Keys.body
  private let arguments = Keys.arguments
  private let allArguments = PayloadOutline.Keys(Keys.arguments.map(\.0))

  init(_ edition: Edition) { self.edition = edition }

  @inline(__always)
  func passes(_ members: PlainPayload.Members) -> Bool {
    let present = members.present
    guard present.contains(aps), members.ofAps > 0 else { return false }
    if members.hasEmptyValue, present.contains(contentAvailable), present.contains(alert) { return false }
    guard members.ofAlert > 0 else { return true }
    if members.ofAlert == 1, present.contains(body), edition < .year2017 { return false }
    return present.intersection(allArguments).isEmpty || hasTexts(present)
  }

  /// Beside each arguments stands the key of the text that they fill.
  private func hasTexts(_ present: PayloadOutline.Keys) -> Bool {
    for (arguments, key) in arguments where present.contains(arguments) && !present.contains(key) { return false }
    return true
  }
}

private let guide = "Local and Push Notification Programming Guide, The notification payload"
private let background = "User Notifications, Pushing background updates to your app"

private let apsMissing = Rule(
  "aps-missing", .warning, "the payload has no aps",
  why: "The service takes it, and nothing is shown: the app hears of it only while it runs.",
  source: guide + ": it must contain the key aps",
  fix: "add aps, with an alert, a badge, a sound or content-available; keys of your own stand beside it",
  bad: [.notification(#"{"alert":"Hi"}"#), .notification("{}"), .notification(#"{"data":{"aps":{"alert":"Hi"}}}"#)],
  good: [
    .notification(#"{"mdm":"5BA7A7B9-EFA5-44A0-A6A6-E8B63A9B5E9F"}"#),
    .notification(#"{"container-identifier":"NSFileProviderWorkingSetContainerItemIdentifier","domain":"work"}"#),
    .notification(#"{"activeSpeaker":"Bob"}"#),
  ])

private let apsNotObject = Rule(
  "aps-not-object", .warning, "aps is no object",
  why: "What it should hold is not found, so nothing is shown.", source: guide + ": the value of aps is an object",
  fix: #"write an object: {"aps":{"alert":"Hi"}}"#,
  bad: [.notification(#"{"aps":"Hi"}"#), .notification(#"{"aps":null}"#), .notification(#"{"aps":[{"alert":"Hi"}]}"#)],
  good: [.notification()])

private let apsEmpty = Rule(
  "aps-empty", .note, "aps is empty",
  why: "Nothing is shown, no sound is played and no app is woken. Updates of Wallet passes are rightly so.",
  source: guide,
  fix: "add an alert, a badge, a sound or content-available, unless it is for a Wallet pass or a call",
  bad: [.notification(#"{"aps":{}}"#)],
  good: [.notification(), .notification(#"{"aps":{},"activeSpeaker":"Bob"}"#)])

private let bodyOnlyAlert = Rule(
  "body-only-alert", .note, "an alert object has nothing but a body",
  why: "A plain string says the same in fewer bytes.",
  source: guide + ", table of the alert's keys, until the edition of 2013",
  fix: #"write the text as the value of alert: {"aps":{"alert":"Hi"}}"#,
  bad: [.notification(#"{"aps":{"alert":{"body":"Hi"}}}"#)],
  good: [
    .notification(#"{"aps":{"alert":{"body":"Hi","action-loc-key":"PLAY"}}}"#),
    .notification(#"{"aps":{"alert":{"body":"Hi"}}}"#).edition(.year2017),
  ])

private let argumentsWithoutKey = Rule(
  "loc-args-without-key", .warning, "arguments stand without the text that they belong in",
  why: "They fill the placeholders of a localized text; without its key they are shown nowhere.",
  source: guide + ", localized formatted strings", fix: "add the key of the text, or leave its arguments out",
  bad: [
    .notification(#"{"aps":{"alert":{"body":"Hi","loc-args":["Jenna"]}}}"#),
    .notification(#"{"aps":{"alert":{"loc-key":"A","title-loc-args":["Jenna"]}}}"#).edition(.year2017),
  ], good: [.notification(#"{"aps":{"alert":{"loc-key":"GAME","loc-args":["Jenna","Frank"]}}}"#)])

let severalActions = Rule(
  "more-than-one-action", .note, "a notification asks for more than one thing",
  why: "An alert, a badge and a sound at once disturb more than they tell.",
  source: "Local and Push Notification Programming Guide, Best practices: avoid more than one action each",
  fix: "ask for one of them where one is enough",
  bad: [.notification(#"{"aps":{"alert":"Hi","badge":1,"sound":"default"}}"#)], good: [.notification()])

let silentWithAlert = Rule(
  "silent-with-alert", .warning, "a background push also alerts, but with no text",
  why:
    "The device shows an empty banner, plays a sound for nothing, or holds the push back; it is not silent any more.",
  source: background + ": nothing but content-available; the guide's edition of 2017 lets it alert, with a text",
  fix: "send content-available alone, or give the alert a text",
  bad: [
    .notification(#"{"aps":{"content-available":1,"alert":""}}"#, priority: 5),
    .notification(#"{"aps":{"content-available":1,"sound":"default"}}"#, priority: 5),
    .notification(#"{"aps":{"content-available":1,"alert":{"body":""}}}"#, priority: 5),
  ],
  good: [
    .notification(#"{"aps":{"content-available":1}}"#, priority: 5),
    .notification(#"{"aps":{"content-available":1,"alert":"Hi","sound":"default"}}"#),
  ])

let immediateSilent = Rule(
  "immediate-silent", .warning, "a background push goes out at priority 10",
  why: "The guide calls that an error: priority 10 is for what the user sees or hears. Such pushes come late or never.",
  source: "Local and Push Notification Programming Guide (2013), item 5; later editions say the same",
  fix: "send it with command 2 and priority 5",
  bad: [
    .notification(#"{"aps":{"content-available":1}}"#, priority: 10),
    .notification(#"{"aps":{"content-available":1}}"#),
    .legacy(#"{"aps":{"content-available":1}}"#), .enhanced(#"{"aps":{"content-available":1},"k":"v"}"#),
  ],
  good: [
    .notification(#"{"aps":{"content-available":1}}"#, priority: 5),
    .notification(#"{"aps":{"content-available":1,"alert":"Hi"}}"#, priority: 10),
    .enhanced(#"{"aps":{"content-available":1}}"#).edition(.year2010),
  ])

private func checkMissingAps(
  _ facts: borrowing FrameFacts, _ bytes: Span<UInt8>, _ root: PayloadOutline.Value, _ report: inout Report
) {
  guard facts.outline.present.intersection(Keys.standingForAps).isEmpty else { return }
  // Where it is only misspelt, that is what is said.
  for member in facts.outline.members where member.container == .root && member.key == nil {
    guard bytes.mayBeSpelling(member.keyRange) else { continue }
    if PayloadKey.spelt(bytes.keyBytes(member.keyRange)).contains(Keys.aps) { return }
  }
  report.add(
    apsMissing, at: root.range.lowerBound..<(root.range.lowerBound + 1), "the payload has no aps, so nothing is shown")
}

private func checkEmptyAps(_ facts: borrowing FrameFacts, _ report: inout Report) {
  guard facts.outline.present.intersection(Keys.standingForAps).isEmpty, let aps = facts.outline.first(Keys.aps),
    aps.value.kind == .object
  else { return }
  report.add(apsEmpty, at: aps.value.range, "aps is empty: nothing is shown and no app is woken")
}

private func checkAlert(_ facts: borrowing FrameFacts, _ count: Int, _ report: inout Report) {
  if count == 1, facts.edition < .year2017, let body = facts.outline.first(Keys.body), body.value.kind == .string {
    report.add(
      bodyOnlyAlert, at: body.keyRange,
      "the alert has only a body; until the edition of 2013 the guide wants the text itself then, "
        + "that of 2017 prefers an object")
  }
  for (arguments, key) in Keys.arguments
  where facts.outline.present.contains(arguments) && !facts.outline.present.contains(key) {
    guard let member = facts.outline.first(arguments), member.value.kind == .array else { continue }
    report.add(
      argumentsWithoutKey, at: member.keyRange,
      "\(PayloadKey.all[arguments].name) stands without \(PayloadKey.all[key].name), whose text it would fill")
  }
}

private func checkActions(_ facts: borrowing FrameFacts, _ report: inout Report) {
  let asked = facts.outline.members.filter { $0.container == .aps && $0.key.map(Keys.actions.contains) == true }
  guard asked.count > 1 else { return }
  let words = asked.compactMap(\.key).map {
    (PayloadKey.all[$0].name == "alert" ? "an " : "a ") + PayloadKey.all[$0].name
  }
  report.add(
    severalActions, at: asked[1].keyRange,
    "the notification asks for \(words.dropLast().joined(separator: ", ")) and \(words.last ?? "") at once")
}

private func checkBackground(
  _ facts: borrowing FrameFacts, _ bytes: Span<UInt8>, _ inAps: Int, _ inAlert: Int, _ report: inout Report
) {
  guard let silent = facts.outline.first(Keys.contentAvailable),
    PayloadKey.all[Keys.contentAvailable].fault(in: silent.value, bytes) == nil
  else { return }
  if let alert = facts.outline.first(Keys.alert) {
    if isEmpty(alert.value, facts, inAlert) {
      report.add(silentWithAlert, at: alert.keyRange, "an empty alert stands beside content-available")
    }
  } else if let other = facts.outline.first(Keys.sound) ?? facts.outline.first(Keys.badge), let key = other.key {
    report.add(
      silentWithAlert, at: other.keyRange,
      "a \(PayloadKey.all[key].name) stands beside content-available, but no alert: the push is not silent")
  }
  guard inAps == 1, facts.edition >= .year2013, facts.isNotification else { return }
  if let priority = facts.priority {
    guard priority.count == 1, bytes[priority.start] == 10 else { return }
    report.add(
      immediateSilent, at: priority.range,
      "priority 10 on a push that has nothing to show: content-available stands alone")
  } else if facts.schema?.command == APNSWire.Notification.schema.command {
    report.add(
      immediateSilent, .note, at: silent.keyRange,
      "content-available stands alone, and without item 5 the push may be taken for priority 10",
      fix: "add item 5 with priority 5")
  } else {
    report.add(
      immediateSilent, .note, at: silent.keyRange,
      "content-available stands alone, and this frame type implies priority 10 since the edition of 2013")
  }
}

/// An alert without a text, a title or a key to either.
private func isEmpty(_ alert: PayloadOutline.Value, _ facts: borrowing FrameFacts, _ count: Int) -> Bool {
  switch alert.kind {
  case .string: alert.range.count == 2
  case .object:
    count == 0
      || (count == 1
        && facts.outline.first(Keys.body).map { $0.value.kind == .string && $0.value.range.count == 2 } == true)
  default: false
  }
}
