/// One input.
enum InputSource {
  /// Hex text.
  case text(String)
  case file(String)
  /// The contents of a pipe, copied to a temporary file.
  case copy(SpilledInput)
  /// A part of a folder that cannot be read: its path and the reason.
  case unreadable(String, String)

  /// The file, or a copy if it can be read only once.
  static func rereadable(_ path: String, quiet: Bool) throws(Failure) -> InputSource {
    path == "-" || !FileKind(path).isRegular ? .copy(try SpilledInput(path, quiet: quiet)) : .file(path)
  }

  var name: String {
    switch self {
    case .text: "--hex"
    case .file(let path): path
    case .copy(let input): input.name
    case .unreadable(let path, _): path
    }
  }

  var isStandardInput: Bool {
    switch self {
    case .file(let path): path == "-"
    case .copy(let input): input.isStandardInput
    case .text, .unreadable: false
    }
  }

  /// The name for messages.
  var title: String { name == "-" ? "standard input" : name }

  /// Whether the input cannot be read again by its name.
  var cannotBeReread: Bool {
    if case .file = self { false } else { true }
  }
}

/// The contents of a pipe, copied to a temporary file so that it can be read more than once. The file is removed with
/// the last reference.
final class SpilledInput {
  let name: String
  let isStandardInput: Bool
  private let copy: TemporaryFile

  var path: String { copy.path }

  /// Copies the source; `-` is standard input.
  init(_ source: String, quiet: Bool) throws(Failure) {
    isStandardInput = source == "-"
    name = isStandardInput ? "standard input" : source
    let input = try Descriptor(input: source)
    if isStandardInput, !quiet { StandardError.sayWaiting() }
    copy = try TemporaryFile.make(for: name)
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while case let count = try input.read(into: &buffer, of: name), count > 0 {
      guard case .done = writeAll(buffer.span.extracting(0..<count), to: copy.number) else {
        throw .unreadable(
          "\(path), a copy of \(name): \(systemError()); free some space, or set TMPDIR to another folder")
      }
    }
  }
}
