import APNSQuery
import ArgumentParser

/// Options for the format of records.
struct RecordOptions<Format: RecordFormat>: ParsableArguments {
  @Option(
    name: [.customShort("T"), .customLong("format")],
    help: ArgumentHelp(
      "Output format: tree, line, hex (a dump that apnscope can read again), raw, c (an array), ndjson, json, fields (the columns "
        + "of -e) or command (the encode command lines)\(Format.others).",
      valueName: "format"))
  var chosen: Format?

  private var format: ViewFormat? { chosen?.view }

  @Option(
    name: .customShort("e"),
    help: ArgumentHelp(
      "Print this field, or several separated by commas, in columns separated by tabs; implies -T fields.",
      valueName: "field"),
    completion: .list(fieldNames.all.map(\.name)))
  var fields: [String] = []

  @Option(
    name: .customShort("E"), help: ArgumentHelp("With -e: header=y prints a line of names first.", valueName: "option"))
  var fieldsOption: FieldsOption?

  @Flag(name: .customShort("x"), help: "With -T line: print the bytes under each line.")
  var showsBytes = false

  @Flag(name: .customShort("v"), help: "Show notes, and don't fold or shorten anything.")
  var verbose = false

  @OptionGroup var text: TextOptions

  func validate() throws {
    if format == .fields, fields.isEmpty { throw ValidationError("The format fields needs columns: add -e FIELD.") }
    if let format, format != .fields, !fields.isEmpty {
      throw ValidationError("The option -e works only with -T fields.")
    }
    if fieldsOption != nil, fields.isEmpty { throw ValidationError("The option -E works only with -e FIELD.") }
  }

  /// Whether an option other than the format is given that applies only to records.
  var isAny: Bool { !fields.isEmpty || showsBytes || verbose }

  /// - Parameter other: The format to use if none is given.
  func style(else other: ViewFormat) throws(Failure) -> RecordStyle {
    var style = RecordStyle(format ?? (fields.isEmpty ? other : .fields), text.style)
    if showsBytes, style.format != .line {
      let reason =
        style.format == .tree ? "the tree always shows the bytes" : "drop -x for -T \(style.format.rawValue)"
      throw .usage("-x works only with -T line; \(reason)")
    }
    style.columns = try columns()
    style.hasHeader = fieldsOption != nil
    style.showsBytes = showsBytes
    style.verbose = verbose
    return style
  }

  private func columns() throws(Failure) -> [FieldReader] {
    var columns: [FieldReader] = []
    for field in fields.separatedByCommas {
      do throws(UnknownName) { columns.append(try fieldNames.reader(for: field)) } catch {
        throw .usage("-e: \(error)")
      }
    }
    return columns
  }
}

/// A format of records, among formats of other output of the same command.
protocol RecordFormat: ExpressibleByArgument {
  /// Nil if it is not a format of records.
  var view: ViewFormat? { get }
  /// The other formats, for the end of the help.
  static var others: String { get }
}

extension ViewFormat: RecordFormat {
  var view: ViewFormat? { self }
  static var others: String { "" }
}

/// The supported value of tshark's `-E`.
enum FieldsOption: String, CaseIterable, ExpressibleByArgument {
  case header = "header=y"
}
