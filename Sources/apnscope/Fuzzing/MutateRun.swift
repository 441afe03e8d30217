import APNSCraft
import APNSDiagnosis
import APNSViews
import APNSWire
import Octets

/// The formats of test cases.
enum CaseFormat: String, CaseIterable {
  case ndjson, hex, raw
}

/// Makes labelled test cases.
struct MutateRun {
  private let choice: CaseChoice
  private let format: CaseFormat
  var settings = StreamSettings()
  /// Files with frames to start from; if there are none, frames are generated.
  var files: [InputPath] = []
  var inputFormat = InputFormat.auto
  var count = 100
  /// A folder for one file per case; nil writes to `output`.
  var folder: OutputPath?
  /// The output file; nil means standard output.
  var output: OutputPath?
  var quiet = false

  init(_ choice: CaseChoice, _ format: CaseFormat) {
    self.choice = choice
    self.format = format
  }

  func run() throws -> ExitStatus {
    let names = try choice.names()
    var mutations = Mutations(
      protocolDefinitions.catalog, seeds: try seeds(), edition: choice.edition, seed: choice.seed, only: names)
    if mutations.unusedSeeds > 0, !quiet {
      StandardError.say(
        "\(mutations.unusedSeeds) of the given frames are damaged or have findings; no case starts from them")
    }
    guard mutations.canMake else {
      throw Failure.usage(
        "none of the chosen mutators works in the edition of \(choice.edition.rawValue); choose another --edition, or see "
          + "apnscope mutate --list")
    }
    if let folder { try write(&mutations, into: folder) } else { try write(&mutations) }
    return .clean
  }

  private func write(_ mutations: inout Mutations) throws(Failure) {
    var file = try OutputFile(output, content: format == .raw ? .bytes : .text)
    for number in 0..<count {
      if file.isClosed { break }
      if Interrupt.isRaised {
        try file.close(complete: false)
        throw Self.interrupted(after: number, of: count)
      }
      let made = mutations.next()
      file.append { out in
        switch format {
        case .ndjson: made.write(to: &out)
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

  /// Writes one file per case. The manifest is published last, so a folder with a manifest is complete.
  private func write(_ mutations: inout Mutations, into folder: OutputPath) throws(Failure) {
    let path = folder.path
    guard makeFolder(path) else {
      throw .unreadable("\(path): \(systemError()); choose a writable folder")
    }
    guard FileKind("\(path)/\(Self.manifest)") == .missing else {
      throw .usage("\(path) already contains cases (\(Self.manifest)); choose another folder, or remove it")
    }
    var manifest = try OutputFile(named: Self.manifest, in: folder)
    for number in 0..<count {
      if Interrupt.isRaised { throw Self.interrupted(after: number, of: count) }
      let made = mutations.next()
      var file = try OutputFile(named: made.fileName, in: folder)
      file.append { $0.write(made.bytes.span) }
      try file.close()
      manifest.append { made.write(to: &$0, file: made.fileName) }
    }
    try manifest.close()
  }

  private static let manifest = "manifest.ndjson"

  func writeList() throws -> ExitStatus {
    var file = try OutputFile(output)
    for mutator in Mutations.all(of: protocolDefinitions.catalog) {
      file.append { out in
        let (rule, cause) = (
          mutator.rule?.rawValue ?? (mutator.cause == nil ? "valid" : "-"), mutator.cause?.rawValue ?? "-"
        )
        out.write("\(mutator.name)\t\(rule)\t\(cause)\t\(mutator.title)\n")
      }
    }
    for (rule, reason) in Mutations.rulesWithoutMutator.sorted(by: { $0.key < $1.key }) {
      file.append { $0.write("-\t\(rule)\t-\tno mutator: \(reason)\n") }
    }
    try file.close()
    return .clean
  }

  /// The frames of all files, one seed each.
  private func seeds() throws(Failure) -> [Mutations.Seed] {
    guard !files.isEmpty else { return [] }
    let input = InputRequest(files, format: inputFormat)
    var dissector = settings.dissector(into: SeedSink())
    let failures = input.read(try input.sources(), into: &dissector, quiet: quiet, progress: nil)
    if let first = failures.first { throw first }
    return try dissector.records.seeds.checked()
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

  var showsLosses: Bool { true }
  var wantsMore: Bool { seeds.count < Self.frameLimit }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    guard case .frame = record.content, let role = record.role, wantsMore else { return }
    var copy: [UInt8] = []
    copy.append(contentsOf: bytes)
    seeds.append(Mutations.Seed(bytes: copy, role: role))
  }

  mutating func note(_ name: String, isEmpty: Bool, remark: String?) {}
}
