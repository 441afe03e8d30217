import APNSCapture
import APNSInput

extension InputOptions {
  /// A file, and the time of its first packet if it is a capture.
  private typealias TimedFile = (source: InputSource, time: CaptureTime?)

  /// The inputs in the order in which they are read. A folder means all its files; consecutive captures are sorted by
  /// their first packets.
  func sources() throws(Failure) -> [InputSource] {
    if !hex.isEmpty { return hex.map { InputSource(path: "--hex", text: $0) } }
    let paths = paths.isEmpty ? ["-"] : paths.map(\.path)
    var files: [TimedFile] = []
    for path in paths {
      if path != "-", FileKind(path) == .folder {
        files += try self.files(inFolder: path)
      } else {
        files.append((InputSource(path: path), paths.count > 1 ? probe(path).time : nil))
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
        others.append((InputSource(path: folder, obstacle: systemError()), nil))
        continue
      }
      let paths = names.map { folder + (folder.hasSuffix("/") ? "" : "/") + $0 }
      folders += paths.filter { FileKind($0) == .folder }.reversed()
      for file in paths where FileKind(file) != .folder {
        var source = InputSource(path: file)
        if !FileKind(file).isRegular {
          source.obstacle = "a pipe, a device or a dangling link; in a folder, only regular files are read"
        }
        let (isCapture, time) = probe(file)
        if isCapture { captures.append((source, time)) } else { others.append((source, nil)) }
      }
    }
    guard !captures.isEmpty || !others.isEmpty else { throw .unreadable("\(path): this folder has no files") }
    // A capture without packets has no time.
    return captures.filter { $0.time != nil } + captures.filter { $0.time == nil } + others
  }

  /// Whether a file that can be read twice is a capture, and the time of its first packet.
  private func probe(_ path: String) -> (isCapture: Bool, time: CaptureTime?) {
    guard path != "-", FileKind(path).isRegular, var input = try? InputFile(InputSource(path: path), as: from),
      (try? input.recognised()) == .pcap
    else { return (false, nil) }
    var reader = try? CaptureReader(input.source)
    return (true, reader?.firstPacketTime())
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
