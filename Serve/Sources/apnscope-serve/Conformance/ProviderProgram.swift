import APNSCraft
import Foundation

/// The program that `--conformance` tests, started for one scenario.
final class ProviderProgram {
  private let words: [String]
  private let process = Process()
  private let errors: URL

  /// Starts the program, with the addresses of the services in its environment.
  init(_ words: [String], _ addresses: [ServiceAddress]) throws(Failure) {
    self.words = words
    errors = FileManager.default.temporaryDirectory.appending(path: "apnscope-\(UUID().uuidString)")
    var variables = ProcessInfo.processInfo.environment
    for address in addresses {
      switch address.service {
      case .push:
        // If the service listens on all addresses, that of this machine.
        variables["APNS_HOST"] = ["0.0.0.0": "127.0.0.1", "::": "::1"][address.host] ?? address.host
        variables["APNS_PORT"] = String(address.port)
      case .feedback: variables["APNS_FEEDBACK_PORT"] = String(address.port)
      }
    }
    process.environment = variables
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["--"] + words
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    do {
      try Data().write(to: errors)
      process.standardError = try FileHandle(forWritingTo: errors)
      try process.run()
    } catch {
      throw .unreadable("cannot run \(words[0]): \(error.localizedDescription); check the command after --")
    }
  }

  var isRunning: Bool { process.isRunning }

  /// Kills it, and what it left running in its process group.
  func stop() {
    kill(-process.processIdentifier, SIGKILL)
    if process.isRunning { process.waitUntilExit() }
    try? FileManager.default.removeItem(at: errors)
  }

  /// What is wrong with how the program ended, as a sentence; nil if nothing is.
  ///
  /// - Parameter hasConnected: Whether it, or what it started, has connected to a service.
  /// - Throws: If it could not be run.
  func problem(hasConnected: Bool) throws(Failure) -> String? {
    let status = process.terminationStatus
    guard process.terminationReason == .exit else { return "the program was killed by signal \(status)" }
    // The statuses of env for a command that it cannot run.
    if !hasConnected, status == 126 || status == 127 {
      let reason = errorLine.map { " (\($0))" } ?? ""
      throw .unreadable("cannot run \(words[0])\(reason); check the command after --")
    }
    guard errorLines.contains(where: { line in FailureText.usual.contains { line.contains($0) } }) else { return nil }
    return "the program ended with an uncaught exception: \(errorLine ?? "")"
  }

  /// The status with which it ended and the last line of its error output; nil if the status is 0.
  var status: String? {
    let status = process.terminationStatus
    guard process.terminationReason == .exit, status != 0 else { return nil }
    return "the program ended with status \(status)" + (errorLine.map { ": \($0)" } ?? "")
  }

  /// The last line that is not a part of a stack trace.
  private var errorLine: String? {
    let lines = errorLines
    return (lines.last { !($0.first?.isWhitespace ?? true) } ?? lines.last).map(String.init)
  }

  private var errorLines: [Substring] {
    guard let file = try? FileHandle(forReadingFrom: errors), let data = try? file.read(upToCount: 1 << 14) else {
      return []
    }
    return String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
  }
}
