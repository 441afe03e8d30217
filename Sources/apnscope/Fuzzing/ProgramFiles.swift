/// The files of a program under test, which distinguish its lines in a stack trace from those of its language's
/// library.
struct ProgramFiles {
  /// Resolved paths, each with a slash at the end.
  private let folders: Set<String>

  /// The files below the current folder, and below the folder of each file in the command.
  init(of command: [String]) {
    let files = command.filter { FileKind($0).isRegular }.compactMap(resolvedPath)
    let folders = files.map { String($0[...($0.lastIndex(of: "/") ?? $0.startIndex)]) }
    // The root folder would contain every library. Its path is one slash, or two with the one added.
    self.folders = Set(folders + [(resolvedPath(".") ?? "") + "/"]).subtracting(["/", "//"])
  }

  /// The innermost line of the program in a stack trace, as `FILE:LINE`; nil if the output names no line.
  ///
  /// In all languages, a frame of a trace has the name of a file and then the number of a line, or the offset in an
  /// executable. The innermost frame is the first one, unless the trace says otherwise. If no file belongs to the
  /// program, such as when it was built elsewhere, all frames together are the place.
  func place(in lines: [Substring]) -> String? {
    var (own, all) = ([String](), [String]())
    for line in lines {
      let words = line.split { $0.isWhitespace || "\"'`()[]<>,:;+".contains($0) }.filter { $0 != "line" && $0 != "on" }
      for (file, number) in zip(words, words.dropFirst())
      where number.first?.isASCII == true && number.first?.isNumber == true {
        let place = "\(file):\(number)"
        if contains(file) {
          own.append(place)
        } else if Self.hasExtension(file), number.allSatisfy(\.isNumber), !all.contains(place) {
          all.append(place)
        }
      }
    }
    if let place = lines.contains(where: { $0.contains("most recent call last") }) ? own.last : own.first {
      return place
    }
    return all.isEmpty ? nil : all.joined(separator: " ")
  }

  /// Hidden folders do not belong to the program: package managers keep the files of languages there.
  private func contains(_ file: Substring) -> Bool {
    guard file.contains(where: { $0 == "." || $0 == "/" }), let path = resolvedPath(String(file)) else { return false }
    return folders.contains { path.hasPrefix($0) && !path.dropFirst($0.count - 1).contains("/.") }
      && FileKind(path).isRegular
  }

  private static func hasExtension(_ file: Substring) -> Bool {
    file.lastIndex(of: ".").map { file[$0...].dropFirst().first?.isLetter == true } ?? false
  }
}
