/// Lua source text: a table constructor with strings, numbers and nested tables.
struct LuaText {
  private(set) var text = ""

  mutating func write(_ source: String) { text += source }

  /// Writes a string literal. Names and titles come from files of frame types, so every byte that is not printable
  /// ASCII is escaped.
  mutating func string(_ value: String) {
    text += "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\" + String(scalar)
      case " "..."~": text.unicodeScalars.append(scalar)
      default:
        for byte in String(scalar).utf8 {
          let digits = String(byte)
          text += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
        }
      }
    }
    text += "\""
  }

  mutating func member(_ name: String, _ value: String) {
    text += name + " = "
    string(value)
    text += ", "
  }

  mutating func member(_ name: String, _ value: Int) { text += "\(name) = \(value), " }

  mutating func member(_ name: String, _ value: Bool) { if value { text += "\(name) = true, " } }
}
