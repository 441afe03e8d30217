import APNSViews

/// The destination of data: standard output, a device, or a file that appears only once it is complete.
///
/// All files that a command writes are opened here, so that one type refuses to overwrite inputs and to send bytes to a
/// terminal, and reports write errors.
struct OutputFile: ~Copyable {
  /// The name that the user gave, for errors.
  private let name: String
  /// Nil for standard output.
  private let path: OutputPath?
  private var destination: Destination
  /// No more can be written: the reader closed the pipe, or a write failed.
  private(set) var isClosed = false
  private var output = Output()
  private var failure: String?
  private var isWidened = false

  /// The kind of data, which decides whether it may go to a terminal by default.
  enum Content: String {
    case text
    case bytes = "raw bytes"
    case capture = "a capture"
    case page = "the page"
  }

  /// Opens an output.
  /// - Parameters:
  ///   - output: `-` and nil are standard output; `-` also allows bytes on a terminal.
  init(_ output: OutputPath?, content: Content = .text) throws(Failure) {
    if let output, output.path != "-" {
      try RunFiles.check(output)
      // Writing through a symbolic link changes the file, not the link.
      let destination = Destination(resolvedPath(output.path) ?? output.path)
      try self.init(output, destination)
      return
    }
    try Self.check(output, mayReceive: content)
    try RunFiles.checkStandardOutput()
    try self.init(nil, Destination())
  }

  /// Opens a file with a name that the command chose, in a folder that the user named. An existing file or link of that
  /// name is replaced; links are not followed.
  init(named name: String, in folder: OutputPath) throws(Failure) {
    let output = OutputPath(name, in: folder)
    try RunFiles.check(output)
    try self.init(output, Destination(replacing: output.path))
  }

  private init(_ output: OutputPath?, _ destination: consuming Destination?) throws(Failure) {
    name = output?.path ?? "standard output"
    path = output
    guard let destination else { throw .unreadable("\(name): \(systemError()); choose a writable file") }
    self.destination = destination
  }

  /// Throws if the output is a terminal, unless it may receive the data or the user named it.
  static func check(_ output: OutputPath?, mayReceive content: Content) throws(Failure) {
    guard output == nil, content != .text, isTerminal(1) else { return }
    throw .usage("\(content.rawValue) would go to the terminal; choose a file with -w, or write -w - to allow it")
  }

  mutating func write(_ text: String) { append { $0.write(text) } }

  /// Calls `write` with the buffer, and flushes the buffer when it is large.
  mutating func append<E: Error>(_ write: (inout Output) throws(E) -> Void) throws(E) {
    try write(&output)
    if output.count >= 1 << 16 { flush() }
  }

  /// Writes the contents of `gathered`, and empties it.
  mutating func pass(_ gathered: inout Output) {
    flush()
    swap(&output, &gathered)
    flush()
  }

  mutating func flush() {
    guard !isClosed, !output.isEmpty else { return output.clear() }
    if output.count >= 1 << 16, !isWidened {
      widenPipe(destination.number)
      isWidened = true
    }
    switch output.read({ writeAll($0, to: destination.number) }) {
    case .done: break
    case .closedPipe: isClosed = true
    case .failed:
      isClosed = true
      failure = "\(name): \(systemError())"
    }
    output.clear()
  }

  /// Flushes the buffer and publishes the file under its name. If the output is not `complete` or could not be written,
  /// an existing file stays unchanged; standard output and devices have received what was written so far.
  mutating func close(complete: Bool = true) throws(Failure) {
    flush()
    guard complete, failure == nil else {
      destination.discard()
      guard let failure else { return }
      throw .unreadable(failure + "; nothing more was written")
    }
    if let path { try RunFiles.check(path) }
    if !destination.publish() { throw .unreadable("\(name): \(systemError())") }
  }
}

extension OutputPath {
  /// Writes a file of this name to the folder.
  func write(_ bytes: [UInt8], named name: String) throws(Failure) {
    var file = try OutputFile(named: name, in: self)
    file.append { $0.write(bytes.span) }
    try file.close()
  }

  /// Throws if the name is that of a capture file, for commands that write none.
  func checkIsNoCapture() throws(Failure) {
    guard path.hasSuffix(".pcap") || path.hasSuffix(".pcapng") else { return }
    throw .usage(
      "\(path): this command writes no packets; to write a capture: apnscope -T ndjson ... | apnscope encode "
        + "-T pcap -w \(path)")
  }
}

/// An open file, and the name under which it is published once it is complete.
private struct Destination: ~Copyable {
  let number: Int32
  /// A device or pipe that is written directly.
  private var file: Descriptor?
  /// A temporary file that is renamed once it is complete.
  private var part: TemporaryFile?
  private let path: String

  /// Standard output.
  init() {
    number = 1
    path = ""
  }

  /// Nil if it cannot be written; `systemError()` gives the reason.
  init?(_ path: String) {
    switch FileKind(path) {
    case .other, .folder: self.init(writing: path)
    case .regular(let mode):
      guard mayWrite(path) else { return nil }
      self.init(replacing: path, mode: mode)
    case .missing: self.init(replacing: path)
    }
  }

  private init?(writing path: String) {
    guard let file = Descriptor(writing: path) else { return nil }
    number = file.number
    self.file = consume file
    self.path = path
  }

  /// - Parameter mode: The permissions; nil means those of a new file.
  init?(replacing path: String, mode: UInt32? = nil) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    guard let part = TemporaryFile(in: folder, mode: mode ?? newFileMode()) else { return nil }
    number = part.number
    self.part = part
    self.path = path
  }

  /// Renames the file. Returns false on failure; `systemError()` gives the reason.
  mutating func publish() -> Bool {
    if let file = file.take() { return file.close() }
    defer { part = nil }
    return part?.publish(as: path) ?? true
  }

  mutating func discard() {
    file = nil
    part = nil
  }
}
