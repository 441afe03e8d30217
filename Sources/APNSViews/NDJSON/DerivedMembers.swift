import APNSDiagnosis
import APNSInput
import APNSQuery

// Members that records and findings share. `encode` ignores them, or uses them for the stream.
extension Output {
  /// Writes members for the origin of a record.
  ///
  /// - Parameters:
  ///   - inputs: the names of the inputs; written if there are several.
  ///   - inFile: number the stream within its file, not among the streams of all inputs.
  mutating func originMembers(of record: Record, _ inputs: [String], inFile: Bool = false) {
    if inputs.count > 1, inputs.indices.contains(record.input) { member("file", inputs[record.input]) }
    guard record.stream.isDirected else { return }
    streamMembers(of: record.stream, inFile: inFile)
    member("direction", record.direction)
    guard let first = record.packets.first else { return }
    array("packets", record.packets) { $0.decimal($1.number) }
    guard let time = first.time else { return }
    quoted("time") { $0.time(time) }
  }

  mutating func streamMembers(of stream: ByteStream, inFile: Bool = false) {
    member("stream", inFile ? stream.numberInFile : stream.number)
    guard let route = stream.route else { return }
    quoted("from") { $0.endpoint(route.source) }
    quoted("to") { $0.endpoint(route.destination) }
  }

  mutating func route(_ route: ByteStream.Route) {
    endpoint(route.source)
    write(" > ")
    endpoint(route.destination)
  }

  mutating func endpoint(_ endpoint: Endpoint) {
    guard case .v4(let address) = endpoint.address else { return write(endpoint.description) }
    for shift in stride(from: 24, through: 0, by: -8) {
      decimal(Int(address >> UInt32(shift) & 0xff))
      byte(UInt8(ascii: shift == 0 ? ":" : "."))
    }
    decimal(UInt64(endpoint.port))
  }

  mutating func findingMembers(_ finding: Finding) {
    member("rule", finding.rule)
    quoted("severity") { $0.write(finding.severity.rawValue) }
    member("offset", finding.range.lowerBound)
    member("length", finding.range.count)
    member("message", finding.message)
    member("fix", finding.fix)
    answerMember(finding.answer)
    if let cause = finding.cause { causeMember(cause) { $0 } }
  }

  /// Writes the root cause of a finding; `text` makes its texts fit the format.
  mutating func causeMember(_ cause: Cause, _ text: (String) -> String) {
    object("cause") { out in
      out.member("id", text(cause.id))
      out.member("evidence", text(cause.evidence))
      out.member("fix", text(cause.fix))
    }
  }

  /// Writes the reply: the status as a number, `"error-response"` or `"close"`; nothing if no reply is documented.
  package mutating func answerMember(_ answer: GatewayReply?) {
    if case .status(let code) = answer { member("answer", Int(code)) } else { member("answer", answer?.text) }
  }
}
