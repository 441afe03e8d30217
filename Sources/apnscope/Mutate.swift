import APNSCraft
import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSViews
import APNSWire
import ArgumentParser
import Octets

struct Mutate: Runnable {
  static let configuration = CommandConfiguration(
    abstract: "Make labelled test cases for decoders: valid frames, and frames that break exactly one rule.",
    usage: """
      apnscope mutate -n 10 --seed 7
      apnscope mutate -n 1 --seed 7 --rule token-padded -T raw | apnscope check --role provider
      apnscope encode --status 8 --identifier 7 | apnscope mutate -n 3 --rule truncated -T hex -
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
      """)

  @Argument(
    help:
      "Files with frames to start from, read as dissect reads them; - is standard input. By default frames are generated.",
    completion: .file())
  var files: [String] = []

  @Option(help: "Format of the files; hex is any form of hex text.")
  var from: InputFormat = .auto

  @OptionGroup(title: "Roles") var roles: RoleOptions

  @Option(name: .customShort("n"), help: ArgumentHelp("Number of cases.", valueName: "number"))
  var count = 100

  @OptionGroup(title: "Cases") var cases: CaseOptions

  @Option(
    name: [.customShort("T"), .customLong("format")], help: ArgumentHelp("Output format.", valueName: "format"))
  var format: CaseFormat = .ndjson

  @Option(name: .customLong("out"), help: ArgumentHelp("Write a file for each case to DIR.", valueName: "dir"))
  var folder: String?

  @Option(name: .customShort("w"), help: ArgumentHelp("Write to FILE instead of standard output.", valueName: "file"))
  var output: String?

  @Flag(help: "List the mutators: name, the rule that each one breaks, and what it does.")
  var list = false

  @Flag(name: .customShort("q"), help: "Print nothing to standard error except fatal errors.")
  var quiet = false

  func validate() throws {
    if count < 0 { throw ValidationError("The option -n must be at least 0.") }
    if folder != nil, output != nil { throw ValidationError("The options --out and -w exclude each other.") }
  }

  func execute() throws -> ExitStatus {
    if list { return try writeList() }
    let chosen = try cases.chosen()
    let given = files.isEmpty ? [] : try read()
    var mutations = Mutations(seeds: given, edition: cases.edition, seed: cases.seed, only: chosen)
    if mutations.unusedSeeds > 0, !quiet {
      Talk.say("\(mutations.unusedSeeds) of the given frames are damaged or have findings; no case starts from them")
    }
    guard mutations.canMake else {
      throw Failure.usage(
        "none of the chosen mutators works in the edition of \(cases.edition.rawValue); choose another --edition, or see "
          + "apnscope mutate --list")
    }
    if let folder { try write(&mutations, into: folder) } else { try write(&mutations) }
    return .clean
  }

  private func write(_ mutations: inout Mutations) throws(Failure) {
    var file = try OutputFile(output, reading: files, content: format == .raw ? .bytes : .text)
    for number in 0..<count {
      if file.isClosed { break }
      if Interrupt.isRaised {
        try file.close(complete: false)
        throw Self.interrupted(after: number, of: count)
      }
      let made = mutations.next()
      file.append { out in
        switch format {
        case .ndjson: out.write(made.line())
        case .hex: out.write(made.hexText + "\n")
        case .raw: out.write(made.bytes.span)
        }
      }
    }
    try file.close()
  }

  static func interrupted(after done: Int, of count: Int) -> Failure {
    Failure(
      status: .unreadable, sentence: "interrupted after \(done) of \(plural(count, "case"))", isInterruption: true)
  }

  /// The manifest comes last: a folder without one does not hold all cases.
  private func write(_ mutations: inout Mutations, into folder: String) throws(Failure) {
    guard makeFolder(folder) else {
      throw .unreadable("\(folder): \(systemError()); choose a writable folder")
    }
    if case .missing = FileKind("\(folder)/\(Self.manifest)") {
    } else {
      throw .usage("\(folder) already contains cases (\(Self.manifest)); choose another folder, or remove it")
    }
    var manifest = try OutputFile(named: Self.manifest, in: folder, reading: files)
    for number in 0..<count {
      if Interrupt.isRaised { throw Self.interrupted(after: number, of: count) }
      let made = mutations.next()
      var file = try OutputFile(named: made.fileName, in: folder, reading: files)
      file.append { $0.write(made.bytes.span) }
      try file.close()
      manifest.append { $0.write(made.line(file: made.fileName)) }
    }
    try manifest.close()
  }

  private static let manifest = "manifest.ndjson"

  private func writeList() throws -> ExitStatus {
    var file = try OutputFile(output)
    for mutator in Mutations.all(of: .standard) {
      file.append { out in
        let (rule, cause) = (
          mutator.rule?.rawValue ?? (mutator.cause == nil ? "valid" : "-"), mutator.cause?.rawValue ?? "-"
        )
        out.write("\(mutator.name)\t\(rule)\t\(cause)\t\(mutator.title)\n")
      }
    }
    for (rule, reason) in Mutations.unbroken.sorted(by: { $0.key < $1.key }) {
      file.append { $0.write("-\t\(rule)\t-\tno mutator: \(reason)\n") }
    }
    try file.close()
    return .clean
  }

  /// The frames of all files, each by itself.
  private func read() throws -> [Mutations.Seed] {
    let input = try Inputs.parse(["--from", from.rawValue, "--"] + files)
    let sources = try input.sources()
    var dissector = Dissector(
      protocolDefinitions, policy: roles.policy, recovers: !roles.believesLengths, into: SeedSink())
    let failures = input.read(sources, into: &dissector, quiet: quiet, progress: nil)
    if let first = failures.first { throw first }
    let seeds = dissector.records.seeds
    guard !seeds.isEmpty else {
      throw Failure.unreadable("the files to start from contain no frame; check them with apnscope dissect")
    }
    return seeds
  }
}

enum CaseFormat: String, CaseIterable, ExpressibleByArgument {
  case ndjson, hex, raw
}

/// Keeps frames to start from; so many are enough for any run.
private struct SeedSink: InputSink {
  private(set) var seeds: [Mutations.Seed] = []

  private static let most = 10_000

  var showsLosses: Bool { true }
  var wantsMore: Bool { seeds.count < Self.most }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    guard case .frame = record.content, let role = record.role, wantsMore else { return }
    var own: [UInt8] = []
    own.append(contentsOf: bytes)
    seeds.append(Mutations.Seed(bytes: own, role: role))
  }

  mutating func note(_ name: String, isEmpty: Bool, remark: String?) {}
}
