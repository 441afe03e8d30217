/// What is said about a stream beside its frames, by the dissector itself.
let streamRules =
  [missingBytes, overlappingBytes, noFrameFound, proxyHeader, moreFaults, senderFault, repeatedBatch]
  + ForeignProtocol.rules

let missingBytes = Rule(
  "missing-bytes", .warning, "the capture lacks bytes of the stream",
  why: "The frame that they belong to is cut; those around it are whole.", source: "TCP sequence numbers",
  fix: "capture again with a larger buffer (tcpdump -B) and whole packets (-s 0)")

let overlappingBytes = Rule(
  "overlapping-bytes", .warning, "two packets carry different bytes for one place",
  why: "Only one of them reached the service; a tampered or spliced capture looks like this.",
  source: "TCP sequence numbers", fix: "compare both with the sender's log")

let noFrameFound = Rule(
  "no-frame-found", .warning, "bytes behind a gap belong to no frame that can be told",
  why: "Without the bytes before them nothing says where a frame begins; reading goes on at the next one.",
  source: "the frames' lengths", fix: "capture again; the frames around it are whole")

let proxyHeader = Rule(
  ProxyHeader.rule, .note, "a proxy wrote a PROXY protocol header before the stream",
  why: "It is no frame; a gateway that does not expect it answers nothing and closes.",
  source: "The PROXY protocol, HAProxy Technologies",
  fix: "none needed here; a gateway that does not expect it answers nothing and closes")

let moreFaults = Rule(
  "more-faults", .error, "a frame has more faults than are listed",
  why: "A frame of noise has a fault in every third byte; a hundred of them say enough.", source: "apnscope",
  fix: "fix the first ones; the others often follow from them")

let senderFault = Rule(
  "sender-fault", .warning, "the bytes show a sender's bug that no other rule names",
  why: "What it breaks comes later, or elsewhere.", source: "apnscope, root causes",
  fix: "fix the cause that is named")
