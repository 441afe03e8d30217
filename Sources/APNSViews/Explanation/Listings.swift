import APNSQuery

// Lists of topics and fields, one line each.

extension Topics {
  /// Writes the names and titles of all topics, by kind.
  package func writeList(terminal: Terminal, to out: inout Output) {
    for (index, kind) in Topic.Kind.allCases.enumerated() {
      out.write((index > 0 ? "\n" : "") + terminal.paint(kind.rawValue, .title) + "\n")
      for topic in all where topic.kind == kind {
        let severity = topic.paragraphs.first { $0.label == "severity" }?.text.padded(to: 9) ?? ""
        out.printable("  " + topic.name.padded(to: 30) + severity + topic.title)
        out.write("\n")
      }
    }
  }
}

extension FieldNames {
  /// Writes the names, types, locations and titles of all fields, by group.
  package func write(to out: inout Output) {
    for (index, group) in groups.enumerated() {
      out.write((index > 0 ? "\n" : "") + group.title + "\n")
      for row in group.rows {
        let columns = [(row.field.name, 20), (row.field.kind.words, 16), (row.location, 11)].map { $0.padded(to: $1) }
        out.printable("  " + columns.joined() + row.field.title)
        out.write("\n")
      }
    }
  }
}

extension QueryField.Kind {
  fileprivate var words: String {
    switch self {
    case .number(_, .unixSeconds, _), .time: "time"
    case .number(_, .code, _): "number or name"
    case .number: "number"
    case .word: "word"
    case .text: "text"
    case .octets: "hex"
    case .json, .jsonValue: "JSON"
    case .endpoint: "address"
    }
  }
}
