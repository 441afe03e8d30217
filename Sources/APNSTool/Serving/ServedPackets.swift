import APNSDiagnosis
import APNSInput
import APNSServer
import APNSViews
import Octets

/// Reads what happens on a server's connections as the packets of a capture, and says what no packet shows.
final class ServedPackets {
  private var capture: SessionCapture
  private let quiet: Bool
  /// The number of steps of the scenario.
  private let stepCount: Int
  private var reassembler = Reassembler()
  private var reactions = ReactionLog()
  /// The number of problems with connections, such as a failed TLS handshake.
  private var warningCount = 0
  /// Sentences that follow the records before them.
  private var sentences: [String] = []

  init(_ capture: SessionCapture, stepCount: Int, quiet: Bool) {
    self.capture = capture
    self.stepCount = stepCount
    self.quiet = quiet
  }

  var failure: Failure? { capture.failure }

  /// Reads until the server has stopped. An interruption, or a sink that wants no more, stops it.
  func read(_ server: Server, into sink: inout Dissector<ViewSink>) {
    var isStopping = false
    var shown = clockSeconds()
    while true {
      let events = server.events.take(waitingFor: Self.pause)
      let end = events.firstIndex { if case .stopping = $0 { true } else { false } }
      capture.packets(of: events[..<(end ?? events.endIndex)]).read(into: &reassembler, &sink)
      if let end {
        sink.stop()
        capture.packets(of: events[end...]).read(into: &reassembler, &sink)
      }
      for event in events { note(event) }
      if case .stopped? = events.last { break }
      if events.isEmpty || clockSeconds() - shown > Self.pause {
        show(&sink)
        shown = clockSeconds()
      }
      if !isStopping, Interrupt.isRaised || !sink.wantsMore || failure != nil {
        isStopping = true
        server.stop()
      }
    }
    capture.finish().read(into: &reassembler, &sink)
    reassembler.finish(into: &sink)
    sink.finish()
    show(&sink)
  }

  private func note(_ event: SessionEvent) {
    switch event {
    case .reacted(let reaction, let route):
      reactions.count(reaction)
      guard !quiet, let sentence = reaction.sentence else { break }
      sentences.append("\(route.source): \(sentence)")
    case .remark(let sentence):
      warningCount += 1
      sentences.append(sentence)
    case .opened, .sent, .closed, .abandoned, .restarted, .stopping, .stopped: break
    }
  }

  private func show(_ sink: inout Dissector<ViewSink>) {
    sink.pause()
    for sentence in sentences { StandardError.say(sentence) }
    sentences = []
  }

  /// In seconds.
  private static let pause = 0.05

  /// What was served, for the summary at the end.
  var summary: String {
    var parts = [plural(reassembler.tally.connections, "connection") + " served"]
    if warningCount > 0 { parts.append(plural(warningCount, "warning")) }
    if !reactions.summary.isEmpty { parts.append(reactions.summary) }
    if stepCount > 0 { parts.append("\(reactions.stepCount) of \(plural(stepCount, "step")) done") }
    return parts.joined(separator: ", ")
  }
}
