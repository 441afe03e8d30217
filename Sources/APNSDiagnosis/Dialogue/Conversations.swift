import APNSInput
import APNSWire

/// All conversations of an input, which is read twice: first for the answers, then for the notifications that they
/// name. So memory holds a few numbers for each connection, however much was sent.
public struct Conversations: Sendable {
  private let catalog: Catalog
  private var byConnection: [Int: Conversation] = [:]
  private var pass = Pass.answers
  /// What the feedback service reported.
  public private(set) var feedback: FeedbackTokens

  private enum Pass { case answers, notifications, settled }

  public init(_ catalog: Catalog = .standard) {
    self.catalog = catalog
    feedback = FeedbackTokens(catalog)
  }

  /// In the order of connections.
  public var all: [Conversation] { byConnection.values.sorted { $0.connection < $1.connection } }

  public subscript(connection: Int) -> Conversation? { byConnection[connection] }

  /// The first reading is over: the same records come again.
  public mutating func readAgain() { pass = .notifications }

  /// Both readings are over.
  public mutating func settle() {
    pass = .settled
    for key in byConnection.keys { byConnection[key]?.settle() }
  }

  public mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    switch (pass, record.role) {
    case (.answers, .gateway?): noteAnswer(record, bytes)
    case (.answers, .feedback?): feedback.note(record, bytes)
    case (.notifications, .provider?):
      noteNotification(record, bytes)
      feedback.noteSent(record, bytes)
    default: break
    }
  }

  public mutating func end(of stream: ByteStream, _ role: StreamRole?, _ ending: StreamEnding) {
    guard pass == .answers, role != .feedback, stream.isDirected else { return }
    // The side that opened the connection is the provider; a gateway that never spoke has no role.
    let isProvider = role.map { $0 == .provider } ?? stream.number.isMultiple(of: 2)
    change(stream) { conversation in
      if isProvider { conversation.providerEnding = ending } else { conversation.gatewayEnding = ending }
    }
  }

  private mutating func change(_ stream: ByteStream, _ body: (inout Conversation) -> Void) {
    body(&byConnection[stream.connection, default: Conversation(connection: stream.connection)])
  }

  private mutating func noteAnswer(_ record: Record, _ bytes: Span<UInt8>) {
    guard case .frame(let frame, let condition) = record.content, condition == nil,
      let status = catalog.leaf(.status, of: frame, in: bytes)?.integer(in: bytes),
      let identifier = catalog.leaf(.identifier, of: frame, in: bytes)?.integer(in: bytes)
    else {
      if case .gap = record.content { return }
      return change(record.stream) { $0.hasBrokenAnswer = true }
    }
    let answer = Conversation.Answer(
      status: UInt8(truncatingIfNeeded: status), identifier: UInt32(truncatingIfNeeded: identifier), record: record,
      bytes: copy(bytes))
    change(record.stream) { conversation in
      if conversation.answer == nil { conversation.answer = answer } else { conversation.moreAnswers += 1 }
    }
  }

  private mutating func noteNotification(_ record: Record, _ bytes: Span<UInt8>) {
    guard case .frame(let frame, _) = record.content else { return }
    let identifier = catalog.leaf(.identifier, of: frame, in: bytes)?.integer(in: bytes)
      .map { UInt32(truncatingIfNeeded: $0) }
    let isFaulty = record.findings.contains { $0.severity == .error }
    change(record.stream) { conversation in
      conversation.route = conversation.route ?? record.stream.route
      conversation.time = conversation.time ?? record.packets.first?.time
      conversation.notifications += 1
      let ordinal = conversation.notifications
      func named() -> Conversation.Named {
        Conversation.Named(record: record, bytes: copy(bytes), ordinal: ordinal)
      }
      // Where both sides write notifications, the numbers of two streams come one after the other.
      let numbers = conversation.numbers ?? record.number...record.number
      conversation.numbers = min(numbers.lowerBound, record.number)...max(numbers.upperBound, record.number)
      if isFaulty, conversation.firstFault == nil { conversation.firstFault = named() }
      guard let answer = conversation.answer, let identifier else { return }
      if identifier == answer.identifier { conversation.same.note(record.number, ordinal, named()) }
      if identifier.byteSwapped == answer.identifier, identifier != answer.identifier {
        conversation.swapped.note(record.number, ordinal, named())
      }
    }
  }

}

private func copy(_ bytes: Span<UInt8>) -> [UInt8] {
  var copy: [UInt8] = []
  copy.append(contentsOf: bytes)
  return copy
}

extension Conversation {
  /// Tells which notification is meant.
  mutating func settle() {
    if answer == nil {
      if closedInSilence, let firstFault { match = .presumed(firstFault) }
    } else if let first = same.first, same.count == 1 {
      match = .exact(first)
    } else if let range = same.range {
      match = .several(range, count: same.count)
    } else if let first = swapped.first, swapped.count == 1 {
      match = .byteSwapped(first)
    } else if let firstFault, answer?.isShutdown == false {
      match = .presumed(firstFault)
    }
  }

  /// What there is to say beside numbers, a sentence each.
  public var remarks: [String] {
    var said: [String] = []
    if let answer { said += remarks(on: answer) } else { said += remarksOnSilence }
    if moreAnswers > 0 {
      said.append("\(plural(moreAnswers, "more answer")) came behind the first; the service gives one and closes")
    }
    if hasBrokenAnswer {
      said.append("what came from the service is not a whole answer: six bytes that begin with 08")
    }
    return said
  }

  private func remarks(on answer: Answer) -> [String] {
    var said: [String] = []
    switch match {
    case .exact(let named):
      if answer.isShutdown {
        said.append("status 10 is no fault: the notification it names was the last to be accepted")
      } else if named.number == numbers?.upperBound, let fault = named.fault {
        said.append(
          "the last frame is the bad one (\(fault.rule)); some libraries end so on purpose, to learn that all before it "
            + "was accepted")
      }
    case .byteSwapped:
      said.append("the identifier came back with its bytes in the other order than it was sent in")
    case .several(_, let count):
      said.append(
        "\(count) notifications have this identifier, so which of them is meant cannot be told: number them")
    case .presumed(let named):
      said.append(
        "no notification has this identifier\(answer.identifier == 0 ? ", which is what the service says when it could not read one" : "")"
          + "; the first frame at fault is #\(named.number) (\(named.fault?.rule ?? ""))")
    case .none:
      said.append("no notification has this identifier, and no frame is at fault, so nothing tells what was accepted")
    }
    return said
  }

  private var remarksOnSilence: [String] {
    guard closedInSilence else {
      return notifications > 0 && gatewayEnding == .open
        ? ["nothing came from the service, which is what it says of all that it takes"] : []
    }
    let how = gatewayEnding == .reset ? "broke the connection off" : "closed the connection"
    if case .presumed(let named) = match {
      return [
        "the service \(how) without an answer, as it does for command 0 and for what it cannot read; the first frame at "
          + "fault is #\(named.number) (\(named.fault?.rule ?? ""))"
      ]
    }
    return ["the service \(how) without an answer, and no frame is at fault: what it had read cannot be told"]
  }
}
