import APNSQuery
import APNSViews
import ArgumentParser

struct Explain: Runnable {
  static let configuration = CommandConfiguration(
    abstract: "A rule, status, command, item, payload key or edition, in words, with its source.",
    usage: """
      apnscope explain payload-too-long
      apnscope explain status 8
      apnscope explain aps.badge
      apnscope explain --list
      apnscope explain --fields | grep token
      """,
    discussion: """
      What is said here stands in the same rows that the checks read. A number alone may be several things: all of \
      them are explained. --fields lists the names that -Y, -e, NDJSON and encode --set know.
      """)

  @Argument(
    help: "What to explain: a rule's id, status 8, command 2, item 5, aps.badge, edition 2013.",
    completion: .list(Topics(.standard).all.map(\.name)))
  var topic: [String] = []

  @Flag(help: "Everything that can be explained, a line each.")
  var list = false

  @Flag(help: "Every field: its name, what it takes, where it stands and what it is.")
  var fields = false

  @OptionGroup(title: "Output") var look: Look

  func validate() throws {
    if topic.isEmpty, !list, !fields {
      throw ValidationError("Name what to explain, such as status 8, or give --list to see what there is.")
    }
  }

  func execute() throws -> ExitStatus {
    var file = try OutputFile(nil)
    if fields { file.append { writeFields(to: &$0) } }
    if list { file.append { writeList(to: &$0) } }
    if !topic.isEmpty {
      let topics = try found()
      let width = look.columns(writesFile: false)
      let palette = look.palette(writesFile: false)
      for (index, topic) in topics.enumerated() {
        file.append { out in
          if index > 0 { out.write("\n") }
          topic.write(width: width, palette: palette, to: &out)
        }
      }
    }
    try file.close()
    return .clean
  }

  private func found() throws(Failure) -> [Topic] {
    let topics = Topics(.standard)
    let name = topic.joined(separator: " ")
    let found = topics.named(name)
    guard found.isEmpty else { return found }
    throw .usage(
      "there is nothing called \(printable(name)) to explain\(suggestion(name, topics.names)); "
        + "see apnscope explain --list")
  }

  private func writeList(to out: inout Output) {
    let topics = Topics(.standard).all
    let palette = look.palette(writesFile: false)
    for (index, kind) in Topic.Kind.allCases.enumerated() {
      out.write((index > 0 ? "\n" : "") + palette.paint(title: kind.title) + "\n")
      for topic in topics where topic.kind == kind {
        out.write(
          "  " + topic.name.padded(to: 30) + (topic.tag.isEmpty ? "" : topic.tag.padded(to: 9)) + topic.title + "\n")
      }
    }
  }

  private func writeFields(to out: inout Output) {
    for (index, group) in FieldTable(.standard).groups.enumerated() {
      out.write((index > 0 ? "\n" : "") + group.title + "\n")
      for row in group.rows {
        let columns = [(row.name, 20), (row.takes, 16), (row.place, 11)].map { $0.padded(to: $1) }
        out.write("  " + columns.joined() + row.title + "\n")
      }
    }
  }
}

extension String {
  /// At least two spaces stand behind it.
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(2, width - count))
  }
}
