#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// The calls to the system that files take.

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

/// Names in a folder, in the order of their bytes; nil where it cannot be read.
/// - Parameter hidden: also those that begin with a dot.
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

extension Descriptor {
  /// The file itself, cut to nothing where it can be. Nil where it cannot be opened; `systemError()` says why.
  init?(writing path: String) {
    let number = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard number >= 0 else { return nil }
    self.init(number: number, isOwned: true)
  }

  /// A capture file, for packets that a root user captures or another one. Root follows no link, which may be another
  /// user's.
  init?(capture path: String) {
    let link = geteuid() == 0 ? O_NOFOLLOW : 0
    let number = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | link, 0o666)
    guard number >= 0 else { return nil }
    self.init(number: number, isOwned: true)
  }

  /// A file that nobody else has: nil also where there is one of that name, a link that leads nowhere included.
  init?(creating path: String) {
    let number = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard number >= 0 else { return nil }
    self.init(number: number, isOwned: true)
  }

}

/// What tells one regular file from all others, whatever its name.
struct FileIdentity: Equatable {
  private let device: UInt64
  private let number: UInt64
  let size: Int

  /// Nil for what is no regular file, or is not there; `-` is standard input.
  init?(_ path: String) {
    var status = stat()
    guard path == "-" ? unsafe fstat(0, &status) == 0 : unsafe stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  init?(descriptor: Int32) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  private init?(_ status: stat) {
    guard status.st_mode & S_IFMT == S_IFREG else { return nil }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
    size = Int(status.st_size)
  }

  static func == (one: Self, other: Self) -> Bool { one.device == other.device && one.number == other.number }
}

/// Whether there is a folder of that name now; `systemError()` says why not.
func makeFolder(_ path: String) -> Bool {
  unsafe mkdir(path, 0o777) == 0 || isFolder(path)  // the path is copied by the bridge
}
