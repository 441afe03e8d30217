import CProcess

/// A file that is removed with its owner or at the end of the run, even by a signal, unless it has been published.
final class TemporaryFile {
  let path: String
  let number: Int32
  private var file: Descriptor?
  private var slot: Int32 = -1
  private var isPublished = false

  /// Creates a file that only this user can read, in the folder for temporary files.
  /// - Parameter purpose: The purpose, for the error message.
  static func make(for purpose: String? = nil) throws(Failure) -> TemporaryFile {
    let folder = environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    guard let file = TemporaryFile("\(folder)/apnscope.XXXXXX", suffix: 0, mode: 0o600) else {
      let what = purpose.map { " for \($0)" } ?? ""
      throw .unreadable("cannot create a temporary file\(what): \(systemError()); set TMPDIR to another folder")
    }
    return file
  }

  /// Creates a file that will be renamed to `path`, in the same folder. Nil on failure; `systemError()` gives the
  /// reason.
  convenience init?(replacing path: String, mode: UInt32) {
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
    self.init("\(folder).apnscope-XXXXXX.part", suffix: 5, mode: mode)
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
    file = Descriptor(number: number, isOwned: true)
  }

  deinit {
    guard !isPublished else { return }
    removeTree(path)
    signals_forget_file(slot)
  }

  /// Closes the file and renames it. Returns false on failure; `systemError()` gives the reason.
  func publish(as name: String) -> Bool {
    if let file = file.take(), !file.close() { return false }
    guard unsafe rename(path, name) == 0 else { return false }  // both paths are copied by the bridge
    isPublished = true
    signals_forget_file(slot)
    return true
  }

  /// Recreates the file with these bytes. A command that knows the path may have put a link or a folder in its place;
  /// links are not followed.
  func replace(with bytes: [UInt8]) throws(Failure) {
    file = nil
    removeTree(path)
    let new = Descriptor(creating: path, mode: 0o600)
    if let new, writeAll(bytes.span, to: new.number), new.close() { return }
    throw .unreadable("\(path): \(systemError()); free some space, or set TMPDIR to another folder")
  }
}

/// The permissions of a new file, according to the user's mask.
func newFileMode() -> UInt32 {
  let mask = umask(0)
  umask(mask)
  return UInt32(0o666 & ~mask)
}

/// Removes a file, or a folder with its contents. Links are not followed. Preserves `errno`.
private func removeTree(_ path: String) {
  let reason = errno
  defer { errno = reason }
  if unsafe unlink(path) == 0 || errno == ENOENT { return }  // the path is copied by the bridge
  for name in namesInFolder(path, hidden: true) ?? [] { removeTree("\(path)/\(name)") }
  _ = unsafe rmdir(path)
}
