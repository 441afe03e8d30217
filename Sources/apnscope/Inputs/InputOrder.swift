import APNSCapture
import APNSInput

extension InputOptions {
  /// A file, and the time of its first packet if it is a capture that has one.
  private typealias TimedFile = (source: InputSource, isCapture: Bool, time: CaptureTime?)

  /// The inputs in the order in which they are read. A folder means all its files; consecutive captures are sorted by
  /// their first packets.
  func sources() throws(Failure) -> [InputSource] {
    if !hex.isEmpty { return hex.map { InputSource(path: "--hex", bytes: Array($0.utf8)) } }
    let paths = paths.isEmpty ? ["-"] : paths.map(\.path)
    var files: [TimedFile] = []
    for path in paths {
      if path != "-", FileKind(path) == .folder {
        files += try self.files(inFolder: path)
      } else {
        files.append(paths.count > 1 ? timed(InputSource(path: path)) : (InputSource(path: path), false, nil))
      }
    }
    return inOrder(files)
  }

  /// All files in a folder and its subfolders: captures first, those without packets last of them, so that they form
  /// one sequence; then other files by name. Unreadable files are listed too, and fail when they are read.
  private func files(inFolder path: String) throws(Failure) -> [TimedFile] {
    var files: [TimedFile] = []
    var folders = [path]
    var visited: Set<String> = []
    while let folder = folders.popLast() {
      // Symbolic links may form a cycle.
      guard visited.insert(resolvedPath(folder) ?? folder).inserted else { continue }
      guard let names = namesInFolder(folder) else {
        if folder == path { throw .unreadable("\(path): \(systemError())") }
        files.append((InputSource(path: folder, obstacle: systemError()), false, nil))
        continue
      }
      let paths = names.map { folder + (folder.hasSuffix("/") ? "" : "/") + $0 }
      folders += paths.filter { FileKind($0) == .folder }.reversed()
      for file in paths where FileKind(file) != .folder {
        let obstacle = "a pipe, a device or a dangling link; in a folder, only regular files are read"
        files.append(timed(InputSource(path: file, obstacle: FileKind(file).isRegular ? nil : obstacle)))
      }
    }
    guard !files.isEmpty else { throw .unreadable("\(path): this folder has no files") }
    return files.filter { $0.time != nil } + files.filter { $0.isCapture && $0.time == nil }
      + files.filter { !$0.isCapture }
  }

  /// With the time of its first packet, if it is a capture that can be read twice.
  private func timed(_ source: InputSource) -> TimedFile {
    guard !source.isStandardInput, FileKind(source.path).isRegular, let input = try? InputFile(source, as: from),
      input.format == .pcap
    else { return (source, false, nil) }
    var reader = try? CaptureReader(input.source)
    return (source, true, reader?.nextPacketTime())
  }

  /// Sorts runs of consecutive captures by time. Files without a time keep their position.
  private func inOrder(_ files: [TimedFile]) -> [InputSource] {
    var ordered: [TimedFile] = []
    for file in files {
      var index = ordered.endIndex
      if let time = file.time {
        // After the last one that is not later. One without a time begins another run.
        index = (ordered.lastIndex { $0.time.map { $0 <= time } ?? true }).map { $0 + 1 } ?? 0
      }
      ordered.insert(file, at: index)
    }
    return ordered.map(\.source)
  }
}
