import APNSDiagnosis

/// Each answer with the notification that it names, byte by byte.
public enum DialogueTree {
  public static func write(_ conversations: Conversations, with view: inout TreeView, to out: inout Output) {
    for conversation in conversations.all {
      if let named = conversation.named { show(named.record, named.bytes) }
      if let answer = conversation.answer { show(answer.record, answer.bytes) }
    }

    func show(_ record: Record, _ bytes: [UInt8]) { view.show(record, bytes.span, to: &out) }
  }
}

extension Conversation {
  /// The notification that the answer means, where one is told.
  var named: Named? {
    switch match {
    case .exact(let named), .byteSwapped(let named), .presumed(let named): named
    case .several, .none: nil
    }
  }
}
