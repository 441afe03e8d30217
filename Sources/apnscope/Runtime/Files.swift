/// What a path names, following links.
enum FileKind: Equatable {
  case missing
  case regular(RegularFile)
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

  init(descriptor: Int32) {
    var status = stat()
    self = unsafe fstat(descriptor, &status) == 0 ? FileKind(status) : .missing
  }

  private init(_ status: stat) {
    switch status.st_mode & S_IFMT {
    case S_IFREG:
      let identity = [UInt64(truncatingIfNeeded: status.st_dev), UInt64(truncatingIfNeeded: status.st_ino)]
      let permissions = UInt32(status.st_mode & 0o7777)
      self = .regular(RegularFile(identity: identity, permissions: permissions, size: Int(status.st_size)))
    case S_IFDIR: self = .folder
    default: self = .other
    }
  }

  /// Nil unless it is a regular file, which can be read twice.
  var regular: RegularFile? { if case .regular(let file) = self { file } else { nil } }
  var isRegular: Bool { regular != nil }
}

struct RegularFile: Equatable {
  /// The device and the number on it, which identify the file whatever its name is.
  let identity: [UInt64]
  let permissions: UInt32
  let size: Int
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

/// Removes a file, or a folder with its contents. Links are not followed. Preserves `errno`.
func remove(_ path: String) {
  let reason = errno
  defer { errno = reason }
  if unsafe unlink(path) == 0 || errno == ENOENT { return }  // the path is copied by the bridge
  for name in namesInFolder(path, hidden: true) ?? [] { remove("\(path)/\(name)") }
  _ = unsafe rmdir(path)
}

/// The path with symbolic links resolved; nil if a link is dangling.
func resolvedPath(_ path: String) -> String? {
  guard let resolved = unsafe realpath(path, nil) else { return nil }
  defer { unsafe free(resolved) }  // allocated by realpath for the caller
  return unsafe String(cString: resolved)
}

func mayWrite(_ path: String) -> Bool {
  unsafe access(path, W_OK) == 0
}

/// Creates a folder unless it exists.
/// - Parameter fix: What to do if that fails.
func makeFolder(_ path: String, or fix: String = "choose a writable folder") throws(Failure) {
  guard unsafe mkdir(path, 0o777) != 0, FileKind(path) != .folder else { return }  // the path is copied by the bridge
  throw .unreadable("\(path): \(systemError()); \(fix)")
}
