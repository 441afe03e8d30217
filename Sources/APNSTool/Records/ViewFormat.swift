import APNSQuery
import APNSViews

/// The formats of records.
package enum ViewFormat: String, CaseIterable {
  case tree, line, hex, raw, c, ndjson, json, fields, command

  /// Holds the bytes of one stream only.
  var isOneStream: Bool { self == .raw || self == .hex || self == .c }

  /// Is read by people, line by line.
  package var isText: Bool { self == .tree || self == .line }
}

/// How records look.
package struct RecordStyle {
  package var format: ViewFormat
  /// The columns of ``ViewFormat/fields``.
  package var columns: [FieldReader] = []
  /// A line of names precedes the columns.
  package var hasHeader = false
  /// The bytes are printed under each line.
  package var showsBytes = false
  /// Notes are shown, and nothing is folded or shortened.
  package var verbose = false
  package var text: TextStyle

  package init(_ format: ViewFormat, _ text: TextStyle) {
    self.format = format
    self.text = text
  }

  /// People see notes only if they ask for them, or if notes decide the exit status; programs always get them.
  func hidesNotes(_ failOn: FailOn) -> Bool { format.isText && !verbose && failOn != .note }

  /// - Parameters:
  ///   - inputs: the names of the inputs, by their numbers.
  ///   - writesFile: the output is a file, not standard output.
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
    case .command: return CommandView(catalog)
    case .fields: return FieldsView(columns, hasHeader: hasHeader)
    }
  }
}
