/// What is to be read: files and folders, or hex text.
package struct InputRequest {
  /// Files and folders; `-` is standard input. Empty: standard input, unless there is hex text.
  package var paths: [String]
  /// Hex text in any known form.
  package var hex: [String]
  package var format: InputFormat
  /// A BPF expression: other packets of captures are not read.
  package var filter: String?
  /// Hex text that is not exactly in its format is refused.
  package var strict: Bool
  /// The file grows, and what is written to it later is waited for.
  package var follows: Bool

  package init(
    _ paths: [String], hex: [String] = [], format: InputFormat = .auto, filter: String? = nil, strict: Bool = false,
    follows: Bool = false
  ) {
    self.paths = paths
    self.hex = hex
    self.format = format
    self.filter = filter
    self.strict = strict
    self.follows = follows
  }

  /// The options that read the same input in the same way again, without the files.
  var flags: [String] {
    (format == .auto ? [] : ["--from", format.rawValue]) + (filter.map { ["-f", $0] } ?? [])
  }

  /// What there is to read, in the order of reading: a folder means all files in it, and captures that are named in a
  /// row are put in the order of their first packets.
  package func sources() throws(Failure) -> [InputSource] {
    if !hex.isEmpty { return hex.map { .text($0) } }
    return try InputOrder(format: format).sources(at: paths.isEmpty ? ["-"] : paths)
  }

  /// The same sources, so that each of them can be read more than once: a pipe is written to a file first.
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
package enum InputSource {
  /// Hex text.
  case text(String)
  case file(String)
  /// What came through a pipe, in a file.
  case copy(SpilledInput)
  /// Part of a folder that cannot be read, and why.
  case unreadable(String, String)

  package var name: String {
    switch self {
    case .text: "--hex"
    case .file(let path): path
    case .copy(let input): input.name
    case .unreadable(let path, _): path
    }
  }

  /// The file that must not be overwritten, `-` for standard input; nil if there is none.
  var path: String? {
    switch self {
    case .text, .unreadable: nil
    case .file(let path): path
    case .copy(let input): input.source
    }
  }

  /// It cannot be read again by name.
  var isGone: Bool {
    if case .file = self { false } else { true }
  }
}
