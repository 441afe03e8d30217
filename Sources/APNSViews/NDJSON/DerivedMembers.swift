import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSWire

// Members that records and findings share; `encode` ignores them or takes them for the stream's, not the frame's.
extension Output {
  /// Where the record came from, each member behind a comma. `inputs`: written where there are several.
  /// `inFile`: the stream has the number that it has in its file, not among the streams of all.
  mutating func originMembers(of record: Record, _ inputs: [String], inFile: Bool = false) {
    if inputs.count > 1, inputs.indices.contains(record.input) {
      write(",\"file\":")
      jsonString(inputs[record.input])
    }
    guard record.stream.isDirected else { return }
    streamMembers(of: record.stream, inFile: inFile)
    arrivalMembers(of: record)
  }

  /// Number and addresses of a stream.
  mutating func streamMembers(of stream: ByteStream, inFile: Bool = false) {
    write(",\"stream\":")
    decimal(inFile ? stream.numberInFile : stream.number)
    guard let route = stream.route else { return }
    write(",\"from\":\"")
    endpoint(route.source)
    write("\",\"to\":\"")
    endpoint(route.destination)
    write("\"")
  }

  /// How and when the record came.
  mutating func arrivalMembers(of record: Record) {
    if let direction = record.direction {
      write(",\"direction\":\"")
      write(direction.rawValue)
      write("\"")
    }
    guard let first = record.packets.first else { return }
    write(",\"packets\":[")
    for index in record.packets.indices {
      if index > 0 { byte(UInt8(ascii: ",")) }
      decimal(record.packets[index].number)
    }
    byte(UInt8(ascii: "]"))
    guard let time = first.time else { return }
    write(",\"time\":\"")
    self.time(time)
    write("\"")
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
    write("\"rule\":\"")
    write(finding.rule)
    write("\",\"severity\":\"")
    write(finding.severity.rawValue)
    write("\",\"offset\":")
    decimal(finding.range.lowerBound)
    write(",\"length\":")
    decimal(finding.range.count)
    write(",\"message\":")
    jsonString(finding.message)
    write(",\"fix\":")
    jsonString(finding.fix)
    answerMember(finding.answer)
    if let cause = finding.cause { causeMember(cause) }
  }

  private mutating func causeMember(_ cause: Cause) {
    write(",\"cause\":{\"id\":\"")
    write(cause.id)
    write("\",\"evidence\":")
    jsonString(cause.evidence)
    write(",\"fix\":")
    jsonString(cause.fix)
    write("}")
  }

  /// The status as a number, `"error-response"` or `"close"`; nothing if no reply is documented.
  mutating func answerMember(_ answer: GatewayReply?) {
    switch answer {
    case .status(let code):
      write(",\"answer\":")
      decimal(UInt64(code))
    case let reply?: write(",\"answer\":\"\(reply.text)\"")
    case nil: break
    }
  }
}
