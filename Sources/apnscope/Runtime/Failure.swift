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
  static let interrupted = interruption("interrupted; nothing was written")

  static func interrupted(_ name: String) -> Failure { interruption("\(name): interrupted before the end") }

  static func interruption(_ sentence: String) -> Failure {
    Failure(status: .unreadable, sentence: sentence, isInterruption: true)
  }

  /// The failure to open an input; the reason is in `errno`. With a hint if its name looks like hex digits.
  static func cannotOpen(_ path: String) -> Failure {
    if Interrupt.isRaised { return .interrupted(path) }
    let reason = systemError()
    let digits = path.filter { $0 != " " && $0 != "<" && $0 != ">" }
    let isHex = digits.count >= 4 && digits.allSatisfy(\.isHexDigit)
    return .unreadable(
      "\(path): \(reason)" + (isHex ? "; to read these digits as bytes: apnscope --hex '\(path)'" : ""))
  }

  /// Prints the sentence to standard error, and the command to run next unless `quiet`.
  func report(quiet: Bool = false) {
    let next = quiet ? [] : [next.map { "next: \($0)" }]
    StandardError.say([abridged(sentence)] + next.compactMap(\.self))
  }
}

extension ExitStatus {
  /// The result of `body`, whose errors become failures with this status. `prefix` precedes their sentences.
  func failing<T: ~Copyable>(_ prefix: @autoclosure () -> String = "", _ body: () throws -> T) throws(Failure) -> T {
    do { return try body() } catch let failure as Failure { throw failure } catch {
      throw Failure(status: self, sentence: "\(prefix())\(error)")
    }
  }
}

extension [Failure] {
  /// Reports all of them. Returns the exit status of a run with these failures; nil if there are none.
  func report(quiet: Bool = false) -> ExitStatus? {
    for failure in self { failure.report(quiet: quiet) }
    return contains { $0.status == .unreadable } ? .unreadable : first?.status
  }
}
