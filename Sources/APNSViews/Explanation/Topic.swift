/// One thing that can be explained: what it is called, and what there is to say about it, paragraph by paragraph.
public struct Topic: Sendable {
  public let kind: Kind
  /// As it is listed: `payload-too-long`, `status 8`, `aps.badge`.
  public let name: String
  /// What else it answers to.
  public let aliases: [String]
  /// What a list says before the title: how much a rule weighs.
  public var tag = ""
  /// In a few words.
  public let title: String
  public let paragraphs: [Paragraph]

  public struct Paragraph: Sendable {
    public let label: String
    public let text: String
    /// A command line: never broken.
    var isVerbatim = false
  }

  /// In the order of listing.
  public enum Kind: Sendable, Hashable, CaseIterable {
    case rule, cause, status, command, item, key, edition

    public var title: String {
      switch self {
      case .rule: "rules"
      case .cause: "bugs of senders, found behind what breaks a stream"
      case .status: "statuses of an error response"
      case .command: "frame types, by command"
      case .item: "items of command 2"
      case .key: "payload keys"
      case .edition: "editions of Apple's guide"
      }
    }
  }
}

extension Topic {
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
