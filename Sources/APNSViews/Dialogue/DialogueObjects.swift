import APNSDiagnosis
import APNSWire

/// Conversations as NDJSON: an object for each connection, and for each token that the feedback service reported.
public enum DialogueObjects {
  public static func write(_ conversations: Conversations, to out: inout Output) {
    for conversation in conversations.all where conversation.hasSpeech { write(conversation, to: &out) }
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

  private static func write(_ conversation: Conversation, to out: inout Output) {
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
    if let answer = conversation.answer {
      out.write(",\"status\":")
      out.decimal(Int(answer.status))
      if let name = ErrorResponse.title(of: answer.status) {
        out.write(",\"status_name\":")
        out.jsonString(name)
      }
      out.write(",\"identifier\":")
      out.decimal(Int(answer.identifier))
    }
    if let named = conversation.named {
      out.write(",\"match\":\"\(conversation.match.word)\",\"record\":")
      out.decimal(named.number)
      out.write(",\"offset\":")
      out.decimal(named.record.offset)
    }
    if !conversation.remarks.isEmpty {
      out.write(",\"remarks\":[")
      for (index, remark) in conversation.remarks.enumerated() {
        if index > 0 { out.write(",") }
        out.jsonString(remark)
      }
      out.write("]")
    }
    out.write("}\n")
  }
}

extension Conversation.Match {
  fileprivate var word: String {
    switch self {
    case .none: "none"
    case .exact: "exact"
    case .byteSwapped: "byte-swapped"
    case .several: "several"
    case .presumed: "presumed"
    }
  }
}
