import APNSDiagnosis
import APNSQuery
import APNSViews
import APNSWire
import Synchronization

/// The frame types, rules, root causes and text formats that all commands use.
package var protocolDefinitions: Definitions { current.withLock { $0.definitions } }

/// The names of their fields, for filters and columns.
package var fieldNames: FieldNames { current.withLock { $0.names } }

private let current = Mutex(ProtocolDefinitions())

private struct ProtocolDefinitions: Sendable {
  private(set) var definitions = Definitions.standard
  private(set) var names = FieldNames.standard
  /// The options that loaded files of frame types.
  private(set) var flags: [String] = []

  mutating func add(_ catalog: Catalog, _ flags: [String]) {
    definitions.catalog = catalog
    names = FieldNames(catalog)
    self.flags += flags
  }
}

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
    for path in paths(in: arguments) { try add(path, as: "\(option) \(path)", flags: [option, path]) }
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

  private static func add(_ path: String, as name: String, flags: [String] = []) throws(Failure) {
    let text = try smallFile(path, as: name, limit: 1 << 20)
    do {
      let known = protocolDefinitions.catalog
      let catalog = try FrameFile(text, roles: known.roleNames).adding(to: known)
      current.withLock { $0.add(catalog, flags) }
    } catch {
      throw .usage("\(name): \(error)")
    }
  }
}

extension StreamRole {
  /// Its name, which a file of frame types may give.
  package var name: String { protocolDefinitions.catalog.roleNames[self] ?? description }
}
