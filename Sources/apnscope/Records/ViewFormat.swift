import APNSQuery
import APNSViews

/// The formats of records.
enum ViewFormat: String, CaseIterable {
  case tree, line, hex, raw, c, ndjson, json, fields, command

  /// Whether the format contains the bytes of only one stream.
  var isOneStream: Bool { self == .raw || self == .hex || self == .c }

  /// Whether the format is for people to read.
  var isText: Bool { self == .tree || self == .line }
}

/// How records are printed.
struct RecordStyle {
  var format: ViewFormat
  /// The columns of ``ViewFormat/fields``.
  var columns: [FieldReader] = []
  /// Whether a line of names precedes the columns.
  var hasHeader = false
  /// Whether the bytes are printed under each line.
  var showsBytes = false
  /// Whether notes are shown and nothing is folded or shortened.
  var verbose = false
  var text: TextStyle

  init(_ format: ViewFormat, _ text: TextStyle) {
    self.format = format
    self.text = text
  }

  /// Whether notes are hidden: for people, unless they ask for notes or notes affect the exit status. Programs always
  /// get notes.
  func hidesNotes(_ failOn: FailOn) -> Bool { format.isText && !verbose && failOn != .note }

  /// Makes the view.
  /// - Parameters:
  ///   - inputs: The names of the inputs, indexed by number.
  ///   - writesFile: Whether the output is a file instead of standard output.
  func view(inputs: [String], writesFile: Bool) -> any View {
    let catalog = protocolDefinitions.catalog
    let palette = text.palette(writesFile: writesFile)
    switch format {
    case .tree:
      return TreeView(
        catalog, width: text.columns(writesFile: writesFile), palette: palette, verbose: verbose)
    case .line: return LineView(catalog, palette: palette, showsBytes: showsBytes, verbose: verbose)
    case .hex: return HexView(catalog)
    case .raw: return RawView()
    case .c: return ArrayView()
    case .ndjson: return NDJSONView(catalog, inputs: inputs)
    case .json: return NDJSONView(catalog, asArray: true, inputs: inputs)
    case .command: return CommandView(catalog, command: FrameFiles.encodeCommand)
    case .fields: return FieldsView(columns, hasHeader: hasHeader)
    }
  }
}
