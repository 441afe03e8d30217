import Synchronization

/// The files that the run reads and writes. No output replaces a file that the same run reads.
///
/// A path is noted when the parser reads an option that names it, and each file when it is opened, since some inputs
/// are found only during the run. Each output is checked before the run begins, before it is opened and before it is
/// published.
enum RunFiles {
  private struct Files {
    /// What reads each file: the name of an option, or nil for an input.
    var readers: [[UInt64]: Set<String?>] = [:]
    var outputs: [OutputPath] = []
  }

  private static let files = Mutex(Files())

  fileprivate static func note(_ input: InputPath) {
    let kind = input.path == "-" ? FileKind(descriptor: 0) : FileKind(input.path)
    guard let file = kind.regular else { return }
    files.withLock { _ = $0.readers[file.identity, default: []].insert(input.option) }
  }

  /// Notes an open file, unless an option that reads it is known.
  static func noteOpened(_ descriptor: Int32) {
    guard let file = FileKind(descriptor: descriptor).regular else { return }
    files.withLock { if $0.readers[file.identity] == nil { $0.readers[file.identity] = [nil] } }
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

  /// - Parameter output: Nil and `-` are standard output. A command that reads what it writes would never end, so that
  ///   is no input file either, unless it is empty.
  static func check(_ output: OutputPath?) throws(Failure) {
    let output = output?.path == "-" ? nil : output
    let kind = output.map { FileKind($0.path) } ?? FileKind(descriptor: 1)
    guard let file = kind.regular, output != nil || file.size > 0,
      let readers = files.withLock({ $0.readers[file.identity] }),
      let reader = readers.first(where: { $0 == nil || $0 != output?.replaceable })
    else { return }
    let name = output.map { $0.option + " " + $0.path } ?? "standard output"
    let read = reader.map { "the file of \($0)" } ?? "an input file"
    throw .usage("\(name) would replace \(read); write to another file")
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

  init(_ name: String, in folder: OutputPath) {
    path = folder.path.hasSuffix("/") ? folder.path + name : "\(folder.path)/\(name)"
    option = folder.option
    replaceable = nil
  }

  /// Not for devices, such as /dev/null.
  fileprivate func isSameFile(as other: OutputPath) -> Bool {
    let (kind, otherKind) = (FileKind(path), FileKind(other.path))
    return path == other.path ? kind != .other : kind.isRegular && kind.regular?.identity == otherKind.regular?.identity
  }
}
