import APNSWire

/// The README's table of frame types, from the catalog.
public enum FrameTable {
  public static func markdown(_ catalog: Catalog) -> String {
    var lines = ["| frame type | command | written by | bytes, in order |", "|---|---|---|---|"]
    for schema in catalog.schemas {
      let command = schema.command.map { String($0.rawValue) } ?? "none"
      lines.append(
        "| `\(schema.name)` | \(command) | \(schema.role) | \(schema.parts.map(text).joined(separator: ", ")) |")
    }
    lines += ["", "| item | name | data |", "|---|---|---|"]
    for item in catalog.items {
      lines.append("| \(item.id.rawValue) | `\(item.name)` | \(item.field.name.title), \(size(of: item.field)) |")
    }
    return lines.joined(separator: "\n")
  }

  private static func text(_ part: FrameSchema.Part) -> String {
    switch part {
    case .command: "command 1"
    case .fixed(let field): "\(field.name.title) \(field.size ?? 0)"
    case .counted(let field, let width, let length): "\(length.title) \(width), \(field.name.title)"
    }
  }

  private static func size(of field: Field) -> String {
    field.size.map { $0 == 1 ? "1 byte" : "\($0) bytes" } ?? "any size"
  }
}
