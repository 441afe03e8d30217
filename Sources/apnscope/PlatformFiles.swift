#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// The calls to the system that writing files takes.

/// What stands under a path, links followed.
enum FileKind {
  case missing
  case regular(mode: UInt32)
  /// A device, a fifo, a directory, or a link that leads nowhere yet.
  case other

  init(_ path: String) {
    var status = stat()
    if unsafe stat(path, &status) == 0 {  // the path is copied by the bridge
      self = status.st_mode & S_IFMT == S_IFREG ? .regular(mode: UInt32(status.st_mode & 0o7777)) : .other
    } else {
      self = unsafe lstat(path, &status) == 0 ? .other : .missing
    }
  }

  /// A file whose bytes stay, so that it can be read twice.
  var isRegular: Bool { if case .regular = self { true } else { false } }
}

/// Names in a folder, hidden ones left out, in the order of their bytes; nil where it cannot be read.
func namesInFolder(_ path: String) -> [String]? {
  guard let folder = unsafe opendir(path) else { return nil }
  defer { unsafe closedir(folder) }
  var names: [String] = []
  while let entry = unsafe readdir(folder) {
    // The name is terminated within the entry, which lives until the next call.
    let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
      unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
    }
    if !name.hasPrefix(".") { names.append(name) }
  }
  return names.sorted()
}

/// Whether anything has this name.
func isThere(_ path: String) -> Bool {
  if case .missing = FileKind(path) { false } else { true }
}

func isFolder(_ path: String) -> Bool {
  var status = stat()
  return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}

/// The path behind symbolic links; nil where they lead nowhere.
func resolvedPath(_ path: String) -> String? {
  guard let resolved = unsafe realpath(path, nil) else { return nil }
  defer { unsafe free(resolved) }  // allocated by realpath for the caller
  return unsafe String(cString: resolved)
}

func mayWrite(_ path: String) -> Bool {
  unsafe access(path, W_OK) == 0
}

func processNumber() -> Int32 { getpid() }

extension Descriptor {
  /// The file itself, cut to nothing where it can be. Nil where it cannot be opened; `systemError()` says why.
  init?(writing path: String) {
    let number = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard number >= 0 else { return nil }
    self.init(number: number, isOwned: true)
  }

  /// A file that nobody else has: nil also where there is one of that name, a link that leads nowhere included.
  init?(creating path: String) {
    let number = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard number >= 0 else { return nil }
    self.init(number: number, isOwned: true)
  }

  /// Whether the last `init?(creating:)` failed because of the name alone.
  static var nameIsTaken: Bool { errno == EEXIST }

  func setMode(_ mode: UInt32) { _ = fchmod(number, mode_t(mode)) }
}

/// A new file of ours in the folder for temporary files: open for writing, and its path. `systemError()` says why not.
func temporaryFile() -> (path: String, number: Int32)? {
  let folder = environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
  var path = Array("\(folder)/apnscope.XXXXXX".utf8CString)
  let number = unsafe path.withUnsafeMutableBufferPointer { space in
    unsafe mkstemp(space.baseAddress!)  // ends in NUL, and is written in place
  }
  guard number >= 0 else { return nil }
  return (String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self), number)
}

func remove(file path: String) {
  _ = unsafe unlink(path)  // the path is copied by the bridge
}

/// Whether both names lead to one file that is there.
func isSameFile(_ one: String, _ other: String) -> Bool {
  var (first, second) = (stat(), stat())
  guard unsafe stat(one, &first) == 0, unsafe stat(other, &second) == 0 else { return false }  // copied by the bridge
  return first.st_dev == second.st_dev && first.st_ino == second.st_ino && first.st_mode & S_IFMT == S_IFREG
}

/// Whether there is a folder of that name now; `systemError()` says why not.
func makeFolder(_ path: String) -> Bool {
  unsafe mkdir(path, 0o777) == 0 || isFolder(path)  // the path is copied by the bridge
}
