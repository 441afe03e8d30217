import APNSCraft
import APNSDiagnosis
import APNSInput
import APNSViews
import APNSWire
import Octets

/// Collects the failures of a decoder: of similar ones only the first is kept, saved at once, and later shrunk.
struct FuzzFailures {
  private let options: Fuzz
  private let decoder: Decoder
  private let definitions: Definitions
  private let target: OutputPath
  /// Its path, without a slash at the end.
  private let folder: String
  let progress: ProgressLine?
  private(set) var all: [SavedFailure] = []
  /// The number of failures in ``all`` that were shrunk and reported: the first ones.
  private var reported = 0
  private var keys: Set<String> = []
  private var repeats = 0
  private var unreproducedTimeouts = 0

  struct SavedFailure {
    let testCase: TestCase
    let outcome: ChildProcess.Outcome
    /// The smallest stream found so far.
    fileprivate(set) var bytes: [UInt8]
    fileprivate(set) var remark = "; apnscope minimize may find a smaller one"
    fileprivate(set) var path = ""
  }

  /// Further failures are only counted.
  private static let failureLimit = 100

  init(_ options: Fuzz, _ decoder: Decoder, _ definitions: Definitions, in target: OutputPath) throws(Failure) {
    (self.options, self.decoder, self.definitions, self.target) = (options, decoder, definitions, target)
    let folder = target.path
    self.folder = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    progress = ProgressLine(quiet: options.messages.quiet)
    // Detect an unwritable folder before the work begins.
    let parent = self.folder.lastIndex(of: "/").map { String(self.folder[...$0]) } ?? "."
    guard mayWrite(FileKind(folder) == .folder ? folder : parent), !FileKind(folder).isRegular else {
      throw .unreadable("\(folder): cannot save failures there; choose a writable folder with --out")
    }
  }

  /// Whether some failures were not shrunk yet.
  var hasUnreported: Bool { reported < all.count }

  /// Saves a failure, unless a similar one is known.
  /// - Precondition: The outcome is a failure.
  mutating func add(_ testCase: TestCase, _ outcome: ChildProcess.Outcome) throws(Failure) {
    guard keys.count < Self.failureLimit, keys.insert(testCase.key(outcome)).inserted else {
      repeats += 1
      return
    }
    var found = SavedFailure(testCase: testCase, outcome: outcome, bytes: testCase.bytes)
    try save(&found)
    all.append(found)
  }

  /// Whether a time-out on this case would be similar to a known one.
  func isKnownTimeout(_ testCase: TestCase) -> Bool {
    keys.contains(testCase.key(ChildProcess.Outcome(ending: .timedOut, errorOutput: [], seconds: 0)))
  }

  /// Shrinks the failures that were found since the last call, and reports them. Each gets an equal share of the time
  /// that is left; what has no time is reported unshrunk.
  /// - Parameters:
  ///   - end: In terms of ``clockSeconds()``.
  ///   - quickLimit: Seconds after which a run probably never ends.
  mutating func shrink(until end: Double, quickLimit: Double?) throws {
    while hasUnreported {
      var found = all.remove(at: reported)
      let left = end - clockSeconds()
      let share = left / Double(all.count - reported + 1)
      if left > 0, !Interrupt.isRaised, try !shrink(&found, until: end - left + share, quickLimit) {
        remove(found)
        continue
      }
      all.insert(found, at: reported)
      reported += 1
      progress?.clear()
      if !options.messages.quiet {
        StandardError.say(
          "\(found.testCase.sentence(found.ending)); \(plural(found.bytes.count, "byte")) in "
            + "\(found.path)\(found.remark)"
        )
      }
    }
  }

  /// Returns false if it is not a failure of its own.
  private mutating func shrink(_ found: inout SavedFailure, until end: Double, _ quickLimit: Double?) throws -> Bool {
    let scratch = try TemporaryFile.make()
    let before = found
    if let again = try decoder.outcome(on: found.bytes, in: scratch)?.ending, again != found.ending {
      // A busy machine may cause time-outs, but no other failures.
      if found.ending == .timedOut {
        unreproducedTimeouts += 1
        return false
      }
      found.remark = "; not every time: in the next run it \(again.words)"
    } else {
      (found.bytes, found.remark) = try smallest(found.testCase, found.ending, scratch, until: end, quickLimit)
    }
    if all[..<reported].contains(where: { $0.ending == found.ending && $0.bytes == found.bytes }) {
      repeats += 1
      return false
    }
    try save(&found)
    if found.path != before.path { remove(before) }
    return true
  }

  private func smallest(
    _ testCase: TestCase, _ ending: ChildProcess.Ending, _ scratch: TemporaryFile, until end: Double,
    _ quickLimit: Double?
  ) throws -> ([UInt8], remark: String) {
    let expected = relevantRules(of: testCase.bytes, testCase.role)
    var isCutOff = false
    func shrink(_ bytes: [UInt8], seconds: Double?) throws -> [UInt8] {
      var minimizer = Minimizer(definitions.catalog, role: testCase.role)
      func stays(_ bytes: [UInt8]) throws -> Bool {
        guard !Interrupt.isRaised, clockSeconds() < end else {
          isCutOff = true
          return false
        }
        progress?.show { _ in
          "shrinking failure \(reported + 1) (\(ending.name)): \(testCase.bytes.count) -> \(bytes.count) bytes"
        }
        // A verdict is only wrong for a stream that is not empty and breaks the same rules.
        guard !ending.isVerdict || !bytes.isEmpty && relevantRules(of: bytes, testCase.role) == expected else {
          return false
        }
        return try decoder.outcome(on: bytes, in: scratch, seconds: seconds)?.ending == ending
      }
      return try Minimizer.zeroed(minimizer.shrink(bytes, while: stays), while: stays)
    }
    var bytes = testCase.bytes
    if ending == .timedOut, let quickLimit, quickLimit < decoder.limits.seconds {
      let smaller = try shrink(bytes, seconds: quickLimit)
      // If the run is slow but ends, the complete time limit must be used.
      bytes = try decoder.outcome(on: smaller, in: scratch)?.ending == .timedOut ? smaller : shrink(bytes, seconds: nil)
    } else {
      bytes = try shrink(bytes, seconds: nil)
    }
    return (bytes, isCutOff ? "; apnscope minimize may find a smaller one" : "")
  }

  /// The rules that the stream breaks: those with errors, or if there are none, those with warnings.
  private func relevantRules(of bytes: [UInt8], _ role: StreamRole) -> Set<String> {
    let findings = findings(in: bytes, role: role, edition: options.cases.edition, by: definitions)
    let errors = findings.filter { $0.severity == .error }
    return Set((errors.isEmpty ? findings.filter { $0.severity == .warning } : errors).map(\.rule))
  }

  /// Saves one case for a command that fails on everything, with this sentence.
  mutating func keep(
    _ testCase: TestCase, _ outcome: ChildProcess.Outcome, _ sentence: String, until end: Double
  ) throws -> String {
    var found = SavedFailure(testCase: testCase, outcome: outcome, bytes: testCase.bytes, remark: "")
    // If each run uses up its limit, shrinking would take minutes.
    if outcome.ending != .timedOut, outcome.ending != .exceededMemory {
      (found.bytes, found.remark) = try smallest(testCase, outcome.ending, TemporaryFile.make(), until: end, nil)
    }
    try save(&found, sentence: sentence)
    all.append(found)
    return found.path
  }

  private func save(_ found: inout SavedFailure, sentence: String? = nil) throws(Failure) {
    try makeFolder(folder, or: "choose another --out")
    let (testCase, outcome, seed) = (found.testCase, found.outcome, options.cases.seed)
    let what = outcome.ending.isVerdict ? "-\(testCase.label.rule ?? "valid")" : ""
    let name = "\(outcome.ending.name)\(what)-\(checksum(found.bytes))"
    found.path = "\(folder)/\(name).bin"
    try target.write(found.bytes, named: name + ".bin")
    let isSmaller = found.bytes.count < testCase.bytes.count
    if isSmaller { try target.write(testCase.bytes, named: name + ".case.bin") }
    let whole = isSmaller ? ", reduced from \(testCase.bytes.count) in \(folder)/\(name).case.bin" : ""
    var text = """
      \(sentence ?? testCase.sentence(outcome.ending))
      size:  \(plural(found.bytes.count, "byte"))\(whole)\(found.remark)
      made:  by \(testCase.label.mutator), case \(testCase.number) of --seed \(seed): \(testCase.label.change)
      run:   \(decoder.line(on: found.path))
      see:   apnscope --from raw --role \(definitions.catalog.name(of: testCase.role)) \(shellWord(found.path))

      """
    if !outcome.errorOutput.isEmpty {
      text += "output for the complete case:\n" + outcome.errorLines.map { "  \($0)\n" }.joined()
    }
    try target.write(Array(text.utf8), named: name + ".txt")
  }

  /// Removes the files of an unshrunk failure, unless another failure has the same bytes.
  private func remove(_ found: SavedFailure) {
    guard !all.contains(where: { $0.path == found.path }) else { return }
    removeFile(found.path)
    removeFile(found.path.dropLast(3) + "txt")
  }

  /// The failure to look at first: the first crash, or else the first time-out, or else the first wrong verdict.
  var first: SavedFailure? {
    all.first { $0.ending.isCrash } ?? all.first { !$0.ending.isVerdict } ?? all.first
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

extension FuzzFailures.SavedFailure {
  var ending: ChildProcess.Ending { outcome.ending }
}

/// FNV-1a (32 bits) in hex, for file names that are the same in every run.
private func checksum(_ bytes: [UInt8]) -> String {
  let hash = bytes.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
  return [UInt8](bigEndian: UInt64(hash), width: 4).hexDigits
}

extension TestCase {
  /// Failures with the same key are considered the same bug: they fail at the same line of the program, or else in the
  /// same way on cases of the same kind.
  fileprivate func key(_ outcome: ChildProcess.Outcome) -> String {
    let ending = outcome.ending
    if let place = ending.place { return place }
    let made = label.rule ?? label.mutator
    if ending == .exited(0) { return "accepted \(made)" }
    return "\(ending.name) \(ending.isVerdict ? ending.number : 0) \(outcome.errorLineWithoutNumbers ?? made)"
  }

  fileprivate func sentence(_ ending: ChildProcess.Ending) -> String {
    let what = label.rule.map { "a stream that breaks \($0)" } ?? "a valid stream"
    guard ending.isVerdict else { return "the command \(ending.words) on \(what)" }
    return ending == .exited(0)
      ? "the command accepts \(what)" : "the command refuses \(what) (status \(ending.number))"
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
    let signs = ["Error", "Exception", "Fatal", "panic", "SUMMARY"]
    return errorLines.last { line in !line.hasPrefix(" ") && signs.contains { line.contains($0) } } ?? errorLines.last
  }

  /// A clause with the last line, such as `, and prints "usage: ..."`; empty if there is no output.
  var quotation: String {
    errorLines.last.map { ", and prints \"\($0.count > 120 ? $0.prefix(120) + "..." : $0[...])\"" } ?? ""
  }

  /// The error line without its numbers, which differ between cases.
  fileprivate var errorLineWithoutNumbers: String? {
    errorLine?.prefix(200).reduce(into: "") { text, character in
      if !character.isNumber { text.append(character) } else if text.last != "0" { text.append("0") }
    }
  }
}
