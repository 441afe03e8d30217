import APNSDiagnosis
import APNSViews
import APNSWire
import Synchronization

/// The frame types, rules, root causes and text formats that all commands use.
package var protocolDefinitions: Definitions { current.withLock { $0.definitions } }

private let current = Mutex((definitions: Definitions.standard, flags: [String]()))

/// The files of frame types that the user added to the standard ones.
package enum FrameFiles {
  /// The environment variable with the paths of files, separated by colons.
  package static let variable = "APNSCOPE_FRAMES"
  package static let option = "--frames"

  /// Adds the frame types of the files that the environment and the arguments name. It must run before the arguments are
  /// parsed, because their values may name these frame types.
  package static func load(arguments: [String]) throws(Failure) {
    let variable = (environment(variable) ?? "").split(separator: ":").map(String.init)
    for path in variable { try add(path, as: "\(Self.variable): \(path)") }
    for path in paths(in: arguments) {
      try add(path, as: "\(option) \(path)")
      current.withLock { $0.flags += [option, path] }
    }
  }

  /// The options that load the same files again. The environment does so by itself.
  package static var flags: [String] { current.withLock { $0.flags } }

  /// The beginning of a command line that encodes a frame of these types.
  static var encodeCommand: String { (["apnscope", "encode"] + flags).map(shellWord).joined(separator: " ") }

  private static func paths(in arguments: [String]) -> [String] {
    var paths: [String] = []
    for (index, argument) in arguments.enumerated() {
      if argument == "--" { break }
      if argument == option, index + 1 < arguments.count { paths.append(arguments[index + 1]) }
      if argument.hasPrefix(option + "=") { paths.append(String(argument.dropFirst(option.count + 1))) }
    }
    return paths
  }

  private static func add(_ path: String, as name: String) throws(Failure) {
    let text = try smallFile(path, as: name, limit: 1 << 20)
    do {
      let definitions = protocolDefinitions
      let file = try FrameFile(text, roles: definitions.catalog.roleNames)
      let catalog = try file.adding(to: definitions.catalog)
      current.withLock { $0.definitions.catalog = catalog }
    } catch {
      throw .usage("\(name): \(error)")
    }
  }
}

extension StreamRole {
  /// Its name, which a file of frame types may give.
  package var name: String { protocolDefinitions.catalog.roleNames[self] ?? description }
}
