import APNSDiagnosis
import APNSInput
import APNSWire

/// Conversations for a person: one block each, what became of the notifications in rows.
public struct DialogueText {
  private let width: Int
  private let palette: Palette
  /// For the command to run next; empty where it is not one file.
  private let input: String

  public init(width: Int, palette: Palette, input: String) {
    self.width = width
    self.palette = palette
    self.input = input
  }

  public func write(_ conversations: Conversations, to out: inout Output) {
    let all = conversations.all.filter(\.hasSpeech)
    for (index, conversation) in all.enumerated() {
      if index > 0 { out.write("\n") }
      write(conversation, to: &out)
    }
    if all.isEmpty, conversations.feedback.tokens.isEmpty { out.write("no conversation in it\n") }
    write(conversations.feedback, isBehindOthers: !all.isEmpty, to: &out)
  }

  private func write(_ conversation: Conversation, to out: inout Output) {
    var title = palette.paint("connection \(conversation.connection)", .title)
    let route =
      conversation.route
      ?? conversation.answer?.record.stream.route.map { .init(source: $0.destination, destination: $0.source) }
    if let route { title += "  \(route.source) > \(route.destination)" }
    if let time = conversation.time {
      title += "  " + palette.paint(UTC.text(time, separator: UInt8(ascii: " "), suffix: " UTC"), .dim)
    }
    out.write(title + "\n")
    out.write("  \(plural(conversation.notifications, "notification")) sent\n")
    if let answer = conversation.answer { write(answer, to: &out) }
    for fate in Conversation.Fate.allCases {
      let count = conversation.count(of: fate)
      if count > 0 { write(fate, count, conversation, to: &out) }
    }
    for remark in conversation.remarks { writeWrapped(remark, to: &out) }
    if conversation.count(of: .discarded) > 0, !input.isEmpty {
      let file = input == "standard input" ? "-" : input
      writeWrapped("send again: apnscope dialogue --emit resend -T raw \(file)", to: &out)
    }
  }

  private func write(_ answer: Conversation.Answer, to out: inout Output) {
    let name = ErrorResponse.title(of: answer.status) ?? "not documented"
    var words = "  answered: status \(answer.status), \(name), for identifier \(answer.identifier)"
    if let packet = answer.record.packets.first { words += palette.paint("  packet \(packet.number)", .dim) }
    out.write(words + "\n")
  }

  private func write(_ fate: Conversation.Fate, _ count: Int, _ conversation: Conversation, to out: inout Output) {
    let digits = String(count)
    let padding = String(repeating: " ", count: max(1, 10 - digits.count))
    let label = fate.rawValue + String(repeating: " ", count: max(1, 10 - fate.rawValue.count))
    var words = "    " + palette.paint(label, style(of: fate)) + padding + digits
    if let range = conversation.numbers(of: fate) {
      words += range.count == 1 ? "  #\(range.lowerBound)" : "  #\(range.lowerBound) to #\(range.upperBound)"
    }
    switch fate {
    case .accepted: words += ", presumably"
    case .rejected:
      if case .presumed = conversation.match { words += ", presumably" }
    case .discarded: words += ": to be sent again"
    case .unknown: break
    }
    out.write(words + "\n")
  }

  private func style(of fate: Conversation.Fate) -> Palette.Style {
    switch fate {
    case .accepted: .payload
    case .rejected: .error
    case .discarded: .warning
    case .unknown: .note
    }
  }

  private func writeWrapped(_ text: String, to out: inout Output) {
    for line in text.wrapped(to: max(width - 2, 20)) { out.write("  " + line + "\n") }
  }

  // MARK: Feedback

  private func write(_ feedback: FeedbackTokens, isBehindOthers: Bool, to out: inout Output) {
    guard !feedback.tokens.isEmpty else { return }
    if isBehindOthers { out.write("\n") }
    out.write(palette.paint("feedback", .title) + "  \(plural(feedback.tokens.count, "token")) whose app is gone\n")
    for token in feedback.tokens {
      var digits = Output()
      digits.hex(token.bytes.span)
      var words = "  \(ValueWords.date(token.timestamp))  \(String(decoding: digits.bytes, as: UTF8.self))"
      if token.sentAfter > 0 {
        words += palette.paint("  sent to \(times(token.sentAfter)) since then", .warning)
      } else if token.sent > 0 {
        words += palette.paint("  sent to \(times(token.sent)), nobody knows when", .note)
      }
      out.write(words + "\n")
    }
    if feedback.forgotten > 0 { out.write("  and \(feedback.forgotten) more, which were not kept\n") }
    if feedback.tokens.contains(where: { $0.sentAfter > 0 }) {
      writeWrapped("stop sending to a token unless it was registered again behind that time", to: &out)
    }
  }

  private func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }
}

extension Conversation {
  /// The records that ended so, the first and the last of them.
  func numbers(of fate: Fate) -> ClosedRange<Int>? {
    guard let numbers, count(of: fate) > 0 else { return nil }
    let turns: (before: Int, behind: Int)
    switch match {
    case .exact(let named), .byteSwapped(let named), .presumed(let named):
      if fate == .rejected { return named.number...named.number }
      let isTaken = answer?.isShutdown == true
      turns = (named.number - (isTaken ? 0 : 1), named.number + 1)
    case .several(let range, _):
      if fate == .unknown { return range.numbers }
      turns = (range.numbers.lowerBound - 1, range.numbers.upperBound + 1)
    case .none: return numbers
    }
    switch fate {
    case .accepted: return numbers.lowerBound...max(turns.before, numbers.lowerBound)
    case .discarded: return min(turns.behind, numbers.upperBound)...numbers.upperBound
    default: return nil
    }
  }
}
