import APNSInput
import APNSWire
import Octets

// The observations about a conversation, as sentences.

extension Conversation {
  /// Observations about the conversation, as one sentence each.
  public var remarks: [String] {
    var sentences: [String] = []
    if let answer { sentences += remarks(on: answer) } else { sentences += remarksOnSilence }
    if successes > 0 {
      sentences.append(
        "\(plural(successes, "answer")) of status 0, \"No errors encountered\": it refuses nothing, and the service "
          + "sends nothing for what it accepts; a test server wrote \(successes == 1 ? "it" : "them")")
    }
    sentences += remarksOnDoubts
    if answer != nil { sentences += remarksOnClose }
    if spareBytes > 0 {
      sentences.append(
        "\(plural(spareBytes, "byte")) \(spareBytes == 1 ? "follows" : "follow") the answer, which has 6 bytes")
    }
    return sentences
  }

  private func remarks(on answer: Answer) -> [String] {
    var sentences: [String] = []
    let identifier = answer.identifier
    switch match {
    case .exact(let named): sentences += remarks(on: answer, named)
    case .byteSwapped(let named):
      sentences.append(
        "the answer has the identifier of #\(named.ordinal ?? 0) with its bytes reversed: write and read it in one "
          + "order"
      )
      sentences += contradiction(of: answer, named)
    case .several(let range, let count):
      let which = count == 2 ? "#\(range.lowerBound) and #\(range.upperBound)" : "\(count) notifications"
      sentences.append("\(which) have identifier \(identifier), so it is not known which one is meant: number them")
    case .earlier:
      sentences.append(
        "identifier \(identifier) was sent before the capture began, so all that follows it was discarded")
    case .lost:
      sentences.append(
        "identifier \(identifier) is not in the capture, which is missing \(plural(holes?.bytes ?? 0, "byte"))"
          + "\(placeOfHoles): it was probably there")
    case .presumed(let fault):
      sentences.append(
        identifier == 0
          ? "identifier 0 was never sent: the service could not read one; \(fault.text) and is probably meant"
          : "identifier \(identifier) was not sent in this capture; \(fault.text) and is probably meant")
    case .none: sentences.append(remarkOnUnknown(answer))
    }
    if isOutOfOrder {
      sentences.append("the capture has the answer before the notification that it names: its packets are not in order")
    }
    return sentences
  }

  private func remarks(on answer: Answer, _ named: Named) -> [String] {
    guard let ordinal = named.ordinal else { return [] }
    if answer.isShutdown { return ["status 10 rejects nothing: #\(ordinal) is the last one that was accepted"] }
    var sentences: [String] = []
    let same = search.first?.same
    if let count = same?.chosen.count, count > 1 {
      sentences.append(
        "\(count) notifications have identifier \(answer.identifier); only #\(ordinal) breaks the rule that the "
          + "status names"
      )
    } else if same?.isAlsoAfter == true {
      sentences.append(
        "identifier \(answer.identifier) was sent again after the answer; only #\(ordinal), sent before it, can be "
          + "meant"
      )
    }
    if named.number == sent.number, named.fault != nil {
      sentences.append(
        "the last one sent is at fault; some libraries do that on purpose, to learn that all before it were accepted")
    }
    return sentences + contradiction(of: answer, named)
  }

  /// Reports a status that the bytes of the frame do not confirm.
  private func contradiction(of answer: Answer, _ named: Named) -> [String] {
    guard let ordinal = named.ordinal, let title = ErrorResponse.title(of: answer.status), named.reply == nil else {
      return []
    }
    let value: (name: String, size: Int)?
    switch answer.status {
    case 2: value = named.tokenSize.flatMap { $0 > 0 ? ("token", $0) : nil }
    case 5: value = named.tokenSize.flatMap { $0 == 32 ? ("token", $0) : nil }
    case 4: value = named.payloadSize.flatMap { $0 > 0 ? ("payload", $0) : nil }
    // The smallest limit of any edition.
    case 7: value = named.payloadSize.flatMap { ordinaryPayloads ~= $0 ? ("payload", $0) : nil }
    default: value = nil
    }
    return value.map {
      [
        "status \(answer.status) says \"\(title)\", but the \($0.name) of #\(ordinal) has \(plural($0.size, "byte")): "
          + "compare with what the sender wrote"
      ]
    } ?? []
  }

  private func remarkOnUnknown(_ answer: Answer) -> String {
    if notifications == 0 { return "no notification was captured before this answer" }
    if search.isEmpty {
      return "this capture has more answers than are remembered, so it is not known which one is meant"
    }
    if isAllLegacy {
      return
        "none of these notifications has an identifier: by the guide, command 0 is never answered, so it is not known "
        + "which one is meant"
    }
    let start = "identifier \(answer.identifier) was "
    guard beginning == .handshake || answer.identifier == 0 else {
      return start
        + "not sent in this capture. If it was sent earlier, all \(notifications) were discarded; send them again"
    }
    let fault = firstFault.map { "; \($0.text), but this status names the last one that was accepted" }
    return start + (beginning == .handshake ? "never sent on this connection" : "not sent in this capture")
      + (fault ?? ", and no frame is at fault")
      + ": what was accepted is not known"
  }

  private var remarksOnSilence: [String] {
    if brokenBytes > 0 {
      let cut = "the answer has \(plural(brokenBytes, "byte")) instead of 6 (08, status, identifier)"
      var sentences = [isAnswerCut ? cut : "\(plural(brokenBytes, "byte")) from the service are no error response"]
      if let named { sentences.append("\(named.text) and is probably meant") }
      return sentences
    }
    if isMisdirected {
      return ["port 2196 is the feedback service's, which reads no notifications: send them to port 2195"]
    }
    guard closedInSilence else {
      let unseen = "the other direction is " + (isForeign ? "another protocol" : "missing from the input")
      if let fault = firstRefused {
        return [
          (isOneSided ? unseen : "no answer was captured")
            + ", but \(fault.text): by the documents the service refuses it, and discards what follows"
        ]
      }
      if isOneSided { return [unseen + ", so nothing shows what was accepted"] }
      guard count(of: .accepted) > 0, gatewayEnding == .open, successes == 0 else { return [] }
      let start = "no answer, as for accepted notifications"
      guard count(of: .accepted) == notifications else { return [start] }
      let all = notifications == 1 ? "it was" : notifications == 2 ? "both were" : "all \(notifications) were"
      return [start + ": \(all) probably accepted"]
    }
    if successes > 0 { return ["the service closed the connection: how much more it had read by then is not known"] }
    let how = gatewayEnding == .reset ? "reset the connection" : "closed the connection"
    if case .presumed(let fault) = match {
      let rest =
        switch fault.reply {
        case .close?: "; by the guide, it gets no other answer"
        case .status?, .errorResponse?:
          "; by the guide an error response comes first, by Apple's technical note TN2265 a parsing error can close "
            + "without one"
        case nil: ""
        }
      return ["the service \(how) without an answer; \(fault.text) and is probably the reason\(rest)"]
    }
    return ["the service \(how) without an answer, and no frame is at fault: what it had read by then is not known"]
  }

  /// Reports notifications whose fate does not follow from their position.
  private var remarksOnDoubts: [String] {
    var sentences: [String] = []
    if sent.cut > 0 {
      let cut = doubts.first { $0.fault == nil }
      sentences.append(
        sent.cut == 1 && cut != nil
          ? "the capture has only a part of #\(cut?.ordinal ?? 0), so what became of it is not known"
          : "the capture has only parts of \(sent.cut) notifications, so what became of them is not known")
    }
    if let answer, let doubt = doubts.first(where: { $0.fault != nil && $0.ordinal <= zones.accepted.ordinal }) {
      sentences.append(
        "#\(doubt.ordinal) is at fault (\(doubt.fault ?? "")), yet the answer names "
          + (answer.isShutdown && named?.ordinal == doubt.ordinal ? "it as accepted" : "a later one")
          + ": what became of it is not known")
    }
    let again = sent.doubtful - sent.cut - (zones.discarded.doubtful - zones.discarded.cut)
    if again > 0 {
      sentences.append(
        "\(again) of the discarded \(again == 1 ? "is" : "are") at fault, too: apnscope check says why; fix "
          + "\(again == 1 ? "it" : "them") before sending again")
    }
    return sentences
  }

  private var remarksOnClose: [String] {
    var sentences: [String] = []
    if sentAfterAnswer > 0 {
      sentences.append(
        "\(sentAfterAnswer) \(sentAfterAnswer == 1 ? "was" : "were") written after the answer: read the connection "
          + "while writing, and stop when an answer arrives")
    }
    if moreAnswers > 0 {
      sentences.append("\(plural(moreAnswers, "more answer")) after the first: the service sends one, then closes")
    }
    if gatewayEnding == .open, beginning != .unknown {
      sentences.append("the service did not close the connection in this capture; by the guide it does after an answer")
    }
    return sentences
  }

  private var placeOfHoles: String {
    guard let (first, last, _) = holes else { return "" }
    if last.ordinal == 0 { return " before #1" }
    return first.ordinal == last.ordinal
      ? " after #\(first.ordinal)" : " between #\(first.ordinal) and #\(last.ordinal + 1)"
  }

  /// Whether no notification can have an identifier.
  private var isAllLegacy: Bool { notifications > 0 && !hasIdentifiers }
}

extension Conversation.Named {
  /// `#3 is at fault (empty-token)`, the beginning of a sentence.
  fileprivate var text: String {
    let rule = fault.map { " (\($0))" } ?? ""
    guard let ordinal else {
      let place = after.ordinal > 0 ? ", after #\(after.ordinal)," : ""
      return "what is at 0x\(String(offset, radix: 16))\(place) is no frame\(rule)"
    }
    return "#\(ordinal) is at fault\(rule)"
  }
}
