import APNSQuery
import APNSViews
import ArgumentParser

struct Explain: Runnable {
  static let configuration = CommandConfiguration(
    abstract: "Explain a rule, root cause, status, command, item, payload key or edition, with its source.",
    usage: """
      apnscope explain payload-too-long
      apnscope explain status 8
      apnscope explain aps.badge
      apnscope explain --list
      apnscope explain --fields | grep token
      """,
    discussion: """
      Names are found however they are written: Item 2, item2, item 0x02. If several things share a name, such as 2, all \
      of them are explained. The text is made of the same data as the checks. --fields lists the field names that -Y, \
      -e, NDJSON and encode --set accept.
      """)

  @Argument(
    help: "What to explain: a rule's id, status 8, command 2, item 5, aps.badge, edition 2013.",
    completion: .list(Topics(.standard).all.map(\.name)))
  var topic: [String] = []

  @Flag(help: "List everything that can be explained, one per line.")
  var list = false

  @Flag(help: "List every field: its name, its type, its item and its meaning.")
  var fields = false

  @OptionGroup(title: "Output") var look: Look

  func validate() throws {
    if topic.isEmpty, !list, !fields {
      throw ValidationError("Name what to explain, such as status 8; --list lists all names.")
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
      file.append { Topic.write(topics, width: width, palette: palette, to: &$0) }
    }
    try file.close()
    return .clean
  }

  private func found() throws(Failure) -> [Topic] {
    let topics = Topics(.standard)
    let name = topic.joined(separator: " ")
    let found = topics.named(name)
    guard found.isEmpty else { return found }
    let hint = name.utf8.count > TopicName.longest ? "" : suggestion(name, topics.names)
    throw .usage("there is no topic \(name)\(hint); see apnscope explain --list")
  }

  /// The parser needs a minute for 20,000 words.
  static func checkCount(of arguments: [String]) throws(Failure) {
    guard arguments.first == _commandName, arguments.count > 100 else { return }
    throw .usage("no topic has a name of \(arguments.count - 1) words; see apnscope explain --list")
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
  /// At least two spaces follow it.
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(2, width - count))
  }
}
