import APNSInput
import APNSWire
import Octets

// What is known about a conversation beyond the numbers, as sentences.

extension Conversation {
  /// Observations about the conversation, as one sentence each.
  public var remarks: [String] {
    var sentences = [answer.map { remark(on: $0) } ?? remarkOnSilence].compactMap(\.self)
    if let answer, let named, let ordinal = named.ordinal, let title = ErrorResponse.title(of: answer.status),
      Self.visibleFaults.contains(answer.status), named.reply == nil, named.before.cut == named.after.cut
    {
      sentences.append(
        "status \(answer.status) says \"\(title)\", which #\(ordinal) does not show: compare with what the sender wrote"
      )
    }
    if successes > 0 {
      sentences.append(
        "\(plural(successes, "answer")) of status 0: the service never sends that, so this is a test server")
    }
    if sent.cut > 0 {
      sentences.append(
        "the fate of \(plural(sent.cut, "notification")) is not known: parts are missing from the capture")
    }
    if let answer, let doubt = doubts.first(where: { $0.fault != nil && $0.ordinal <= zones.accepted.ordinal }) {
      let what = answer.isShutdown && named?.ordinal == doubt.ordinal ? "it as accepted" : "a later one"
      sentences.append("#\(doubt.ordinal) is at fault (\(doubt.fault ?? "")), yet the answer names \(what)")
    }
    let again = sent.doubtful - sent.cut - (zones.discarded.doubtful - zones.discarded.cut)
    if again > 0 { sentences.append("\(again) of the discarded would be refused too: see apnscope check") }
    if sentAfterAnswer > 0 {
      sentences.append(
        "\(plural(sentAfterAnswer, "notification")) written after the answer: read the connection while writing")
    }
    if answer != nil, moreAnswers > 0 {
      sentences.append("\(plural(moreAnswers, "more answer")) after the first: the service sends one, then closes")
    } else if answer != nil, gatewayEnding == .open, beginning != .unknown {
      sentences.append("the service did not close the connection in this capture, as it does after an answer")
    }
    return sentences
  }

  /// The statuses for a token or a payload that is missing or has a wrong size.
  private static let visibleFaults: Set<UInt8> = [2, 4, 5, 7]

  /// Which notification the answer names, unless the numbers already say it.
  private func remark(on answer: Answer) -> String? {
    if isMisdirected { return Self.misdirected }
    let identifier = "identifier \(answer.identifier)"
    switch match {
    case .exact(let named) where answer.isShutdown:
      return "status 10 rejects nothing: #\(named.ordinal ?? 0) is the last one that was accepted"
    case .exact(let named):
      if isOutOfOrder { return "the capture has the answer before #\(named.ordinal ?? 0), which it names" }
      let count = candidates.count
      return count == 1
        ? nil : "\(count) notifications have \(identifier); only #\(named.ordinal ?? 0) breaks the rule of the status"
    case .byteSwapped(let named):
      return "the answer has the identifier of #\(named.ordinal ?? 0) with its bytes reversed: use one byte order"
    case .several(_, let count):
      return "\(count) notifications have \(identifier), so it is not known which one is meant: number them"
    case .earlier: return "\(identifier) was sent before the capture began, so all that follows it was discarded"
    case .lost: return "\(identifier) was probably sent where bytes are missing from the capture"
    case .presumed(let fault): return "\(identifier) was not sent in this capture; \(fault.text) and is probably meant"
    case .none:
      if notifications == 0 { return "no notification was captured before this answer" }
      return "\(identifier) was \(beginning == .handshake ? "never sent" : "not sent in this capture"), so it is not "
        + "known what was accepted"
    }
  }

  private static let misdirected =
    "port 2196 is the feedback service's, which reads no notifications: use port 2195"

  private var remarkOnSilence: String? {
    if brokenBytes > 0 {
      return "the service wrote \(plural(brokenBytes, "byte")) that are no error response (08, status, identifier)"
    }
    if missingBytes > 0 {
      return
        "\(plural(missingBytes, "byte")) of the service are missing from the capture, so nothing shows what was "
        + "accepted"
    }
    if isMisdirected { return Self.misdirected }
    if closedInSilence {
      if successes > 0 { return "the service closed the connection: how much more it had read is not known" }
      let how = gatewayEnding == .reset ? "reset" : "closed"
      guard case .presumed(let fault) = match else {
        return "the service \(how) the connection without an answer, and no frame is at fault: what it had read is not "
          + "known"
      }
      return "the service \(how) the connection without an answer; \(fault.text) and is probably the reason"
    }
    let unseen = "the other direction is \(isForeign ? "another protocol" : "missing from the input")"
    if let fault = firstRefused {
      return "\(isOneSided ? unseen : "no answer was captured"), but \(fault.text): the service refuses that, and "
        + "discards what follows"
    }
    if isOneSided { return "\(unseen), so nothing shows what was accepted" }
    let isSilent = count(of: .accepted) > 0 && gatewayEnding == .open && successes == 0
    return isSilent ? "no answer, as for accepted notifications" : nil
  }
}

extension Conversation.Named {
  /// `#3 is at fault (empty-token)`, the beginning of a sentence.
  fileprivate var text: String {
    let rule = fault.map { " (\($0))" } ?? ""
    return ordinal.map { "#\($0) is at fault\(rule)" } ?? "what is at 0x\(String(offset, radix: 16)) is no frame\(rule)"
  }
}
