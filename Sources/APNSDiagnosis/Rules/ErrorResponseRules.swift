import APNSWire

/// What a status says beyond its name. All of them notes: the service may say what it likes.
let errorResponseRules = RuleFamily([
  statusZero, statusShutdown, statusNewerThanEdition, statusNotDocumented,
]) { facts, bytes, _, report in
  guard let leaf = facts.status, leaf.count == 1 else { return }
  let code = bytes[leaf.start]
  guard let status = ErrorResponse.statuses.first(where: { $0.code == code }) else {
    report.add(statusNotDocumented, at: leaf.range, "no edition lists the status \(code)\(libraryRemark(on: code))")
    return
  }
  if status.since > facts.edition, facts.schema?.since ?? .year2009 <= facts.edition {
    report.add(
      statusNewerThanEdition, at: leaf.range,
      "the status \(code) is listed from \(status.since.rawValue) on, not in the edition of \(facts.edition.rawValue)")
  }
  switch code {
  case 0:
    report.add(statusZero, at: leaf.range, "the status is 0, which the service never sends: it does not answer success")
  case 10:
    report.add(
      statusShutdown, at: leaf.range,
      "the service closes for reasons of its own; the notification that the identifier names was accepted")
  default:
    break
  }
}

private func libraryRemark(on code: UInt8) -> String {
  LibraryStatus.all.first { $0.code == String(code) }.map { "; \($0.source): \($0.title)" } ?? ""
}

private let guide = "Local and Push Notification Programming Guide, Format of error-response packet"

private let statusZero = Rule(
  "status-zero", .note, "the status says that there is no error",
  why: "It is listed, but nothing is ever answered to what was accepted; a test server may have written it.",
  source: guide + "; libraries that cut 256, their own number for unknown errors, to one byte",
  fix: "look who wrote it; wait for no answer to a notification that is right",
  bad: [.errorResponse(status: 0)], good: [.errorResponse(status: 8)])

private let statusShutdown = Rule(
  "status-shutdown", .note, "the service shuts the connection down",
  why: "Nothing is wrong with the notification that is named: it is the last one that was accepted.",
  source: guide + " (2013): status 10",
  fix: "open a new connection, and send again what was sent behind the named notification",
  bad: [.errorResponse(status: 10)], good: [.errorResponse(status: 8)])

private let statusNewerThanEdition = Rule(
  "status-newer-than-edition", .note, "the edition does not list the status",
  why: "Programs of that time do not know it, and some fail at it.",
  source: "the revision history of Apple's guide", fix: "judge by a newer --edition",
  bad: [.errorResponse(status: 10).edition(.year2010), .errorResponse(status: 128)],
  good: [.errorResponse(status: 10), .errorResponse(status: 128).edition(.year2017)])

private let statusNotDocumented = Rule(
  "status-not-documented", .note, "no edition lists the status",
  why: "What it means is not known. Numbers that libraries use for themselves never come from the service: 254, also "
    + "read as -2, of java-apns, and 512 to 515 of node-apn; -1 is 255, which is listed.",
  source: guide + "; the tables of libraries",
  fix: "take it as an unknown error: the named notification is refused, those behind it were dropped",
  bad: [.errorResponse(status: 9), .errorResponse(status: 254)],
  good: [.errorResponse(status: 255), .errorResponse(status: 8)])
