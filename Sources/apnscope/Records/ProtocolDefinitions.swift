import APNSDiagnosis
import APNSQuery
import APNSViews
import APNSWire
import Synchronization

/// The frame types, rules, root causes and text formats that all commands use.
var protocolDefinitions: Definitions { current.withLock { $0.definitions } }

/// The names of their fields, for filters and columns.
var fieldNames: FieldNames { current.withLock { $0.names } }

private let current = Mutex(ProtocolDefinitions())

private struct ProtocolDefinitions: Sendable {
  private(set) var definitions = Definitions.standard
  private(set) var names = FieldNames.standard
  /// The options that loaded files of frame types.
  private(set) var flags: [String] = []

  mutating func add(_ catalog: Catalog, _ flags: [String]) {
    definitions.catalog = catalog
    names = FieldNames(definitions)
    self.flags += flags
  }
}

/// The files of frame types that the user added to the standard ones.
enum FrameFiles {
  /// The environment variable with the paths of files, separated by colons.
  static let variable = "APNSCOPE_FRAMES"
  static let option = "--frames"

  static var inEnvironment: [InputPath] {
    (environment(variable) ?? "").split(separator: ":").map { InputPath(String($0), variable) }
  }

  /// Adds the frame types of these files.
  static func load(_ files: [InputPath]) throws(Failure) {
    for file in files { try add(file) }
  }

  /// The options that load the same files again. The environment does so by itself.
  static var flags: [String] { current.withLock { $0.flags } }

  /// The beginning of a command line that encodes a frame of these types.
  static var encodeCommand: String { (["apnscope", "encode"] + flags).map(shellWord).joined(separator: " ") }

  private static func add(_ file: InputPath) throws(Failure) {
    let text = try smallFile(file, limit: 1 << 20)
    do {
      let known = protocolDefinitions.catalog
      let catalog = try FrameFile(text, roles: known.roleNames).adding(to: known)
      current.withLock { $0.add(catalog, file.option == option ? [option, file.path] : []) }
    } catch {
      throw .usage("\(file.description): \(error)")
    }
  }
}

extension StreamRole {
  /// Its name, which a file of frame types may give.
  var name: String { protocolDefinitions.catalog.roleNames[self] ?? description }
}
