import APNSCapture
import APNSDiagnosis
import APNSViews
import APNSWire
import ArgumentParser

/// Files of frame types, which are loaded before the subcommand runs.
struct FramesOption: ParsableArguments {
  @Option(
    reads: "\(Self.name) <file>",
    "Add the frame types and items of FILE (docs/frame-files.md), as \(Self.variable) does.", rare: true)
  var frames: [InputPath] = []

  private static let name = "--frames"
  /// The environment variable with the paths of files, separated by colons.
  private static let variable = "APNSCOPE_FRAMES"

  /// The options that load the same files again. The environment does so by itself.
  var flags: [String] { frames.flatMap { [Self.name, $0.path] } }

  /// All files, first those in the environment.
  var files: [InputPath] {
    (environment(Self.variable) ?? "").split(separator: ":").map { InputPath(String($0), Self.variable) } + frames
  }
}

extension Definitions {
  /// The standard definitions and the frame types in these files.
  init(adding files: [InputPath]) throws(Failure) {
    var definitions = Definitions.standard
    definitions.inflate = { inflated($0, from: $1, windowBits: $2, limit: $3) }
    for file in files {
      let (text, catalog) = (try smallFile(file), definitions.catalog)
      definitions.catalog = try ExitStatus.usage.failing("\(file.description): ") {
        try FrameFile(text, addingTo: catalog).catalog
      }
    }
    self = definitions
  }
}

extension Catalog {
  /// The name of a role, which a file of frame types may give.
  func name(of role: StreamRole) -> String { roleNames[role] ?? role.description }

  func types(of role: StreamRole) -> Catalog { Catalog(schemas.filter { $0.role == role }) }
}
