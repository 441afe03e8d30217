import APNSDiagnosis
import APNSInput
import APNSViews
import APNSWire

/// The tables of the guide, in Markdown, from the values that the command uses.
public enum ReferenceTables {
  public static func frameTypes(_ catalog: Catalog) -> String {
    let schemas = catalog.schemas.map { schema in
      [code(schema.name), schema.command.map { String($0.rawValue) } ?? "none", "\(schema.role)", "\(schema.layout)"]
    }
    let items = catalog.items.map { item in
      [String(item.id.rawValue), code(item.name), "\(item.field.name.title), \(item.field.sizeInWords)"]
    }
    return table(["frame type", "command", "written by", "bytes, in order"], schemas) + "\n"
      + table(["item", "name", "data"], items)
  }

  /// Errors first.
  public static func rules() -> String {
    let rules = Finding.Severity.allCases.reversed().flatMap { severity in
      Rules.all.filter { $0.severity == severity }
    }
    return table(
      ["rule", "severity", "what is wrong"], rules.map { [code("\($0.id)"), $0.severity.rawValue, $0.title] })
  }

  public static func causes() -> String {
    table(["cause", "the sender's bug"], RootCauses.all.map { [code("\($0.id)"), $0.title] })
  }

  public static func statuses() -> String {
    table(
      ["status", "name", "what it means"],
      topics(.status).map { [$0.name, $0.title, paragraph("means", of: $0)] })
  }

  public static func keys() -> String {
    table(
      ["key", "takes", "since", "what it is for"],
      topics(.key).map { [code($0.name), paragraph("takes", of: $0), paragraph("since", of: $0), $0.title] })
  }

  public static func textFormats() -> String {
    table(["`--from`", "reads"], TextFormat.allCases.map { [code($0.rawValue), $0.title] })
  }

  private static func topics(_ kind: Topic.Kind) -> [Topic] {
    Topics(Catalog.standard).all.filter { $0.kind == kind }
  }

  private static func paragraph(_ label: String, of topic: Topic) -> String {
    topic.paragraphs.first { $0.label == label }?.text ?? ""
  }

  private static func code(_ text: String) -> String { "`\(text)`" }

  private static func table(_ head: [String], _ rows: [[String]]) -> String {
    let lines = [head, head.map { _ in "---" }] + rows
    return lines.map { "| " + $0.map(escaped).joined(separator: " | ") + " |\n" }.joined()
  }

  /// A bar would end the cell, and `<` begin a tag.
  private static func escaped(_ text: String) -> String {
    text.map { ["|": "\\|", "<": "&lt;", "*": "\\*", "\\": "\\\\"][$0] ?? String($0) }.joined()
  }
}
