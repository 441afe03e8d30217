import APNSWire

/// Rules about the meaning of a status. All are notes, because they describe the gateway and not an error in the
/// packet.
let errorResponseRules = RuleFamily(
  [.statusZero, .statusShutdown, .statusNewerThanEdition, .statusNotDocumented], dependsOn: .form
) { facts, bytes, report in
  guard let leaf = facts.status, leaf.count == 1 else { return }
  let code = bytes[leaf.start]
  guard let status = ErrorResponse.statuses.first(where: { $0.code == code }) else {
    return report.add(.statusNotDocumented, at: leaf.range, "status \(code) is in no edition")
  }
  if status.since > facts.edition, facts.schema?.since ?? .year2009 <= facts.edition {
    report.add(.statusNewerThanEdition, "status \(code)", since: status.since.rawValue, at: leaf.range)
  }
  if code == 0 {
    report.add(.statusZero, at: leaf.range, "status 0 refuses nothing: an accepted notification gets no reply at all")
  } else if code == ErrorResponse.shutdown {
    report.add(
      .statusShutdown, at: leaf.range,
      "the gateway shuts the connection down; the notification that the identifier names is the last one it accepted")
  }
}

extension Rule {
  package static let statusZero = Rule(
    "status-zero", .note, "the status says that there is no error",
    why:
      "The table lists it, but the same chapter says that nothing is returned for an accepted notification. It refuses "
      + "nothing. A gateway that confirms each notification with it is an emulator.",
    source: Guide.statuses + ": 0, No errors encountered; " + Guide.binaryInterface + ": \"nothing is returned\"",
    fix: "in a gateway of yours, send nothing for accepted notifications; in a sender, ignore it",
    bad: [.errorResponse(status: 0)], good: [.errorResponse(status: 8)])

  package static let statusShutdown = Rule(
    "status-shutdown", .note, "the gateway shuts the connection down",
    why:
      "Nothing is wrong with the notification that is named: it is the last one that was sent successfully. Those sent "
      + "after it were discarded.",
    source: Guide.binaryInterface + ": status 10",
    fix: "open a new connection, and send again what was sent after the named notification",
    bad: [.errorResponse(status: 10)], good: [.errorResponse(status: 8)])

  package static let statusNewerThanEdition = Rule(
    "status-newer-than-edition", .note, "the edition does not list the status",
    why: "Senders of that time do not know it, and some fail on it.",
    source: Guide.revisions + ": status 10 came on 2013-04-23; " + Guide.binaryInterface2017
      + ": 128. Observed: dcai/airnotifier#112 fails on 10",
    fix: "judge by a newer --edition",
    bad: [.errorResponse(status: 10).edition(.year2010), .errorResponse(status: 128)],
    good: [.errorResponse(status: 10), .errorResponse(status: 128).edition(.year2017)])

  package static let statusNotDocumented = Rule(
    "status-not-documented", .note, "no edition lists the status",
    why: "Its meaning is not known.",
    source: Guide.statuses + "; " + Guide.binaryInterface2017,
    fix: "treat it as an unknown error: the named notification is refused, those after it were discarded",
    bad: [.errorResponse(status: 9), .errorResponse(status: 254)],
    good: [.errorResponse(status: 255), .errorResponse(status: 8)])
}
