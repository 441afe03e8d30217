import APNSDiagnosis
import APNSQuery
import APNSViews
import ArgumentParser

enum ViewFormat: String, CaseIterable, ExpressibleByArgument {
  case tree, line, hex, raw, c, ndjson, json, fields, command

  /// Whether the format contains the bytes of only one stream.
  var isOneStream: Bool { self == .raw || self == .hex || self == .c }

  /// Whether the format is for people to read.
  var isText: Bool { self == .tree || self == .line }
}

struct RecordOptions: ParsableArguments {
  @Option("-T, --format <format>", "Output format; json is the records of ndjson in an array.")
  var chosen: ViewFormat?

  @Option(
    "-e <field>", "Print this field in a column; repeatable, or separated by commas.",
    completion: .names(FieldNames.standard.all.map(\.name)))
  var fields: [String] = []

  @Option("-E <option>", "With -e: header=y prints a line of names first.", rare: true)
  var fieldsOption: FieldsOption?

  @Flag(name: .customShort("x"), help: .rare("With -T line: print the bytes under each line."))
  var showsBytes = false

  @Flag(name: .customShort("v"), help: "Show notes, and don't fold or shorten anything.")
  var verbose = false

  @OptionGroup var text: TextOptions

  func validate() throws {
    if chosen == .fields, fields.isEmpty { throw ValidationError("The format fields needs columns: add -e FIELD.") }
    if let chosen, chosen != .fields, !fields.isEmpty {
      throw ValidationError("The option -e works only with -T fields.")
    }
    if fieldsOption != nil, fields.isEmpty { throw ValidationError("The option -E works only with -e FIELD.") }
  }

  /// - Parameter other: The format to use if none is given.
  func format(else other: ViewFormat) throws(Failure) -> ViewFormat {
    let format = chosen ?? (fields.isEmpty ? other : .fields)
    if showsBytes, format != .line { throw .usage("-x works only with -T line, not with -T \(format.rawValue)") }
    return format
  }
}

extension ViewFormat {
  /// - Parameters:
  ///   - inputs: The names of the inputs, indexed by number.
  ///   - options: What else is shown; nil for nothing.
  func view(
    _ settings: StreamSettings, inputs: [String], _ terminal: Terminal, _ options: RecordOptions? = nil
  ) throws(Failure) -> any View {
    let (catalog, verbose) = (settings.catalog, options?.verbose ?? false)
    switch self {
    case .tree: return TreeView(catalog, terminal: terminal, verbose: verbose)
    case .line:
      return LineView(catalog, terminal: terminal, showsBytes: options?.showsBytes ?? false, verbose: verbose)
    case .hex: return HexView(catalog)
    case .raw: return ByteFormat.raw
    case .c: return ByteFormat.cArray(isFirst: true)
    case .ndjson: return NDJSONView(catalog, inputs: inputs)
    case .json: return NDJSONView(catalog, asArray: true, inputs: inputs)
    case .command: return CommandView(catalog, command: shellLine(["apnscope", "encode"] + settings.frameFlags))
    case .fields:
      let (names, fields) = (FieldNames(settings.definitions), options?.fields ?? [])
      let columns = try ExitStatus.usage.failing("-e: ") { try fields.separatedByCommas.map(names.field) }
      return FieldsView(columns, hasHeader: options?.fieldsOption != nil)
    }
  }
}

/// The supported value of tshark's `-E`.
enum FieldsOption: String, CaseIterable, ExpressibleByArgument {
  case header = "header=y"
}

extension [String] {
  /// The names in all elements, each of which may have several, separated by commas.
  var separatedByCommas: [String] {
    flatMap { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
  }
}
