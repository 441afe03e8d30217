import APNSQuery

// What there is to explain, one line each.

extension Topics {
  /// All topics, by their kinds.
  public func writeList(palette: Palette, to out: inout Output) {
    for (index, kind) in Topic.Kind.allCases.enumerated() {
      out.write((index > 0 ? "\n" : "") + palette.paint(title: kind.title) + "\n")
      for topic in all where topic.kind == kind {
        let tag = topic.tag.isEmpty ? "" : topic.tag.padded(to: 9)
        out.write("  " + topic.name.padded(to: 30) + tag + topic.title + "\n")
      }
    }
  }
}

extension FieldTable {
  /// All fields: name, what it takes, where it is, and its meaning.
  public func write(to out: inout Output) {
    for (index, group) in groups.enumerated() {
      out.write((index > 0 ? "\n" : "") + group.title + "\n")
      for row in group.rows {
        let columns = [(row.name, 20), (row.valueType, 16), (row.location, 11)].map { $0.padded(to: $1) }
        out.write("  " + columns.joined() + row.title + "\n")
      }
    }
  }
}

extension String {
  /// At least two spaces follow it.
  package func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(2, width - count))
  }
}
