import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSWire

// Members that records and findings share; `encode` ignores them or takes them for the stream's, not the frame's.
extension Output {
  /// Where the record came from, each member behind a comma. `inputs`: written where there are several.
  /// `inFile`: the stream has the number that it has in its file, not among the streams of all.
  mutating func originMembers(of record: Record, _ inputs: [String], inFile: Bool = false) {
    if inputs.count > 1, inputs.indices.contains(record.input) { member("file", inputs[record.input]) }
    guard record.stream.isDirected else { return }
    streamMembers(of: record.stream, inFile: inFile)
    arrivalMembers(of: record)
  }

  /// Number and addresses of a stream.
  mutating func streamMembers(of stream: ByteStream, inFile: Bool = false) {
    member("stream", inFile ? stream.numberInFile : stream.number)
    guard let route = stream.route else { return }
    quoted("from") { $0.endpoint(route.source) }
    quoted("to") { $0.endpoint(route.destination) }
  }

  /// How and when the record came.
  mutating func arrivalMembers(of record: Record) {
    member("direction", record.direction?.rawValue)
    guard let first = record.packets.first else { return }
    array("packets") { out in
      for packet in record.packets {
        out.comma()
        out.decimal(packet.number)
      }
    }
    guard let time = first.time else { return }
    quoted("time") { $0.time(time) }
  }

  mutating func route(_ route: ByteStream.Route) {
    endpoint(route.source)
    write(" > ")
    endpoint(route.destination)
  }

  /// As its description.
  mutating func endpoint(_ endpoint: Endpoint) {
    guard case .v4(let address) = endpoint.address else { return write(endpoint.description) }
    for shift in stride(from: 24, through: 0, by: -8) {
      decimal(Int(address >> UInt32(shift) & 0xff))
      byte(UInt8(ascii: shift == 0 ? ":" : "."))
    }
    decimal(UInt64(endpoint.port))
  }

  /// From the rule to the answer.
  mutating func findingMembers(_ finding: Finding) {
    quoted("rule") { $0.write(finding.rule) }
    quoted("severity") { $0.write(finding.severity.rawValue) }
    member("offset", finding.range.lowerBound)
    member("length", finding.range.count)
    member("message", finding.message)
    member("fix", finding.fix)
    answerMember(finding.answer)
    guard let cause = finding.cause else { return }
    object("cause") { out in
      out.member("id", cause.id)
      out.member("evidence", cause.evidence)
      out.member("fix", cause.fix)
    }
  }

  /// The status as a number, `"error-response"` or `"close"`; nothing if no reply is documented.
  package mutating func answerMember(_ answer: GatewayReply?) {
    if case .status(let code) = answer { member("answer", Int(code)) } else { member("answer", answer?.text) }
  }
}
