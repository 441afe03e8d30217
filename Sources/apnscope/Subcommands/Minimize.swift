import APNSCraft
import APNSDiagnosis
import APNSQuery
import APNSViews
import APNSWire
import ArgumentParser
import Octets

struct Minimize: StreamRunnable {
  static let configuration = CommandConfiguration(
    "minimize", "Shrink a stream while a command still fails on it in the same way, or a rule still finds the same.",
    usage: """
      apnscope minimize [<options>] [<file> ...] [-- <command> [<argument> ...]]
      apnscope minimize --keep item-overrun -w small.bin samples/malformed/item-overrun.hex
      apnscope minimize -w small.bin crash.bin -- ./decoder
      apnscope minimize -w small.bin crash.bin -- python3 decode.py @@
      """,
    discussion: """
      Removes frames, then items, payload keys, characters of texts, and bytes. The enclosing lengths are adjusted: a \
      correct length stays correct, and a wrong one stays wrong by as much. When nothing more can be removed that way, \
      bytes are removed without adjusting any length. Each step is reported on standard error.

      The command reads the stream on its standard input, or from the file that replaces @@ in its arguments. It fails \
      if its status is not 0, if a signal kills it, if it prints the text of an uncaught exception, or if it exceeds \
      --timeout or --memory; minimize keeps the same failure.
      """, clean: "the stream was shrunk as far as possible",
    findings: "the command does not fail, or the rule finds nothing")

  @OptionGroup var input: InputOptions
  @OptionGroup var roles: RoleOptions
  @OptionGroup var rules: EditionOption

  @Option("--stream <number>", "Number of the stream to shrink.")
  var stream: Int?

  @Option("--keep <rule>", "Keep the findings of this rule, or this root cause.")
  var keep: String?

  @OptionGroup var watch: WatchOptions

  @Option("--tries <tries>", "Run the command, or the check, at most this many times.")
  var tries = 2000

  @OptionGroup var target: OutputOption
  @OptionGroup var messages: QuietOption

  func validate() throws {
    if (keep == nil) == TrailingCommand.words.isEmpty {
      throw ValidationError("Give either a rule with --keep, or a command after --.")
    }
    if tries < 1 { throw ValidationError("The option --tries must be at least 1.") }
  }

  func execute(_ definitions: Definitions) throws -> ExitStatus {
    let settings = try roles.settings(definitions, rules.policy())
    let (bytes, role) = try chosenStream(settings)
    var file = try OutputFile(target.output, content: .bytes)
    let stays: ([UInt8]) throws -> Bool
    if let keep {
      try known(keep, "--keep", "rule or cause", among: Rules.all.map(\.id) + RootCauses.all.map(\.id))
      stays = { bytes in
        findings(in: bytes, role: role, edition: settings.rules.edition, by: definitions)
          .contains { $0.rule == keep || $0.cause?.id == keep }
      }
      guard try stays(bytes) else {
        StandardError.say(
          "\(keep) finds nothing in this stream, so there is nothing to keep; apnscope check lists the findings")
        return .findings
      }
    } else {
      let decoder = try Decoder(TrailingCommand.words, watch)
      guard let ending = try decoder.outcome(on: bytes)?.ending else {
        throw Failure.unreadable("stopped before the command ended, so nothing was shrunk")
      }
      guard ending != .exited(0) else {
        StandardError.say(
          "the command accepts this stream (status 0), so there is no failure to keep; choose a stream that it fails "
            + "on")
        return .findings
      }
      if !messages.quiet { StandardError.say("the command \(ending.words); this failure is kept") }
      stays = { try decoder.outcome(on: $0)?.ending == ending }
    }
    let smallest = try shrink(bytes, role, settings.catalog, while: stays)
    file.append { $0.write(smallest) }
    try file.close()
    // After an interruption, the stream found so far is still valid output.
    return Interrupt.isRaised ? .unreadable : .clean
  }

  /// The bytes of the only stream, or of the one that an option names, without gaps and overlaps.
  private func chosenStream(_ settings: StreamSettings) throws(Failure) -> ([UInt8], StreamRole) {
    var log = RecordLog()
    let reading = input.forEachRecord(of: try input.sources(), settings) { [stream] record, bytes in
      switch record.content {
      case .gap, .overlap: break
      case .frame, .unparsed: if stream ?? record.stream.number == record.stream.number { log.add(record, bytes) }
      }
      return true
    }
    if let failure = reading.failures.first { throw failure }
    guard let (first, chosen) = log.streams.min(by: { $0.key < $1.key }) else {
      throw .unreadable("the input has no stream to minimize; choose a file that has one")
    }
    guard log.streams.count == 1 else {
      throw .usage(
        "there are \(log.streams.count) streams, and only one can be minimized; choose one with --stream \(first)")
    }
    return (chosen.records.bytes, chosen.role ?? .provider)
  }

  private func shrink(
    _ bytes: [UInt8], _ role: StreamRole, _ catalog: Catalog, while stays: ([UInt8]) throws -> Bool
  ) rethrows -> [UInt8] {
    var minimizer = Minimizer(catalog, role: role, maximumTries: tries)
    let smallest = try minimizer.shrink(
      bytes, while: { try !Interrupt.isRaised && stays($0) },
      note: { step in
        guard !messages.quiet else { return }
        let noun = step.what == .text ? "character" : step.what == .cut ? "byte" : step.what.rawValue
        let rest = step.what == .cut ? ", lengths unchanged" : ""
        StandardError.say("\(plural(step.count, noun)) removed\(rest): \(step.before) -> \(step.after) bytes")
      })
    if Interrupt.isRaised {
      StandardError.say(
        "interrupted after \(plural(minimizer.tries, "run")): \(bytes.count) -> \(smallest.count) bytes so far")
    } else if !messages.quiet {
      let limit = minimizer.tries == tries ? "; more --tries may find a smaller stream" : ""
      StandardError.say("\(bytes.count) -> \(smallest.count) bytes in \(plural(minimizer.tries, "run"))\(limit)")
    }
    return smallest
  }
}
