import APNSInput

extension InputOptions {
  /// A file, and the time of its first packet if it is a capture.
  private typealias TimedFile = (source: InputSource, time: CaptureTime?)

  /// The inputs in the order in which they are read. A folder means all its files; consecutive captures are sorted by
  /// their first packets.
  func sources() throws(Failure) -> [InputSource] {
    if !hex.isEmpty { return hex.map { .text($0) } }
    let paths = paths.isEmpty ? ["-"] : paths.map(\.path)
    var files: [TimedFile] = []
    for path in paths {
      if path != "-", FileKind(path) == .folder {
        files += try self.files(inFolder: path)
      } else {
        files.append((.file(path), paths.count > 1 ? time(of: path) : nil))
      }
    }
    return inOrder(files)
  }

  /// All files in a folder and its subfolders: captures by time, so that they form one sequence, then other files by
  /// name. Unreadable files are listed too, and fail when they are read.
  private func files(inFolder path: String) throws(Failure) -> [TimedFile] {
    var (captures, others): ([TimedFile], [TimedFile]) = ([], [])
    var folders = [path]
    var visited: Set<String> = []
    while let folder = folders.popLast() {
      // Symbolic links may form a cycle.
      guard visited.insert(resolvedPath(folder) ?? folder).inserted else { continue }
      guard let names = namesInFolder(folder) else {
        if folder == path { throw .unreadable("\(path): \(systemError())") }
        others.append((.unreadable(folder, systemError()), nil))
        continue
      }
      let paths = names.map { folder + (folder.hasSuffix("/") ? "" : "/") + $0 }
      folders += paths.filter { FileKind($0) == .folder }.reversed()
      for file in paths where FileKind(file) != .folder {
        guard FileKind(file).isRegular else {
          let reason = "a pipe, a device or a dangling link; in a folder, only regular files are read"
          others.append((.unreadable(file, reason), nil))
          continue
        }
        if var input = try? InputFile(.file(file), as: from), case .capture? = try? input.kind() {
          captures.append((.file(file), input.firstPacketTime()))
        } else {
          others.append((.file(file), nil))
        }
      }
    }
    guard !captures.isEmpty || !others.isEmpty else { throw .unreadable("\(path): this folder has no files") }
    // A capture without packets has no time.
    return captures.filter { $0.time != nil } + captures.filter { $0.time == nil } + others
  }

  /// The time of the first packet of a capture; nil if it cannot be read twice.
  private func time(of path: String) -> CaptureTime? {
    guard path != "-", FileKind(path).isRegular, var input = try? InputFile(.file(path), as: from) else { return nil }
    return input.firstPacketTime()
  }

  /// Sorts runs of consecutive captures by time. Files without a time keep their position.
  private func inOrder(_ files: [TimedFile]) -> [InputSource] {
    var ordered: [InputSource] = []
    var run: [(source: InputSource, time: CaptureTime)] = []
    func end() {
      let sorted = run.enumerated().sorted { one, other in
        (one.element.time, one.offset) < (other.element.time, other.offset)
      }
      ordered += sorted.map(\.element.source)
      run = []
    }
    for (source, time) in files {
      if let time {
        run.append((source, time))
      } else {
        end()
        ordered.append(source)
      }
    }
    end()
    return ordered
  }
}
