/// One thing that can be explained: its name, and what the documents and apnscope say about it, in paragraphs.
public struct Topic: Sendable {
  public let kind: Kind
  /// As it is listed: `payload-too-long`, `status 8`, `aps.badge`.
  public let name: String
  /// Its other names.
  public let aliases: [String]
  /// Precedes the title in a list: the severity of a rule.
  public var tag = ""
  /// In a few words.
  public let title: String
  public private(set) var paragraphs: [Paragraph]

  /// Before the sources.
  mutating func add(_ paragraph: Paragraph) {
    paragraphs.insert(paragraph, at: paragraphs.firstIndex { $0.label == "source" } ?? paragraphs.endIndex)
  }

  public struct Paragraph: Sendable {
    public let label: String
    public let text: String
    /// A command line, which is not wrapped.
    public private(set) var isVerbatim = false

    init(label: String, text: String, isVerbatim: Bool = false) {
      self.label = label
      self.text = text
      self.isVerbatim = isVerbatim
    }
  }

  /// In the order of listing.
  public enum Kind: Sendable, Hashable, CaseIterable {
    case rule, cause, status, command, item, key, service, edition

    public var title: String {
      switch self {
      case .rule: "rules"
      case .cause: "root causes: bugs in senders"
      case .status: "statuses of an error response"
      case .command: "frame types, by command"
      case .item: "items of command 2"
      case .key: "payload keys"
      case .service: "the service"
      case .edition: "editions of Apple's guide"
      }
    }
  }
}

extension Topic {
  /// With its kind, if the name does not begin with it.
  public var label: String {
    switch kind {
    case .rule: "the rule \(name)"
    case .cause: "the root cause \(name)"
    case .key: "the payload key \(name)"
    case .status, .command, .item, .edition, .service: name
    }
  }

  /// Those that share a name, one after the other.
  public static func write(_ topics: [Topic], width: Int, palette: Palette, to out: inout Output) {
    if topics.count > 1 {
      let line = "\(topics.count) things have this name: \(topics.map(\.label).joined(separator: ", "))"
      for line in line.wrapped(to: width) { out.write(line + "\n") }
    }
    for (index, topic) in topics.enumerated() {
      if index > 0 || topics.count > 1 { out.write("\n") }
      topic.write(width: width, palette: palette, to: &out)
    }
  }

  /// As one screen of text.
  public func write(width: Int, palette: Palette, to out: inout Output) {
    out.write(palette.paint(name, .title) + "\n")
    for line in title.wrapped(to: max(width - 2, 20)) { out.write("  " + line + "\n") }
    out.write("\n")
    for paragraph in paragraphs {
      let label = "  " + paragraph.label
      let padding = String(repeating: " ", count: max(Self.column - label.count, 1))
      let lines = paragraph.isVerbatim ? [paragraph.text] : paragraph.text.wrapped(to: max(width - Self.column, 20))
      for (index, line) in lines.enumerated() {
        let lead = index == 0 ? palette.paint(label, .dim) + padding : String(repeating: " ", count: Self.column)
        out.write(lead + line + "\n")
      }
    }
  }

  private static let column = 12
}
