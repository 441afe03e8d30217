import APNSWire

// Rules about both sides of a connection, or about several connections.

extension Rule {
  package static let sentAfterAnswer = Rule(
    "sent-after-answer", .warning, "a notification came after the service had answered",
    why:
      "The service reads nothing more on a connection on which it answered: all that follows the notification that it "
      + "names is discarded. This is the most common reason for lost notifications.",
    source: Guide.binaryInterface + ": notifications sent after the malformed one on the same connection are "
      + "discarded, and must be resent",
    fix:
      "read the connection while writing; when an answer arrives, open a new connection and send again what followed "
      + "the named notification (apnscope dialogue lists them)")

  package static let secondAnswer = Rule(
    "second-answer", .warning, "the service answered twice on one connection",
    why:
      "A sender that was tested against this may wait for answers that never arrive: the service sends one error "
      + "response, then closes the connection.",
    source: Guide.oneAnswer,
    fix: "if this is a test server, let it close the connection after the first error response")

  package static let successAnswered = Rule(
    "success-answered", .warning, "the service answers notifications that it accepts",
    why: "A sender that was tested against this waits for answers: the service returns nothing for what it accepts.",
    source: Guide.binaryInterface + ": if a notification is accepted, nothing is returned",
    fix: "if this is a test server, let it answer only what it refuses",
    bad: [.errorResponse(status: 0, identifier: 1) + .errorResponse(status: 0, identifier: 2)],
    good: [.errorResponse(status: 0), .errorResponse(status: 8) + .errorResponse(status: 0)])

  package static let noCloseAfterAnswer = Rule(
    "no-close-after-answer", .warning, "the service answered and left the connection open",
    why: "A sender that was tested against this may go on writing to a connection on which nothing is read.",
    source: Guide.oneAnswer,
    fix: "if this is a test server, let it close the connection after the error response")

  package static let pushOnFeedbackPort = Rule(
    "push-on-feedback-port", .error, "notifications were written to the feedback service",
    why: "The feedback service writes a list of tokens and closes. It reads no notifications, so none of them arrives.",
    source: Guide.ports,
    fix: "connect to port 2195 to send notifications; for another service on this port, add -d tcp.port==2196,push")

  package static let feedbackOnPushPort = Rule(
    "feedback-on-push-port", .warning, "feedback tuples came from the port for notifications",
    why: "Programs that read feedback connect to port 2196; on port 2195 the service writes only error responses.",
    source: Guide.ports,
    fix: "if this is a test server, let it write feedback on port 2196")

  package static let feedbackClientWrites = Rule(
    "feedback-client-writes", .warning, "a client wrote to the feedback service",
    why: "The service begins to write at once; what a client writes is not part of the protocol.",
    source: Guide.feedbackService + ": transmission begins immediately; you do not need to send any command",
    fix: "connect and read to the end, without writing; use port 2195 to send notifications")

  package static let rapidConnections = Rule(
    "rapid-connections", .warning, "connections are opened and closed in quick succession",
    why: "The service treats rapid connection and disconnection as a denial-of-service attack, and may refuse further "
      + "connections.",
    source: Guide.of2013
      + "Best Practices for Managing Connections; it names no number, apnscope reports \(RecentConnections.most) "
      + "in any minute",
    fix: "keep one connection open and send all notifications on it")
}
