import APNSDiagnosis
import APNSInput
import APNSWire

extension Record {
  /// The place of a finding in words, such as `#3 at 0x1f (line 2, column 63)`, with the identifier of its frame.
  package func place(of finding: Finding, identifier: UInt64? = nil) -> String {
    let parts = [
      stream.isDirected ? "stream \(stream.numberInFile)" : nil, packets.first.map { "packet \($0.number)" },
      position(of: finding)?.text, identifier.map { "identifier \($0)" },
    ].compactMap(\.self).joined(separator: ", ")
    return "#\(number) at \(hexText(finding.range.lowerBound, digits: 1))" + (parts.isEmpty ? "" : " (\(parts))")
  }

  /// The position of a finding in text input: that of its first byte, or of the record's last byte if the finding is
  /// about missing bytes after it. Nil if the record was not read from text.
  func position(of finding: Finding) -> Origin.TextPosition? {
    let index = min(finding.range.lowerBound - firstByte, positions.count - 1)
    return index >= 0 ? positions[index] : nil
  }
}

extension Origin.TextPosition {
  /// `line 2, column 63`.
  var text: String { "line \(line), column \(column)" }
}

extension Finding {
  /// What follows the message, for people: the cause, the fix, and the reply of the service.
  var details: [(label: String, text: String)] {
    var details =
      cause.map { [(label: "cause", text: "\($0.id): \($0.evidence == message ? $0.title : $0.evidence)")] } ?? []
    details.append(("fix", fix))
    if let answer { details.append(("answer", answer.sentence)) }
    return details
  }

  /// The message and what follows it, on one line.
  var line: String { ([message] + details.map { "\($0.label): \($0.text)" }).joined(separator: "; ") }
}

extension GatewayReply {
  package var sentence: String {
    switch self {
    case .close: "the service closes the connection without an error response"
    case .errorResponse: "an error response with an undocumented status, then the service closes the connection"
    case .status(let code): "\(statusText(code)), then the service closes the connection"
    }
  }
}

/// `status 8, Invalid token`.
func statusText(_ code: UInt8) -> String {
  "status \(code)" + (ErrorResponse.title(of: code).map { ", \($0)" } ?? "")
}

/// The name of an input in messages.
func inputName(_ number: Int, _ inputs: [String]) -> String {
  guard inputs.indices.contains(number) else { return "" }
  return inputs[number] == "-" ? "standard input" : printable(inputs[number])
}
