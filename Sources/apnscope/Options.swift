import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSViews
import APNSWire
import ArgumentParser

// Options that mean the same in every subcommand.

/// Who wrote the streams.
struct RoleOptions: ParsableArguments {
  @Option(help: "Who wrote the streams.")
  var role: RoleChoice = .auto

  @Option(
    name: .customShort("d"),
    help: ArgumentHelp("Decode a port as push or feedback: -d tcp.port==2295,push.", valueName: "rule"),
    transform: DecodeAs.init)
  var decodeAs: [DecodeAs] = []

  @Flag(
    name: .customLong("no-recover"),
    help: "Trust every length field. By default a length is overruled if valid frames start inside it.")
  var believesLengths = false

  var policy: RolePolicy {
    let ports = decodeAs.map { ($0.port, $0.use) }
    return RolePolicy(role: role.role, ports: Dictionary(ports, uniquingKeysWith: { $1 }))
  }

  /// The words that give the same options again.
  var flags: [String] {
    (role.role == nil ? [] : ["--role", role.description]) + decodeAs.flatMap { ["-d", $0.text] }
      + (believesLengths ? ["--no-recover"] : [])
  }
}

/// Which records are shown.
struct Selection: ParsableArguments {
  @Option(help: ArgumentHelp("Show only the stream with this number.", valueName: "number"))
  var stream: Int?

  @Option(
    name: .customShort("Y"),
    help: ArgumentHelp("Show only records that match a display filter.", valueName: "filter"))
  var filterText: String?

  func filter() throws(Failure) -> Filter? {
    guard let filterText else { return nil }
    do throws(FilterError) { return try Filter(filterText, now: now()) } catch {
      throw .usage("-Y, \(error)")
    }
  }

  /// The words that give the same filter again.
  var flags: [String] { filterText.map { ["-Y", $0] } ?? [] }
}

/// Colour and width.
struct Look: ParsableArguments {
  @Option(help: ArgumentHelp("When to use colour; NO_COLOR is honoured.", valueName: "when"))
  var color: ColorMode = .auto

  @Option(help: "Columns of text to write (default: the width of the terminal, or 80).")
  var width: Int?

  func validate() throws {
    if let width, width < 60 { throw ValidationError("The option --width must be at least 60.") }
  }

  func palette(writesFile: Bool) -> Palette {
    writesFile ? Palette(isColored: color == .always) : color.palette(for: 1)
  }

  func columns(writesFile: Bool) -> Int {
    width ?? (writesFile ? nil : terminalWidth()) ?? 80
  }
}

/// How many threads do the work.
struct Threads: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Number of threads, 1 or 2 (default: 2 if there are two processors).",
      valueName: "count"))
  var jobs: Int?

  func validate() throws {
    if let jobs, jobs < 1 { throw ValidationError("The option --jobs must be at least 1.") }
  }

  var count: Int { jobs ?? processorCount() }
}

/// How records look.
struct Display: ParsableArguments {
  @Option(
    name: [.customShort("T"), .customLong("format")],
    help: ArgumentHelp(
      "Output format: tree, line, hex (a dump that apnscope can read again), raw, c (an array), ndjson, json, fields (the columns "
        + "of -e) or command (the encode command lines).",
      valueName: "format"))
  var format: ViewFormat?

  @Option(
    name: .customShort("e"),
    help: ArgumentHelp(
      "Print this field, or several separated by commas, in columns separated by tabs; implies -T fields.",
      valueName: "field"),
    completion: .list(FieldNames.standard.all.map(\.name)))
  var fields: [String] = []

  @Option(
    name: .customShort("E"), help: ArgumentHelp("With -e: header=y prints a line of names first.", valueName: "option"))
  var fieldsOption: FieldsOption?

  @Flag(name: .customShort("x"), help: "With -T line: print the bytes under each line.")
  var showsBytes = false

  @Flag(name: .customShort("v"), help: "Show notes, and fold or shorten nothing.")
  var verbose = false

  @OptionGroup var look: Look

  func validate() throws {
    if format == .fields, fields.isEmpty { throw ValidationError("The format fields needs columns: add -e FIELD.") }
    if let format, format != .fields, !fields.isEmpty {
      throw ValidationError("The option -e works only with -T fields.")
    }
    if fieldsOption != nil, fields.isEmpty { throw ValidationError("The option -E works only with -e FIELD.") }
  }

  /// The format that was asked for, or else this one.
  func format(else other: ViewFormat) -> ViewFormat { format ?? (fields.isEmpty ? other : .fields) }

  /// Notes stand under what is looked at closely, or decides the exit status; for programs they always do.
  func hidesNotes(_ format: ViewFormat, _ failOn: FailOn) -> Bool {
    (format == .tree || format == .line) && !verbose && failOn != .note
  }

  /// Makes the view of the format, and has it used.
  /// - Parameter writesFile: the output is a file, not the standard output.
  func show(_ format: ViewFormat, inputs: [String], writesFile: Bool, with user: some ViewUser) throws -> ExitStatus {
    let catalog = protocolDefinitions.catalog
    if showsBytes, format != .line {
      let other = format == .tree ? "the tree always shows the bytes" : "drop -x for -T \(format.rawValue)"
      throw Failure.usage("-x works only with -T line; \(other)")
    }
    switch format {
    case .tree:
      return try user.use(
        TreeView(
          catalog, width: look.columns(writesFile: writesFile), palette: look.palette(writesFile: writesFile),
          verbose: verbose))
    case .line:
      return try user.use(
        LineView(catalog, palette: look.palette(writesFile: writesFile), showsBytes: showsBytes, verbose: verbose))
    case .hex: return try user.use(HexView(catalog))
    case .raw: return try user.use(RawView())
    case .c: return try user.use(ArrayView())
    case .ndjson: return try user.use(NDJSONView(catalog, inputs: inputs))
    case .json: return try user.use(NDJSONView(catalog, asArray: true, inputs: inputs))
    case .command: return try user.use(CommandView(catalog))
    case .fields: return try user.use(FieldsView(try readers(), hasHeader: fieldsOption == .header))
    }
  }

  private func readers() throws(Failure) -> [FieldReader] {
    var readers: [FieldReader] = []
    // As in -e identifier,status
    for field in fields.flatMap({ $0.split(separator: ",").map(String.init) }) {
      do throws(UnknownName) { readers.append(try FieldNames.standard.reader(for: field)) } catch {
        throw .usage("-e: \(error)")
      }
    }
    return readers
  }
}

enum ViewFormat: String, CaseIterable, ExpressibleByArgument {
  case tree, line, hex, raw, c, ndjson, json, fields, command

  /// Written as one stream's bytes.
  var isOneStream: Bool { self == .raw || self == .hex || self == .c }
}

/// What `-E` of tshark asks for, as far as it goes here.
enum FieldsOption: String, CaseIterable, ExpressibleByArgument {
  case header = "header=y"
  case noHeader = "header=n"
}

/// Does its work with whatever view was asked for.
protocol ViewUser {
  func use(_ view: some View) throws -> ExitStatus
}

/// `auto`, or a role of the catalog.
struct RoleChoice: ExpressibleByArgument, CustomStringConvertible {
  let role: StreamRole?

  init?(argument: String) {
    role = protocolDefinitions.catalog.roles.first { $0.description == argument }
    if role == nil, argument != "auto" { return nil }
  }

  static let auto = RoleChoice()
  private init() { role = nil }

  var description: String { role?.description ?? "auto" }
  var defaultValueDescription: String { description }
  static var allValueStrings: [String] { ["auto"] + protocolDefinitions.catalog.roles.map(\.description) }
}

/// `tcp.port==2295,push`, in tshark's spelling.
struct DecodeAs {
  let port: UInt16
  let use: RolePolicy.PortUse

  init(_ argument: String) throws {
    let halves = argument.split(separator: ",")
    guard halves.count == 2, halves[0].hasPrefix("tcp.port=="), let port = UInt16(halves[0].dropFirst(10)),
      let use = RolePolicy.PortUse(rawValue: String(halves[1]))
    else {
      let port = UInt16(argument.filter(\.isNumber)) ?? 2195
      throw ValidationError("write it as -d tcp.port==\(port),push or -d tcp.port==\(port),feedback")
    }
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
