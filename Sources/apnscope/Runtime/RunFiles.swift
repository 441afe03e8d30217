import Synchronization

/// The files that the run reads and writes. No output replaces a file that the same run reads.
///
/// A path is noted when the parser reads an option that names it, and each file when it is opened, since some inputs
/// are found only during the run. Each output is checked before the run begins, before it is opened and before it is
/// published.
enum RunFiles {
  private struct Files {
    /// What reads each file: the name of an option, or nil for an input.
    var readers: [FileIdentity: Set<String?>] = [:]
    var outputs: [OutputPath] = []
  }

  private static let files = Mutex(Files())

  fileprivate static func note(_ input: InputPath) {
    guard let file = FileIdentity(input.path) else { return }
    files.withLock { _ = $0.readers[file, default: []].insert(input.option) }
  }

  /// Notes an open file, unless an option that reads it is known.
  static func noteOpened(_ descriptor: Int32) {
    guard let file = FileIdentity(descriptor: descriptor) else { return }
    files.withLock { if $0.readers[file] == nil { $0.readers[file] = [nil] } }
  }

  fileprivate static func note(_ output: OutputPath) { files.withLock { $0.outputs.append(output) } }

  /// Checks all outputs that options name: none is read, and no two are the same file. Standard input counts as read.
  static func check() throws(Failure) {
    noteOpened(0)
    let outputs = files.withLock(\.outputs)
    for (index, output) in outputs.enumerated() {
      try check(output)
      if let other = outputs[..<index].first(where: { $0.isSameFile(as: output) }) {
        throw .usage("\(other.option) and \(output.option) both name \(output.path); give each its own file")
      }
    }
  }

  static func check(_ output: OutputPath) throws(Failure) {
    guard let file = FileIdentity(output.path) else { return }
    try check(file, output.option + " " + output.path, mayReplace: output.replaceable)
  }

  /// A command that reads what it writes would never end, so standard output is no input file either.
  static func checkStandardOutput() throws(Failure) {
    guard let file = FileIdentity(descriptor: 1, atLeast: 1) else { return }
    try check(file, "standard output", mayReplace: nil)
  }

  private static func check(_ file: FileIdentity, _ output: String, mayReplace option: String?) throws(Failure) {
    guard let readers = files.withLock({ $0.readers[file] }) else { return }
    guard let reader = readers.first(where: { $0 == nil || $0 != option }) else { return }
    let read = reader.map { "the file of \($0)" } ?? "an input file"
    throw .usage("\(output) would replace \(read); write to another file")
  }
}

/// A file or folder that the run reads; `-` is standard input.
struct InputPath: Hashable {
  let path: String
  /// The option that names it; nil for an argument.
  let option: String?

  init(_ path: String, _ option: String? = nil) {
    self.path = path
    self.option = option
    RunFiles.note(self)
  }

  /// As errors name it.
  var description: String { (option.map { $0 + " " } ?? "") + path }
}

/// A file or folder that an option names for writing; `-` is standard output.
struct OutputPath: Hashable {
  let path: String
  let option: String
  /// An option whose file may be replaced.
  let replaceable: String?

  init(_ path: String, _ option: String, mayReplace replaceable: String? = nil) {
    self.path = path
    self.option = option
    self.replaceable = replaceable
    RunFiles.note(self)
  }

  /// A file in a folder.
  init(_ name: String, in folder: OutputPath) {
    path = folder.path.hasSuffix("/") ? folder.path + name : "\(folder.path)/\(name)"
    option = folder.option
    replaceable = nil
  }

  /// Not for devices, such as /dev/null.
  fileprivate func isSameFile(as other: OutputPath) -> Bool {
    guard path != other.path else { return FileKind(path) != .other }
    guard let file = FileIdentity(path) else { return false }
    return file == FileIdentity(other.path)
  }
}
