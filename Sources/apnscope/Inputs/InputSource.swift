/// One input.
enum InputSource {
  /// Hex text.
  case text(String)
  /// A file; `-` is standard input.
  case file(String)
  /// The contents of a pipe, copied to a temporary file.
  case copy(TemporaryFile, of: String)
  /// A part of a folder that cannot be read: its path and the reason.
  case unreadable(String, String)

  /// The file, or a copy if it can be read only once.
  static func rereadable(_ path: String, quiet: Bool) throws(Failure) -> InputSource {
    guard path == "-" || !FileKind(path).isRegular else { return .file(path) }
    let name = InputSource.file(path).title
    let input = try Descriptor(input: path)
    if path == "-", !quiet { StandardError.sayWaiting() }
    let copy = try TemporaryFile.make(copying: name)
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while case let count = try input.read(into: &buffer, of: name), count > 0 {
      try copy.write(buffer.span.extracting(0..<count))
    }
    return .copy(copy, of: path)
  }

  var name: String {
    switch self {
    case .text: "--hex"
    case .copy(_, of: "-"): "standard input"
    case .file(let path), .copy(_, let path), .unreadable(let path, _): path
    }
  }

  var isStandardInput: Bool {
    switch self {
    case .file(let path), .copy(_, let path): path == "-"
    case .text, .unreadable: false
    }
  }

  /// The name for messages.
  var title: String { isStandardInput ? "standard input" : name }
}
