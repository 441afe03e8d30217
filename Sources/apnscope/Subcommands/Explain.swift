import APNSDiagnosis
import APNSQuery
import APNSViews
import ArgumentParser

struct Explain: Runnable {
  static let configuration = CommandConfiguration(
    "explain", "Explain a rule, root cause, status, command, item, payload key or edition, with its source.",
    usage: """
      apnscope explain [--list] [--fields] [<topic> ...]
      apnscope explain payload-too-long
      apnscope explain status 8
      apnscope explain aps.badge
      apnscope explain --list
      apnscope explain --fields | grep token
      """,
    discussion: """
      Names are found however they are written: Item 2, item2, item 0x02. If several things share a name, such as 2, \
      all of them are explained. The text is made of the same data as the checks. --fields lists the field names that \
      -Y, -e, NDJSON and encode --set accept.
      """, clean: "the topic was found", findings: nil)

  @Argument(
    help: "What to explain: a rule's id, status 8, command 2, item 5, aps.badge, edition 2013.",
    completion: .names(Topics(.standard).all.map(\.name)))
  var topic: [String] = []

  @Flag(help: "List everything that can be explained, one per line.")
  var list = false

  @Flag(help: "List every field: its name, its type, its item and its meaning.")
  var fields = false

  @OptionGroup var frames: FramesOption
  @OptionGroup var text: TextOptions

  func validate() throws {
    if topic.isEmpty, !list, !fields {
      throw ValidationError("Name what to explain, such as status 8; --list lists all names.")
    }
  }

  func execute(_ definitions: Definitions) throws -> ExitStatus {
    let topics = Topics(definitions.catalog)
    let terminal = text.terminal(for: nil)
    var file = try OutputFile(nil)
    if fields { file.append { FieldNames(definitions).write(to: &$0) } }
    if list { file.append { topics.writeList(terminal: terminal, to: &$0) } }
    if !topic.isEmpty {
      let found = try found(in: topics)
      file.append { Topic.write(found, terminal: terminal, to: &$0) }
    }
    try file.close()
    return .clean
  }

  private func found(in topics: Topics) throws(Failure) -> [Topic] {
    let name = topic.joined(separator: " ")
    let found = topics.named(name)
    guard found.isEmpty else { return found }
    if let sentence = topics.undocumented(name) { throw .usage(sentence) }
    throw .usage("unknown topic \(name)\(suggestion(name, topics.names)); see apnscope explain --list")
  }

  /// Rejects long lists of words before parsing: the parser needs a minute for 20,000 words.
  static func checkCount(of arguments: [String]) throws(Failure) {
    guard arguments.first == _commandName, arguments.count > 100 else { return }
    throw .usage("no topic has a name of \(arguments.count - 1) words; see apnscope explain --list")
  }
}
