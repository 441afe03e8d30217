import APNSDiagnosis
import APNSWire

/// Conversations as NDJSON: an object for each connection, and for each token that the feedback service reported.
public enum DialogueObjects {
  public static func write(_ conversation: Conversation, to out: inout Output) {
    out.write("{\"schema\":1,\"type\":\"connection\",\"connection\":")
    out.decimal(conversation.connection)
    if let route = conversation.route {
      out.write(",\"from\":\"\(route.source)\",\"to\":\"\(route.destination)\"")
    }
    out.write(",\"notifications\":")
    out.decimal(conversation.notifications)
    for fate in Conversation.Fate.allCases {
      out.write(",\"\(fate.rawValue)\":")
      out.decimal(conversation.count(of: fate))
    }
    out.write(",\"numbers\":{")
    for (index, fate) in Conversation.Fate.allCases.filter({ conversation.count(of: $0) > 0 }).enumerated() {
      out.write(index > 0 ? ",\"\(fate.rawValue)\":[" : "\"\(fate.rawValue)\":[")
      let ranges = conversation.ordinals(of: fate).map { "[\($0.lowerBound),\($0.upperBound)]" }
      out.write(ranges.joined(separator: ",") + "]")
    }
    out.write("}")
    if let answer = conversation.answer {
      out.write(",\"status\":")
      out.decimal(Int(answer.status))
      if let name = ErrorResponse.title(of: answer.status) {
        out.write(",\"status_name\":")
        out.jsonString(name)
      }
      out.write(",\"identifier\":")
      out.decimal(Int(answer.identifier))
      out.write(",\"sent_after_answer\":")
      out.decimal(conversation.sentAfterAnswer)
    }
    if let match = conversation.match.word { out.write(",\"match\":\"\(match)\"") }
    if let named = conversation.named {
      if let ordinal = named.ordinal {
        out.write(",\"notification\":")
        out.decimal(ordinal)
      }
      out.write(",\"record\":")
      out.decimal(named.number)
      out.write(",\"offset\":")
      out.decimal(named.offset)
      if let fault = named.fault {
        out.write(",\"fault\":")
        out.jsonString(fault)
      }
    }
    write(conversation.remarks, to: &out)
    out.write("}\n")
  }

  /// What all of them together show, after the last one.
  public static func finish(_ conversations: Conversations, to out: inout Output) {
    let remarks = conversations.remarks + conversations.feedback.remarks
    if !remarks.isEmpty {
      out.write("{\"schema\":1,\"type\":\"dialogue\",\"connections\":")
      out.decimal(conversations.count)
      write(remarks, to: &out)
      out.write("}\n")
    }
    for token in conversations.feedback.tokens {
      out.write("{\"schema\":1,\"type\":\"feedback-token\",\"timestamp\":")
      out.decimal(token.timestamp)
      out.write(",\"token\":\"")
      out.hex(token.bytes.span)
      out.write("\",\"sent_after\":")
      out.decimal(token.sentAfter)
      out.write(",\"sent\":")
      out.decimal(token.sent + token.sentAfter)
      out.write("}\n")
    }
  }

  private static func write(_ remarks: [String], to out: inout Output) {
    guard !remarks.isEmpty else { return }
    out.write(",\"remarks\":[")
    for (index, remark) in remarks.enumerated() {
      if index > 0 { out.write(",") }
      out.jsonString(remark)
    }
    out.write("]")
  }
}

extension Conversation.Match {
  fileprivate var word: String? {
    switch self {
    case .none: nil
    case .exact: "exact"
    case .byteSwapped: "byte-swapped"
    case .several: "several"
    case .presumed: "presumed"
    case .earlier: "before-capture"
    case .lost: "in-gap"
    }
  }
}
