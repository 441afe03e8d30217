import APNSDiagnosis
import APNSInput
import APNSViews
import APNSWire
import ArgumentParser

struct Dissect: Runnable {
  static let configuration = CommandConfiguration(
    abstract: "Annotated views of hex text, raw files, captures and standard input.",
    usage: """
      apnscope --hex '0808 0000 04d2'
      printf '<08080000 04d2>' | apnscope -T line
      apnscope encode --status 8 --identifier 7 -T pcap | apnscope
      apnscope encode --status 8 --identifier 7 -T pcap | apnscope -T ndjson --stream 1 -f 'tcp port 2195' -
      apnscope encode --timestamp now --token b4bce12f9d -T raw | apnscope --role feedback -T command
      """,
    discussion: """
      The input is recognised by its first bytes: a capture, hex text, or raw bytes. Each stream is taken for a \
      provider's, the gateway's or the feedback service's by its content first and by its ports then.
      """)

  @Argument(help: "Files to read; - is standard input, which is also read when no file is named.", completion: .file())
  var files: [String] = []

  @Option(
    name: .customShort("r"), help: ArgumentHelp("Read FILE, as in tcpdump.", valueName: "file"), completion: .file())
  var readFile: [String] = []

  @Option(help: ArgumentHelp("Bytes on the command line, as hexadecimal text in any known form.", valueName: "text"))
  var hex: [String] = []

  @Option(help: ArgumentHelp("What the input is; hex is any form of text.", valueName: "format"))
  var from: InputFormat = .auto

  @Option(
    name: [.customShort("T"), .customLong("format")],
    help: ArgumentHelp("Output; hex is a dump that reads back, command the encode command lines.", valueName: "format"))
  var format: DissectFormat = .tree

  @Option(help: "Who wrote the streams.")
  var role: RoleChoice = .auto

  @Option(
    name: .customShort("d"),
    help: ArgumentHelp("Decode a port as push or feedback: -d tcp.port==2295,push.", valueName: "rule"))
  var decodeAs: [DecodeAs] = []

  @Option(
    name: .customShort("f"), help: ArgumentHelp("Read only packets that match a BPF expression.", valueName: "bpf"))
  var filter: String?

  @Option(help: ArgumentHelp("Show one stream only, by its number.", valueName: "number"))
  var stream: Int?

  @Option(name: .customShort("c"), help: ArgumentHelp("Stop after COUNT records.", valueName: "count"))
  var count: Int?

  @Option(help: ArgumentHelp("Exit with 1 on findings of this severity or worse.", valueName: "severity"))
  var failOn: FailOn = .error

  @Flag(name: .customShort("x"), help: "With -T line: the bytes under each line.")
  var showsBytes = false

  @Flag(name: .customShort("v"), help: "Nothing is folded or shortened.")
  var verbose = false

  @Flag(name: .customShort("q"), help: "Say nothing on standard error but what stops the run.")
  var quiet = false

  @Flag(help: "Refuse hex text that is not exactly in its format: no comments, prefixes or collapsed spaces.")
  var strict = false

  @Option(help: ArgumentHelp("Colour; NO_COLOR is honoured.", valueName: "when"))
  var color: ColorMode = .auto

  @Option(help: "Columns of the tree; the terminal's, or 80.")
  var width: Int?

  @Option(name: .customShort("w"), help: ArgumentHelp("Write to FILE instead of standard output.", valueName: "file"))
  var output: String?

  func validate() throws {
    if !hex.isEmpty, from == .raw || from == .pcap {
      throw ValidationError("The text of --hex is no \(from.rawValue) input.")
    }
    if showsBytes, format != .line, format != .tree { throw ValidationError("The flag -x goes with -T line.") }
    if !hex.isEmpty, !inputs.isEmpty { throw ValidationError("The option --hex and files exclude each other.") }
    if let count, count < 1 { throw ValidationError("The option -c is a number of records, at least 1.") }
    if let width, width < 60 { throw ValidationError("The option --width is at least 60.") }
  }

  private var inputs: [String] { readFile + files }

  func execute() throws -> ExitStatus {
    let catalog = Catalog.standard
    let palette = output == nil ? color.palette(for: 1) : Palette(isColored: color == .always)
    switch format {
    case .tree:
      let columns = width ?? (output == nil ? terminalWidth() : nil) ?? 80
      return try run(TreeView(catalog, width: columns, palette: palette, verbose: verbose))
    case .line: return try run(LineView(catalog, palette: palette, showsBytes: showsBytes, verbose: verbose))
    case .hex: return try run(HexView(catalog))
    case .raw: return try run(RawView())
    case .ndjson: return try run(NDJSONView(catalog))
    case .json: return try run(NDJSONView(catalog, asArray: true))
    case .command: return try run(CommandView(catalog))
    }
  }

  private func run(_ view: some View) throws -> ExitStatus {
    var failures: [Failure] = []
    let sink = try ViewSink(
      view, output: output, stream: stream, limit: count, refusesMixture: format == .raw || format == .hex)
    var dissector = Dissector(.standard, policy: policy, into: sink)
    for source in sources where dissector.wantsMore {
      dissector.records.begin(source.name, isOneOfMany: sources.count > 1 && (format == .tree || format == .line))
      do throws(Failure) {
        try feed(source, to: &dissector)
      } catch {
        failures.append(error)
        // Nothing else is meant either.
        if error.isMistypedSubcommand { break }
      }
      dissector.finish()
    }
    if dissector.records.isClosed, failures.isEmpty { return .clean }
    if let mixture = dissector.records.mixture { failures.append(mixture) }
    let triage = dissector.records.triage
    let isComplete = failures.isEmpty || (triage.foundSomething && dissector.records.mixture == nil)
    do throws(Failure) {
      try dissector.records.close(complete: isComplete)
    } catch {
      failures.append(error)
    }
    for failure in failures { failure.report() }
    if !quiet, failures.isEmpty || triage.foundSomething,
      let line = triage.line(flags: readingFlags, format: format, wanted: stream)
    {
      Talk.say(line)
    }
    if let failure = failures.first {
      return failures.contains { $0.status == .unreadable } ? .unreadable : failure.status
    }
    return failOn.isReached(by: triage.worst) ? .findings : .clean
  }

  /// What it takes to read the same input in the same way again.
  private var readingFlags: [String] {
    var flags: [String] = []
    if from != .auto { flags += ["--from", from.rawValue] }
    if role.role != nil { flags += ["--role", role.description] }
    for rule in decodeAs { flags += ["-d", rule.text] }
    if let filter { flags += ["-f", filter] }
    return flags
  }

  private enum Source {
    case text(String)
    case file(String)

    var name: String {
      switch self {
      case .text: "--hex"
      case .file(let path): path
      }
    }
  }

  private var sources: [Source] {
    if !hex.isEmpty { return hex.map { .text($0) } }
    return inputs.isEmpty ? [.file("-")] : inputs.map { .file($0) }
  }

  private func feed(_ source: Source, to dissector: inout Dissector<ViewSink<some View>>) throws(Failure) {
    switch source {
    case .text(let text): try feed(text: text, to: &dissector)
    case .file(let path): try feed(file: path, to: &dissector)
    }
  }

  private func feed(text: String, to dissector: inout Dissector<ViewSink<some View>>) throws(Failure) {
    var reader = TextReader(format: from.text, strict: strict)
    let bytes = Array(text.utf8)
    do throws(ReadError) {
      try reader.read(bytes.span, into: &dissector)
      try reader.finish(into: &dissector)
    } catch {
      throw .unreadable("--hex: \(error)")
    }
    dissector.records.note("--hex", isEmpty: bytes.isEmpty, remark: nil)
  }

  private func feed(file path: String, to dissector: inout Dissector<ViewSink<some View>>) throws(Failure) {
    var file = try InputFile(path)
    if path == "-", inputs.isEmpty, isTerminal(0), !quiet {
      Talk.say("reading standard input; end with Ctrl-D, or see apnscope --help")
    }
    do throws(Failure) {
      try file.read(as: from, strict: strict, filter: filter, into: &dissector)
    } catch {
      dissector.records.note(file.name, isEmpty: file.isEmpty, remark: file.remark)
      throw error
    }
    dissector.records.note(file.name, isEmpty: file.isEmpty, remark: file.remark)
  }

  private var policy: RolePolicy {
    let ports = decodeAs.map { ($0.port, $0.use) }
    return RolePolicy(role: role.role, ports: Dictionary(ports, uniquingKeysWith: { $1 }))
  }
}

enum DissectFormat: String, CaseIterable, ExpressibleByArgument {
  case tree, line, hex, raw, ndjson, json, command
}

/// `auto`, or a role of the catalog.
struct RoleChoice: ExpressibleByArgument, CustomStringConvertible {
  let role: StreamRole?

  init?(argument: String) {
    role = Catalog.standard.roles.first { $0.description == argument }
    if role == nil, argument != "auto" { return nil }
  }

  static let auto = RoleChoice()
  private init() { role = nil }

  var description: String { role?.description ?? "auto" }
  var defaultValueDescription: String { description }
  static var allValueStrings: [String] { ["auto"] + Catalog.standard.roles.map(\.description) }
}

/// `tcp.port==2295,push`, in tshark's spelling.
struct DecodeAs: ExpressibleByArgument {
  let port: UInt16
  let use: RolePolicy.PortUse

  init?(argument: String) {
    let halves = argument.split(separator: ",")
    guard halves.count == 2, halves[0].hasPrefix("tcp.port=="), let port = UInt16(halves[0].dropFirst(10)),
      let use = RolePolicy.PortUse(rawValue: String(halves[1]))
    else { return nil }
    self.port = port
    self.use = use
  }

  var text: String { "tcp.port==\(port),\(use.rawValue)" }
}

enum FailOn: String, CaseIterable, ExpressibleByArgument {
  case never, error, warning, note

  func isReached(by worst: Finding.Severity?) -> Bool {
    guard let worst, let bar = Finding.Severity(rawValue: rawValue) else { return false }
    return worst >= bar
  }
}

extension ColorMode: ExpressibleByArgument {}
