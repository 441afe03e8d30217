import APNSViews

/// Where data goes: standard output, a device, or a file that appears only once it is complete.
struct OutputFile: ~Copyable {
  /// As it was named, for errors.
  private let name: String
  private let destination: Destination
  private(set) var isClosed = false
  private var output = Output()
  private var failure: String?
  private var isWidened = false

  /// `-` and nil are standard output.
  init(_ path: String?) throws(Failure) {
    guard let path, path != "-" else {
      name = "standard output"
      destination = Destination()
      return
    }
    name = path
    guard let destination = Destination(path) else {
      throw .unreadable("\(path): \(systemError()); name a file that can be written")
    }
    self.destination = destination
  }

  /// Lets `write` append, and passes on what has gathered.
  mutating func append<E: Error>(_ write: (inout Output) throws(E) -> Void) throws(E) {
    try write(&output)
    if output.count >= 1 << 16 { flush() }
  }

  /// Passes on all of `gathered`, and empties it.
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

  /// The last bytes, and the file under its name. What is not `complete`, or could not be written, leaves the file as
  /// it was; standard output and devices have what was written so far.
  mutating func close(complete: Bool = true) throws(Failure) {
    flush()
    guard complete, failure == nil else {
      destination.remove()
      guard let failure else { return }
      throw .unreadable(failure + "; nothing more was written")
    }
    if !destination.publish() { throw .unreadable("\(name): \(systemError())") }
  }
}

/// An open file, and the name that it takes once it is complete.
private struct Destination: ~Copyable {
  let number: Int32
  private let file: Descriptor?
  /// Absent for what is written directly.
  private let names: (temporary: String, final: String)?

  /// Standard output.
  init() {
    number = 1
    file = nil
    names = nil
  }

  /// Nil where it cannot be written; `systemError()` says why.
  init?(_ path: String) {
    // Behind a link it is the file that changes, not the link.
    let target = resolvedPath(path) ?? path
    var mode: UInt32?
    switch FileKind(target) {
    case .other:
      guard let file = Descriptor(writing: target) else { return nil }
      self.init(file, names: nil)
      return
    case .regular(let old):
      guard mayWrite(target) else { return nil }
      mode = old
    case .missing:
      break
    }
    let folder = target.lastIndex(of: "/").map { target[...$0] } ?? ""
    var attempt = 0
    while true {
      let temporary = "\(folder).apnscope-\(processNumber())-\(attempt).part"
      if let file = Descriptor(creating: temporary) {
        if let mode { file.setMode(mode) }
        self.init(file, names: (temporary, target))
        return
      }
      attempt += 1
      guard Descriptor.nameIsTaken, attempt < 100 else { return nil }
    }
  }

  private init(_ file: consuming Descriptor, names: (temporary: String, final: String)?) {
    number = file.number
    self.file = consume file
    self.names = names
  }

  func publish() -> Bool {
    guard let names else { return true }
    if renameFile(names.temporary, names.final) { return true }
    removeFile(names.temporary)
    return false
  }

  func remove() {
    if let names { removeFile(names.temporary) }
  }
}

enum StandardOutput {
  /// False where it cannot be written; a closed pipe wants no more.
  static func write(_ text: String) -> Bool {
    if case .failed = writeAll(text, to: 1) { false } else { true }
  }
}
