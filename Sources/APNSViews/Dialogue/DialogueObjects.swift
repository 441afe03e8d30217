import APNSDiagnosis
import APNSWire

/// Writes conversations as NDJSON: an object for each connection, and for each token that the feedback service
/// reported.
package enum DialogueObjects {
  package static func write(_ conversation: Conversation, to out: inout Output) {
    out.line { members(of: conversation, to: &$0) }
  }

  package static func members(of conversation: Conversation, to out: inout Output) {
    writeHead(of: "connection", to: &out)
    out.member("connection", conversation.connection)
    out.member("from", conversation.route?.source.description)
    out.member("to", conversation.route?.destination.description)
    out.member("notifications", conversation.notifications)
    for fate in Conversation.Fate.allCases {
      out.key(fate.rawValue)
      out.decimal(conversation.count(of: fate))
    }
    out.object("numbers") { out in
      for fate in Conversation.Fate.allCases where conversation.count(of: fate) > 0 {
        let ranges = conversation.ordinals(of: fate).map { "[\($0.lowerBound),\($0.upperBound)]" }
        out.key(fate.rawValue)
        out.write("[\(ranges.joined(separator: ","))]")
      }
    }
    if let answer = conversation.answer {
      out.member("status", Int(answer.status))
      out.member("status_name", ErrorResponse.title(of: answer.status))
      out.member("identifier", Int(answer.identifier))
      out.member("sent_after_answer", conversation.sentAfterAnswer)
    }
    out.member("match", conversation.match.name)
    if let named = conversation.named {
      out.member("notification", named.ordinal)
      out.member("record", named.number)
      out.member("offset", named.offset)
      out.member("fault", named.fault)
    }
    if !conversation.remarks.isEmpty { out.array("remarks", conversation.remarks) { $0.jsonString($1) } }
  }

  /// Writes the objects that follow the last connection: remarks about all of them, and the reported tokens.
  package static func finish(_ conversations: Conversations, to out: inout Output) {
    let remarks = conversations.remarks + conversations.feedback.remarks
    if !remarks.isEmpty {
      out.line { out in
        writeHead(of: "dialogue", to: &out)
        out.member("connections", conversations.count)
        out.array("remarks", remarks) { $0.jsonString($1) }
      }
    }
    for token in conversations.feedback.tokens {
      out.line { out in
        writeHead(of: "feedback-token", to: &out)
        out.member("timestamp", token.timestamp)
        out.member("token", hex: token.bytes.span)
        out.member("sent_after", token.sentAfter)
        out.member("sent", token.sent + token.sentAfter)
      }
    }
  }

  private static func writeHead(of type: String, to out: inout Output) {
    out.member("schema", NDJSONView.schema)
    out.member("type", type)
  }
}

extension Conversation.Match {
  fileprivate var name: String? {
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
