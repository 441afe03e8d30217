import APNSDiagnosis
import APNSViews
import ArgumentParser

enum ExportKind: String, CaseIterable, ExpressibleByArgument {
  /// The JSON that `--frames` reads.
  case frames
  /// A dissector for Wireshark and tshark.
  case wireshark
}

struct Export: Runnable {
  static let configuration = CommandConfiguration(
    "export", "Export the frame types for other tools, or to start a file of your own.",
    usage: """
      apnscope export [-w <file> | --install] <what>
      apnscope export frames -w frames.json
      apnscope export frames | jq '.frames[].name'
      apnscope export wireshark --install
      """,
    discussion: """
      frames is the JSON that --frames reads. wireshark is a dissector in Lua for Wireshark and tshark.
      """, clean: "everything was written", findings: nil)

  @Argument(help: "What to export.")
  var what: ExportKind

  @OptionGroup var target: OutputOption

  @Flag(help: "Write the dissector to the folder from which Wireshark loads it, and print the path.")
  var install = false

  @OptionGroup var frames: FramesOption

  func execute(_ definitions: Definitions) throws -> ExitStatus {
    if install, what != .wireshark { throw Failure.usage("--install is for export wireshark") }
    if install, target.output != nil { throw Failure.usage("--install and -w exclude each other; use one of them") }
    var file = install ? try Self.installedFile() : try OutputFile(target.output)
    switch what {
    case .frames: file.write(FrameFile.text(of: definitions.catalog))
    case .wireshark: file.write(WiresharkDissector.text(of: definitions.catalog))
    }
    try file.close()
    if install { StandardError.say("wrote \(try Self.installedPath()); restart Wireshark, or press Ctrl-Shift-L") }
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
      try makeFolder(String(path[..<index]), or: "write the script with -w")
    }
    return try OutputFile(OutputPath(path, installOption, mayReplace: installOption))
  }

  private static func isDissector(_ path: String) -> Bool {
    guard FileKind(path).isRegular, let text = try? smallFile(InputPath(path, installOption)) else { return false }
    return text.starts(with: (WiresharkDissector.firstLine + "\n").utf8)
  }
}
