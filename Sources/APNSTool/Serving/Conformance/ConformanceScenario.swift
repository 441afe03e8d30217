import APNSGateway
import APNSServer
import APNSWire

/// One test of a provider: what the gateway does to it, and how its reaction is judged.
struct ConformanceScenario: Sendable {
  let name: String
  /// What the provider must do.
  let demand: String
  /// What the gateway does instead of accepting notifications.
  var steps: [Behavior.Step] = []
  /// How long that takes at most, in seconds. The provider need not send anything meanwhile.
  var seconds = 0.0
  let judge: @Sendable (ProviderTraffic) -> Judgement

  var behavior: Behavior {
    var behavior = Behavior()
    behavior.steps = steps
    return behavior
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
      steps: [step(.reject(8), delay: 0.5)], seconds: 0.5, judge: Judgement.resending),
    ConformanceScenario(
      name: "error-packet", demand: "the error response is read before the connection is closed",
      steps: [step(.reject(8), delay: 0.1, splits: true)], seconds: 0.5, judge: Judgement.errorPacket),
    ConformanceScenario(
      name: "shutdown",
      demand: "after a shutdown (status 10), the discarded notifications are sent again, each once and in order",
      steps: [step(.shutdown, delay: 0.5)], seconds: 0.5, judge: Judgement.resending),
    ConformanceScenario(
      name: "close", demand: "the provider connects again after a connection was closed without an answer",
      steps: [step(.close)], judge: Judgement.survival),
    ConformanceScenario(
      name: "reset", demand: "the provider connects again after a connection was reset",
      steps: [step(.reset)], judge: Judgement.survival),
    ConformanceScenario(
      name: "slow-reader", demand: "a gateway that reads slowly receives each notification once, in complete frames",
      steps: [Behavior.Step(after: 1, Behavior.Deviation(.pause(pause)))], seconds: pause, judge: Judgement.slowReader),
    ConformanceScenario(
      name: "feedback", demand: "feedback is read to its end, and nothing is written to the service",
      judge: Judgement.feedback),
  ]

  /// How long the slow reader reads nothing, in seconds.
  static let pause = 1.0

  /// The number of the notification that causes the step.
  static let stepNumber = 3

  private static func step(_ act: Behavior.Act, delay: Double = 0, splits: Bool = false) -> Behavior.Step {
    var deviation = Behavior.Deviation(act)
    deviation.manner.delaySeconds = delay
    deviation.manner.splitsReply = splits
    return Behavior.Step(after: stepNumber, deviation)
  }
}
