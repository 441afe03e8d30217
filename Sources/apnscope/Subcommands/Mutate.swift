import APNSCraft
import APNSDiagnosis
import APNSViews
import APNSWire
import ArgumentParser
import Octets

enum CaseFormat: String, CaseIterable, ExpressibleByArgument {
  case ndjson, hex, raw
}

struct Mutate: StreamRunnable {
  static let configuration = CommandConfiguration(
    "mutate", "Make labelled test cases for decoders: valid frames, and frames that break exactly one rule.",
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
      """, clean: "the cases were written", findings: nil)

  @Argument(
    help: ArgumentHelp(
      "Files with frames to start from, read as dissect reads them; - is standard input. For types that they do not "
        + "contain, frames are generated."),
    completion: .file())
  var files: [InputPath] = []

  @Option("--from <from>", "Format of the files; hex is any form of hex text.")
  var from: InputFormat = .auto

  @OptionGroup var roles: RoleOptions

  @Option("-c <count>", "Number of cases.")
  var count = 100

  @OptionGroup var cases: CaseOptions

  @Option("-T, --format <format>", "Output format.")
  var format: CaseFormat = .ndjson

  @Option(writes: "--out <outdir>", "Write a file for each case to DIR.")
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
    let mutations = try cases.mutations(from: InputOptions(files, from: from), settings, messages).chosen
    if let folder { try write(mutations, catalog, into: folder) } else { try write(mutations, catalog) }
    return .clean
  }

  private func writeList(_ catalog: Catalog) throws(Failure) {
    var file = try OutputFile(target.output)
    for mutator in Mutations.all(of: catalog) {
      file.append { out in
        let rule = mutator.rule?.id ?? (mutator.cause == nil ? "valid" : "-")
        out.write("\(mutator.name)\t\(rule)\t\(mutator.cause?.id ?? "-")\t\(mutator.title)\n")
      }
    }
    for rule in Mutations.rulesWithoutMutator.map(\.id).sorted() {
      file.append { $0.write("-\t\(rule)\t-\tno mutator\n") }
    }
    try file.close()
  }

  private func write(_ mutations: Mutations, _ catalog: Catalog) throws(Failure) {
    var file = try OutputFile(target.output, content: .init(format))
    do throws(Failure) {
      try mutations.make(count) { made in
        file.append { out in
          switch format {
          case .ndjson: made.write(to: &out, catalog)
          case .hex: out.write(made.bytes.hexDigits + "\n")
          case .raw: out.write(made.bytes.span)
          }
        }
        return !file.isClosed
      }
    } catch {
      try file.close(complete: false)
      throw error
    }
    try file.close()
  }

  /// Writes one file per case. The manifest is published last, so a folder with a manifest is complete.
  private func write(_ mutations: Mutations, _ catalog: Catalog, into folder: OutputPath) throws(Failure) {
    let manifest = OutputPath("manifest.ndjson", in: folder)
    guard FileKind(manifest.path) == .missing else {
      throw .usage("\(folder.path) already contains cases (manifest.ndjson); choose another folder, or remove it")
    }
    try makeFolder(folder.path)
    var lines = try OutputFile(manifest, isNamedHere: true)
    try mutations.make(count) { made throws(Failure) in
      try folder.write(made.bytes, named: made.fileName)
      lines.append { made.write(to: &$0, catalog, file: made.fileName) }
      return true
    }
    try lines.close()
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
      if !label.follows.isEmpty { out.array("follows", label.follows) { $0.jsonString($1) } }
      out.member("cause", label.cause)
      out.member("verdict", label.verdict.rawValue)
      out.answerMember(label.answer)
      out.member("role", catalog.name(of: role))
      if let file { out.member("file", file) } else { out.member("hex", hex: bytes.span) }
    }
  }
}
