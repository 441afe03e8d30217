import APNSCraft
import APNSDiagnosis
import APNSInput
import APNSViews
import APNSWire
import Octets

/// Collects the failures of a decoder: of similar ones only the first is kept, shrunk, and saved in files.
struct FuzzFailures {
  private let decoder: Decoder
  private let rules: RulePolicy
  private let target: OutputPath
  /// Its path, without a slash at the end.
  private let folder: String
  private let seed: UInt64
  private let quiet: Bool
  let progress: ProgressLine?
  private(set) var all: [SavedFailure] = []
  private var pending: [PendingFailure] = []
  private var keys: Set<String> = []
  private var repeats = 0
  private var unreproducedTimeouts = 0

  struct SavedFailure {
    let path: String
    fileprivate let ending: ChildProcess.Ending
    fileprivate let bytes: [UInt8]
  }

  private struct PendingFailure {
    let testCase: TestCase
    let outcome: ChildProcess.Outcome
  }

  /// Further failures are only counted.
  private static let failureLimit = 100
  private static let runLimit = 1000
  private static let secondLimit = 30.0

  init(
    _ decoder: Decoder, _ rules: RulePolicy, folder target: OutputPath, seed: UInt64, _ quiet: Bool
  ) throws(Failure) {
    self.decoder = decoder
    self.rules = rules
    self.target = target
    let folder = target.path
    self.folder = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    self.seed = seed
    self.quiet = quiet
    progress = ProgressLine(quiet: quiet)
    // Detect an unwritable folder before the work begins.
    let parent = self.folder.lastIndex(of: "/").map { String(self.folder[...$0]) } ?? "."
    guard mayWrite(FileKind(folder) == .folder ? folder : parent), !FileKind(folder).isRegular else {
      throw .unreadable("\(folder): cannot save failures there; choose a writable folder with --out")
    }
  }

  var hasPending: Bool { !pending.isEmpty }

  /// Adds a failure, unless a similar one is known.
  /// - Precondition: The outcome is a failure.
  mutating func add(_ testCase: TestCase, _ outcome: ChildProcess.Outcome) {
    guard keys.count < Self.failureLimit, keys.insert(testCase.key(outcome)).inserted else {
      repeats += 1
      return
    }
    pending.append(PendingFailure(testCase: testCase, outcome: outcome))
  }

  /// Whether a time-out on this case would be similar to a known one.
  func isKnownTimeout(_ testCase: TestCase) -> Bool {
    keys.contains(testCase.key(ChildProcess.Outcome(ending: .timedOut, errorOutput: [], seconds: 0)))
  }

  /// Shrinks and saves the pending failures.
  /// - Parameter quickLimit: Seconds after which a run probably never ends.
  mutating func savePending(quickLimit: Double?) throws {
    let found = pending
    pending = []
    for failure in found { try keep(failure, quickLimit) }
  }

  private mutating func keep(_ found: PendingFailure, _ quickLimit: Double?) throws {
    let (testCase, outcome) = (found.testCase, found.outcome)
    let scratch = try TemporaryFile.make()
    let again = try decoder.ending(on: testCase.bytes, in: scratch)
    if let again, again != outcome.ending {
      // A busy machine may cause time-outs, but no other failures.
      if outcome.ending == .timedOut {
        unreproducedTimeouts += 1
      } else {
        try save(testCase, outcome, testCase.bytes, "; not every time: in the next run it \(again.words)")
      }
      return
    }
    let (smallest, remark) = try smallest(testCase, outcome.ending, scratch, quickLimit)
    if all.contains(where: { $0.ending == outcome.ending && $0.bytes == smallest }) {
      repeats += 1
    } else {
      try save(testCase, outcome, smallest, remark)
    }
  }

  private func smallest(
    _ testCase: TestCase, _ ending: ChildProcess.Ending, _ scratch: TemporaryFile, _ quickLimit: Double?
  ) throws -> ([UInt8], remark: String) {
    let expected = relevantRules(of: testCase.bytes, testCase.role)
    let last = clockSeconds() + Self.secondLimit
    var remark = ""
    func shrink(_ bytes: [UInt8], seconds: Double?) throws -> [UInt8] {
      var minimizer = Minimizer(protocolDefinitions.catalog, role: testCase.role, maximumTries: Self.runLimit)
      func stays(_ bytes: [UInt8]) throws -> Bool {
        guard !Interrupt.isRaised, clockSeconds() < last else { return false }
        progress?.show { _ in
          "shrinking failure \(all.count + 1) (\(ending.kind)): \(testCase.bytes.count) -> \(bytes.count) bytes"
        }
        // A verdict is only wrong for a stream that is not empty and breaks the same rules.
        guard !ending.isVerdict || !bytes.isEmpty && relevantRules(of: bytes, testCase.role) == expected else {
          return false
        }
        return try decoder.ending(on: bytes, in: scratch, seconds: seconds) == ending
      }
      let smaller = try minimizer.shrink(bytes, while: stays).zeroed(while: stays)
      if minimizer.tries >= Self.runLimit || clockSeconds() >= last {
        remark = "; apnscope minimize may find a smaller one"
      }
      return smaller
    }
    guard ending == .timedOut, let quickLimit, quickLimit < decoder.limits.seconds else {
      return (try shrink(testCase.bytes, seconds: nil), remark)
    }
    let smaller = try shrink(testCase.bytes, seconds: quickLimit)
    if try decoder.ending(on: smaller, in: scratch) == .timedOut { return (smaller, remark) }
    // The run is slow but ends, so the complete time limit must be used.
    return (try shrink(testCase.bytes, seconds: nil), remark)
  }

  /// The rules that the stream breaks: those with errors, or if there are none, those with warnings.
  private func relevantRules(of bytes: [UInt8], _ role: StreamRole) -> Set<String> {
    let findings = rulesBroken(by: bytes, role, rules)
    let errors = findings.filter { $0.severity == .error }
    return Set((errors.isEmpty ? findings.filter { $0.severity == .warning } : errors).map(\.rule))
  }

  /// Saves one case for a command that fails on everything, with this sentence.
  mutating func keep(
    _ testCase: TestCase, _ outcome: ChildProcess.Outcome, _ sentence: String
  ) throws -> String {
    var (bytes, remark) = (testCase.bytes, "")
    // If each run uses up its limit, shrinking would take minutes.
    if outcome.ending != .timedOut, outcome.ending != .exceededMemory {
      (bytes, remark) = try smallest(testCase, outcome.ending, TemporaryFile.make(), nil)
    }
    return try save(testCase, outcome, bytes, remark, sentence: sentence)
  }

  @discardableResult
  private mutating func save(
    _ testCase: TestCase, _ outcome: ChildProcess.Outcome, _ bytes: [UInt8], _ remark: String, sentence: String? = nil
  ) throws(Failure) -> String {
    guard makeFolder(folder) else { throw .unreadable("\(folder): \(systemError()); choose another --out") }
    let what = outcome.ending.isVerdict ? "-\(testCase.label.rule ?? "valid")" : ""
    let name = "\(outcome.ending.kind)\(what)-\(checksum(bytes))"
    let path = "\(folder)/\(name).bin"
    try write(bytes, to: name + ".bin")
    let isSmaller = bytes.count < testCase.bytes.count
    if isSmaller { try write(testCase.bytes, to: name + ".case.bin") }
    let description = sentence ?? testCase.sentence(outcome.ending)
    let whole = isSmaller ? ", reduced from \(testCase.bytes.count) in \(folder)/\(name).case.bin" : ""
    var text = """
      \(description)
      size:  \(plural(bytes.count, "byte"))\(whole)\(remark)
      made:  by \(testCase.label.mutator), case \(testCase.number) of --seed \(seed): \(testCase.label.change)
      run:   \(decoder.line(on: path))
      see:   apnscope --from raw --role \(testCase.role.name) \(shellWord(path))

      """
    if !outcome.errorOutput.isEmpty {
      text += "output for the complete case:\n" + outcome.errorLines.map { "  \($0)\n" }.joined()
    }
    try write(Array(text.utf8), to: name + ".txt")
    all.append(SavedFailure(path: path, ending: outcome.ending, bytes: bytes))
    progress?.clear()
    if !quiet, sentence == nil {
      StandardError.say("\(description); \(plural(bytes.count, "byte")) in \(path)\(remark)")
    }
    return path
  }

  private func write(_ bytes: [UInt8], to name: String) throws(Failure) {
    var file = try OutputFile(named: name, in: target)
    file.append { $0.write(bytes.span) }
    try file.close()
  }

  /// The number of failures, as the last part of a sentence.
  var summary: String {
    let busy =
      unreproducedTimeouts > 0 ? "; \(plural(unreproducedTimeouts, "time-out")) did not recur and are not counted" : ""
    guard !all.isEmpty else { return "no failure" + busy }
    return "\(plural(all.count, "failure"))" + (repeats > 0 ? " (and \(repeats) more like them)" : "") + " in \(folder)"
      + busy
  }
}

extension [UInt8] {
  /// The bytes with zeros where they do not matter, so that different cases of one bug become equal.
  fileprivate func zeroed(while stays: ([UInt8]) throws -> Bool) rethrows -> [UInt8] {
    var bytes = self
    var size = count / 2
    while size > 0 {
      for start in stride(from: 0, to: count, by: size) {
        var plainer = bytes
        for index in start..<Swift.min(start + size, count) { plainer[index] = 0 }
        if plainer != bytes, try stays(plainer) { bytes = plainer }
      }
      size /= 2
    }
    return bytes
  }
}

/// FNV-1a (32 bits) in hex, for file names that are the same in every run.
private func checksum(_ bytes: [UInt8]) -> String {
  let hash = bytes.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
  let digits = String(hash, radix: 16)
  return String(repeating: "0", count: 8 - digits.count) + digits
}

extension TestCase {
  /// Failures with the same key are considered the same bug. It depends on the ending and on the error output,
  /// otherwise on the broken rule or the mutator.
  fileprivate func key(_ outcome: ChildProcess.Outcome) -> String {
    let made = label.rule ?? label.mutator
    if outcome.ending == .exited(0) { return "accepted \(made)" }
    if case .exited(let status) = outcome.ending {
      return "refused \(status) \(outcome.lastLineWithoutNumbers ?? made)"
    }
    if case .failed = outcome.ending { return "\(outcome.ending)" }
    return "\(outcome.ending.kind) \(outcome.sanitizerSummary ?? made)"
  }

  fileprivate func sentence(_ ending: ChildProcess.Ending) -> String {
    let what = label.rule.map { "a stream that breaks \($0)" } ?? "a valid stream"
    switch ending {
    case .exited(0): return "the command accepts \(what)"
    case .exited(let status): return "the command refuses \(what) (status \(status))"
    default: return "the command \(ending.words) on \(what)"
    }
  }
}

extension ChildProcess.Outcome {
  /// The lines of standard error that are not blank, made safe for a terminal.
  var errorLines: [String] {
    String(decoding: errorOutput, as: UTF8.self).split(whereSeparator: \.isNewline)
      .map { printable(String($0.replacing("\t", with: "    "))) }
      .filter { $0.contains { $0 != " " } }
  }

  /// The line that says what went wrong; nil if there is no output.
  var errorLine: String? {
    let signs = ["Error", "Exception", "Fatal", "panic"]
    return errorLines.last { line in !line.hasPrefix(" ") && signs.contains { line.contains($0) } } ?? errorLines.last
  }

  /// A clause with the last line, such as `, and prints "usage: ..."`; empty if there is no output.
  var quotation: String {
    errorLines.last.map { ", and prints \"\($0.count > 120 ? $0.prefix(120) + "..." : $0[...])\"" } ?? ""
  }

  /// The last line without its numbers, which differ between cases.
  fileprivate var lastLineWithoutNumbers: String? {
    guard let line = errorLines.last else { return nil }
    return line.prefix(200).reduce(into: "") { text, character in
      if !character.isNumber { text.append(character) } else if text.last != "0" { text.append("0") }
    }
  }

  fileprivate var sanitizerSummary: String? { errorLines.first { $0.hasPrefix("SUMMARY: ") } }
}
