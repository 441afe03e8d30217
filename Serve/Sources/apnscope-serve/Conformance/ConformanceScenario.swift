/// One test of a provider: what the gateway does to it, and how its reaction is judged.
struct ConformanceScenario: Sendable {
  let name: String
  /// What the provider must do.
  let demand: String
  /// How long that takes at most, in seconds. The provider need not send anything meanwhile.
  var seconds = 0.0
  let judge: @Sendable (ProviderTraffic) -> () throws(Evidence) -> Judgement

  /// What the file of this name says; without one, the gateway accepts everything.
  func behavior() throws(Failure) -> Behavior {
    ScenarioFile.names.contains(name) ? try ScenarioFile.behavior(name) : Behavior()
  }

  func judgement(of traffic: ProviderTraffic) -> Judgement {
    do throws(Evidence) { return try judge(traffic)() } catch { return Judgement(obstacle: error) }
  }

  static let all = [
    ConformanceScenario(name: "frames", demand: "each frame is well-formed", judge: ProviderTraffic.frames),
    ConformanceScenario(
      name: "identifiers", demand: "no two notifications on a connection have the same identifier",
      judge: ProviderTraffic.identifiers),
    ConformanceScenario(
      name: "connections", demand: "a connection is used for more than one notification",
      judge: ProviderTraffic.connectionUse),
    // The delay gives the provider time to send notifications that are then discarded.
    ConformanceScenario(
      name: "resend", demand: "after a rejection, the discarded notifications are sent again, each once and in order",
      seconds: 0.5, judge: ProviderTraffic.resending),
    ConformanceScenario(
      name: "error-packet", demand: "the error response is read before the connection is closed",
      seconds: 0.5, judge: ProviderTraffic.errorPacket),
    ConformanceScenario(
      name: "shutdown",
      demand: "after a shutdown (status 10), the discarded notifications are sent again, each once and in order",
      seconds: 0.5, judge: ProviderTraffic.resending),
    ConformanceScenario(
      name: "close", demand: "the provider connects again after a connection was closed without an answer",
      judge: ProviderTraffic.survival),
    ConformanceScenario(
      name: "reset", demand: "the provider connects again after a connection was reset",
      judge: ProviderTraffic.survival),
    ConformanceScenario(
      name: "slow-reader", demand: "a gateway that reads slowly receives each notification once, in complete frames",
      seconds: pause, judge: ProviderTraffic.slowReading),
    ConformanceScenario(
      name: "feedback", demand: "feedback is read to its end, and nothing is written to the service",
      judge: ProviderTraffic.feedbackReading),
  ]

  /// How long the slow reader reads nothing, in seconds, as its file says.
  static let pause = 1.0
}
