import APNSQuery
import APNSViews
import ArgumentParser

struct Explain: Runnable {
  static let configuration = CommandConfiguration(
    abstract: "The names that filters, columns and changes know.",
    usage: """
      apnscope explain --fields
      apnscope explain --fields | grep token
      apnscope --hex '0808 0000 04d2' -e type -e status -e status_name
      """,
    discussion: "The names are the same in -Y, -e, NDJSON and encode --set.")

  @Flag(help: "Every field: its name, what it takes, where it stands and what it is.")
  var fields = false

  func validate() throws {
    if !fields { throw ValidationError("There is nothing to explain yet but --fields.") }
  }

  func execute() throws -> ExitStatus {
    var file = try OutputFile(nil)
    for (index, group) in FieldTable(.standard).groups.enumerated() {
      file.append { out in
        out.write((index > 0 ? "\n" : "") + group.title + "\n")
        for row in group.rows {
          let columns = [(row.name, 20), (row.takes, 16), (row.place, 11)].map { $0.padded(to: $1) }
          out.write("  " + columns.joined() + row.title + "\n")
        }
      }
    }
    try file.close()
    return .clean
  }
}

extension String {
  /// At least two spaces stand behind it.
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(2, width - count))
  }
}
