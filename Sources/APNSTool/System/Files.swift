#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What a path names, links followed.
package enum FileKind: Equatable {
  case missing
  /// With its permissions.
  case regular(mode: UInt32)
  case folder
  /// A device, a fifo, or a link that leads nowhere yet.
  case other

  package init(_ path: String) {
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

  /// Its bytes stay, so that it can be read twice.
  package var isRegular: Bool { if case .regular = self { true } else { false } }
}

/// Names in a folder, in the order of their bytes; nil if it cannot be read, and `systemError()` says why.
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

/// The path without symbolic links; nil if they lead nowhere.
func resolvedPath(_ path: String) -> String? {
  guard let resolved = unsafe realpath(path, nil) else { return nil }
  defer { unsafe free(resolved) }  // allocated by realpath for the caller
  return unsafe String(cString: resolved)
}

func mayWrite(_ path: String) -> Bool {
  unsafe access(path, W_OK) == 0
}

/// Tells a regular file from all others, whatever its name is.
struct FileIdentity: Equatable {
  private let device: UInt64
  private let number: UInt64
  let size: Int

  /// Nil if it is no regular file or is missing; `-` is standard input.
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

/// Makes a folder, unless it exists. False if it can't; `systemError()` says why.
func makeFolder(_ path: String) -> Bool {
  unsafe mkdir(path, 0o777) == 0 || FileKind(path) == .folder  // the path is copied by the bridge
}
