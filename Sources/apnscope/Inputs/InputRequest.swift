/// The requested input: files and folders, or hex text.
struct InputRequest {
  /// Files and folders; `-` is standard input. If there are none and no hex text, standard input is read.
  var paths: [InputPath]
  /// Hex text in any known form.
  var hex: [String]
  var format: InputFormat
  /// A BPF expression; packets of captures that do not match are ignored.
  var filter: String?

  init(_ paths: [InputPath], hex: [String] = [], format: InputFormat = .auto, filter: String? = nil) {
    self.paths = paths
    self.hex = hex
    self.format = format
    self.filter = filter
  }

  /// The options that read the same input again in the same way, without the files.
  var flags: [String] {
    (format == .auto ? [] : ["--from", format.rawValue]) + (filter.map { ["-f", $0] } ?? [])
  }

  /// The inputs in the order in which they are read. A folder means all its files; consecutive captures are sorted by
  /// their first packets.
  func sources() throws(Failure) -> [InputSource] {
    if !hex.isEmpty { return hex.map { .text($0) } }
    return try InputOrder(format: format).sources(at: paths.isEmpty ? ["-"] : paths.map(\.path))
  }

  /// The sources in a form that can be read more than once: pipes are copied to temporary files.
  func rereadable(quiet: Bool) throws(Failure) -> [InputSource] {
    var sources: [InputSource] = []
    for source in try self.sources() {
      if case .file(let path) = source, path == "-" || !FileKind(path).isRegular {
        sources.append(.copy(try SpilledInput(path, quiet: quiet)))
      } else {
        sources.append(source)
      }
    }
    return sources
  }
}

/// One input.
enum InputSource {
  /// Hex text.
  case text(String)
  case file(String)
  /// The contents of a pipe, copied to a temporary file.
  case copy(SpilledInput)
  /// A part of a folder that cannot be read: its path and the reason.
  case unreadable(String, String)

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
