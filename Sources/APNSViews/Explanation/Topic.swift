/// A subject of `explain`, with paragraphs about it.
package struct Topic: Sendable {
  package let kind: Kind
  /// The name, as in the list: `payload-too-long`, `status 8`, `aps.badge`.
  package let name: String
  /// Other names that find the topic.
  package let aliases: [String]
  package let title: String
  /// What the documents and apnscope say about the subject.
  package private(set) var paragraphs: [Paragraph]

  /// `texts`: the paragraphs by label; a label may have several or none.
  init(
    _ kind: Kind, _ name: String, _ title: String, aliases: [String] = [],
    _ texts: KeyValuePairs<String, [String]>
  ) {
    (self.kind, self.name, self.title, self.aliases) = (kind, name, title, aliases)
    paragraphs = texts.flatMap { label, texts in texts.map { (label, $0) } }
  }

  /// Inserts a paragraph before the sources.
  mutating func add(_ paragraph: Paragraph) {
    paragraphs.insert(paragraph, at: paragraphs.firstIndex { $0.label == "source" } ?? paragraphs.endIndex)
  }

  /// A text without line ends, and what it is about, such as `fix`.
  package typealias Paragraph = (label: String, text: String)

  /// The kinds of topics, in the order of the list. The value is the heading of the kind there.
  package enum Kind: String, Sendable, CaseIterable {
    case rule = "rules"
    case cause = "root causes: bugs in senders"
    case status = "statuses of an error response"
    case command = "frame types, by command"
    case item = "items of command 2"
    case key = "payload keys"
    case service = "the service"
    case edition = "editions of Apple's guide"
  }
}

extension Topic {
  /// The name, preceded by its kind unless it begins with it.
  package var label: String {
    switch kind {
    case .rule: "the rule \(name)"
    case .cause: "the root cause \(name)"
    case .key: "the payload key \(name)"
    case .status, .command, .item, .edition, .service: name
    }
  }

  /// Writes topics that share a name.
  package static func write(_ topics: [Topic], terminal: Terminal, to out: inout Output) {
    if topics.count > 1 {
      let line = "\(topics.count) things have this name: \(topics.map(\.label).joined(separator: ", "))"
      terminal.write(line, to: &out)
    }
    for (index, topic) in topics.enumerated() {
      if index > 0 || topics.count > 1 { out.write("\n") }
      topic.write(terminal: terminal, to: &out)
    }
  }

  package func write(terminal: Terminal, to out: inout Output) {
    out.write(terminal.paint(name, .title) + "\n")
    terminal.write(title, indent: 2, to: &out)
    out.write("\n")
    for (label, text) in paragraphs {
      // A command line is not wrapped.
      terminal.write(text, label: label, indent: 12, wraps: label != "see", to: &out)
    }
  }
}
