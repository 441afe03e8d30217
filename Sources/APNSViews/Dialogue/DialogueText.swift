import APNSDiagnosis
import APNSInput
import APNSWire
import Octets

/// Writes conversations for people: a block for each connection, with a row for each outcome of notifications.
package struct DialogueText: Sendable {
  private let terminal: Terminal
  private let resend: String
  private var hasWritten = false
  private var hasDiscarded = false

  /// `resend`: a command line that writes the discarded notifications.
  package init(terminal: Terminal, resend: String) {
    (self.terminal, self.resend) = (terminal, resend)
  }

  package mutating func write(_ conversation: Conversation, to out: inout Output) {
    separate(&out)
    if conversation.count(of: .discarded) > 0 { hasDiscarded = true }
    var title = terminal.paint("connection \(conversation.connection)", .title)
    if let route = conversation.route { title += "  \(route.source) > \(route.destination)" }
    if let time = conversation.time {
      title += "  " + terminal.paint(UTC.readable(time), .dim)
    }
    out.write(title + "\n")
    out.write("  \(plural(conversation.notifications, "notification")) sent\n")
    if let answer = conversation.answer { write(answer, to: &out) }
    for fate in Conversation.Fate.allCases {
      let count = conversation.count(of: fate)
      if count > 0 { write(fate, count, conversation, to: &out) }
    }
    for remark in conversation.remarks { terminal.write(remark, indent: 2, to: &out) }
  }

  /// Writes what follows the last connection: remarks about all of them, and the tokens that the feedback service
  /// reported.
  package mutating func finish(_ conversations: Conversations, to out: inout Output) {
    let remarks = conversations.remarks
    let isToSend = hasDiscarded && !conversations.areDiscardedSentAgain
    if !remarks.isEmpty || isToSend { separate(&out) }
    for remark in remarks { terminal.write(remark, to: &out) }
    // Not wrapped, so that it can be pasted.
    if isToSend { out.write("send again: \(printable(resend))\n") }
    write(conversations.feedback, to: &out)
    if !hasWritten { out.write("no conversation in it\n") }
  }

  private mutating func separate(_ out: inout Output) {
    if hasWritten { out.write("\n") }
    hasWritten = true
  }

  private func write(_ answer: Conversation.Answer, to out: inout Output) {
    let name = ErrorResponse.title(of: answer.status) ?? "not documented"
    var line = "  answered: status \(answer.status), \(name), for identifier \(answer.identifier)"
    if let packet = answer.packet { line += terminal.paint("  packet \(packet)", .dim) }
    out.write(line + "\n")
  }

  private func write(_ fate: Conversation.Fate, _ count: Int, _ conversation: Conversation, to out: inout Output) {
    let digits = String(count)
    var line = "    " + terminal.paint(fate.rawValue.padded(to: 10, gap: 1), style(of: fate))
    line += "".padded(to: 10 - digits.count, gap: 1) + digits + "  "
    line += conversation.ordinals(of: fate).map { range in
      range.count == 1 ? "#\(range.lowerBound)" : "#\(range.lowerBound) to #\(range.upperBound)"
    }.joined(separator: ", ")
    out.write(line + printable(conversation.details(of: fate)) + "\n")
  }

  private func style(of fate: Conversation.Fate) -> Terminal.Style {
    switch fate {
    case .accepted: .payload
    case .rejected: .error
    case .discarded: .warning
    case .unknown: .note
    }
  }

  // MARK: Feedback

  private mutating func write(_ feedback: FeedbackTokens, to out: inout Output) {
    guard !feedback.tokens.isEmpty || !feedback.remarks.isEmpty else { return }
    separate(&out)
    out.write(terminal.paint("feedback", .title) + "  \(plural(feedback.tokens.count, "token")) whose app is gone\n")
    for token in feedback.tokens {
      var line = "  \(Output.text { $0.date(token.timestamp) })  \(token.bytes.hexDigits)"
      if token.sentAfter > 0 {
        line += terminal.paint("  sent to \(times(token.sentAfter)) since then", .warning)
      } else if token.sent > 0 {
        line += terminal.paint("  sent to \(times(token.sent)), at an unknown time", .note)
      }
      out.write(line + "\n")
    }
    if feedback.tokens.contains(where: { $0.sentAfter > 0 }) {
      terminal.write("stop sending to a token unless it was registered again after that time", indent: 2, to: &out)
    }
    for remark in feedback.remarks { terminal.write(remark, indent: 2, to: &out) }
  }

  private func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }
}

extension Conversation {
  /// What follows the name of a fate in text: how certain it is, its reason, and what to do.
  package func details(of fate: Fate) -> String {
    switch fate {
    case .accepted: return ", presumably"
    case .rejected:
      let certainty = if case .presumed = match { ", presumably" } else { "" }
      return certainty + (named?.fault.map { ": \($0)" } ?? "")
    case .discarded: return ": to be sent again"
    case .unknown: return ""
    }
  }
}
