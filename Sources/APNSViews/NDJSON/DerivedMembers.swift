import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSWire

// Members that records and findings share; `encode` ignores them or takes them for the stream's, not the frame's.
extension Output {
  /// Where the record came from, each member behind a comma. `inputs`: written where there are several.
  mutating func originMembers(of record: Record, _ inputs: [String]) {
    if inputs.count > 1, inputs.indices.contains(record.input) {
      write(",\"file\":")
      jsonString(inputs[record.input])
    }
    guard record.stream.isDirected else { return }
    write(",\"stream\":")
    decimal(record.stream.number)
    if let route = record.stream.route {
      write(",\"from\":\"")
      write(route.source.description)
      write("\",\"to\":\"")
      write(route.destination.description)
      write("\"")
    }
    if let direction = record.direction {
      write(",\"direction\":\"")
      write(direction.rawValue)
      write("\"")
    }
    guard let first = record.packets.first else { return }
    write(",\"packets\":")
    decimals(record.packets.map(\.number))
    guard let time = first.time else { return }
    write(",\"time\":\"")
    write(UTC.text(time))
    write("\"")
  }

  mutating func decimals(_ numbers: [Int]) {
    write("[")
    for (index, number) in numbers.enumerated() {
      if index > 0 { write(",") }
      decimal(number)
    }
    write("]")
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

  /// The status as a number, or `"close"`; nothing where the service would not refuse.
  mutating func answerMember(_ answer: Finding.Answer?) {
    switch answer {
    case .status(let code):
      write(",\"answer\":")
      decimal(UInt64(code))
    case .close: write(",\"answer\":\"close\"")
    case nil: break
    }
  }
}
