import APNSCraft
import APNSDiagnosis
import APNSViews
import APNSWire
import ArgumentParser
import Octets

/// The formats of test cases.
enum CaseFormat: String, CaseIterable, ExpressibleByArgument {
  case ndjson, hex, raw
}

struct Mutate: StreamRunnable {
  static let configuration = CommandConfiguration(
    commandName: "mutate",
    abstract: "Make labelled test cases for decoders: valid frames, and frames that break exactly one rule.",
    usage: """
      apnscope mutate [<options>] [<file> ...]
      apnscope mutate -c 10 --seed 7
      apnscope mutate -c 1 --seed 7 --rule token-padded -T raw | apnscope check --role provider
      apnscope encode --status 8 --identifier 7 | apnscope mutate -c 3 --rule truncated -T hex -
      apnscope mutate --list
      """,
    discussion: """
      Each case is one stream of 1 to 4 frames, one of which is changed. The label says what was changed, which rule \
      that breaks, which rules break as a consequence, what a decoder should do (accept, reject or either), and what \
      the service answered according to the edition. Rules take turns, those with many mutators more often; every \
      eighth case is valid. Frames are generated from the frame types, or read from files; frames that already have \
      findings are not used.

      The same seed gives the same bytes. -T ndjson writes one case a line, with its bytes in hexadecimal; hex writes \
      one line of digits a case; raw writes all bytes in a row, which is useful for a single case. --out DIR writes a \
      file for each case, and manifest.ndjson.

      \(HelpText.exitStatus("the cases were written", nil))
      """)

  @Argument(
    help: ArgumentHelp(
      "Files with frames to start from, read as dissect reads them; - is standard input. For types that they do not "
        + "contain, frames are generated."),
    completion: .file())
  var files: [InputPath] = []

  @Option(help: "Format of the files; hex is any form of hex text.")
  var from: InputFormat = .auto

  @OptionGroup var roles: RoleOptions

  @Option(name: .customShort("c"), help: ArgumentHelp("Number of cases.", valueName: "count"))
  var count = 100

  @OptionGroup var cases: CaseOptions

  @Option(name: .format, help: ArgumentHelp("Output format.", valueName: "format"))
  var format: CaseFormat = .ndjson

  @Option(writes: "--out", toFolder: true, help: "Write a file for each case to DIR.")
  var folder: OutputPath?

  @OptionGroup var target: OutputOption

  @Flag(help: "List the mutators: name, the rule that each one breaks, and what it does.")
  var list = false

  @OptionGroup var messages: QuietOption

  func validate() throws {
    if count < 0 { throw ValidationError("The option -c must be at least 0.") }
    if folder != nil, target.output != nil { throw ValidationError("The options --out and -w exclude each other.") }
  }

  func execute(_ definitions: Definitions) throws -> ExitStatus {
    let catalog = definitions.catalog
    let settings = try roles.settings(definitions)
    if list {
      try writeList(catalog)
      return .clean
    }
    let names = try cases.names(in: catalog)
    var mutations = Mutations(
      catalog, seeds: try seeds(settings), edition: cases.edition, seed: cases.seed, only: names)
    mutations.reportUnusedSeeds(messages)
    try cases.check(mutations)
    if let folder { try write(&mutations, catalog, into: folder) } else { try write(&mutations, catalog) }
    return .clean
  }

  private func writeList(_ catalog: Catalog) throws(Failure) {
    var file = try OutputFile(target.output)
    for mutator in Mutations.all(of: catalog) {
      file.append { out in
        let (rule, cause) = (
          mutator.rule?.id ?? (mutator.cause == nil ? "valid" : "-"), mutator.cause?.id ?? "-"
        )
        out.write("\(mutator.name)\t\(rule)\t\(cause)\t\(mutator.title)\n")
      }
    }
    for rule in Mutations.rulesWithoutMutator.map(\.id).sorted() {
      file.append { $0.write("-\t\(rule)\t-\tno mutator\n") }
    }
    try file.close()
  }

  private func write(_ mutations: inout Mutations, _ catalog: Catalog) throws(Failure) {
    var file = try OutputFile(target.output, content: format == .raw ? .bytes : .text)
    for number in 0..<count {
      if file.isClosed { break }
      if Interrupt.isRaised {
        try file.close(complete: false)
        throw Failure.interrupted(after: number, of: count)
      }
      let made = mutations.next()
      file.append { out in
        switch format {
        case .ndjson: made.write(to: &out, catalog)
        case .hex: out.write(made.hexText + "\n")
        case .raw: out.write(made.bytes.span)
        }
      }
    }
    try file.close()
  }

  /// Writes one file per case. The manifest is published last, so a folder with a manifest is complete.
  private func write(_ mutations: inout Mutations, _ catalog: Catalog, into folder: OutputPath) throws(Failure) {
    let path = folder.path
    try makeFolder(path)
    guard FileKind("\(path)/\(Self.manifest)") == .missing else {
      throw .usage("\(path) already contains cases (\(Self.manifest)); choose another folder, or remove it")
    }
    var manifest = try OutputFile(named: Self.manifest, in: folder)
    for number in 0..<count {
      if Interrupt.isRaised { throw Failure.interrupted(after: number, of: count) }
      let made = mutations.next()
      try folder.write(made.bytes, named: made.fileName)
      manifest.append { made.write(to: &$0, catalog, file: made.fileName) }
    }
    try manifest.close()
  }

  private static let manifest = "manifest.ndjson"

  /// The frames of all files, one seed each.
  private func seeds(_ settings: StreamSettings) throws(Failure) -> [Mutations.Seed] {
    guard !files.isEmpty else { return [] }
    let input = InputOptions(files, from: from)
    var dissector = settings.dissector(into: SeedSink())
    let failures = input.read(
      try input.sources(), by: settings.definitions, into: &dissector, quiet: messages.quiet)
    if let first = failures.first { throw first }
    return try dissector.records.seeds.checked()
  }
}

extension Mutations {
  func reportUnusedSeeds(_ messages: QuietOption) {
    guard unusedSeeds > 0, !messages.quiet else { return }
    StandardError.say("\(unusedSeeds) of the given frames are damaged or have findings; no case starts from them")
  }
}

extension [Mutations.Seed] {
  /// Returns the seeds, or throws if there are none.
  func checked() throws(Failure) -> Self {
    guard isEmpty else { return self }
    throw .unreadable("the files to start from contain no frame; check them with apnscope dissect")
  }
}

/// Collects frames to start from, up to a limit.
private struct SeedSink: InputSink {
  private(set) var seeds: [Mutations.Seed] = []

  private static let frameLimit = 10_000

  var wantsMore: Bool { seeds.count < Self.frameLimit }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    guard case .frame = record.content, let role = record.role, wantsMore else { return }
    seeds.append(Mutations.Seed(bytes: [UInt8](copying: bytes), role: role))
  }
}

extension TestCase {
  /// Writes the case as a line of NDJSON, schema 1: the label, and the bytes as `hex`. If `file` is given, that name
  /// replaces the bytes.
  func write(to out: inout Output, _ catalog: Catalog, file: String? = nil) {
    out.line { out in
      out.member("schema", NDJSONView.schema)
      out.member("number", number)
      out.member("mutator", label.mutator)
      out.member("change", label.change)
      out.member("offset", label.range.lowerBound)
      out.member("length", label.range.count)
      out.member("rule", label.rule)
      if !label.follows.isEmpty { out.member("follows", label.follows) }
      out.member("cause", label.cause)
      out.member("verdict", label.verdict.rawValue)
      out.answerMember(label.answer)
      out.member("role", catalog.name(of: role))
      if let file { out.member("file", file) } else { out.member("hex", hex: bytes.span) }
    }
  }
}
