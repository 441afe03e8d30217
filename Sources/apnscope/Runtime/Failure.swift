import APNSViews

/// The exit statuses, which scripts rely on.
enum ExitStatus: Int32 {
  case clean = 0
  case findings = 1
  case usage = 2
  case unreadable = 3
}

/// An error that ends the run, with a sentence for standard error and an exit status.
struct Failure: Error {
  let status: ExitStatus
  let sentence: String
  /// Whether the run was interrupted.
  var isInterruption = false
  /// The number of the input that could not be read.
  private(set) var input: Int?
  /// A command that shows what is wrong.
  var next: String?

  func reading(input: Int) -> Failure {
    var failure = self
    failure.input = input
    return failure
  }

  static func usage(_ sentence: String) -> Failure { Failure(status: .usage, sentence: sentence) }
  static func unreadable(_ sentence: String) -> Failure { Failure(status: .unreadable, sentence: sentence) }

  /// An interruption after reading and before anything was written.
  static let interrupted = Failure(
    status: .unreadable, sentence: "interrupted; nothing was written", isInterruption: true)

  static func interrupted(_ name: String) -> Failure {
    Failure(status: .unreadable, sentence: "\(name): interrupted before the end", isInterruption: true)
  }

  /// The failure to open a file; the reason is in `errno`.
  static func cannotOpen(_ path: String) -> Failure {
    Interrupt.isRaised ? .interrupted(path) : .unreadable("\(path): \(systemError())")
  }

  /// Prints the sentence to standard error, and the command to run next unless `quiet`.
  func report(quiet: Bool = false) {
    let next = quiet ? [] : [next.map { "next: \($0)" }]
    StandardError.say([abridged(sentence)] + next.compactMap(\.self))
  }
}

extension [Failure] {
  /// The exit status of a run with these failures; nil if there are none.
  var status: ExitStatus? { contains { $0.status == .unreadable } ? .unreadable : first?.status }
}
