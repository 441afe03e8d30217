import APNSQuery
import APNSViews

/// Explains elements of the protocol, rules and root causes.
struct ExplainRun {
  private let style: TextStyle
  /// The words of a topic's name; empty for no topic.
  var topic: [String] = []
  var listsTopics = false
  var listsFields = false

  init(_ style: TextStyle) { self.style = style }

  /// All topic names, for shell completion.
  static var topicNames: [String] { Topics(protocolDefinitions.catalog).all.map(\.name) }

  func run() throws -> ExitStatus {
    let topics = Topics(protocolDefinitions.catalog)
    let palette = style.palette(writesFile: false)
    var file = try OutputFile(nil)
    if listsFields { file.append { FieldTable(fieldNames).write(to: &$0) } }
    if listsTopics { file.append { topics.writeList(palette: palette, to: &$0) } }
    if !topic.isEmpty {
      let found = try found(in: topics)
      file.append { Topic.write(found, width: style.columns(writesFile: false), palette: palette, to: &$0) }
    }
    try file.close()
    return .clean
  }

  private func found(in topics: Topics) throws(Failure) -> [Topic] {
    let name = topic.joined(separator: " ")
    let found = topics.named(name)
    guard found.isEmpty else { return found }
    if let sentence = topics.undocumented(name) { throw .usage(sentence) }
    let hint = name.utf8.count > TopicName.longest ? "" : suggestion(name, topics.names)
    throw .usage("unknown topic \(name)\(hint); see apnscope explain --list")
  }
}
