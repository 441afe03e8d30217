import APNSViews

/// What can be exported of the frame types.
enum ExportKind: String, CaseIterable, Sendable {
  /// The JSON that `--frames` reads.
  case frames
  /// A dissector for Wireshark and tshark.
  case wireshark
}

/// Writes the frame types in a form for other tools.
struct ExportRun {
  private let kind: ExportKind
  /// Nil means standard output.
  private let output: OutputPath?
  /// Whether to write the file to the folder from which Wireshark loads it.
  private let installs: Bool

  /// - Throws: A usage error if the options exclude each other.
  init(_ kind: ExportKind, output: OutputPath?, installs: Bool) throws(Failure) {
    if installs, kind != .wireshark { throw .usage("--install is for export wireshark") }
    if installs, output != nil { throw .usage("--install and -w exclude each other; use one of them") }
    self.kind = kind
    self.output = output
    self.installs = installs
  }

  func run() throws -> ExitStatus {
    if let output { try RecordRun.check(output) }
    var file = installs ? try Self.installedFile() : try OutputFile(output)
    switch kind {
    case .frames: file.write(FrameFile.text(of: protocolDefinitions.catalog))
    case .wireshark: file.write(WiresharkDissector.text(of: protocolDefinitions.catalog))
    }
    try file.close()
    if installs { StandardError.say("wrote \(try Self.installedPath()); restart Wireshark, or press Ctrl-Shift-L") }
    return .clean
  }

  private static let installOption = "--install"

  private static func installedPath() throws(Failure) -> String {
    guard let home = environment("HOME"), !home.isEmpty else {
      throw .usage("HOME is not set; write the script with -w to the Personal Lua Plugins folder of tshark -G folders")
    }
    return "\(home)/\(WiresharkDissector.pluginFolder)/\(WiresharkDissector.fileName)"
  }

  /// The file in Wireshark's folder, which is created if need be. Only an earlier dissector is replaced.
  private static func installedFile() throws(Failure) -> OutputFile {
    let path = try installedPath()
    if FileKind(path) != .missing, !isDissector(path) {
      throw .unreadable("\(path) was not written by apnscope; move it, or overwrite it with -w \(shellWord(path))")
    }
    for (index, character) in zip(path.indices, path) where character == "/" && index != path.startIndex {
      let folder = String(path[..<index])
      guard makeFolder(folder) else { throw .unreadable("\(folder): \(systemError()); write the script with -w") }
    }
    return try OutputFile(OutputPath(path, installOption, mayReplace: installOption))
  }

  private static func isDissector(_ path: String) -> Bool {
    guard FileKind(path).isRegular, let file = Descriptor(reading: InputPath(path, installOption).path) else {
      return false
    }
    let first = Array(WiresharkDissector.firstLine.utf8)
    var buffer = [UInt8](repeating: 0, count: first.count)
    return file.read(into: &buffer) == first.count && buffer == first
  }
}
