/// Rules about a stream apart from its frames, and about connections. The dissector checks them.
let streamRules: [Rule] =
  [
    .missingBytes, .overlappingBytes, .noFrameFound, .proxyHeader, .moreFaults, .senderFault, .searchEnded,
    .repeatedBatch, .sentAfterAnswer, .secondAnswer, .successAnswered, .noCloseAfterAnswer, .pushOnFeedbackPort,
    .feedbackOnPushPort, .feedbackClientWrites, .rapidConnections,
  ] + ForeignProtocol.rules

extension Rule {
  package static let missingBytes = Rule(
    "missing-bytes", .warning, "bytes of the stream are missing from the capture",
    why: "The frame that they belong to is cut; the frames around it are complete.",
    source: "TCP sequence numbers (RFC 9293, 3.4)",
    fix: "capture again with a larger buffer (tcpdump -B) and whole packets (-s 0)")

  package static let overlappingBytes = Rule(
    "overlapping-bytes", .warning, "two packets carry different bytes for the same part of the stream",
    why: "Only one version reached the service. A tampered or spliced capture looks like this.",
    source: "TCP sequence numbers (RFC 9293, 3.4)", fix: "compare both with the sender's log")

  package static let noFrameFound = Rule(
    "no-frame-found", .warning, "bytes after missing ones belong to no recognisable frame",
    why: "Without the missing bytes, nothing says where a frame begins. Reading resumes at the next frame.",
    source: "inferred from the bytes: only a frame's own length says where the next frame begins",
    fix: "capture again, from the first packet on and without loss; the other frames are complete")

  package static let proxyHeader = Rule(
    "proxy-header", .note, "a proxy wrote a PROXY protocol header before the stream",
    why: "It is no frame. A gateway that does not expect it reads it as one.",
    source: "The PROXY protocol, versions 1 and 2, HAProxy Technologies",
    fix: "none, if the gateway expects it; else configure the proxy not to send it")

  package static let moreFaults = Rule(
    "more-faults", .error, "a frame has more errors than are listed",
    why: "Random bytes can have an error in every third byte; the first hundred say enough.",
    source: "apnscope's own limit: 100 findings a frame",
    fix: "fix the first ones; the others often follow from them",
    // 140 items of id 9, without data.
    bad: [.hex("02 000001a4" + String(repeating: "09 0000", count: 140))])

  package static let senderFault = Rule(
    "sender-fault", .warning, "the bytes show a sender's bug that no other rule names",
    why: "It breaks something later in the stream, or elsewhere.",
    source: "inferred from the bytes; the root cause that is named says what it is based on",
    fix: "fix the root cause that is named")

  package static let searchEnded = Rule(
    "search-ended", .note, "faulty frames may go unexplained from here on",
    why: "The search for causes does as much work as the bytes of a stream allow, and a stream of noise uses it up.",
    source: "apnscope's own limit: 8 milliseconds a stream, and 32 nanoseconds a byte, counted in steps",
    fix: "fix the first faults, or give the rest of the stream as a file of its own")
}
