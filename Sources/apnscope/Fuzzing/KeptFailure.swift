import APNSCraft
import APNSDiagnosis
import APNSViews
import APNSWire
import Octets

/// A failure of a decoder that is saved in files.
struct KeptFailure {
  let testCase: TestCase
  let outcome: DecoderRun.Outcome
  let sentence: String
  /// The smallest stream found so far.
  var bytes: [UInt8]
  var remark = "; apnscope minimize may find a smaller one"
  var path = ""

  var ending: Ending { outcome.ending }
}

extension FuzzRun {
  /// Further failures are only counted.
  private static let failureLimit = 100

  /// Keeps a failure, unless a similar one is known.
  mutating func keep(_ testCase: TestCase, _ outcome: DecoderRun.Outcome) throws(Failure) {
    guard keys.count < Self.failureLimit, keys.insert(testCase.key(outcome.ending, outcome)).inserted else {
      repeats += 1
      return
    }
    var failure = KeptFailure(
      testCase: testCase, outcome: outcome, sentence: testCase.sentence(outcome.ending), bytes: testCase.bytes)
    try save(&failure)
    failures.append(failure)
  }

  /// Shrinks the failures and reports them. Each gets an equal share of the time
  /// that is left; what has no time is reported unshrunk.
  /// - Parameter end: In terms of ``clockSeconds()``.
  mutating func shrinkFailures(until end: Double) throws {
    while reported < failures.count {
      var failure = failures[reported]
      let now = clockSeconds()
      if now < end, !Interrupt.isRaised {
        let before = failure.path
        let isOwn = try shrink(&failure, until: now + (end - now) / Double(failures.count - reported))
        if isOwn { try save(&failure) }
        failures.replaceSubrange(reported...reported, with: isOwn ? [failure] : [])
        // Another failure may have the same bytes.
        if !failures.contains(where: { $0.path == before }) {
          remove(before)
          remove(before.dropLast(3) + "txt")
        }
        if !isOwn { continue }
      }
      reported += 1
      guard !options.messages.quiet else { continue }
      StandardError.say(
        "\(failure.sentence); \(plural(failure.bytes.count, "byte")) in \(failure.path)\(failure.remark)")
    }
  }

  /// Shrinks a failure. Returns false if it is not a failure of its own.
  @discardableResult
  mutating func shrink(_ failure: inout KeptFailure, until end: Double) throws -> Bool {
    let (testCase, ending) = (failure.testCase, failure.ending)
    if let again = try decoder.outcome(on: failure.bytes)?.ending, again != ending {
      // A busy machine may cause time-outs, but no other failures.
      if ending == .timedOut {
        unreproducedTimeouts += 1
        return false
      }
      failure.remark = "; not every time: in the next run it \(again.words)"
    } else {
      let expected = relevantRules(of: testCase.bytes, testCase.role)
      var isCutOff = false
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
        guard ending.verdict == nil || !bytes.isEmpty && relevantRules(of: bytes, testCase.role) == expected else {
          return false
        }
        return try decoder.outcome(on: bytes, seconds: ending == .timedOut ? quickLimit : nil)?.ending == ending
      }
      let smallest = try Minimizer.zeroed(minimizer.shrink(testCase.bytes, while: stays), while: stays)
      // A run that is slow but ends is no time-out.
      if try ending != .timedOut || decoder.outcome(on: smallest)?.ending == .timedOut { failure.bytes = smallest }
      if !isCutOff { failure.remark = "" }
    }
    guard !failures[..<reported].contains(where: { $0.ending == ending && $0.bytes == failure.bytes }) else {
      repeats += 1
      return false
    }
    return true
  }

  /// The rules that the stream breaks: those with errors, or if there are none, those with warnings.
  private func relevantRules(of bytes: [UInt8], _ role: StreamRole) -> Set<String> {
    let findings = findings(in: bytes, role: role, edition: options.cases.edition, by: definitions)
    let errors = findings.filter { $0.severity == .error }
    return Set((errors.isEmpty ? findings.filter { $0.severity == .warning } : errors).map(\.rule))
  }

  /// Writes the bytes, the complete case if it is larger, and a text that says what happened.
  func save(_ failure: inout KeptFailure) throws(Failure) {
    try makeFolder(folder.path, or: "choose another --out")
    let (testCase, ending) = (failure.testCase, failure.ending)
    let what = ending.verdict != nil ? "-\(testCase.label.rule ?? "valid")" : ""
    let name = "\(ending.name)\(what)-\(checksum(failure.bytes))"
    failure.path = OutputPath(name + ".bin", in: folder).path
    try folder.write(failure.bytes, named: name + ".bin")
    var size = plural(failure.bytes.count, "byte")
    if failure.bytes.count < testCase.bytes.count {
      try folder.write(testCase.bytes, named: name + ".case.bin")
      size += ", reduced from \(testCase.bytes.count) in \(OutputPath(name, in: folder).path).case.bin"
    }
    let (label, role) = (testCase.label, definitions.catalog.name(of: testCase.role))
    var text = """
      \(failure.sentence)
      size:  \(size)\(failure.remark)
      made:  by \(label.mutator), case \(testCase.number) of --seed \(options.cases.seed): \(label.change)
      run:   \(decoder.line(on: failure.path))
      see:   apnscope --from raw --role \(role) \(shellWord(failure.path))

      """
    if !failure.outcome.errors.isEmpty {
      text += "output for the complete case:\n" + failure.outcome.errorLines.map { "  \($0)\n" }.joined()
    }
    try folder.write(Array(text.utf8), named: name + ".txt")
  }
}

/// FNV-1a (32 bits) in hex, for file names that are the same in every run.
private func checksum(_ bytes: [UInt8]) -> String {
  let hash = bytes.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
  return [UInt8](bigEndian: UInt64(hash), width: 4).hexDigits
}

extension TestCase {
  /// Failures with the same key are considered the same bug: they fail at the same line of the program, or else in the
  /// same way on cases of the same kind.
  func key(_ ending: Ending, _ outcome: DecoderRun.Outcome? = nil) -> String {
    if let place = ending.place { return place }
    let made = label.rule ?? label.mutator
    if ending == .exited(0) { return "accepted \(made)" }
    return "\(ending.name) \(ending.verdict ?? 0) \(outcome?.errorLineWithoutNumbers ?? made)"
  }

  fileprivate func sentence(_ ending: Ending) -> String {
    let what = label.rule.map { "a stream that breaks \($0)" } ?? "a valid stream"
    guard let status = ending.verdict else { return "the command \(ending.words) on \(what)" }
    return status == 0 ? "the command accepts \(what)" : "the command refuses \(what) (status \(status))"
  }
}
