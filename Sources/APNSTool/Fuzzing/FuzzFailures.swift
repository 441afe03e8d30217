import APNSCraft
import APNSDiagnosis
import APNSInput
import APNSViews
import APNSWire
import Octets

/// What a decoder failed on: alike ones once, each made small, in files.
struct FuzzFailures {
  private let decoder: Decoder
  private let rules: RulePolicy
  private let folder: String
  private let seed: UInt64
  private let quiet: Bool
  let progress: ProgressLine?
  private(set) var all: [Kept] = []
  private var waiting: [Found] = []
  private var keys: Set<String> = []
  private var repeats = 0
  private var unsteady = 0

  struct Kept {
    let path: String
    fileprivate let ending: ChildProcess.Ending
    fileprivate let bytes: [UInt8]
  }

  private struct Found {
    let testCase: TestCase
    let outcome: ChildProcess.Outcome
  }

  /// More are counted, and not kept: a decoder with so many has other worries.
  private static let most = 100
  private static let mostRuns = 1000
  private static let mostSeconds = 30.0

  init(
    _ decoder: Decoder, _ rules: RulePolicy, folder: String, seed: UInt64, _ quiet: Bool
  ) throws(Failure) {
    self.decoder = decoder
    self.rules = rules
    self.folder = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    self.seed = seed
    self.quiet = quiet
    progress = ProgressLine(quiet: quiet)
    // Known before the work begins, not after it.
    let parent = self.folder.lastIndex(of: "/").map { String(self.folder[...$0]) } ?? "."
    guard mayWrite(FileKind(folder) == .folder ? folder : parent), !FileKind(folder).isRegular else {
      throw .unreadable("\(folder): cannot save failures there; choose a writable folder with --out")
    }
  }

  var areWaiting: Bool { !waiting.isEmpty }

  /// - Precondition: the outcome is a failure.
  mutating func add(_ testCase: TestCase, _ outcome: ChildProcess.Outcome) {
    guard keys.count < Self.most, keys.insert(testCase.key(outcome)).inserted else {
      repeats += 1
      return
    }
    waiting.append(Found(testCase: testCase, outcome: outcome))
  }

  /// Whether a time-out on this case would say nothing new.
  func isKnownTimeout(_ testCase: TestCase) -> Bool {
    keys.contains(testCase.key(ChildProcess.Outcome(ending: .timedOut, said: [], seconds: 0)))
  }

  /// - Parameter quickLimit: seconds beyond which a run most likely never ends.
  mutating func keepWaiting(quickLimit: Double?) throws {
    let found = waiting
    waiting = []
    for failure in found { try keep(failure, quickLimit) }
  }

  private mutating func keep(_ found: Found, _ quickLimit: Double?) throws {
    let (testCase, outcome) = (found.testCase, found.outcome)
    let scratch = try TemporaryFile.make()
    let again = try decoder.ending(on: testCase.bytes, in: scratch)
    if let again, again != outcome.ending {
      // A machine that is busy elsewhere makes time-outs; nothing else makes crashes.
      if outcome.ending == .timedOut {
        unsteady += 1
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
    let told = rulesSaid(of: testCase.bytes, testCase.role)
    let last = clockSeconds() + Self.mostSeconds
    var remark = ""
    func shrink(_ bytes: [UInt8], seconds: Double?) throws -> [UInt8] {
      var minimizer = Minimizer(role: testCase.role, maximumTries: Self.mostRuns)
      func stays(_ bytes: [UInt8]) throws -> Bool {
        guard !Interrupt.isRaised, clockSeconds() < last else { return false }
        progress?.show { _ in
          "shrinking failure \(all.count + 1) (\(ending.kind)): \(testCase.bytes.count) -> \(bytes.count) bytes"
        }
        // A verdict stays wrong only as long as there is a stream, of which the rules say the same.
        guard !ending.isVerdict || !bytes.isEmpty && rulesSaid(of: bytes, testCase.role) == told else { return false }
        return try decoder.ending(on: bytes, in: scratch, seconds: seconds) == ending
      }
      let smaller = try minimizer.shrink(bytes, while: stays).zeroed(while: stays)
      if minimizer.tries >= Self.mostRuns || clockSeconds() >= last {
        remark = "; apnscope minimize may find a smaller one"
      }
      return smaller
    }
    guard ending == .timedOut, let quickLimit, quickLimit < decoder.limits.seconds else {
      return (try shrink(testCase.bytes, seconds: nil), remark)
    }
    let smaller = try shrink(testCase.bytes, seconds: quickLimit)
    if try decoder.ending(on: smaller, in: scratch) == .timedOut { return (smaller, remark) }
    // Slow, but not without end: only the whole time tells.
    return (try shrink(testCase.bytes, seconds: nil), remark)
  }

  /// Where a stream breaks no rule of the service, advice has to stay as it is too.
  private func rulesSaid(of bytes: [UInt8], _ role: StreamRole) -> Set<String> {
    let findings = rulesBroken(by: bytes, role, rules)
    let errors = findings.filter { $0.severity == .error }
    return Set((errors.isEmpty ? findings.filter { $0.severity == .warning } : errors).map(\.rule))
  }

  /// For when the command fails on everything: one case, with this to say of it.
  mutating func keep(
    _ testCase: TestCase, _ outcome: ChildProcess.Outcome, _ sentence: String
  ) throws -> String {
    var (bytes, remark) = (testCase.bytes, "")
    // Where each run takes all the time or memory there is, it would take minutes.
    if outcome.ending != .timedOut, outcome.ending != .outgrew {
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
    let told = sentence ?? testCase.sentence(outcome.ending)
    let whole = isSmaller ? ", reduced from \(testCase.bytes.count) in \(folder)/\(name).case.bin" : ""
    var text = """
      \(told)
      size:  \(plural(bytes.count, "byte"))\(whole)\(remark)
      made:  by \(testCase.label.mutator), case \(testCase.number) of --seed \(seed): \(testCase.label.change)
      run:   \(decoder.line(on: path))
      see:   apnscope --from raw --role \(testCase.role) \(shellWord(path))

      """
    if !outcome.said.isEmpty {
      text += "output for the complete case:\n" + outcome.saidLines.map { "  \($0)\n" }.joined()
    }
    try write(Array(text.utf8), to: name + ".txt")
    all.append(Kept(path: path, ending: outcome.ending, bytes: bytes))
    progress?.clear()
    if !quiet, sentence == nil { StandardError.say("\(told); \(plural(bytes.count, "byte")) in \(path)\(remark)") }
    return path
  }

  private func write(_ bytes: [UInt8], to name: String) throws(Failure) {
    var file = try OutputFile(named: name, in: folder)
    file.append { $0.write(bytes.span) }
    try file.close()
  }

  /// What there is in the end, behind the number of cases.
  var account: String {
    let busy = unsteady > 0 ? "; \(plural(unsteady, "time-out")) did not recur and are not counted" : ""
    guard !all.isEmpty else { return "no failure" + busy }
    return "\(plural(all.count, "failure"))" + (repeats > 0 ? " (and \(repeats) more like them)" : "") + " in \(folder)"
      + busy
  }
}

extension [UInt8] {
  /// With zeros for bytes that do not matter, so that cases of one bug, made in different ways, are the same.
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

/// FNV-1a, 32 bits: the same bytes have the same name in every run.
private func checksum(_ bytes: [UInt8]) -> String {
  let hash = bytes.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
  let digits = String(hash, radix: 16)
  return String(repeating: "0", count: 8 - digits.count) + digits
}

extension TestCase {
  /// Failures with the same are taken for one bug: how it ended and what was said, or else what was done to the stream.
  fileprivate func key(_ outcome: ChildProcess.Outcome) -> String {
    let made = label.rule ?? label.mutator
    if outcome.ending == .exited(0) { return "accepted \(made)" }
    if case .exited(let status) = outcome.ending { return "refused \(status) \(outcome.gist ?? made)" }
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
  /// Safe for a terminal; no blank ones.
  var saidLines: [String] {
    String(decoding: said, as: UTF8.self).split(whereSeparator: \.isNewline).map { printable(String($0)) }
      .filter { $0.contains { $0 != " " } }
  }

  /// `, and says "usage: ..."`, or nothing.
  var quotation: String {
    saidLines.last.map { ", and prints \"\($0.count > 120 ? $0.prefix(120) + "..." : $0[...])\"" } ?? ""
  }

  /// The last line without its numbers, which differ from case to case.
  fileprivate var gist: String? {
    guard let line = saidLines.last else { return nil }
    return line.prefix(200).reduce(into: "") { text, character in
      if !character.isNumber { text.append(character) } else if text.last != "0" { text.append("0") }
    }
  }

  fileprivate var sanitizerSummary: String? { saidLines.first { $0.hasPrefix("SUMMARY: ") } }
}
