import APNSDiagnosis
import APNSInput
import APNSServer
import APNSViews
import Octets

/// Reads what happens on a server's connections as the packets of a capture.
final class ServedPackets {
  private var capture: SessionCapture
  private var reassembler = Reassembler()

  init(_ capture: SessionCapture) { self.capture = capture }

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
      if case .stopped? = events.last { break }
      if events.isEmpty || clockSeconds() - shown > Self.pause {
        sink.pause()
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
  }

  /// In seconds.
  private static let pause = 0.05

  /// What was served, for the summary at the end.
  var summary: String { plural(reassembler.tally.connections, "connection") + " served" }
}
