import APNSViews

/// The destination of data: standard output, a device, or a file that appears only once it is complete.
///
/// All files that a command writes are opened here, so that one type refuses to overwrite inputs and to send bytes to a
/// terminal, and reports write errors.
struct OutputFile: ~Copyable {
  /// Nil for a standard stream.
  private let output: OutputPath?
  private let number: Int32
  /// A device or pipe that is written directly.
  private var device: Descriptor?
  /// A temporary file that is renamed once it is complete.
  private var part: TemporaryFile?
  /// No more can be written: the reader closed the pipe, or a write failed.
  private(set) var isClosed = false
  private var buffer = Output()
  private var failure: String?

  /// The kind of data, which decides whether it may go to a terminal by default.
  enum Content: String {
    case text
    case bytes = "raw bytes"
    case capture = "a capture"
    case page = "the page"

    /// What a format contains, by its name.
    init(_ format: some RawRepresentable<String>) {
      self = format.rawValue == "raw" ? .bytes : format.rawValue == "pcap" ? .capture : .text
    }
  }

  /// - Parameters:
  ///   - output: `-` and nil are standard output; `-` also allows bytes on a terminal.
  ///   - isNamedHere: Whether the command chose the name, in a folder that the user named. An existing file or link of
  ///     that name is replaced. Otherwise, writing through a symbolic link changes the file, not the link.
  init(_ output: OutputPath?, content: Content = .text, isNamedHere: Bool = false) throws(Failure) {
    try Self.check(output, mayReceive: content)
    guard let output, output.path != "-" else {
      try RunFiles.check(nil)
      (self.output, number) = (nil, 1)
      return
    }
    try RunFiles.check(output)
    let path = isNamedHere ? output.path : resolvedPath(output.path) ?? output.path
    var device: Descriptor?
    var part: TemporaryFile?
    switch isNamedHere ? .missing : FileKind(path) {
    case .other, .folder: device = Descriptor(writing: path)
    case .regular(let file): part = mayWrite(path) ? TemporaryFile(replacing: path, mode: file.permissions) : nil
    case .missing: part = TemporaryFile(replacing: path, mode: newFileMode())
    }
    let number = device?.number ?? part?.number ?? -1
    guard number >= 0 else { throw .unreadable("\(output.path): \(systemError()); choose a writable file") }
    (self.output, self.number) = (output, number)
    self.device = device.take()
    self.part = part
  }

  /// A standard stream, which is open already.
  init(standard number: Int32) { (output, self.number) = (nil, number) }

  private var name: String { output?.path ?? (number == 1 ? "standard output" : "standard error") }

  /// Throws if bytes would go to a terminal that the user did not name, or other data to a file named like a capture.
  static func check(_ output: OutputPath?, mayReceive content: Content) throws(Failure) {
    if output == nil, content != .text, isTerminal(1) {
      throw .usage("\(content.rawValue) would go to the terminal; choose a file with -w, or write -w - to allow it")
    }
    guard let path = output?.path, content != .capture, path.hasSuffix(".pcap") || path.hasSuffix(".pcapng") else {
      return
    }
    throw .usage(
      "\(path): this output has no packets; to write a capture: apnscope -T ndjson ... | apnscope encode -T pcap "
        + "-w \(path)")
  }

  mutating func write(_ text: String) { append { $0.write(text) } }

  /// Calls `write` with the buffer, and flushes the buffer when it is large.
  mutating func append<E: Error>(_ write: (inout Output) throws(E) -> Void) throws(E) {
    try write(&buffer)
    if buffer.count >= 1 << 16 { flush() }
  }

  /// Writes the contents of `gathered`, and empties it.
  mutating func pass(_ gathered: inout Output) {
    flush()
    swap(&buffer, &gathered)
    flush()
  }

  mutating func flush() {
    guard !isClosed, !buffer.isEmpty else { return buffer.clear() }
    if !buffer.read({ writeAll($0, to: number) }) {
      isClosed = true
      // What goes to standard error is not data: its loss is no reason to lose the data.
      if errno != EPIPE, number != 2 { failure = "\(name): \(systemError())" }
    }
    buffer.clear()
  }

  /// Flushes the buffer and publishes the file under its name. If the output is not `complete` or could not be written,
  /// an existing file stays unchanged; standard output and devices have received what was written so far.
  mutating func close(complete: Bool = true) throws(Failure) {
    flush()
    guard complete, failure == nil else {
      device = nil
      part = nil
      guard let failure else { return }
      throw .unreadable(failure + "; nothing more was written")
    }
    if let output { try RunFiles.check(output) }
    let isPublished = if let device = device.take() { device.close() } else { part?.publish() ?? true }
    part = nil
    if !isPublished { throw .unreadable("\(name): \(systemError())") }
  }
}

extension OutputPath {
  func write(_ bytes: [UInt8], named name: String) throws(Failure) {
    var file = try OutputFile(OutputPath(name, in: self), isNamedHere: true)
    file.append { $0.write(bytes.span) }
    try file.close()
  }
}
