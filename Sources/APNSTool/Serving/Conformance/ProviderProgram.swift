import APNSInput
import APNSServer

/// The program that `serve --conformance` tests: it is started for each scenario.
struct ProviderProgram {
  private let words: [String]

  init(_ words: [String]) {
    self.words = words
    ChildProcess.prepare()
  }

  /// Starts the program, with the addresses of the services in its environment.
  ///
  /// - Parameters:
  ///   - addresses: The addresses.
  ///   - seconds: When to kill it.
  func start(_ addresses: [ServerAddress], seconds: Double) throws(Failure) -> ChildProcess {
    var variables: [String] = []
    for address in addresses {
      switch address.service {
      case .push:
        variables += ["APNS_HOST=\(address.endpoint.host)", "APNS_PORT=\(address.endpoint.port)"]
      case .feedback: variables.append("APNS_FEEDBACK_PORT=\(address.endpoint.port)")
      }
    }
    return try ChildProcess(
      ["env"] + variables + words, input: "/dev/null", limits: ChildProcess.Limits(seconds: seconds, memory: .max),
      signs: FailureSigns(refusals: [], texts: FailureSigns.usualTexts))
  }

  /// What is wrong with how the program ended, as a sentence; nil if nothing is.
  ///
  /// - Parameters:
  ///   - outcome: How it ended.
  ///   - hasConnected: Whether it, or what it started, has connected to a service.
  /// - Throws: If it could not be run.
  func problem(of outcome: ChildProcess.Outcome, hasConnected: Bool) throws(Failure) -> String? {
    switch outcome.ending {
    // The statuses of a shell for a command that it cannot run.
    case .exited(126) where !hasConnected, .exited(127) where !hasConnected:
      let reason = outcome.errorLine.map { " (\($0))" } ?? ""
      throw .unreadable("cannot run \(words[0])\(reason); check the command after --")
    case .failed: return "the program ended with an uncaught exception: \(outcome.errorLine ?? "")"
    case .crashed(let signal, _): return "the program was killed by signal \(signal)"
    case .exited, .timedOut, .exceededMemory: return nil
    }
  }

  /// The status with which it ended and the line of its error output that says what went wrong; nil if the status is 0.
  func status(of outcome: ChildProcess.Outcome) -> String? {
    guard case .exited(let status) = outcome.ending, status != 0 else { return nil }
    return "the program ended with status \(status)" + (outcome.errorLine.map { ": \($0)" } ?? "")
  }
}

extension Endpoint {
  /// The address to connect to: that of this machine if the service listens on all addresses.
  fileprivate var host: String {
    switch address {
    case .v4(0): "127.0.0.1"
    case .v6(0, 0): "::1"
    case .v4, .v6: "\(address)"
    }
  }
}
