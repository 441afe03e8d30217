import APNSDiagnosis
import APNSQuery
import APNSViews
import ArgumentParser
import Octets

enum DiffFormat: String, CaseIterable, ExpressibleByArgument {
  case text, ndjson
}

struct Diff: StreamRunnable {
  static let configuration = CommandConfiguration(
    "diff", "Compare two inputs frame by frame and field by field.",
    usage: """
      apnscope diff [<options>] <a> <b>
      apnscope diff --ignore-field identifier,expiry old-sender.pcap new-sender.pcap
      apnscope encode --status 8 --identifier 7 -T raw | apnscope diff - expected.bin
      apnscope diff -T ndjson a.pcap b.pcap | jq -r '.fields[].name' | sort | uniq -c
      """,
    discussion: """
      Prints the fields that differ, and nothing if both inputs are equal. Connections are paired if their providers \
      sent the same, then by order; ports and addresses don't matter. In two streams, frames are paired by identifier \
      if it is unique in both, then by token, then by order. Frames without a partner are printed in full, with - or \
      +; so is an equal frame in another place, as in any diff.

      A payload is compared by key if both are JSON: payload.aps.alert. Gaps and bytes that belong to no frame are \
      compared, too. Either file may be - for standard input; a folder means all its files.
      """, clean: "the inputs are equal", findings: "they differ")

  @Argument(help: "The first file or directory; - is standard input.", completion: .file())
  var a: InputPath

  @Argument(help: "The second file or directory; - is standard input.", completion: .file())
  var b: InputPath

  @Option("--from <format>", "Format of both inputs; hex is any form of hex text.")
  var from: InputFormat = .auto

  @Option("-f <bpf>", "Read only packets that match a BPF expression.")
  var packets: String?

  @OptionGroup var roles: RoleOptions
  @OptionGroup var selection: SelectionOptions

  @Option(
    "--ignore-field <field>", "Don't compare this field, or several separated by commas, nor their lengths.",
    completion: .names(Comparison.fields(of: .standard)))
  var ignore: [String] = []

  @Option("-T, --format <format>", "Output format.")
  var format: DiffFormat = .text

  @OptionGroup var text: TextOptions
  @OptionGroup var target: OutputOption
  @OptionGroup var messages: QuietOption

  func validate() throws {
    if a.path == "-", b.path == "-" { throw ValidationError("Standard input can be only one of the two inputs.") }
  }

  func execute(_ definitions: Definitions) throws -> ExitStatus {
    let settings = try roles.settings(definitions)
    let selection = try selection.selection(definitions)
    let fields = Comparison.fields(of: definitions.catalog)
    let ignored = ignore.separatedByCommas
    for name in ignored { try known(name, "--ignore-field", "field", among: fields) }
    let inputs = try [a, b].map { path throws(Failure) in
      let input = InputOptions([path], from: from, filter: packets)
      return (input, try input.sources())
    }
    var file = try OutputFile(target.output)
    let sides = inputs.map { read($0, $1, settings, selection) }
    let (one, two) = (sides[0], sides[1])
    if Interrupt.isRaised { throw Failure.interrupted }
    let failures = sides.flatMap(\.reading.failures)
    // An input of which nothing could be read is not an empty one.
    if sides.contains(where: { !$0.reading.failures.isEmpty && $0.log.streams.isEmpty }) {
      return failures.report() ?? .unreadable
    }
    let comparison = Comparison(definitions.catalog, ignoring: ignored)
    let objects = DifferenceObjects(definitions.catalog, a: one.names, b: two.names)
    var lines = DifferenceText(
      definitions.catalog, terminal: text.terminal(for: target.output), a: one.name, b: two.name)
    let counts = comparison.compare(one.log, two.log) { difference in
      guard !Interrupt.isRaised, !file.isClosed else { return }
      file.append { format == .ndjson ? objects.write(difference, to: &$0) : lines.write(difference, to: &$0) }
    }
    let isClosed = file.isClosed
    try file.close(complete: !Interrupt.isRaised)
    if Interrupt.isRaised { throw Failure.interrupted(two.name) }
    if !messages.quiet, !isClosed { say(counts, one, two, isSelection: !selection.isAll) }
    return failures.report() ?? (counts.isEqual ? .clean : .findings)
  }

  /// An input with the names of its files, and its selected records.
  private typealias ComparedInput = (name: String, names: [String], log: RecordLog, reading: InputReading)

  private func read(
    _ input: InputOptions, _ sources: [InputSource], _ settings: StreamSettings, _ selection: RecordSelection
  ) -> ComparedInput {
    var log = RecordLog()
    let reading = input.forEachRecord(
      of: sources, settings, quiet: messages.quiet
    ) { record, bytes in
      if selection.contains(record, bytes) { log.add(record, bytes) }
      return true
    }
    // The names of the inputs as the user gave them.
    let names = sources.map(\.name)
    return (names.count == 1 ? names[0] : input.paths[0].path, names, log, reading)
  }

  private func say(_ counts: Comparison.Counts, _ a: ComparedInput, _ b: ComparedInput, isSelection: Bool) {
    var line = """
      \(plural(counts.changed, "record")) \(counts.changed == 1 ? "differs" : "differ"), \
      \(counts.removed) only in \(a.name), \(counts.added) only in \(b.name); \(counts.equal) equal
      """
    if counts.isEqual, counts.equal == 0 {
      line = "nothing was compared: no record " + (isSelection ? "matches the selection" : "in either input")
    }
    let remarks = [a, b].map { side in
      (side.name, side.reading.notes.compactMap(\.remark).filter { !$0.isEmpty }.joined(separator: "; "))
    }
    StandardError.say([line] + remarks.filter { !$1.isEmpty }.map { "\($0): \($1)" })
  }
}
