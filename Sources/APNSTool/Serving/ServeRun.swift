import APNSDiagnosis
import APNSGateway
import APNSInput
import APNSServer
import APNSViews

/// Runs a gateway, and shows the records of its connections as they arrive.
///
/// What happens on the connections is written as the packets of a capture, and these packets are read. So the output is
/// what other commands print for the capture.
package struct ServeRun {
  private let settings: StreamSettings
  private let style: RecordStyle
  private let server: ServerSettings
  package var behavior = Behavior()
  /// A file with the tokens that the feedback service reports.
  package var feedbackTokens: InputPath?
  /// A capture file to which the packets are also written.
  package var packetFile: OutputPath?
  package var selection = RecordSelection()
  package var failOn = FailOn.error
  package var quiet = false

  package init(_ settings: StreamSettings, _ style: RecordStyle, _ server: ServerSettings) {
    self.settings = settings
    self.style = style
    self.server = server
  }

  package func run() throws -> ExitStatus {
    let packets = ServedPackets(
      try SessionCapture(packetFile), stepCount: behavior.steps.count, quiet: quiet)
    var server = server
    if let feedbackTokens { server.feedback = try FeedbackList(feedbackTokens).tuples }
    let running = try RunningServer(server, settings, behavior: behavior)
    defer { running.server.shutDown() }
    running.announce()
    var run = RecordRun(running.settings, style, inputs: [packetFile?.path ?? ""], output: nil, failOn: failOn)
    run.selection = selection
    run.quiet = quiet
    run.ending = .triage
    run.endsAtInterrupt = false
    return try run.run { dissector in
      packets.read(running.server, into: &dissector)
      dissector.records.note("", isEmpty: false, remark: packets.summary)
      return packets.failure.map { [$0] } ?? []
    }
  }
}
