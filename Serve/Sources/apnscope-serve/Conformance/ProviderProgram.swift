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
      variables[address.service == .push ? "APNS_PORT" : "APNS_FEEDBACK_PORT"] = String(address.port)
      guard address.service == .push else { continue }
      // If the service listens on all addresses, that of this machine.
      variables["APNS_HOST"] = ["0.0.0.0": "127.0.0.1", "::": "::1"][address.host] ?? address.host
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

  /// How the program ended, as a sentence, and whether that is a problem of its own; nil if it ended as it should.
  ///
  /// - Parameter hasConnected: Whether it, or what it started, has connected to a service.
  /// - Throws: If it could not be run.
  func ending(hasConnected: Bool) throws(Failure) -> (sentence: String, isProblem: Bool)? {
    let (status, line) = (process.terminationStatus, errorLine)
    guard process.terminationReason == .exit else { return ("the program was killed by signal \(status)", true) }
    // The statuses of env for a command that it cannot run.
    if !hasConnected, status == 126 || status == 127 {
      throw .unreadable("cannot run \(words[0])\(line.map { " (\($0))" } ?? ""); check the command after --")
    }
    if errorLines.contains(where: { line in FailureText.usual.contains { line.contains($0) } }) {
      return ("the program ended with an uncaught exception: \(line ?? "")", true)
    }
    return status == 0 ? nil : ("the program ended with status \(status)" + (line.map { ": \($0)" } ?? ""), false)
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
