/// One input: a file, standard input, a copy of a pipe, or the text of an option.
struct InputSource {
  /// What the user named; `-` is standard input, `--hex` the option.
  let path: String
  /// The text of the option, or what else is in memory.
  var bytes: [UInt8]?
  /// The contents of a pipe.
  var copy: TemporaryFile?
  /// Why a part of a folder cannot be read.
  var obstacle: String?

  var isStandardInput: Bool { path == "-" }

  /// Whether it is read from where the user said.
  var isFile: Bool { bytes == nil && copy == nil && obstacle == nil }

  var name: String { isFile ? path : title }

  var title: String { isStandardInput ? "standard input" : path }

  func open() throws(Failure) -> Descriptor { try Descriptor(input: copy?.path ?? path) }

  /// The same input in a form that can be read more than once: a pipe is copied to a temporary file.
  func rereadable(quiet: Bool) throws(Failure) -> InputSource {
    guard isFile, isStandardInput || !FileKind(path).isRegular else { return self }
    let input = try open()
    if isStandardInput, !quiet { StandardError.sayWaiting() }
    let copy = try TemporaryFile.make()
    try input.forEachBlock(of: title) { bytes throws(Failure) in
      try copy.write(bytes)
      return true
    }
    return InputSource(path: path, copy: copy)
  }
}
