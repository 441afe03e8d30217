import APNSGateway
import APNSServer
import APNSWire

/// One test of a provider: what the gateway does to it, and how its reaction is judged.
struct ConformanceScenario: Sendable {
  let name: String
  /// What the provider must do.
  let demand: String
  /// The name of the file that says what the gateway does instead of accepting notifications; nil if it accepts all.
  var file: String?
  /// How long that takes at most, in seconds. The provider need not send anything meanwhile.
  var seconds = 0.0
  let judge: @Sendable (ProviderTraffic) -> Judgement

  func behavior() throws(Failure) -> Behavior {
    guard let file else { return Behavior() }
    return try ScenarioFile.behavior(file)
  }

  static let all = [
    ConformanceScenario(name: "frames", demand: "each frame is well-formed", judge: Judgement.frames),
    ConformanceScenario(
      name: "identifiers", demand: "no two notifications on a connection have the same identifier",
      judge: Judgement.identifiers),
    ConformanceScenario(
      name: "connections", demand: "a connection is used for more than one notification", judge: Judgement.connections),
    // The delay gives the provider time to send notifications that are then discarded.
    ConformanceScenario(
      name: "resend", demand: "after a rejection, the discarded notifications are sent again, each once and in order",
      file: "resend", seconds: 0.5, judge: Judgement.resending),
    ConformanceScenario(
      name: "error-packet", demand: "the error response is read before the connection is closed",
      file: "error-packet", seconds: 0.5, judge: Judgement.errorPacket),
    ConformanceScenario(
      name: "shutdown",
      demand: "after a shutdown (status 10), the discarded notifications are sent again, each once and in order",
      file: "shutdown", seconds: 0.5, judge: Judgement.resending),
    ConformanceScenario(
      name: "close", demand: "the provider connects again after a connection was closed without an answer",
      file: "close", judge: Judgement.survival),
    ConformanceScenario(
      name: "reset", demand: "the provider connects again after a connection was reset",
      file: "reset", judge: Judgement.survival),
    ConformanceScenario(
      name: "slow-reader", demand: "a gateway that reads slowly receives each notification once, in complete frames",
      file: "slow-reader", seconds: pause, judge: Judgement.slowReader),
    ConformanceScenario(
      name: "feedback", demand: "feedback is read to its end, and nothing is written to the service",
      judge: Judgement.feedback),
  ]

  /// How long the slow reader reads nothing, in seconds, as its file says.
  static let pause = 1.0

  /// The number of the notification that causes the step in the files of the others.
  static let stepNumber = 3
}
