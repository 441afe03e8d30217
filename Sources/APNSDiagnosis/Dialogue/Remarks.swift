import APNSInput
import APNSWire
import Octets

// What is known about a conversation beyond the numbers, as sentences.

extension Conversation {
  /// Observations about the conversation, as one sentence each.
  public var remarks: [String] {
    var sentences = [answer.map { remark(on: $0) } ?? remarkOnSilence].compactMap(\.self)
    if let answer, let named, let contradiction = contradiction(of: answer, named) { sentences.append(contradiction) }
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

  /// Which notification the answer names, unless the numbers already say it.
  private func remark(on answer: Answer) -> String? {
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
    case .lost:
      guard let holes, holes.first.ordinal == holes.last.ordinal else {
        return "\(identifier) was probably sent in one of the gaps"
      }
      let place = holes.first.ordinal == 0 ? "before #1" : "after #\(holes.first.ordinal)"
      return "\(identifier) was probably sent in the gap \(place)"
    case .presumed(let fault): return "\(identifier) was not sent in this capture; \(fault.text) and is probably meant"
    case .none:
      if notifications == 0 { return "no notification was captured before this answer" }
      if known == nil { return "there are too many connections to know which notification is meant" }
      return "\(identifier) was \(beginning == .handshake ? "never sent" : "not sent in this capture"), so it is not "
        + "known what was accepted"
    }
  }

  /// Reports a status that the bytes of the frame do not confirm.
  private func contradiction(of answer: Answer, _ named: Named) -> String? {
    guard let ordinal = named.ordinal, let title = ErrorResponse.title(of: answer.status), named.reply == nil else {
      return nil
    }
    let (token, payload) = (named.tokenSize, named.payloadSize)
    let value: String
    switch answer.status {
    case 2 where token > 0, 5 where token == 32: value = "token of #\(ordinal) has \(plural(token, "byte"))"
    // The smallest limit of any edition.
    case 4 where payload > 0, 7 where ordinaryPayloads ~= payload:
      value = "payload of #\(ordinal) has \(plural(payload, "byte"))"
    default: return nil
    }
    return "status \(answer.status) says \"\(title)\", but the \(value): compare with what the sender wrote"
  }

  private var remarkOnSilence: String? {
    if brokenBytes > 0 {
      return "the service wrote \(plural(brokenBytes, "byte")) that are no error response (08, status, identifier)"
    }
    if missingBytes > 0 {
      return
        "\(plural(missingBytes, "byte")) of the service are missing from the capture, so nothing shows what was "
        + "accepted"
    }
    if isMisdirected { return "port 2196 is the feedback service's, which reads no notifications: use port 2195" }
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
