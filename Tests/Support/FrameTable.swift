import APNSDiagnosis
import APNSWire

/// The README's table of frame types, from the catalog.
public enum FrameTable {
  public static func markdown(_ catalog: Catalog) -> String {
    var lines = ["| frame type | command | written by | bytes, in order |", "|---|---|---|---|"]
    for schema in catalog.schemas {
      let command = schema.command.map { String($0.rawValue) } ?? "none"
      lines.append(
        "| `\(schema.name)` | \(command) | \(schema.role) | \(schema.layout) |")
    }
    lines += ["", "| item | name | data |", "|---|---|---|"]
    for item in catalog.items {
      lines.append("| \(item.id.rawValue) | `\(item.name)` | \(item.field.name.title), \(item.field.sizeInWords) |")
    }
    return lines.joined(separator: "\n")
  }
}

/// The README's table of rules, from the registry.
public enum RuleTable {
  public static func markdown() -> String {
    var lines = ["| rule | severity | what is wrong |", "|---|---|---|"]
    for severity in Finding.Severity.allCases.reversed() {
      for rule in Rules.all where rule.severity == severity {
        lines.append("| `\(rule.id)` | \(severity.rawValue) | \(rule.title) |")
      }
    }
    return lines.joined(separator: "\n")
  }
}

/// The README's table of senders' bugs, from the registry.
public enum CauseTable {
  public static func markdown() -> String {
    let rows = RootCauses.all.map { "| `\($0.id)` | \($0.title) |" }
    return (["| cause | the sender's bug |", "|---|---|"] + rows).joined(separator: "\n")
  }
}
