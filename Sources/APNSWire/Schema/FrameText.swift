import Octets

extension FrameSchema {
  /// The parts in order with their sizes in bytes: `command (1 byte), token length (2 bytes), device token, ...`.
  package var layout: String { parts.map(\.layout).joined(separator: ", ") }
}

extension FrameSchema.Part {
  fileprivate var layout: String {
    switch self {
    case .command: "command (1 byte)"
    case .fixed(let field): "\(field.name.title) (\(field.sizeInWords))"
    case .counted(let field, let width, let length): "\(length.title) (\(width) bytes), \(field.name.title)"
    }
  }
}

extension Field {
  /// The size in words: `4 bytes`, or `variable size`.
  package var sizeInWords: String {
    size.map { plural($0, "byte") } ?? "variable size"
  }
}
