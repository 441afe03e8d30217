import APNSViews

/// The exit statuses: the contract with scripts.
package enum ExitStatus: Int32 {
  case clean = 0
  case findings = 1
  case usage = 2
  case unreadable = 3
}

/// Ends the run: one sentence on standard error, and a status.
package struct Failure: Error {
  package let status: ExitStatus
  package let sentence: String
  /// The run was told to end before its input did.
  var isInterruption = false

  package static func usage(_ sentence: String) -> Failure { Failure(status: .usage, sentence: sentence) }
  package static func unreadable(_ sentence: String) -> Failure { Failure(status: .unreadable, sentence: sentence) }

  /// The run was told to end while it worked on what it had read.
  static let interrupted = Failure(
    status: .unreadable, sentence: "interrupted; nothing was written", isInterruption: true)

  static func interrupted(_ name: String) -> Failure {
    Failure(status: .unreadable, sentence: "\(name): interrupted before the end", isInterruption: true)
  }

  /// For a file that cannot be opened.
  static func unopened(_ path: String) -> Failure {
    Interrupt.isRaised ? .interrupted(path) : .unreadable("\(path): \(systemError())")
  }

  package func report() { StandardError.say(abridged(sentence)) }
}
