import CProcess

/// A file that is removed with its owner or at the end of the run, even by a signal, unless it has been published.
final class TemporaryFile {
  let path: String
  let number: Int32
  private var file: Descriptor?
  private let slot: Int32
  private var isPublished = false
  /// The path that it will have.
  private var target = ""

  /// Creates a file that only this user can read, in the folder for temporary files.
  static func make() throws(Failure) -> TemporaryFile {
    let folder = environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    if let file = TemporaryFile("\(folder)/apnscope.XXXXXX", suffix: 0, mode: 0o600) { return file }
    throw .unreadable("cannot create a temporary file: \(systemError()); set TMPDIR to another folder")
  }

  /// A file with these bytes that nothing more is written to.
  static func make(containing bytes: [UInt8]) throws(Failure) -> TemporaryFile {
    let file = try make()
    try file.write(bytes.span)
    file.file = nil
    return file
  }

  /// Creates a file that will be renamed to `path`, in the same folder. Nil on failure; `systemError()` gives the
  /// reason.
  convenience init?(replacing path: String, mode: UInt32) {
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
    self.init("\(folder).apnscope-XXXXXX.part", suffix: 5, mode: mode)
    target = path
  }

  private init?(_ template: String, suffix: Int32, mode: UInt32) {
    var path = Array(template.utf8CString)
    var slot: Int32 = -1
    let number = unsafe path.withUnsafeMutableBufferPointer { space in
      // The template is terminated and modified in place.
      unsafe signals_create_file(space.baseAddress!, suffix, mode_t(mode), &slot)
    }
    guard number >= 0 else { return nil }
    self.path = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    self.number = number
    self.slot = slot
    file = Descriptor(number)
  }

  deinit {
    if !isPublished { remove(path) }
    signals_forget_file(slot)
  }

  /// Closes the file and renames it. Returns false on failure; `systemError()` gives the reason.
  func publish() -> Bool {
    if let file = file.take(), !file.close() { return false }
    guard unsafe rename(path, target) == 0 else { return false }  // both paths are copied by the bridge
    isPublished = true
    return true
  }

  func write(_ bytes: Span<UInt8>) throws(Failure) {
    guard !writeAll(bytes, to: number) else { return }
    throw .unreadable("\(path): \(systemError()); free some space, or set TMPDIR to another folder")
  }
}

/// The permissions of a new file, according to the user's mask.
func newFileMode() -> UInt32 {
  let mask = umask(0)
  umask(mask)
  return UInt32(0o666 & ~mask)
}
