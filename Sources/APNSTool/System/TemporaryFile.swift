import CSignals

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A file that is removed when its owner goes or the run ends, also by a signal, unless it was published before.
package final class TemporaryFile {
  package let path: String
  let number: Int32
  private var file: Descriptor?
  private var slot: Int32 = -1
  private var isPublished = false

  /// In the folder for temporary files, for this user alone.
  /// - Parameter purpose: for the error if there can be none.
  package static func make(for purpose: String? = nil) throws(Failure) -> TemporaryFile {
    let folder = environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    guard let file = TemporaryFile("\(folder)/apnscope.XXXXXX", suffix: 0, mode: 0o600) else {
      let what = purpose.map { " for \($0)" } ?? ""
      throw .unreadable("cannot create a temporary file\(what): \(systemError()); set TMPDIR to another folder")
    }
    return file
  }

  /// In the folder of the file that it becomes; the path of the folder ends in a slash, or is empty. Nil if that can't be;
  /// `systemError()` says why.
  package convenience init?(in folder: String, mode: UInt32) {
    self.init("\(folder).apnscope-XXXXXX.part", suffix: 5, mode: mode)
  }

  private init?(_ template: String, suffix: Int32, mode: UInt32) {
    var path = Array(template.utf8CString)
    var slot: Int32 = -1
    let number = unsafe path.withUnsafeMutableBufferPointer { space in
      // Ends in NUL, and is written in place.
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

  /// Closes it and gives it its name; false where that fails, and `systemError()` says why.
  package func publish(as name: String) -> Bool {
    if let file = file.take(), !file.close() { return false }
    guard unsafe rename(path, name) == 0 else { return false }  // both paths are copied by the bridge
    isPublished = true
    signals_forget_file(slot)
    return true
  }

  /// Makes it anew with these bytes: a command that was given its path may have put a link or a folder in its place, and
  /// neither is followed.
  package func replace(with bytes: [UInt8]) throws(Failure) {
    file = nil
    removeTree(path)
    if let file = Descriptor(creating: path), case .done = writeAll(bytes.span, to: file.number), file.close() {
      return
    }
    throw .unreadable("\(path): \(systemError()); free some space, or set TMPDIR to another folder")
  }
}

/// What a new file may be, by the user's mask.
func newFileMode() -> UInt32 {
  let mask = umask(0)
  umask(mask)
  return UInt32(0o666 & ~mask)
}

/// Removes a file or, with all that is in it, a folder; links are not followed. `errno` stays.
private func removeTree(_ path: String) {
  let reason = errno
  defer { errno = reason }
  if unsafe unlink(path) == 0 || errno == ENOENT { return }  // the path is copied by the bridge
  for name in namesInFolder(path, hidden: true) ?? [] { removeTree("\(path)/\(name)") }
  _ = unsafe rmdir(path)
}
