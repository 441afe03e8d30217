/// What a path names, following links.
enum FileKind: Equatable {
  case missing
  /// A regular file with these permissions.
  case regular(mode: UInt32)
  case folder
  /// A device, a FIFO, or a dangling link.
  case other

  init(_ path: String) {
    var status = stat()
    if unsafe stat(path, &status) == 0 {  // the path is copied by the bridge
      self.init(status)
    } else {
      self = unsafe lstat(path, &status) == 0 ? .other : .missing
    }
  }

  init(_ file: borrowing Descriptor) {
    var status = stat()
    self = unsafe fstat(file.number, &status) == 0 ? FileKind(status) : .missing
  }

  private init(_ status: stat) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: self = .regular(mode: UInt32(status.st_mode & 0o7777))
    case S_IFDIR: self = .folder
    default: self = .other
    }
  }

  /// Whether it is a regular file, which can be read twice.
  var isRegular: Bool { if case .regular = self { true } else { false } }
}

/// The names in a folder, sorted by their bytes; nil if it cannot be read, and `systemError()` gives the reason.
/// - Parameter hidden: Whether names that begin with a dot are included.
func namesInFolder(_ path: String, hidden: Bool = false) -> [String]? {
  guard let folder = unsafe opendir(path) else { return nil }
  defer { unsafe closedir(folder) }
  var names: [String] = []
  while let entry = unsafe readdir(folder) {
    // The name is terminated within the entry, which lives until the next call.
    let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
      unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
    }
    if hidden ? name != "." && name != ".." : !name.hasPrefix(".") { names.append(name) }
  }
  return names.sorted()
}

/// Removes a file; a link is not followed.
func removeFile(_ path: String) { _ = unsafe unlink(path) }  // the path is copied by the bridge

/// The path with symbolic links resolved; nil if a link is dangling.
func resolvedPath(_ path: String) -> String? {
  guard let resolved = unsafe realpath(path, nil) else { return nil }
  defer { unsafe free(resolved) }  // allocated by realpath for the caller
  return unsafe String(cString: resolved)
}

func mayWrite(_ path: String) -> Bool {
  unsafe access(path, W_OK) == 0
}

/// Identifies a regular file whatever its name is.
struct FileIdentity: Hashable {
  private let device: UInt64
  private let number: UInt64

  /// Nil if the file is missing or not regular; `-` is standard input.
  init?(_ path: String) {
    var status = stat()
    guard path == "-" ? unsafe fstat(0, &status) == 0 : unsafe stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Nil for fewer bytes than `least`, too.
  init?(descriptor: Int32, atLeast least: Int = 0) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_size >= least else { return nil }
    self.init(status)
  }

  private init?(_ status: stat) {
    guard status.st_mode & S_IFMT == S_IFREG else { return nil }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
  }
}

/// Creates a folder unless it exists.
/// - Parameter fix: What to do if that fails.
func makeFolder(_ path: String, or fix: String = "choose a writable folder") throws(Failure) {
  guard unsafe mkdir(path, 0o777) != 0, FileKind(path) != .folder else { return }  // the path is copied by the bridge
  throw .unreadable("\(path): \(systemError()); \(fix)")
}
