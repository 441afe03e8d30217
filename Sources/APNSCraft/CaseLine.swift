import APNSDiagnosis

/// Test cases as records, schema 1: what scripts read.
extension TestCase {
  /// One line: the label, and the bytes as `hex`; with a `file`, that name stands in place of the bytes.
  public func line(file: String? = nil) -> String {
    var members = ["\"schema\":1", "\"number\":\(number)", "\"mutator\":\(quoted(label.mutator))"]
    members.append("\"change\":\(quoted(label.change))")
    members.append("\"offset\":\(label.range.lowerBound),\"length\":\(label.range.count)")
    if let rule = label.rule { members.append("\"rule\":\(quoted(rule))") }
    if !label.follows.isEmpty { members.append("\"follows\":[\(label.follows.map(quoted).joined(separator: ","))]") }
    if let cause = label.cause { members.append("\"cause\":\(quoted(cause))") }
    members.append("\"verdict\":\"\(label.verdict.rawValue)\"")
    switch label.answer {
    case .status(let code): members.append("\"answer\":\(code)")
    case let reply?: members.append("\"answer\":\"\(reply.text)\"")
    case nil: break
    }
    members.append("\"role\":\(quoted(role.description))")
    members.append(file.map { "\"file\":\(quoted($0))" } ?? "\"hex\":\"\(hexText)\"")
    return "{" + members.joined(separator: ",") + "}\n"
  }

  /// Its bytes as digits.
  public var hexText: String { String(decoding: digits(bytes, upper: false), as: UTF8.self) }

  /// `000012-truncated-at-token.bin`: in the order of the cases.
  public var fileName: String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 6 - digits.count)) + digits + "-" + label.mutator + ".bin"
  }
}

/// As a JSON string. Labels hold nothing from the wire, but bytes of a character may be named in them.
private func quoted(_ text: String) -> String {
  var out = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"": out += "\\\""
    case "\\": out += "\\\\"
    case _ where scalar.value < 0x20 || (0x7f..<0xa0).contains(scalar.value):
      let digits = String(scalar.value, radix: 16)
      out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    default: out.unicodeScalars.append(scalar)
    }
  }
  return out + "\""
}
